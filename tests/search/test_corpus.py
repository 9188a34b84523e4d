"""Files of cases: what is written is read again, and what is none is named."""

import json
from pathlib import Path

import pytest

from rig.cases import Answer, Case, Placement, Values
from rig.runner.scripts import Side
from rig.search.corpus import FORMAT, CorpusError, committed, kept, read, write

VALUES = Values("poly1305", "mac", {"key": bytes(32), "message": b"abc", "split": 0})
CASE = Case("novelty 7", VALUES, Placement(Side.START, {"ctx": 8}, True), Answer({"tag": b"x"}))


def test_what_is_written_is_read_without_an_answer(tmp_path: Path) -> None:
    write(tmp_path / "corpus" / "poly1305" / "a.json", "poly1305/x", [CASE, CASE])
    first, second = committed(tmp_path, "poly1305")
    assert (first.values, first.placement, first.expected) == (VALUES, CASE.placement, None)
    assert (first.name, second.name) == ("corpus a 0", "corpus a 1")
    assert committed(tmp_path, "ghash") == ()


def test_the_same_cases_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "a.json", tmp_path / "b.json"
    write(one, "p", [CASE])
    write(two, "p", [Case("other", VALUES, CASE.placement)])
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_mode & 0o777 == 0o644


def _document(**changed: object) -> str:
    return json.dumps({"format": FORMAT, "path": "p", "cases": [], **changed})


ALIEN = {
    "name": "0",
    "primitive": "ghash",
    "operation": "ghash",
    "inputs": {},
    "placement": {"side": "end", "skews": {}, "in_place": False},
}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a corpus of poly1305: Expecting"),
        ("[]", "not a corpus of poly1305"),
        (_document(format="variant-rig corpus 9"), "format is 'variant-rig corpus 9', not"),
        ('{"format": "variant-rig corpus 1"}', "it lacks 'cases'"),
        (_document(cases=[{"name": "0"}]), "it lacks"),
        (_document(cases=[ALIEN]), "ghash ghash is no operation of it"),
    ],
)
def test_what_is_no_corpus(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(CorpusError, match=says) as caught:
        read(file, "poly1305")
    assert str(caught.value).startswith(f"{file}: ")
    assert kept(file, "poly1305") == ()


def test_a_cache_that_holds_nothing_yet(tmp_path: Path) -> None:
    assert kept(tmp_path / "none.json", "poly1305") == ()
