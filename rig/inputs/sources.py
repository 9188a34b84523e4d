"""Station 4: where cases come from, by primitive.

Enters: a primitive and the user's folder of vectors. Leaves: named `Source`s whose cases are
loaded when asked for. Never here: answers or paths.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rig.cases import Answer, Case, Values
from rig.data import data_folder
from rig.inputs.alignments import alignments
from rig.inputs.contexts import CARRYING, contexts
from rig.inputs.edges import edges, has_edges
from rig.inputs.long_messages import LONGER, huge_messages, is_long, long_messages
from rig.inputs.negatives import REFUSING, negatives
from rig.inputs.overlaps import is_overlapping, overlaps
from rig.inputs.sweeps import is_swept, sweep
from rig.primitives import own_of
from rig.profiles import WHOLE
from rig.vectors.published import bundled, packaged
from rig.vectors.reading import read, read_folder
from rig.vectors.records import Problem, Vector

PACKAGED = 4
PUBLISHED, USER = "published", "user"
EDGES, NEGATIVES, CONTEXTS, ALIGNMENTS = "edges", "negatives", "contexts", "alignments"
OVERLAPS = "overlaps"
SWEEP, LONG, HUGE = "sweep", "long", "huge"
SWITCHES = "switches"

_PACKAGED_PRIMITIVES = {  # by how a file's name begins
    "gcm": "aes_gcm",
    "aes_gcm": "aes_gcm",
    "chacha20_poly1305": "chacha20_poly1305",
    "xchacha20_poly1305": "xchacha20_poly1305",
}


@dataclass(frozen=True, slots=True)
class Source:
    """Cases of one primitive; `rank` orders sources, proofs by published vectors first.
    `files` are what the cases are read from, none for those that the rig generates; `most` how
    many are taken. Sources of rank PACKAGED are many short records: they prove values, and hardly
    reach new code."""

    name: str
    rank: int
    load: Callable[[], tuple[Case, ...]]
    files: tuple[Path, ...] = ()
    most: int = WHOLE


def limited(source: Source, most: int) -> Source:
    """The source with at most so many of its cases, evenly taken."""
    if most >= WHOLE:
        return source
    return replace(source, load=lambda: _evenly(source, most), most=most)


def _evenly(source: Source, most: int) -> tuple[Case, ...]:
    cases = source.load()
    if len(cases) <= most:
        return cases
    return tuple(cases[number * len(cases) // most] for number in range(most))


def sources(primitive: str, folder: Path | None) -> tuple[Source, ...]:
    """Every source of a primitive, in the order in which they run."""
    found = []
    own = tuple(sorted((data_folder("vectors") / primitive).glob("*.json")))
    if own:
        found.append(Source(PUBLISHED, 0, lambda: _cases(bundled(primitive), primitive), own))
    if folder and any(v.primitive == primitive for v in _folder(folder)[0]):
        theirs = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
        found.append(Source(USER, 0, lambda: _cases(_folder(folder)[0], primitive), theirs))
    brought = own_of(primitive)
    if brought and brought.vectors:
        found.append(Source(PUBLISHED, 0, lambda: brought.vectors, (brought.module,)))
    if has_edges(primitive):
        found.append(Source(EDGES, 1, lambda: tuple(edges(primitive))))
    if primitive in REFUSING:
        found.append(Source(NEGATIVES, 1, lambda: tuple(negatives(primitive))))
    if primitive in CARRYING:
        found.append(Source(CONTEXTS, 1, lambda: tuple(contexts(primitive))))
    if is_swept(primitive):
        found.append(Source(ALIGNMENTS, 1, lambda: tuple(alignments(primitive))))
    if is_overlapping(primitive):
        found.append(Source(OVERLAPS, 1, lambda: tuple(overlaps(primitive))))
    if is_swept(primitive):
        found.append(Source(SWEEP, 2, lambda: tuple(_with_nulls(sweep(primitive)))))
    if is_long(primitive):
        found.append(Source(LONG, 2, lambda: tuple(long_messages(primitive))))
    if primitive in LONGER:
        found.append(Source(HUGE, 2, lambda: tuple(huge_messages(primitive))))
    files = [file for package in packaged() for file in package.files]
    found += [
        Source(
            _packaged_name(file), PACKAGED, functools.partial(_file_cases, file, primitive), (file,)
        )
        for file in files
        if _belongs(file, primitive)
    ]
    return tuple(found)


def _with_nulls(cases: Iterable[Case]) -> Iterator[Case]:
    """Each case with an empty input a second time, with NULL for no bytes."""
    for case in cases:
        yield case
        if b"" in case.values.inputs.values():
            placement = replace(case.placement, null=True)
            yield replace(case, name=f"{case.name}, NULL", placement=placement)


def problems(folder: Path) -> tuple[Problem, ...]:
    """What could not be read in a user's folder."""
    return _folder(folder)[1]


@functools.lru_cache(maxsize=2)
def _folder(folder: Path) -> tuple[tuple[Vector, ...], tuple[Problem, ...]]:
    items = list(read_folder(folder))
    vectors = tuple(item for item in items if isinstance(item, Vector))
    return vectors, tuple(item for item in items if isinstance(item, Problem))


@functools.lru_cache(maxsize=2)
def _file_cases(file: Path, primitive: str) -> tuple[Case, ...]:
    return _cases(read(file), primitive)


def _packaged_name(file: Path) -> str:
    return file.stem.removesuffix("_test")


def _belongs(file: Path, primitive: str) -> bool:
    name = file.stem.lower()
    return any(
        name.startswith(start) and owner == primitive
        for start, owner in _PACKAGED_PRIMITIVES.items()
    )


def _cases(items: Iterable[Vector | Problem], primitive: str) -> tuple[Case, ...]:
    """The cases of published records; `Case.name` is source and record."""
    return tuple(
        Case(
            name=f"{item.source} {item.name}",
            values=Values(item.primitive, item.operation, item.inputs),
            expected=Answer(item.outputs, refused=not item.valid),
        )
        for item in items
        if isinstance(item, Vector) and item.primitive == primitive
    )
