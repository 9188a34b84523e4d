"""What of a variant no case reached: basic blocks, with their disassembly and source lines.

Enters: coverage.json, or several merged. Leaves: frozen blocks in the order of the code. Never
here: why; that is for whoever reads the block.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rig.report.reach import Image, Instruction, images, reached

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of source with its text; the text is empty where it could not be read."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions in a row of which none was executed, from `offset` bytes into the function
    `symbol` on: a basic block, or what of one lies behind a fault. `instructions` are pairs of
    offset and disassembly, `lines` the source that they come from, in order of the code."""

    symbol: str
    offset: int
    instructions: tuple[tuple[int, str], ...]
    lines: tuple[Line, ...]

    @property
    def place(self) -> str:
        """The block in a few words: `symbol+0x1c (file:line)`."""
        return f"{self.symbol}+{self.offset:#x} ({self.lines[0]})"


def unreached(document: Document, variant: str, arch: str) -> tuple[Block, ...]:
    """The blocks of an architecture's `PRIMITIVE/VARIANT` that nothing reached, over every path
    that an image ran; one that two names share counts once. Empty for a variant that no image
    holds."""
    own = (image for image in images(document) if image.arch == arch)
    return tuple(block for image in own for block in _blocks(document, image, variant))


def _blocks(document: Document, image: Image, variant: str) -> Iterator[Block]:
    seen, leaders = reached(document, image), _leaders(document, image)
    known: set[int] = set()
    for function in image.of(variant):
        run: list[Instruction] = []
        for each in function.instructions:
            missed = each.offset not in seen.hits and each.offset not in known
            if run and (not missed or each.offset in leaders):
                yield _block(image, function.name, function.offset, run)
                run = []
            run += [each] if missed else []
            known.add(each.offset)
        if run:
            yield _block(image, function.name, function.offset, run)


def _leaders(document: Document, image: Image) -> frozenset[int]:
    rows = [row for row in document["images"] if row["digest"] == image.digest]
    return frozenset(start for row in rows for f in row["functions"] for start in f["blocks"])


def _block(image: Image, symbol: str, start: int, run: list[Instruction]) -> Block:
    places = dict.fromkeys((i.file, i.line) for i in run)
    return Block(
        symbol,
        run[0].offset - start,
        tuple((i.offset - start, i.text) for i in run),
        tuple(Line(image.shown(file), line, image.text(file, line)) for file, line in places),
    )
