"""x86, 64 and 32 bits: instructions by iced-x86, which is loaded at the first use.

Enters: bytes of the text. Leaves: `Instruction` records, their text in Intel syntax, the
CPU features they need. Never here: which bytes are code; that is `flow`.

In 32-bit mode nothing is addressed relative to the instruction. Position-dependent code names
absolute addresses, which are there to be read once relocations are applied. The rest learns its
own address by a call and holds it in a register, which is followed from there on (`_Anchors`).
"""

import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from rig.trace.architecture import (
    Access,
    Constant,
    DecoderMissingError,
    Exposure,
    Instruction,
    Kind,
    Term,
    Told,
    Use,
)

if TYPE_CHECKING:
    import iced_x86

ENTRY_SIZE = 4  # a position-independent jump table holds 32-bit distances from its own start
_MASK = 0xFFFFFFFF
_POPS = tuple(bytes((first,)) for first in range(0x58, 0x60))
# Their duration depends on their operands: on all that have them, and PDEP and PEXT on AMD's Zen 1
# and 2, where they are microcode.
_TIMED = re.compile(r"I?DIV|AAM|PDEP|PEXT|F(I?DIV|SQRT)|V?(DIV|SQRT)[PS][SDH]$")
_THUNK = re.compile(rb"\x8b([\x04\x0c\x14\x1c\x2c\x34\x3c])\x24\xc3")  # mov reg, [esp]; ret


def _load() -> ModuleType:
    try:
        import iced_x86
    except ImportError as error:
        raise DecoderMissingError(
            "x86 code cannot be decoded here: iced-x86 is not installed "
            "(pip install iced-x86; it has wheels for x86_64 hosts only)"
        ) from error
    return iced_x86


class _Referring(Protocol):
    """Tells what an instruction names as data: address and width; it is asked in order."""

    def __call__(self, decoded: "iced_x86.Instruction") -> tuple[int | None, int]: ...


