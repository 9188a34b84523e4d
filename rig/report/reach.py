"""What a coverage document says of the code: how much of it there is, what of it was reached.

Enters: coverage.json, or several merged. Leaves: images with their functions, and per variant
the gaps with file and line. Never here: thresholds, or the image itself; the document is enough.

Code without a line of its own (the compiler's) counts where the code before it stands. A function
without any line table, as of a prebuilt object, stands in a listing of its disassembly, NAME.lst.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rig.trace.branches import NOT_TAKEN, TAKEN

WAYS = {TAKEN: "taken", NOT_TAKEN: "not taken"}
SUPPORT = "runner/support.c"  # what compilers call by themselves: in no proof and no coverage
LISTING = ".lst"
_FUSED, _UNUSED = "fused", "-"

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Instruction:
    """`file` and `line` say where it stands; `own` is false where that is taken over from the
    code before it."""

    offset: int
    text: str
    file: str
    line: int
    own: bool
    conditional: bool


@dataclass(frozen=True)
class Function:
    """`file` is its own source, or its listing; `variants` are those that it belongs to."""

    name: str
    file: str
    variants: tuple[str, ...]
    offset: int
    instructions: tuple[Instruction, ...]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where its instructions stand."""
        return tuple(i.offset for i in self.instructions)


@dataclass(frozen=True, slots=True)
class Image:
    """One build. `root` is the project's folder; `architectures` are all that the manifest has;
    `lines` holds the text of each file, by its path in the document."""

    digest: str
    target: str
    arch: str
    toolchain: str
    root: str
    architectures: tuple[str, ...]
    allow: tuple[Document, ...]
    functions: tuple[Function, ...]
    lines: Mapping[str, tuple[str, ...]]

    def shown(self, file: str) -> str:
        """The path of a file from the folder that the run began in."""
        return file if file.startswith("/") or self.root == "." else f"{self.root}/{file}"

    def text(self, file: str, line: int) -> str:
        """The text of a line, without its indentation."""
        lines = self.lines.get(file, ())
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def of(self, variant: str) -> tuple[Function, ...]:
        """The functions of a variant (`primitive/name`)."""
        return tuple(f for f in self.functions if variant in f.variants)

    @property
    def variants(self) -> tuple[str, ...]:
        """Every variant that owns a function, sorted."""
        return tuple(sorted({name for f in self.functions for name in f.variants}))


@dataclass(frozen=True, slots=True)
class Reached:
    """The union over some paths: offsets executed, and per conditional jump the mask of the
    ways that it went; `ways` is None where the run recorded none."""

    hits: frozenset[int]
    ways: Mapping[int, int] | None


@dataclass(frozen=True, slots=True)
class Gap:
    """What of one line of one function was not reached: `what` is `not executed`, with the
    number of instructions, or the way that a jump never went, with the number of jumps."""

    symbol: str
    file: str
    line: int
    what: str
    count: int
    offset: int


@dataclass(frozen=True, slots=True)
class Count:
    """So many of a total, in instructions or in directions of jumps."""

    covered: int
    total: int


NOT_EXECUTED = "not executed"


def images(document: Document) -> tuple[Image, ...]:
    """The images of a document."""
    return tuple(_image(row) for row in document["images"])


def variants_of(path: Document) -> frozenset[str]:
    """The variants that a path runs, as functions name them."""
    slots = (text.partition("/") for text in path["variants"])
    return frozenset(
        f"{path['primitive']}_fused/{name}" if slot == _FUSED else f"{slot}/{name}"
        for slot, _, name in slots
        if name != _UNUSED
    )


def reached(document: Document, image: Image, variant: str | None = None) -> Reached:
    """What the paths reached that ran an image, or only those that run a variant."""
    own = [p for p in document["paths"] if p["image"] == image.digest]
    recorded = any(path["branches"] for path in own)
    taken = [p for p in own if variant is None or variant in variants_of(p)]
    hits = frozenset(offset for path in taken for offset in path["hits"])
    ways: dict[int, int] = {}
    for path in taken:
        for offset, mask in path["branches"]:
            ways[offset] = ways.get(offset, 0) | mask
    return Reached(hits, ways if recorded else None)


def instruction_count(functions: Iterable[Function], seen: Reached) -> Count:
    """Instructions executed, each offset once."""
    starts = {i.offset for f in functions for i in f.instructions}
    return Count(len(starts & seen.hits), len(starts))


