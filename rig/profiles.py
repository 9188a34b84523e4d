"""What a run takes in: a row for each source of cases and kind of item, an amount per profile.

Enters: the words of `--profile` and `--checks`. Leaves: the table, a frozen `Selection`, and in
rows what it leaves out. Never here: running anything, or which paths and architectures a run has.

A new source or kind of item is one row of PARTS; one that makes a check of its own names it.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from rig.checks.findings import CHECKS
from rig.errors import RigError
from rig.options import MATRICES
from rig.toml_table import nearest

WHOLE = sys.maxsize
PACKAGED = "packaged"
ENDINGS = ("crash", "exit", "timeout")
CASES = (
    *("value", "return", "uninitialised", "memory", "input", "abi", *ENDINGS),
    *("path", "capability"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """`gives` says what it holds, for a reader; `quick`, `default` and `deep` how much of it
    each profile takes, in `unit`: 0 is nothing, WHOLE is all. `checks` are those that it makes.
    A profile in `sparse` takes it on so many paths only that each variant is on one."""

    name: str
    gives: str
    quick: int = WHOLE
    default: int = WHOLE
    deep: int = WHOLE
    unit: str = "cases of each path"
    checks: tuple[str, ...] = CASES
    sparse: tuple[str, ...] = ()

    def amount(self, profile: str) -> int:
        """What a profile takes of it."""
        return int(getattr(self, profile))


PARTS = (
    Part("dispatch", "what the dispatcher says under every mask", checks=("dispatch",)),
    Part("race", "the initialiser of the vector, in every order of two calls", checks=("race",)),
    Part("isa", "the code of each variant, whether it ran or not", checks=("capability",)),
    Part("object", "the objects of each variant as they are linked", checks=("object",)),
    Part("unwind", "call frame information of assembly, on small sources", checks=("unwind",)),
    Part("published", "records that standards and test projects publish"),
    Part("user", "records in the folder of `--vectors`"),
    Part("edges", "values at which carries, counter wraps and top bits go wrong"),
    Part(
        "negatives", "for AEADs: forgeries, and lengths of tag, nonce and key that must be refused"
    ),
    Part("contexts", "messages in parts, contexts set up again, kept, and in turn with others"),
    Part("switches", "a mask that changes between two calls, where contexts have one layout"),
    Part("alignments", "each pointer by itself at each distance from a multiple of 64", quick=0),
    Part("overlaps", "outputs that share memory with their input in part", quick=0),
    Part(
        "sweep",
        "every length of message and additional data, every key size; NULL for no bytes",
        quick=400,
    ),
    Part("long", "single messages of 4 and 24 KiB, additional data of a fourth of that", quick=0),
    Part("huge", "the same of 1 and 1.5 MiB, past 65,536 blocks of 16 bytes", quick=0),
    Part(
        "generated",
        "what Hypothesis tries on all paths of a primitive",
        quick=0,
        default=60,
        deep=1000,
        unit="examples",
    ),
    Part(
        "novelty",
        "a search from the code of each path for inputs that reach new code; by default on one "
        "path of each variant",
        quick=0,
        default=4,
        deep=400,
        unit="rounds without news",
        sparse=("default",),
    ),
    Part(
        "constant-time",
        "each variant in single steps under several secrets",
        quick=0,
        checks=("constant-time",),
    ),
    Part(
        "stack",
        "each variant in single steps on a few messages of the sweep, to 1,040 bytes",
        quick=0,
        checks=("stack",),
    ),
    Part(PACKAGED, "sets of published records from packages, by their files' names", quick=0),
)
_BY_NAME = {part.name: part for part in PARTS}


def part_of(source: str) -> Part:
    """The row of a source by its name in results: packaged sets go by their files' names."""
    return _BY_NAME.get(source, _BY_NAME[PACKAGED])


