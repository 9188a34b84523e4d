"""From the bytes of a text to the instructions that may carry a trap.

Enters: the architecture's name, the text, the functions in it. Leaves: `Decoded`, sorted
instructions function by function. Never here: patching, running, or reading an ELF file.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import attrgetter

from rig.trace.aarch64 import AArch64
from rig.trace.architecture import Architecture, Instruction, TraceError
from rig.trace.arm import Arm
from rig.trace.flow import (
    NOT_CODE,
    Extent,
    Recovery,
    Span,
    UndecodableError,
    overlap,
    recover,
)
from rig.trace.x86 import X86

_ARCHITECTURES: Mapping[str, Callable[[], Architecture]] = {
    "x86_64": partial(X86, 64),
    "i386": partial(X86, 32),
    "aarch64": AArch64,
    "arm": Arm,
}

_address = attrgetter("address")


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """A function's instructions, sorted by address.

    `leaders` are the addresses at which a basic block begins, sorted. `data` is what no flow
    reaches, padding apart. `swept` says that the function holds an indirect jump, so that
    what it reaches was found by decoding what is left, not by following flow alone.
    """

    name: str
    address: int
    size: int
    instructions: tuple[Instruction, ...]
    leaders: tuple[int, ...]
    data: tuple[Span, ...]
    swept: bool

    @property
    def end(self) -> int:
        """The address of the byte behind it."""
        return self.address + self.size


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text taken apart, functions in the order given.

    `stray` are instructions that flow reaches outside of every function: they carry no trap
    and are not counted.
    """

    arch: str
    functions: tuple[FunctionCode, ...]
    stray: tuple[Instruction, ...]

    def function_at(self, pc: int) -> FunctionCode | None:
        """Give the innermost function that holds the address, or None."""
        around = [function for function in self.functions if function.address <= pc < function.end]
        return max(around, key=_address, default=None)

    def instruction_at(self, pc: int) -> Instruction | None:
        """Give the instruction that begins at the address, or None."""
        function = self.function_at(pc)
        row = function.instructions if function else self.stray
        index = bisect_left(row, pc, key=_address)
        return row[index] if index < len(row) and row[index].address == pc else None

    def place(self, address: int) -> str | None:
        """Write an address as `symbol+0x1c`, or give None outside of every function."""
        function = self.function_at(address)
        if function is None:
            return None
        offset = address - function.address
        return f"{function.name}+{offset:#x}" if offset else function.name


@cache
def architecture(arch: str) -> Architecture:
    """Give the encoding of an architecture by its name.

    Raises:
        TraceError: the rig cannot decode this architecture.
        DecoderMissingError: the package that decodes it is not installed.
    """
    if arch not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        raise TraceError(f"{arch}: instructions of this architecture cannot be decoded ({known})")
    return _ARCHITECTURES[arch]()


def decode(
    arch: str,
    code: bytes,
    address: int,
    functions: Sequence[Extent],
    literals: Sequence[Span] = (),
) -> Decoded:
    """Find the instructions of the functions in a text that stands at `address`.

    `literals` are what the file itself calls data, by ARM's mapping symbols. The rest:
    Bytes that no flow reaches are data or padding and are not counted. In a function with an
    indirect jump they are instructions if they decode cleanly, flow on to something known and
    nothing refers to them as data.

    Raises:
        TraceError: a function has no size or lies outside the text, flow arrives at bytes
            that are no instruction, instructions overlap, or code reads what it executes.
        DecoderMissingError: the package that decodes `arch` is not installed.
    """
    _check_extents(functions, address, address + len(code))
    try:
        recovery = recover(architecture(arch), code, address, functions, literals)
    except UndecodableError as error:
        stop = architecture(arch).stop
        raise TraceError(_undecodable(error.address, code, address, functions, stop)) from error
    ordered = sorted(recovery.found.values(), key=_address)
    _check_overlap(ordered, functions)
    _check_reads(recovery, ordered, functions)
    leaders = _leaders(recovery, ordered)
    taken_apart = tuple(_function(recovery, extent, ordered, leaders) for extent in functions)
    return Decoded(arch, taken_apart, _stray(ordered, taken_apart))


