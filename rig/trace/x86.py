"""x86: instructions by iced-x86, which is loaded at the first use.

Enters: bytes of the text. Leaves: `Instruction` records, their text in Intel syntax, the
CPU features they need. Never here: which bytes are code; that is `flow`.
"""

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from rig.trace.architecture import Constant, DecoderMissingError, Instruction, Kind, Use

if TYPE_CHECKING:
    import iced_x86

ENTRY_SIZE = 4  # a position-independent jump table holds 32-bit distances from its own start


def _load() -> ModuleType:
    try:
        import iced_x86
    except ImportError as error:
        raise DecoderMissingError(
            "x86 code cannot be decoded here: iced-x86 is not installed "
            "(pip install iced-x86; it has wheels for x86_64 hosts only)"
        ) from error
    return iced_x86


class X86:
    """The encoding for 64-bit mode (Intel SDM volume 2)."""

    def __init__(self) -> None:
        """Load the decoder.

        Raises:
            DecoderMissingError: iced-x86 is not installed.
        """
        self._iced = _load()
        self._kinds = _kinds(self._iced)
        self._formatter = _formatter(self._iced)
        self._features = _feature_names(self._iced)
        self._uses = _uses(self._iced)
        self._widths = _widths(self._iced)

    def straight(self, code: bytes, base: int, start: int) -> Iterator[Instruction]:
        """Decode one after the other from `start` (see `Architecture`)."""
        decoder = self._iced.Decoder(64, code, ip=start)
        decoder.position = start - base
        for decoded in decoder:
            if decoded.is_invalid:
                return
            yield self._instruction(decoded, code, base)

    def _instruction(self, decoded: "iced_x86.Instruction", code: bytes, base: int) -> Instruction:
        offset = decoded.ip - base
        kind = self._kinds.get(decoded.flow_control, Kind.OTHER)
        target = decoded.near_branch_target or None
        if kind is Kind.CALL and target is None:
            kind = Kind.OTHER  # syscall and its likes come back by themselves
        reference, width = None, 0
        if decoded.is_ip_rel_memory_operand and decoded.mnemonic != self._iced.Mnemonic.NOP:
            reference = decoded.ip_rel_memory_address
            width = self._iced.MemorySizeExt.size(decoded.memory_size)
        return Instruction(
            decoded.ip, code[offset : offset + decoded.len], kind, target, reference, width
        )

    def _decoded(self, instruction: Instruction) -> "iced_x86.Instruction":
        decoder: iced_x86.Decoder = self._iced.Decoder(64, instruction.code, ip=instruction.address)
        return decoder.decode()

    def is_padding(self, instruction: Instruction) -> bool:
        """Whether it is a nop of any length or int3."""
        mnemonic = self._iced.Mnemonic
        return self._decoded(instruction).mnemonic in (mnemonic.NOP, mnemonic.INT3)

    def jump_table(self, code: bytes, base: int, table: int, inside: range) -> list[int]:
        """Read 32-bit signed distances from `table` on, up to the first that cannot be one.

        A table ends at the latest where its own first target begins.
        """
        targets: list[int] = []
        entry, end = table, inside.stop
        while entry + ENTRY_SIZE <= end:
            distance = code[entry - base : entry - base + ENTRY_SIZE]
            target = table + int.from_bytes(distance, "little", signed=True)
            if target not in inside or table <= target < entry + ENTRY_SIZE:
                break
            targets.append(target)
            entry += ENTRY_SIZE
            if target > table:
                end = min(end, target)
        return targets

    def text(self, instruction: Instruction, name: Callable[[int], str | None]) -> str:
        """Write it in Intel syntax, with names for its target and what it refers to."""
        text: str = self._formatter.format(self._decoded(instruction))
        for address in (instruction.target, instruction.reference):
            named = None if address is None else name(address)
            if named is not None:
                text = text.replace(f"0x{address:x}", named)
        return text

    def features(self, instruction: Instruction) -> frozenset[str]:
        """Name the CPUID features that it needs in conjunction, as iced-x86 spells them."""
        found = self._decoded(instruction).cpuid_features()
        return frozenset(self._features[value] for value in found)

    def constants(self, instruction: Instruction) -> tuple[Constant, ...]:
        """Immediates of comparisons, masks, additions and shifts, displacements of lea."""
        decoded = self._decoded(instruction)
        use = self._uses.get(decoded.mnemonic)
        stack = self._iced.Register.RSP
        if use is None or stack in (decoded.op0_register, decoded.memory_base):
            return ()
        if decoded.mnemonic == self._iced.Mnemonic.LEA:
            numbers = [_without_sign(decoded.memory_displacement, 64)]
        else:
            kinds = [decoded.op_kind(place) for place in range(decoded.op_count)]
            numbers = [
                _without_sign(decoded.immediate(place), self._widths[kind])
                for place, kind in enumerate(kinds)
                if kind in self._widths
            ]
        if use is Use.SHIFT:
            numbers = [1 << count for count in numbers if count < 64]
        return tuple(Constant(use, number) for number in numbers if number)


def _kinds(iced: ModuleType) -> dict[int, Kind]:
    flow = iced.FlowControl
    return {
        flow.UNCONDITIONAL_BRANCH: Kind.JUMP,
        flow.CONDITIONAL_BRANCH: Kind.CONDITIONAL,
        flow.CALL: Kind.CALL,
        flow.RETURN: Kind.RETURN,
        flow.INDIRECT_BRANCH: Kind.INDIRECT_JUMP,
        flow.INDIRECT_CALL: Kind.INDIRECT_CALL,
        flow.EXCEPTION: Kind.STOP,
    }


def _uses(iced: ModuleType) -> dict[int, Use]:
    names = {
        Use.COMPARE: ("CMP", "TEST"),
        Use.STEP: ("ADD", "SUB", "AND", "LEA"),
        Use.SHIFT: ("SHR", "SAR", "SHL", "BT"),
    }
    return {getattr(iced.Mnemonic, name): use for use, each in names.items() for name in each}


def _widths(iced: ModuleType) -> dict[int, int]:
    """The kinds of immediate operands by the bits that the number is extended to; 0 where its
    sign means nothing."""
    kinds = iced.OpKind
    return {
        kinds.IMMEDIATE8: 0,
        kinds.IMMEDIATE16: 16,
        kinds.IMMEDIATE8TO16: 16,
        kinds.IMMEDIATE32: 32,
        kinds.IMMEDIATE8TO32: 32,
        kinds.IMMEDIATE8TO64: 64,
        kinds.IMMEDIATE32TO64: 64,
    }


def _without_sign(number: int, bits: int) -> int:
    return min(number, (1 << bits) - number) if bits else number


def _formatter(iced: ModuleType) -> "iced_x86.Formatter":
    formatter: iced_x86.Formatter = iced.Formatter(iced.FormatterSyntax.INTEL)
    formatter.hex_prefix, formatter.hex_suffix = "0x", ""
    formatter.uppercase_hex = False
    formatter.branch_leading_zeros = False
    formatter.show_branch_size = False
    formatter.use_pseudo_ops = False
    formatter.space_after_operand_separator = True
    formatter.memory_size_options = iced.MemorySizeOptions.MINIMAL
    return formatter


def _feature_names(iced: ModuleType) -> dict[int, str]:
    members = vars(iced.CpuidFeature).items()
    return {value: name for name, value in members if name.isupper() and isinstance(value, int)}