@dataclass(frozen=True, slots=True)
class Selection:
    """What a run takes: `checks` whose findings count, and `parts` of the table."""

    profile: str
    checks: frozenset[str]
    parts: frozenset[str]

    def amount(self, source: str) -> int:
        """How much of a source or kind of item is taken, 0 for nothing."""
        part = part_of(source)
        return part.amount(self.profile) if part.name in self.parts else 0

    def is_sparse(self, source: str) -> bool:
        """Whether it is taken on so many paths only that each variant is on one."""
        return self.profile in part_of(source).sparse

    def made_by(self, source: str) -> frozenset[str]:
        """The chosen checks that a source's items make."""
        return self.checks.intersection(part_of(source).checks)

    @property
    def narrowed(self) -> bool:
        """Whether anything is left out that the default profile takes."""
        return self.checks != frozenset(CHECKS) or any(
            self.amount(part.name) < part.default for part in PARTS
        )


@cache
def select(profile: str, checks: tuple[str, ...]) -> Selection:
    """The selection of `--profile` and `--checks`: names of checks and of sources, only these;
    with `-` before them all but these. RigError for a name that is not there, for an ending
    left out (nothing else would judge the case) and where nothing is left."""
    wanted, dropped = _words(checks)
    named = frozenset(wanted & CHECKS.keys() or CHECKS) - dropped
    listed = wanted & _BY_NAME.keys() - (wanted & CHECKS.keys())
    parts = frozenset(
        part.name
        for part in PARTS
        if part.name in (listed or _BY_NAME) and part.name not in dropped
        if part.amount(profile) and named.intersection(part.checks)
    )
    if missed := sorted(listed - dropped - parts):
        raise RigError(
            f"--checks {','.join(checks)}: --profile {profile} has nothing of {missed[0]}, or it "
            "makes none of the checks that are left; `rig list checks` says which"
        )
    if not parts:
        raise RigError(f"--checks {','.join(checks)}: leaves nothing to do")
    return Selection(profile, named | frozenset(ENDINGS), parts)


def _words(checks: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names that are wanted and those that are left out."""
    words = [word for text in checks for word in text.split(",")]
    known = {*CHECKS, *_BY_NAME}
    for word in words:
        name = word.removeprefix("-")
        if name not in known:
            raise RigError(f"--checks {word}: unknown{nearest(name, sorted(known))}")
        if word.startswith("-") and name in ENDINGS:
            raise RigError(f"--checks {word}: a case that ends so has no other verdict")
    dropped = {word[1:] for word in words if word.startswith("-")}
    wanted = {word for word in words if not word.startswith("-")}
    if wanted and wanted <= dropped:
        raise RigError(f"--checks {','.join(checks)}: leaves nothing to do")
    return wanted - dropped, dropped


def left_out(selection: Selection, cap_matrix: str) -> Iterator[dict[str, str | int]]:
    """A row for each check and source that the run has not, or has not all of: `taken` of it,
    and `of` as much as deep takes, -1 for all that there is."""
    for name in CHECKS:
        if name not in selection.checks:
            yield _row(name, "check", "--checks", 0, WHOLE, "")
    for part in PARTS:
        taken = selection.amount(part.name)
        by = "--checks" if taken != part.amount(selection.profile) else selection.profile
        if taken < part.deep:
            by = by if by == "--checks" else f"--profile {by}"
            yield _row(part.name, "source", by, taken, part.deep, part.unit)
        if taken and selection.is_sparse(part.name):
            by = f"--profile {selection.profile}"
            yield _row(part.name, "source", by, 1, WHOLE, "path of each variant")
    if cap_matrix != MATRICES["deep"]:
        yield _row("models", "masks", f"--cap-matrix {cap_matrix}", 0, WHOLE, "")


def _row(name: str, kind: str, by: str, taken: int, of: int, unit: str) -> dict[str, str | int]:
    of = -1 if of == WHOLE else of
    return {"name": name, "kind": kind, "by": by, "taken": taken, "of": of, "unit": unit}