def _check_extents(functions: Sequence[Extent], start: int, end: int) -> None:
    sizeless = sorted({extent.name for extent in functions if extent.size == 0})
    if sizeless:
        raise TraceError("\n".join(map(_sizeless, sizeless)))
    for extent in functions:
        if extent.address < start or extent.end > end:
            raise TraceError(
                f"{extent.name}: {extent.address:#x}..{extent.end:#x} is not inside the text "
                f"({start:#x}..{end:#x})"
            )


def _sizeless(name: str) -> str:
    return (
        f"{name}: the symbol has size 0, so its instructions cannot be told from what follows; "
        f"add `.type {name}, @function` before its label and `.size {name}, . - {name}` behind "
        "its last instruction"
    )


def _undecodable(at: int, code: bytes, base: int, functions: Sequence[Extent], stop: str) -> str:
    if at >= base + len(code):
        return f"{_place(at - 1, functions)}: flow runs off the end of the text"
    shown = code[at - base : at - base + 8].hex(" ")
    return (
        f"{_place(at, functions)}: flow arrives at bytes that are no instruction ({shown} ...); "
        f"if they are data behind a call that never returns, put `{stop}` between"
    )


def _place(address: int, functions: Sequence[Extent]) -> str:
    around = [extent for extent in functions if address in extent]
    if not around:
        return f"{address:#x}"
    extent = max(around, key=_address)
    return f"{extent.name}+{address - extent.address:#x}"


def _check_overlap(ordered: Sequence[Instruction], functions: Sequence[Extent]) -> None:
    pair = overlap(ordered)
    if pair is not None:
        first, second = (_place(each.address, functions) for each in pair)
        raise TraceError(
            f"{second}: flow arrives inside the instruction at {first}; both cannot carry a trap"
        )


def _check_reads(
    recovery: Recovery, ordered: Sequence[Instruction], functions: Sequence[Extent]
) -> None:
    """A trap would change what such a read gives."""
    for reader in ordered:
        at = reader.reference
        if at is None or not reader.width or not recovery.holds(at):
            continue
        if (read := _first_in(ordered, at, at + reader.width)) is not None:
            raise TraceError(
                f"{_place(reader.address, functions)}: reads the instruction at "
                f"{_place(read.address, functions)}, which a trap would change; if that is data "
                f"behind a call that never returns, put `{recovery.architecture.stop}` between"
            )


def _first_in(ordered: Sequence[Instruction], start: int, end: int) -> Instruction | None:
    index = bisect_left(ordered, start + 1, key=attrgetter("end"))
    return ordered[index] if index < len(ordered) and ordered[index].address < end else None


def _leaders(recovery: Recovery, ordered: Sequence[Instruction]) -> list[int]:
    leaders = set(recovery.roots)
    for instruction in ordered:
        if instruction.target is not None:
            leaders.add(instruction.target)
        kind = instruction.kind
        branches = instruction.target is not None and not kind.is_call
        if branches or kind.is_predicated or not kind.falls_through:
            leaders.add(instruction.end)
    return sorted(leaders & recovery.found.keys())


def _function(
    recovery: Recovery,
    extent: Extent,
    ordered: Sequence[Instruction],
    leaders: Sequence[int],
) -> FunctionCode:
    inside = slice(
        bisect_left(ordered, extent.address, key=_address),
        bisect_left(ordered, extent.end, key=_address),
    )
    heads = slice(bisect_left(leaders, extent.address), bisect_left(leaders, extent.end))
    return FunctionCode(
        extent.name,
        extent.address,
        extent.size,
        tuple(ordered[inside]),
        tuple(leaders[heads]),
        tuple(_data(recovery, extent)),
        any(found.kind.is_indirect_jump for found in ordered[inside]),
    )


def _stray(
    ordered: Sequence[Instruction], functions: Sequence[FunctionCode]
) -> tuple[Instruction, ...]:
    counted = {found.address for function in functions for found in function.instructions}
    return tuple(found for found in ordered if found.address not in counted)


def _data(recovery: Recovery, extent: Extent) -> list[Span]:
    spans = []
    position = extent.address
    while stretch := recovery.stretch(NOT_CODE, position, extent.end):
        start, position = stretch
        start = recovery.skip_padding(start, position)
        if start < position:
            spans.append(Span(start, position - start))
    return spans
