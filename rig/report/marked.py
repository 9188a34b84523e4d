"""The code of an image as a page lists it: every instruction and source line with its mark.

Enters: the images and paths of coverage.json. Leaves: records whose marks are those of all paths
together, with the few numbers that tell how each path ran a function. Never here: markup,
verdicts.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import PurePath
from typing import Any

from rig.report import reach
from rig.report.executed import (
    EXECUTED,
    Share,
    at,
    directions,
    entered,
    has_source,
    instructions,
    line_mark,
    mark,
    note,
    reached_by,
    runs,
    text,
)
from rig.report.reach import Function, Instruction, Reached

ALL = -1  # stands for all paths together where a path's number stands

Document = Mapping[str, Any]
Owners = tuple[str, ...]
Way = tuple[tuple[int, ...], str]


@dataclass(frozen=True)
class Image:
    """An image; `functions` by their numbers on the page, its files numbered from `first_file`,
    `paths` its rows of coverage.json."""

    document: Document
    known: reach.Image
    functions: Mapping[int, Function]
    first_file: int
    paths: tuple[Document, ...]

    @cached_property
    def files(self) -> Mapping[str, int]:
        """The numbers of its source files, by path."""
        paths = (file["path"] for file in self.document["files"])
        return {path: number for number, path in enumerate(paths, self.first_file)}

    @cached_property
    def leaders(self) -> frozenset[int]:
        """Where basic blocks begin."""
        return frozenset(start for f in self.document["functions"] for start in f["blocks"])

    @cached_property
    def recorded(self) -> bool:
        """Whether directions of jumps were."""
        return any(path["branches"] for path in self.paths)

    @cached_property
    def union(self) -> Reached:
        """What all its paths reached."""
        return reached_by(self.paths, self.recorded)

    @cached_property
    def targets(self) -> Mapping[int, Collection[int]]:
        """Where indirect jumps and calls went on some path."""
        found: dict[int, set[int]] = {}
        for source, target in (pair for path in self.paths for pair in path["indirect"]):
            found.setdefault(source, set()).add(target)
        return found

    @cached_property
    def owned(self) -> Mapping[Owners, Mapping[int, Function]]:
        """Its functions by the variants that own them, where some path is of one of these; of no
        variant those that some path ran."""
        found: dict[Owners, dict[int, Function]] = {(): {}}
        for number, each in self.functions.items():
            if self.asked.intersection(each.variants) or (
                not each.variants and entered(each, self.union)
            ):
                found.setdefault(each.variants, {})[number] = each
        return found

    @cached_property
    def asked(self) -> frozenset[str]:
        """The variants that its paths are of."""
        return frozenset(name for path in self.paths for name in reach.variants_of(path))

    @property
    def common(self) -> Mapping[int, Function]:
        """The functions of no variant that some path ran."""
        return self.owned[()]


@dataclass(frozen=True, slots=True)
class Place:
    """The source line that an instruction begins: `anchor` is empty if the line is not shown."""

    anchor: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ListedInstruction:
    """`place` is None where the line is the one before; `first` is said of a block's first
    instruction, but for the function's own."""

    mark: str
    offset: str
    text: str
    conditional: bool
    note: str
    place: Place | None
    first: bool


@dataclass(frozen=True, slots=True)
class ListedFunction:
    """A function. `sets` are the distinct ways in which paths ran it (runs of instructions, a
    digit per conditional jump), `by` says which path has which; `lines` are runs: file, line,
    count, file -1 for an unknown place."""

    anchor: str
    name: str
    source: str
    instructions: Share
    directions: Share | None
    rows: tuple[ListedInstruction, ...]
    jumps: tuple[int, ...]
    lines: tuple[int, ...]
    sets: tuple[Way, ...]
    by: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """`mark` is empty on a line without code."""

    number: int
    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file; `rows` is None where it could not be read, `executed` counts lines."""

    anchor: str
    path: str
    rows: tuple[SourceRow, ...] | None
    executed: Share


@dataclass(frozen=True, slots=True)
class Group:
    """The functions of the same variants, with the files that only these come from."""

    title: str
    arch: str
    variants: tuple[Document, ...]
    instructions: Share
    directions: Share | None
    functions: tuple[ListedFunction, ...]
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True)
class ImageView:
    """The code of one image; `allowed` is what the manifest allows to stay unreached, `left` names
    the variants that no path of the report is of, `unused` functions of no variant that no path
    ran."""

    title: str
    recorded: bool
    groups: tuple[Group, ...]
    common: Group
    shared: tuple[SourceFile, ...]
    allowed: tuple[str, ...]
    left: tuple[str, ...]
    unused: tuple[str, ...]


def images(coverage: Document) -> list[Image]:
    """The images of the document."""
    found, functions, files = [], 0, 0
    for document, known in zip(coverage["images"], reach.images(coverage), strict=True):
        paths = tuple(p for p in coverage["paths"] if p["image"] == known.digest)
        every = enumerate(known.functions, functions)
        numbered = {number: each for number, each in every if each.file != reach.SUPPORT}
        found.append(Image(document, known, numbered, files, paths))
        functions += len(known.functions)
        files += len(document["files"])
    return found


def image_view(
    image: Image, ran: Mapping[int, Document], variants: Sequence[Document]
) -> ImageView:
    """The code of an image; `ran` are its paths' rows of coverage.json by their numbers."""
    arch = image.known.arch
    ways = {number: reached_by([row], image.recorded) for number, row in ran.items()}
    known = {f"{v['primitive']}/{v['variant']}": v for v in variants if v["arch"] == arch}
    files = _files(image)
    groups = {
        owners: Group(
            title=" + ".join(owners),
            arch=arch,
            variants=tuple(known[name] for name in owners if name in known),
            instructions=instructions(functions.values(), image.union),
            directions=directions(functions.values(), image.union),
            functions=tuple(_listed(image, n, each, ways) for n, each in functions.items()),
            files=tuple(files.get(owners, ())),
        )
        for owners, functions in image.owned.items()
    }
    return ImageView(
        title=f"{image.known.target} {arch}, {image.known.toolchain}",
        recorded=image.recorded,
        groups=tuple(group for owners, group in groups.items() if owners),
        common=groups[()],
        shared=tuple(files.get(None, ())),
        allowed=tuple(_allowance(entry) for entry in image.known.allow),
        left=tuple(name for name in image.known.variants if name not in image.asked),
        unused=tuple(
            each.name
            for number, each in image.functions.items()
            if not each.variants and number not in image.common
        ),
    )


