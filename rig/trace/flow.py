"""Which bytes of a text are instructions: flow is followed from every entry.

Enters: the text and the extents of its functions. Leaves: a `Recovery` that knows each
byte as code, data, padding or unknown. Never here: records for other stations.

A trap in a byte that is data changes a result, and a trap inside an instruction changes the
instruction; an instruction without a trap is only not counted. So where flow does not tell,
bytes are taken as code only if everything speaks for it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rig.trace.architecture import Architecture, Instruction, Told, TraceError

UNKNOWN, CODE, SWEPT, DATA, PADDING, DECLARED = range(6)  # declared data by the file itself
UNDECIDED = re.compile(b"[%c]+" % UNKNOWN)
NOT_CODE = re.compile(b"[%c%c%c]+" % (UNKNOWN, DATA, DECLARED))


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes of the text that are not counted as instructions."""

    address: int
    size: int

    @property
    def end(self) -> int:
        """The address of the byte behind it."""
        return self.address + self.size


@dataclass(frozen=True, slots=True)
class Extent:
    """A function in the text: its symbol's name, address and size in bytes."""

    name: str
    address: int
    size: int

    @property
    def end(self) -> int:
        """The address of the byte behind it."""
        return self.address + self.size

    def __contains__(self, address: int) -> bool:
        return self.address <= address < self.end


class UndecodableError(TraceError):
    """Flow arrives at bytes that are no instruction."""

    def __init__(self, address: int) -> None:
        super().__init__(f"{address:#x}: no instruction that can be decoded")
        self.address = address


class Recovery:
    """What is known of a text so far: `found` instructions, by address, and `roots`, the
    addresses at which following began."""

    def __init__(
        self, architecture: Architecture, code: bytes, base: int, extents: Sequence[Extent]
    ) -> None:
        self.architecture = architecture
        self.code = code
        self.base = base
        self.extents = extents
        self.ends = frozenset(extent.end for extent in extents)
        self.found: dict[int, Instruction] = {}
        self.roots: set[int] = set()
        self.state = bytearray(len(code))

    def copy(self) -> "Recovery":
        """Give a second one that knows the same and can be thrown away."""
        other = Recovery(self.architecture, self.code, self.base, self.extents)
        other.found, other.roots = dict(self.found), set(self.roots)
        other.state = bytearray(self.state)
        return other

    def follow(self, roots: Iterable[int]) -> None:
        """Follow flow that certainly happens.

        Raises:
            UndecodableError: the flow arrives at bytes that are no instruction.
        """
        roots = tuple(roots)
        self._keep(roots, self._reach(roots), CODE)

    def attempt(self, roots: Sequence[int], extent: Extent) -> bool:
        """Follow flow that only may happen; keep it if nothing speaks against it.

        Every instruction must lie in `extent`, on bytes of unknown use, overlap no other,
        lead nowhere outside the text, not run out of `extent` and read nothing that is certainly
        code.
        """
        try:
            new = self._reach(roots)
        except UndecodableError:
            return False
        if not all(self._is_plausible(instruction, extent) for instruction in new.values()):
            return False
        if overlap(sorted(new.values(), key=_address)) is not None:
            return False
        self._keep(roots, new, SWEPT)
        return True

    def _keep(self, roots: Sequence[int], new: dict[int, Instruction], state: int) -> None:
        self.roots.update(roots)
        self.found.update(new)
        for instruction in new.values():
            self.mark(instruction.address, instruction.end, state)

    def _reach(self, roots: Iterable[int]) -> dict[int, Instruction]:
        new: dict[int, Instruction] = {}
        pending = list(roots)
        while pending:
            pending.extend(self._run(pending.pop(), new))
        return new

    def _run(self, start: int, new: dict[int, Instruction]) -> Iterator[int]:
        """Add what is executed in a row from `start` to `new`; give where it may branch to."""
        expected = start
        for instruction in self.architecture.straight(self.code, self.base, start):
            if instruction.address in self.found or instruction.address in new:
                return
            new[instruction.address] = instruction
            if instruction.target is not None and self.holds(instruction.target):
                yield instruction.target
            if not instruction.kind.falls_through or self._never_returns(instruction):
                return
            expected = instruction.end
        raise UndecodableError(expected)

    def _never_returns(self, instruction: Instruction) -> bool:
        """A call that ends its function, or stands before what the file calls data: compilers
        put one there if the callee never returns. Other flow into such data makes it code, as
        where a macro writes instructions that assemblers did not know as `.byte`."""
        if not instruction.kind.is_call:
            return False
        end = instruction.end
        return end in self.ends or (self.holds(end) and self.state_at(end) == DECLARED)

    def _is_plausible(self, instruction: Instruction, extent: Extent) -> bool:
        start, end = instruction.address, instruction.end
        inside = start in extent and end <= extent.end
        stays = end < extent.end or not instruction.kind.falls_through
        leads = instruction.target is None or self.holds(instruction.target)
        free = self._count(UNKNOWN, start, end) == end - start
        return inside and stays and leads and free and not self._reads_code(instruction)

    def _reads_code(self, instruction: Instruction) -> bool:
        at = instruction.reference
        return at is not None and self._count(CODE, at, at + instruction.width) > 0

    def _count(self, state: int, start: int, end: int) -> int:
        return self.state.count(state, max(0, start - self.base), max(0, end - self.base))

    def holds(self, address: int) -> bool:
        """Whether the address lies in the text."""
        return 0 <= address - self.base < len(self.code)

    def mark(self, start: int, end: int, state: int) -> None:
        """Set what the bytes from `start` to `end` are."""
        self.state[start - self.base : end - self.base] = bytes((state,)) * (end - start)

    def state_at(self, address: int) -> int:
        """Tell what the byte at this address is."""
        return self.state[address - self.base]

    def stretch(self, kind: re.Pattern[bytes], start: int, end: int) -> tuple[int, int] | None:
        """Give where the first bytes from `start` to `end` begin and end that are of a kind."""
        match = kind.search(self.state, start - self.base, end - self.base)
        return None if match is None else (match.start() + self.base, match.end() + self.base)

    def skip_padding(self, start: int, end: int) -> int:
        """Give the address of the first byte from `start` to `end` that is no padding."""
        for instruction in self.architecture.straight(self.code, self.base, start):
            padding = self.architecture.is_padding(instruction)
            if instruction.end > end or not padding or self.state_at(start) == DECLARED:
                break
            start = instruction.end
        return start

    def indirect_jumps(self) -> list[int]:
        """Give the addresses of the jumps whose targets the code does not state."""
        return [address for address, found in self.found.items() if found.kind.is_indirect_jump]

    def references(self) -> frozenset[tuple[int, int]]:
        """Give the (address, width) of everything in the text that is named as data."""
        return frozenset(
            (instruction.reference, instruction.width)
            for instruction in self.found.values()
            if instruction.reference is not None and self.holds(instruction.reference)
        )