def branch_count(functions: Iterable[Function], seen: Reached) -> Count | None:
    """Directions of conditional jumps; None where they were not recorded."""
    if seen.ways is None:
        return None
    jumps = {i.offset for f in functions for i in f.instructions if i.conditional}
    gone = sum(seen.ways.get(offset, 0).bit_count() for offset in jumps)
    return Count(gone, 2 * len(jumps))


def gaps(functions: Iterable[Function], seen: Reached) -> tuple[Gap, ...]:
    """What was not reached, by file and line; an instruction of two names counts once."""
    found: dict[tuple[str, str, int, str], list[int]] = {}
    known: set[int] = set()
    for function in functions:
        for i in function.instructions:
            if i.offset in known:
                continue
            known.add(i.offset)
            for what in _missing(i, seen):
                found.setdefault((function.name, i.file, i.line, what), []).append(i.offset)
    made = (Gap(*place, len(offsets), offsets[0]) for place, offsets in found.items())
    return tuple(sorted(made, key=lambda g: (g.file, g.line, g.symbol, g.offset)))


def _missing(instruction: Instruction, seen: Reached) -> Iterator[str]:
    if instruction.offset not in seen.hits:
        yield NOT_EXECUTED
    if instruction.conditional and seen.ways is not None:
        mask = seen.ways.get(instruction.offset, 0)
        yield from (text for way, text in WAYS.items() if not mask & way)


def allowed(entry: Document, function: Function, file: str, line: int) -> bool:
    """Whether an `allow` entry means a line of a function."""
    return (
        entry["symbol"] == function.name
        and (entry["file"] or function.file) == file
        and entry["first"] <= line <= entry["last"]
    )


def _image(row: Document) -> Image:
    names = [file["path"] for file in row["files"]]
    lines = {file["path"]: tuple(file["lines"]) for file in row["files"] if file["lines"]}
    listings: dict[str, list[str]] = {}
    functions = tuple(_function(f, names, listings) for f in row["functions"])
    unread = [name for name in names if name not in lines]
    return Image(
        digest=row["digest"],
        target=row["target"],
        arch=row["arch"],
        toolchain=row["toolchain"],
        root=row["root"],
        architectures=tuple(row["architectures"]),
        allow=tuple(row["allow"]),
        functions=functions,
        lines=lines | _made(unread, functions) | {n: tuple(t) for n, t in listings.items()},
    )


def _function(row: Document, names: list[str], listings: dict[str, list[str]]) -> Function:
    rows = row["instructions"]
    lined = any(line is not None for _, _, _, line, _, _ in rows)
    placed = _stated(rows, names) if lined else _listed(row, listings)
    return Function(
        name=row["name"],
        file=row["source"] if lined else row["source"] + LISTING,
        variants=tuple(row["variants"]),
        offset=row["offset"],
        instructions=tuple(placed),
    )


def _stated(rows: list[Any], names: list[str]) -> Iterator[Instruction]:
    """Instructions at the lines that the compiler stated."""
    place = next((names[file], line) for _, _, file, line, _, _ in rows if line is not None)
    for offset, text, file, line, kind, _ in rows:
        own = line is not None
        place = (names[file], line) if own else place
        yield Instruction(offset, text, *place, own, kind == "conditional")


def _listed(row: Document, listings: dict[str, list[str]]) -> Iterator[Instruction]:
    """Instructions at the lines of their listing."""
    file = row["source"] + LISTING
    listing = listings.setdefault(file, [])
    listing.append(f"{row['name']}:")
    for offset, text, _, _, kind, _ in row["instructions"]:
        listing.append(f"  +{offset - row['offset']:#x}  {text}")
        yield Instruction(offset, text, file, len(listing), True, kind == "conditional")


def _made(names: Collection[str], functions: Iterable[Function]) -> dict[str, tuple[str, ...]]:
    """For sources that could not be read: on each line the instructions that it became."""
    texts: dict[str, dict[int, list[str]]] = {name: {} for name in names}
    for instruction in (i for f in functions for i in f.instructions if i.file in texts):
        texts[instruction.file].setdefault(instruction.line, []).append(instruction.text)
    return {
        name: tuple("; ".join(lines.get(n, ())) for n in range(1, max(lines, default=0) + 1))
        for name, lines in texts.items()
    }