class X86:
    """The encoding for 64-bit or 32-bit mode (Intel SDM volume 2)."""

    stop = "ud2"

    def __init__(self, bits: int) -> None:
        """Load the decoder.

        Raises:
            DecoderMissingError: iced-x86 is not installed.
        """
        self._iced = _load()
        self._bits = bits
        self.told = Told.BY_INSTRUCTIONS if bits == 64 else Told.IN_PART
        self._kinds = _kinds(self._iced)
        self._formatter = _formatter(self._iced)
        self._features = _feature_names(self._iced)
        self._uses = _uses(self._iced)
        self._widths = _widths(self._iced)
        self._stack = (self._iced.Register.RSP, self._iced.Register.ESP)
        self._info = self._iced.InstructionInfoFactory()
        self._mnemonics = _names(self._iced.Mnemonic)
        self._registers = _names(self._iced.Register)
        access = self._iced.OpAccess
        self._reads = (access.READ, access.COND_READ, access.READ_WRITE, access.READ_COND_WRITE)

    def straight(self, code: bytes, base: int, start: int) -> Iterator[Instruction]:
        """Decode one after the other from `start` (see `Architecture`)."""
        decoder = self._iced.Decoder(self._bits, code, ip=start)
        decoder.position = start - base
        refers: _Referring = self._relative
        if self._bits == 32:
            refers = _Anchors(self._iced, code, base).reference
        for decoded in decoder:
            if decoded.is_invalid:
                return
            encoded = code[decoded.ip - base : decoded.next_ip - base]
            behind = decoded.next_ip - base
            kind, target = self._flow(decoded, code[behind : behind + 1])
            yield Instruction(decoded.ip, encoded, kind, target, *refers(decoded))

    def _flow(self, decoded: "iced_x86.Instruction", behind: bytes) -> tuple[Kind, int | None]:
        kind = self._kinds.get(decoded.flow_control, Kind.OTHER)
        target = decoded.near_branch_target or None
        if kind is Kind.CALL and target is None:
            return Kind.OTHER, None  # syscall and its likes come back by themselves
        if kind is Kind.CALL and target == decoded.next_ip and behind in _POPS:
            return Kind.OTHER, None  # it only asks where it is
        return kind, target

    def _relative(self, decoded: "iced_x86.Instruction") -> tuple[int | None, int]:
        if not decoded.is_ip_rel_memory_operand or decoded.mnemonic == self._iced.Mnemonic.NOP:
            return None, 0
        width = self._iced.MemorySizeExt.size(decoded.memory_size)
        return decoded.ip_rel_memory_address, width

    def _decoded(self, instruction: Instruction) -> "iced_x86.Instruction":
        decoder: iced_x86.Decoder = self._iced.Decoder(
            self._bits, instruction.code, ip=instruction.address
        )
        return decoder.decode()

    def is_padding(self, instruction: Instruction) -> bool:
        """Whether it is a nop of any length or int3."""
        mnemonic = self._iced.Mnemonic
        return self._decoded(instruction).mnemonic in (mnemonic.NOP, mnemonic.INT3)

    def jump_table(self, code: bytes, base: int, table: int, inside: range) -> list[int]:
        """Read 32-bit signed distances from `table` on, or in 32-bit mode addresses, up to the
        first that cannot be one.

        A table ends at the latest where its own first target begins.
        """
        targets = _entries(code, base, table, inside, table)
        return targets or (_entries(code, base, table, inside, 0) if self._bits == 32 else [])

    def text(self, instruction: Instruction, name: Callable[[int], str | None]) -> str:
        """Write it in Intel syntax, with names for its target and what it refers to."""
        decoded = self._decoded(instruction)
        text: str = self._formatter.format(decoded)
        for address in (decoded.near_branch_target or None, instruction.reference):
            named = None if address is None else name(address)
            if named is not None:
                text = text.replace(f"0x{address:x}", named)
        return text

    def features(self, instruction: Instruction) -> frozenset[str]:
        """Name the CPUID features that it needs in conjunction, as iced-x86 spells them."""
        found = self._decoded(instruction).cpuid_features()
        return frozenset(self._features[value] for value in found)

    def exposure(self, instruction: Instruction) -> Exposure:
        """Addresses by the used memory; operands of divisions and their likes."""
        decoded = self._decoded(instruction)
        info, name = self._info.info(decoded), self._mnemonics[decoded.mnemonic]
        if name.startswith("PREFETCH"):
            scale = decoded.memory_index_scale
            return Exposure((self._access(decoded.memory_base, decoded.memory_index, scale),))
        accesses = tuple(
            self._access(used.base, used.index, used.scale) for used in info.used_memory()
        )
        if not _TIMED.match(name):
            return Exposure(accesses)
        read = [r.register for r in info.used_registers() if r.access in self._reads]
        whole = [r for r in read if r not in {m.base for m in info.used_memory()}]
        known = not accesses and all(map(self._is_general, whole))
        return Exposure(accesses, tuple(map(self._term, filter(self._is_general, whole))), known)

    def _access(self, base: int, index: int, scale: int) -> Access:
        relative = (self._iced.Register.NONE, self._iced.Register.RIP, self._iced.Register.EIP)
        parts = [(r, factor) for r, factor in ((base, 1), (index, scale)) if r not in relative]
        return Access(
            tuple(self._term(r, scale) for r, scale in parts if self._is_general(r)),
            all(self._is_general(register) for register, _ in parts),
        )

    def _is_general(self, register: int) -> bool:
        found: bool = self._iced.RegisterExt.is_gpr(register)
        return found

    def _term(self, register: int, factor: int = 1) -> Term:
        extension = self._iced.RegisterExt
        whole = extension.full_register if self._bits == 64 else extension.full_register32
        bits = 8 * extension.size(register)
        high = self._registers[register] in ("AH", "BH", "CH", "DH")
        name = self._registers[whole(register)].lower()
        return Term(name, factor, bits, 8 if high else 0)

    def constants(self, instruction: Instruction) -> tuple[Constant, ...]:
        """Immediates of comparisons, masks, additions and shifts, displacements of lea."""
        decoded = self._decoded(instruction)
        use = self._uses.get(decoded.mnemonic)
        if use is None or {decoded.op0_register, decoded.memory_base}.intersection(self._stack):
            return ()
        if decoded.mnemonic == self._iced.Mnemonic.LEA:
            numbers = [_without_sign(decoded.memory_displacement, self._bits)]
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


def _entries(code: bytes, base: int, table: int, inside: range, origin: int) -> list[int]:
    targets: list[int] = []
    entry, end = table, inside.stop
    while entry + ENTRY_SIZE <= end:
        distance = code[entry - base : entry - base + ENTRY_SIZE]
        target = origin + int.from_bytes(distance, "little", signed=True)
        if target not in inside or table <= target < entry + ENTRY_SIZE:
            break
        targets.append(target)
        entry += ENTRY_SIZE
        if target > table:
            end = min(end, target)
    return targets


