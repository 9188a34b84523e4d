"""What profiles and `--checks` take, and what they say that they left out."""

import pytest

from rig.checks.findings import CHECKS
from rig.errors import RigError
from rig.inputs.sources import sources
from rig.options import PROFILES, Options, gather, pytest_arguments
from rig.primitives import PRIMITIVES
from rig.profiles import CASES, ENDINGS, PARTS, WHOLE, left_out, part_of, select

ALL = frozenset(CHECKS)
NAMES = {part.name for part in PARTS}
APART = {part.name for part in PARTS if "value" not in part.checks}


def test_the_table_is_whole() -> None:
    """Each check is made by some part, each source has its row, no profile takes less than the
    one before it."""
    assert {check for part in PARTS for check in part.checks} == ALL
    assert len(NAMES) == len(PARTS) and set(CASES) <= ALL
    for part in PARTS:
        amounts = [part.amount(name) for name in PROFILES]
        assert amounts == sorted(amounts) and part.deep, part.name


@pytest.mark.parametrize("primitive", sorted(PRIMITIVES))
def test_what_is_no_row_is_a_packaged_set(primitive: str) -> None:
    for source in sources(primitive, None):
        packaged = part_of(source.name).name == "packaged"
        assert packaged == (source.rank == 4), f"{source.name} has no row in rig/profiles.py"


@pytest.mark.parametrize(
    ("words", "checks", "parts"),
    [
        ((), ALL, NAMES),
        (("value",), {"value"}, NAMES - APART),
        (("value,memory",), {"value", "memory"}, NAMES - APART),
        (("value", "memory"), {"value", "memory"}, NAMES - APART),
        (("dispatch",), {"dispatch"}, {"dispatch"}),
        (("unwind",), {"unwind"}, {"unwind"}),
        (("sweep,edges",), ALL, {"sweep", "edges"}),
        (("value,sweep",), {"value"}, {"sweep"}),
        (("-value",), ALL - {"value"}, NAMES),
        (("-dispatch",), ALL - {"dispatch"}, NAMES - {"dispatch"}),
        (("-novelty,-generated",), ALL, NAMES - {"novelty", "generated"}),
        (("capability", "-isa"), {"capability"}, NAMES - APART),
        (("value,memory,-memory",), {"value"}, NAMES - APART),
    ],
)
def test_checks(words: tuple[str, ...], checks: set[str], parts: set[str]) -> None:
    chosen = select("default", words)
    assert chosen.checks == checks | set(ENDINGS)
    assert chosen.parts == {p for p in parts if part_of(p).default}
    assert chosen.narrowed == bool(words)


@pytest.mark.parametrize(
    ("profile", "words", "text"),
    [
        ("default", "vale", "--checks vale: unknown; did you mean `value`?"),
        ("default", "-swep", "--checks -swep: unknown; did you mean `sweep`?"),
        ("default", "-crash", "--checks -crash: a case that ends so has no other verdict"),
        ("quick", "novelty", "--profile quick has nothing of novelty"),
        ("default", "dispatch,sweep", "has nothing of sweep, or it makes none of the checks"),
        ("default", "dispatch,-dispatch", "leaves nothing to do"),
    ],
)
def test_what_cannot_be_meant(profile: str, words: str, text: str) -> None:
    with pytest.raises(RigError, match=text) as caught:
        gather({"profile": profile, "checks": [words]})
    assert "\n" not in str(caught.value)


def test_amounts() -> None:
    quick, deep = select("quick", ()), select("deep", ("-novelty",))
    assert (quick.amount("generated"), deep.amount("generated")) == (0, 1000)
    assert (quick.amount("edges"), deep.amount("novelty")) == (WHOLE, 0)
    assert quick.amount("gcmEncryptExtIV128") == 0
    assert quick.narrowed and deep.narrowed and not select("deep", ()).narrowed


def test_what_is_left_out_is_told() -> None:
    assert not list(left_out(select("deep", ()), "full"))
    default = [row for row in left_out(select("default", ()), "paths") if row["taken"] == 1]
    assert {row["name"] for row in default} == {"novelty"}
    assert {row["unit"] for row in default} == {"path of each variant"}
    rows = {row["name"]: row for row in left_out(select("quick", ("-memory,-edges",)), "paths")}
    assert rows["memory"]["by"] == rows["edges"]["by"] == "--checks"
    assert (rows["generated"]["by"], rows["generated"]["of"]) == ("--profile quick", 1000)
    assert (rows["sweep"]["taken"], rows["sweep"]["of"]) == (400, -1)
    assert rows["models"]["by"] == "--cap-matrix paths"
    assert "published" not in rows


@pytest.mark.parametrize(
    ("given", "matrix", "flags"),
    [
        ({"profile": "deep"}, "full", ["--rig-profile=deep"]),
        (
            {"profile": "deep", "cap_matrix": "paths"},
            "paths",
            ["--cap-matrix=paths", "--rig-profile=deep"],
        ),
        ({"profile": "quick"}, "paths", ["--rig-profile=quick"]),
    ],
)
def test_a_profile_has_its_masks(given: dict[str, str], matrix: str, flags: list[str]) -> None:
    options = gather(given)
    assert options.cap_matrix == matrix
    assert pytest_arguments(options) == flags


def test_options_know_their_selection() -> None:
    assert Options(checks=("value",)).selection.made_by("sweep") == {"value", *ENDINGS}
    assert Options(checks=("value",)).selection.made_by("isa") == frozenset()