def _address(instruction: Instruction) -> int:
    return instruction.address


def overlap(ordered: Sequence[Instruction]) -> tuple[Instruction, Instruction] | None:
    """Give the first two of the instructions, sorted by address, that share a byte."""
    return next((pair for pair in pairwise(ordered) if pair[0].end > pair[1].address), None)


def recover(
    architecture: Architecture,
    code: bytes,
    base: int,
    extents: Sequence[Extent],
    literals: Iterable[Span] = (),
) -> Recovery:
    """Find the instructions of a text.

    `literals` are data. Flow is followed from the entry of each extent, across extents. Where a
    function holds an indirect jump, whose targets nobody states, the bytes that flow has not
    reached are swept as well, less what code refers to as data. Swept code may refer to further
    data, so the sweep is done again until it takes nothing for code that it refers to.

    Raises:
        UndecodableError: flow from an entry arrives at bytes that are no instruction.
    """
    certain = Recovery(architecture, code, base, extents)
    for span in literals:
        certain.mark(span.address, span.end, DECLARED)
    certain.follow(extent.address for extent in extents)
    jumps = certain.indirect_jumps()
    dispatching = [extent for extent in extents if any(jump in extent for jump in jumps)]
    references = certain.references()
    while True:
        swept = _sweep(certain.copy(), dispatching, references)
        if swept.references() <= references:
            return swept
        references |= swept.references()


def _sweep(
    recovery: Recovery, dispatching: Sequence[Extent], references: Iterable[tuple[int, int]]
) -> Recovery:
    ordered = sorted(references)
    for address, width in ordered:
        _set_aside(recovery, address, address + width)
    for extent in dispatching:
        _read_tables(recovery, extent, [at for at, width in ordered if width == 0])
    for extent in dispatching:
        if recovery.architecture.told is not Told.IN_PART or not _holds_data(recovery, extent):
            _sweep_gaps(recovery, extent)
    return recovery


def _holds_data(recovery: Recovery, extent: Extent) -> bool:
    start, end = extent.address - recovery.base, extent.end - recovery.base
    return DATA in recovery.state[start:end]


def _set_aside(recovery: Recovery, start: int, end: int) -> None:
    """Mark the bytes up to `end`, as far as they are unknown, as data."""
    for address in range(start, min(end, recovery.base + len(recovery.code))):
        if recovery.state_at(address) == UNKNOWN:
            recovery.mark(address, address + 1, DATA)


def _read_tables(recovery: Recovery, extent: Extent, addresses: Sequence[int]) -> None:
    """Follow the jump tables at the addresses that are taken; the size of what stands at such
    an address is not known, so it is data up to the next thing known."""
    inside = range(extent.address, extent.end)
    for table in addresses:
        if table in extent and recovery.state_at(table) in (UNKNOWN, DECLARED):
            targets = recovery.architecture.jump_table(recovery.code, recovery.base, table, inside)
            if len(targets) > 1:
                recovery.attempt(targets, extent)
    if recovery.architecture.told is Told.BY_FILE:
        return
    for address in addresses:
        if address in extent and recovery.state_at(address) == UNKNOWN:
            recovery.mark(address, _end_of_gap(recovery, address, extent), DATA)


def _end_of_gap(recovery: Recovery, address: int, extent: Extent) -> int:
    stretch = recovery.stretch(UNDECIDED, address, extent.end)
    return extent.end if stretch is None else stretch[1]


def _sweep_gaps(recovery: Recovery, extent: Extent) -> None:
    while stretch := recovery.stretch(UNDECIDED, extent.address, extent.end):
        start, end = stretch
        first = recovery.skip_padding(start, end)
        recovery.mark(start, first, PADDING)
        if first < end and not recovery.attempt([first], extent):
            recovery.mark(first, end, DATA)