class _Anchors:
    """Which registers hold a known address, along one row of 32-bit instructions.

    An address comes from `call` to the next instruction and `pop`, or from a call to a thunk
    that does no more than `mov reg, [esp]; ret`. It goes on by mov, lea, and add and sub of a
    number; a call keeps it in the registers that are the callee's to preserve.
    """

    def __init__(self, iced: ModuleType, code: bytes, base: int) -> None:
        self._iced = iced
        self._code = code
        self._text = range(base, base + len(code))
        self._info = iced.InstructionInfoFactory()
        self._known: dict[int, int] = {}
        self._pushed: int | None = None
        register = iced.Register
        self._numbered = (
            *(register.EAX, register.ECX, register.EDX, register.EBX),
            *(register.ESP, register.EBP, register.ESI, register.EDI),
        )
        self._kept = (register.EBX, register.EBP, register.ESI, register.EDI)
        access = iced.OpAccess
        self._writes = (
            *(access.WRITE, access.COND_WRITE, access.READ_WRITE, access.READ_COND_WRITE),
        )

    def reference(self, decoded: "iced_x86.Instruction") -> tuple[int | None, int]:
        """What the instruction names as data in the text, and what it leaves in registers."""
        address, width = self._memory(decoded)
        if address is None:
            address = self._immediate(decoded)
        self._step(decoded)
        return (None, 0) if address is None or address not in self._text else (address, width)

    def _memory(self, decoded: "iced_x86.Instruction") -> tuple[int | None, int]:
        kinds = [decoded.op_kind(place) for place in range(decoded.op_count)]
        if self._iced.OpKind.MEMORY not in kinds or decoded.mnemonic == self._iced.Mnemonic.NOP:
            return None, 0
        address = decoded.memory_displacement
        registers = [decoded.memory_base, decoded.memory_index]
        unknown = [r for r in registers if r and r not in self._known]
        address += self._known.get(registers[0], 0)
        address += self._known.get(registers[1], 0) * decoded.memory_index_scale
        size: int = self._iced.MemorySizeExt.size(decoded.memory_size)
        return address & _MASK, 0 if unknown else size

    def _immediate(self, decoded: "iced_x86.Instruction") -> int | None:
        kinds = [decoded.op_kind(place) for place in range(decoded.op_count)]
        if self._iced.OpKind.IMMEDIATE32 not in kinds:
            return None
        number: int = decoded.immediate(kinds.index(self._iced.OpKind.IMMEDIATE32))
        return number

    def _step(self, decoded: "iced_x86.Instruction") -> None:
        value = self._value(decoded)
        pushed, self._pushed = self._pushed, None
        mnemonic = self._iced.Mnemonic
        if decoded.mnemonic == mnemonic.CALL:
            self._call(decoded)
            return
        if decoded.mnemonic == mnemonic.POP:
            value = pushed
        for used in self._info.info(decoded).used_registers():
            if used.access in self._writes:
                self._known.pop(self._iced.RegisterExt.full_register32(used.register), None)
        if value is not None:
            self._known[decoded.op0_register] = value & _MASK

    def _call(self, decoded: "iced_x86.Instruction") -> None:
        target = decoded.near_branch_target
        if target == decoded.next_ip:
            self._pushed = target
            return
        self._known = {r: value for r, value in self._known.items() if r in self._kept}
        offset = target - self._text.start
        thunk = _THUNK.match(self._code, offset) if target in self._text else None
        if thunk:
            self._known[self._numbered[thunk[1][0] >> 3]] = decoded.next_ip

    def _value(self, decoded: "iced_x86.Instruction") -> int | None:
        """What a whole register is set to, if that is known."""
        mnemonic = self._iced.Mnemonic
        if decoded.op0_register not in self._numbered:
            return None
        own = self._known.get(decoded.op0_register)
        number = self._number(decoded)
        match decoded.mnemonic:
            case mnemonic.MOV:
                return self._known.get(decoded.op1_register)
            case mnemonic.LEA:
                return self._address(decoded)
            case mnemonic.ADD if own is not None and number is not None:
                return own + number
            case mnemonic.SUB if own is not None and number is not None:
                return own - number
        return None

    def _number(self, decoded: "iced_x86.Instruction") -> int | None:
        kinds = self._iced.OpKind
        if decoded.op_count < 2:
            return None
        if decoded.op1_kind not in (kinds.IMMEDIATE32, kinds.IMMEDIATE8TO32):
            return None
        number: int = decoded.immediate(1)
        return number

    def _address(self, decoded: "iced_x86.Instruction") -> int | None:
        if decoded.memory_index or decoded.memory_base not in self._known:
            return None
        address: int = self._known[decoded.memory_base] + decoded.memory_displacement
        return address


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
    if not bits:
        return number
    number &= (1 << bits) - 1  # the decoder extends some to 64 bits
    return min(number, (1 << bits) - number)


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
    return _names(iced.CpuidFeature)


def _names(enumeration: ModuleType) -> dict[int, str]:
    members = vars(enumeration).items()
    return {value: name for name, value in members if name.isupper() and isinstance(value, int)}