def _allowance(entry: Document) -> str:
    lines = str(entry["first"])
    if entry["last"] != entry["first"]:
        lines += f"-{entry['last']}"
    return f"{entry['symbol']} {entry['file']}:{lines}: {entry['reason']} ({entry['place']})"


def _listed(
    image: Image, n: int, function: Function, ways: Mapping[int, Reached]
) -> ListedFunction:
    sets: dict[Way, int] = {}
    by = {
        number: sets.setdefault(_way(function, seen), len(sets))
        for number, seen in {**ways, ALL: image.union}.items()
        if number == ALL or entered(function, seen)
    }
    return ListedFunction(
        anchor=f"f{n}",
        name=function.name,
        source=function.file,
        instructions=instructions([function], image.union),
        directions=directions([function], image.union),
        rows=tuple(_rows(image, function)),
        jumps=tuple(n for n, each in enumerate(function.instructions) if each.conditional),
        lines=tuple(_line_runs(image, function)),
        sets=tuple(sets),
        by=by,
    )


def _way(function: Function, seen: Reached) -> Way:
    mask = (seen.ways or {}).get
    jumps = (i for i in function.instructions if i.conditional)
    return runs(function, seen), "".join(str(mask(jump.offset, 0)) for jump in jumps)


def _line_runs(image: Image, function: Function) -> Iterator[int]:
    for place, group in groupby(function.instructions, _line):
        yield from (image.files[place[0]], place[1]) if place else (-1, 0)
        yield sum(1 for _ in group)


def _line(instruction: Instruction) -> tuple[str, int] | None:
    return (instruction.file, instruction.line) if has_source(instruction) else None


def _rows(image: Image, function: Function) -> Iterator[ListedInstruction]:
    before: tuple[str, int] | None = None
    for instruction in function.instructions:
        place, offset = _line(instruction), instruction.offset
        yield ListedInstruction(
            mark(instruction, image.union),
            at(function, offset),
            text(function, instruction),
            instruction.conditional,
            note(instruction, image.union) or _targets(function, image.targets.get(offset, ())),
            _place(image, function, *place) if place and place != before else None,
            offset in image.leaders and offset != function.offset,
        )
        before = place


def _targets(function: Function, offsets: Collection[int]) -> str:
    found = ", ".join(at(function, offset) for offset in sorted(offsets))
    return f"went on some path to {found}" if found else ""


def _place(image: Image, function: Function, file: str, line: int) -> Place:
    number = image.files[file]
    label = f":{line}" if file == function.file else f"{PurePath(file).name}:{line}"
    lines = image.document["files"][number - image.first_file]["lines"] or ()
    if not 0 < line <= len(lines):
        return Place("", label, "")
    return Place(f"s{number}-{line}", label, lines[line - 1].strip())


def _files(image: Image) -> Mapping[Owners | None, Sequence[SourceFile]]:
    """The files by the variants that alone have code from them, None for several."""
    marks: dict[str, dict[int, set[str]]] = {}
    found: dict[str, set[Owners]] = {}
    for owners, functions in image.owned.items():
        for each in (i for f in functions.values() for i in f.instructions):
            if has_source(each):
                found.setdefault(each.file, set()).add(owners)
                lines = marks.setdefault(each.file, {})
                lines.setdefault(each.line, set()).add(mark(each, image.union))
    files: dict[Owners | None, list[SourceFile]] = {}
    for path in sorted(found, key=image.files.__getitem__):
        several = found[path]
        only = next(iter(several)) if len(several) == 1 else None
        files.setdefault(only, []).append(_file(image, path, marks[path]))
    return files


def _file(image: Image, path: str, marks: Mapping[int, set[str]]) -> SourceFile:
    number = image.files[path]
    lines = image.document["files"][number - image.first_file]["lines"]
    signs = {line: line_mark(found) for line, found in marks.items()}
    rows = [
        SourceRow(line, signs.get(line, ""), words.expandtabs(8).rstrip())
        for line, words in enumerate(lines or (), 1)
    ]
    return SourceFile(
        f"s{number}",
        path,
        None if lines is None else tuple(rows),
        Share(sum(sign == EXECUTED for sign in signs.values()), len(signs)),
    )
