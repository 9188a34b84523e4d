"""What was executed, written for people: places in words, annotated disassembly.

Enters: decoded functions, the addresses that were executed, source lines. Leaves: lines of
plain text and counts. Never here: printing, or thresholds.
"""

import textwrap
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rig.trace.architecture import Instruction, Kind
from rig.trace.branches import NOT_TAKEN, TAKEN
from rig.trace.flow import Span
from rig.trace.instructions import Decoded, FunctionCode, architecture
from rig.trace.lines import Lines, SourceLine

EXECUTED, MISSED, ONE_WAY, NOT_CODE = "+", "-", "~", "."
LEGEND = (
    f"{EXECUTED} executed   {MISSED} not executed   {ONE_WAY} jump that went one way only\n"
    f"{NOT_CODE} data or dead code, not counted"
)
_NEVER = {TAKEN: "never falls through", NOT_TAKEN: "never taken"}

Gone = Mapping[int, int]
"""The ways that conditional jumps went, by address, as a mask of TAKEN and NOT_TAKEN."""


@dataclass(frozen=True, slots=True)
class FunctionCoverage:
    """How many instructions of a function were executed, out of how many, and how many
    directions its conditional jumps went, out of how many (0 if that was not recorded)."""

    name: str
    executed: int
    total: int
    gone: int = 0
    directions: int = 0

    @property
    def percent(self) -> float:
        """The share rounded down to a tenth, so that 100.0 means every one."""
        return self.executed * 1000 // self.total / 10 if self.total else 100.0


def cover(
    function: FunctionCode, hits: Collection[int], gone: Gone | None = None
) -> FunctionCoverage:
    """Count the instructions whose address is among the executed ones, and directions."""
    executed = sum(instruction.address in hits for instruction in function.instructions)
    total = len(function.instructions)
    if gone is None:
        return FunctionCoverage(function.name, executed, total)
    jumps = [i.address for i in function.instructions if i.kind is Kind.CONDITIONAL]
    ways = sum(gone.get(address, 0).bit_count() for address in jumps)
    return FunctionCoverage(function.name, executed, total, ways, 2 * len(jumps))


def one_way(function: FunctionCode, gone: Gone) -> dict[int, str]:
    """The jumps that were executed and went one way only, with the way that they never went."""
    addresses = [i.address for i in function.instructions if i.kind is Kind.CONDITIONAL]
    return {a: _NEVER[gone[a]] for a in addresses if gone.get(a, 0) in _NEVER}


def describe(decoded: Decoded, lines: Lines, pc: int) -> str:
    """Write an address as `symbol+0x1c: vmovdqu ymm0, [rsi] (native/x86/x.c:57)`.

    What is not known is left out, down to the bare address.
    """
    place = decoded.place(pc)
    instruction = decoded.instruction_at(pc)
    text = f"{pc:#x} (outside every function)" if place is None else place
    if instruction is not None:
        text += f": {architecture(decoded.arch).text(instruction, decoded.place)}"
    elif place is not None:
        text += ": no instruction begins here"
    line = lines.at(pc)
    return text if line is None else f"{text} ({line})"


@dataclass(frozen=True, slots=True)
class _Sources:
    root: Path
    files: dict[str, list[str]] = field(default_factory=dict)

    def text(self, at: SourceLine) -> str:
        """Give a source line without its indentation; empty if it cannot be read."""
        if at.path not in self.files:
            self.files[at.path] = self._read(at.path)
        rows = self.files[at.path]
        return _printable(rows[at.line - 1]) if at.line <= len(rows) else ""

    def _read(self, path: str) -> list[str]:
        try:
            return (self.root / path).read_text(errors="replace").splitlines()
        except OSError:
            return []


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text).strip()


def annotate(
    decoded: Decoded,
    function: FunctionCode,
    hits: Collection[int],
    lines: Lines,
    root: Path,
    width: int = 80,
    gone: Gone | None = None,
) -> Iterator[str]:
    """Write a function's disassembly with a mark before each instruction (see `LEGEND`).

    The first line has the totals. Basic blocks are set apart by empty lines. Each change of
    the source line is announced by its number and, if the file under `root` can be read, its
    text, shortened to `width` columns; instructions are wrapped, never shortened.
    """
    yield from _summary(cover(function, hits, gone), function.swept, width)
    half = one_way(function, gone or {})
    sources = _Sources(root)
    leaders = frozenset(function.leaders)
    shown: SourceLine | None = SourceLine("", 0)
    path = ""
    for row in _rows(function):
        if row.address in leaders or isinstance(row, Span):
            yield ""
        if isinstance(row, Span):
            yield _unreached(function, row)
            continue
        line = lines.at(row.address)
        if line != shown:
            yield from _announce(line, path, sources, width)
            shown, path = line, line.path if line else path
        mark = EXECUTED if row.address in hits else MISSED
        if row.address in half:
            mark = ONE_WAY
        yield from _instruction(decoded, function, row, mark, width, half.get(row.address, ""))


def _summary(counted: FunctionCoverage, swept: bool, width: int) -> Iterator[str]:
    text = (
        f"{counted.name}: {counted.executed} of {counted.total} instructions executed "
        f"({counted.percent:.1f}%)"
    )
    if counted.directions:
        text += f", {counted.gone} of {counted.directions} jump directions"
    yield from textwrap.wrap(text, width, break_long_words=False)
    if swept:
        yield "  (an indirect jump: what only it reaches was found by decoding the rest)"


def _rows(function: FunctionCode) -> list[Instruction | Span]:
    return sorted((*function.instructions, *function.data), key=lambda row: row.address)


def _announce(line: SourceLine | None, path: str, sources: _Sources, width: int) -> Iterator[str]:
    if line is None:
        yield "     ? | (no source line)"
        return
    if line.path != path:
        yield line.path
    yield _shorten(f"{line.line:6} | {sources.text(line)}".rstrip(), width)


def _shorten(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _offset(function: FunctionCode, address: int) -> str:
    digits = len(f"{function.size:x}")
    return f"+0x{address - function.address:0{digits}x}"


def _unreached(function: FunctionCode, span: Span) -> str:
    size = "1 byte" if span.size == 1 else f"{span.size} bytes"
    return f"{NOT_CODE} {_offset(function, span.address)}  ({size} that no flow reaches)"


def _instruction(
    decoded: Decoded,
    function: FunctionCode,
    instruction: Instruction,
    mark: str,
    width: int,
    remark: str,
) -> list[str]:
    def name(address: int) -> str | None:
        if address == instruction.target and function.address <= address < function.end:
            return _offset(function, address)
        return decoded.place(address)

    start = f"{mark} {_offset(function, instruction.address)}  "
    text = architecture(decoded.arch).text(instruction, name)
    return textwrap.wrap(
        f"{text}  ; {remark}" if remark else text,
        width,
        initial_indent=start,
        subsequent_indent=" " * (len(start) + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
