"""ARM, A32 only: what its instructions do, from their bits.

Enters: words of the text. Leaves: kinds, targets, references, numbers. Never here: text; that is
capstone's; or Thumb: a project with Thumb code is refused. "A5" and "A8" are chapters of the Arm
Architecture Reference Manual for ARMv7 (DDI 0406).

Almost every instruction may be predicated. One that is not executed for its condition counts as
executed: the machine has decoded it and gone on.
"""

from collections.abc import Iterator

from rig.trace.architecture import Access, Constant, Exposure, Instruction, Kind, Term, Use
from rig.trace.fixed import FixedWidth, Row, disassembler, signed

_NOPS = (0, 0xE320F000, 0xE1A00000)  # zeros; nop; mov r0, r0, as nop was before ARMv6K
_ALWAYS, _UNCONDITIONAL = 14, 15
_SP, _LR, _PC = 13, 14, 15
_AHEAD = 8  # the program counter as an operand
_PREDICATED = {
    Kind.JUMP: Kind.CONDITIONAL,
    Kind.RETURN: Kind.PREDICATED_RETURN,
    Kind.INDIRECT_JUMP: Kind.PREDICATED_JUMP,
}
_MASK = (1 << 32) - 1


class Arm(FixedWidth):
    """The encoding of A32."""

    def __init__(self) -> None:
        """Load the decoder.

        Raises:
            DecoderMissingError: capstone is not installed.
        """
        super().__init__(disassembler("CS_ARCH_ARM", "CS_MODE_ARM", "CS_MODE_V8"))

    def flow(self, word: int, address: int) -> tuple[Kind, int | None]:
        """The kind and the target."""
        condition = word >> 28
        if condition == _UNCONDITIONAL:  # blx goes to Thumb, which a project must not hold
            return Kind.OTHER, None
        kind, target = _flow(word, address)
        return (kind if condition == _ALWAYS else _PREDICATED.get(kind, kind)), target

    def row(self, code: bytes, base: int) -> Row:
        """Begin a row of instructions."""
        return _Literals(code, base)

    def is_padding(self, instruction: Instruction) -> bool:
        """Whether it is a nop or zeros."""
        return _word(instruction) in _NOPS

    def constants(self, instruction: Instruction) -> tuple[Constant, ...]:
        """Immediates of cmp, cmn, tst, add, sub, rsb, and, bic; bits that shifts count."""
        return tuple(c for c in _constants(_word(instruction)) if c.value)

    def exposure(self, instruction: Instruction) -> Exposure:
        """The base and the index of loads and stores; operands of divisions."""
        word = _word(instruction)
        condition = word >> 28 if word >> 28 < _ALWAYS else None
        if word & 0x0FD0F0F0 == 0x0710F010:  # sdiv, udiv
            numbers = (*_term(word & 15), *_term(word >> 8 & 15))
            return Exposure(timed=numbers, condition=condition)
        if word & 0x0FB00E50 == 0x0E800A00 or word & 0x0FBF0ED0 == 0x0EB10AC0:  # vdiv, vsqrt
            return Exposure(timed=(), known=False, condition=condition)
        terms = _address(word)
        return Exposure() if terms is None else Exposure((Access(terms),), condition=condition)

    def assembly(self, instruction: Instruction) -> str | None:
        """The text for the assembler (see `FixedWidth`)."""
        word = _word(instruction)
        hint = word & 0x0FFFFF00 == 0x0320F000
        jumps = self.flow(word, instruction.address)[1] is not None
        return None if hint or jumps else self.written(instruction)


def _word(instruction: Instruction) -> int:
    return int.from_bytes(instruction.code, "little")


_NAMES = (*(f"r{number}" for number in range(13)), "sp", "lr")


def _term(number: int, factor: int = 1, right: int = 0) -> tuple[Term, ...]:
    return () if number == _PC else (Term(_NAMES[number], factor, 32, right),)


def _address(word: int) -> tuple[Term, ...] | None:
    """The registers of the address that an instruction touches (A5.3, A5.5, A7.5, A7.7); None if
    it touches none."""
    base = _term(word >> 16 & 15)
    before, group = word >> 24 & 1, word >> 25 & 7
    if word >> 28 == _UNCONDITIONAL:
        vectors = word & 0x0F100000 == 0x04000000
        hint = word & 0x0D70F000 == 0x0550F000  # pld, pli
        return base + _shifted(word) * (group == 3) if vectors or hint else None
    if group == 2 or (group == 3 and not word & 0x10):  # ldr, str
        return base + (_shifted(word) if group == 3 and before else ())
    if group == 0 and word & 0x90 == 0x90:
        if word & 0x60:  # halves, pairs
            index = _term(word & 15, 1 if word >> 23 & 1 else -1)
            return base if word >> 22 & 1 or not before else base + index
        return base if before else None  # exclusives; else a multiplication
    if group == 4 or (group == 6 and word & 0x0FE00000 != 0x0C400000):  # several; vectors
        return base
    return None


def _shifted(word: int) -> tuple[Term, ...]:
    """An index with its shift; a rotation is as good as none to tell whether two are equal."""
    sign, count, way = 1 if word >> 23 & 1 else -1, word >> 7 & 31, word >> 5 & 3
    if way == 0:
        return _term(word & 15, sign << count)
    return _term(word & 15, sign, (count or 32) if way < 3 else 0)


def _flow(word: int, address: int) -> tuple[Kind, int | None]:
    """What a word does if its condition holds."""
    if word & 0x0E000000 == 0x0A000000:
        target = (address + _AHEAD + 4 * signed(word & 0xFFFFFF, 24)) & _MASK
        return (Kind.CALL if word >> 24 & 1 else Kind.JUMP), target
    if word & 0x0FFFFFF0 == 0x012FFF30:
        return Kind.INDIRECT_CALL, None
    if word & 0x0FFFFFD0 == 0x012FFF10 or word & 0x0FFFFFF0 == 0x01A0F000:  # bx, bxj; mov pc
        return (Kind.RETURN if word & 15 == _LR else Kind.INDIRECT_JUMP), None
    if word & 0x0FF000F0 in (0x07F000F0, 0x01200070):  # udf, bkpt
        return Kind.STOP, None
    if word & 0x0E108000 == 0x08108000:  # ldm with pc
        return Kind.RETURN, None
    if word & 0x0C50F000 == 0x0410F000 and word & 0x02000010 != 0x02000010:  # ldr pc
        popped = word >> 16 & 15 == _SP
        return (Kind.RETURN if popped else Kind.INDIRECT_JUMP), None
    return (Kind.INDIRECT_JUMP if _computes_pc(word) else Kind.OTHER), None


def _computes_pc(word: int) -> bool:
    """Data processing with pc as its result (A5.2); not multiplications, halfword loads and
    what stands in the place of comparisons without S."""
    if word & 0x0C00F000 != 0x0000F000:
        return False
    immediate = word >> 25 & 1
    comparison = word >> 23 & 3 == 2
    return not comparison and bool(immediate or word & 0x90 != 0x90)


class _Literals(Row):
    """Loads from literal pools, adr, and addresses made of a literal and pc."""

    def reference(self, word: int, address: int) -> tuple[int | None, int]:
        """The address in the text that the instruction names, and the bytes that it reads."""
        if word >> 28 not in (_ALWAYS, _UNCONDITIONAL):
            named, width = _loaded(word, address)
            self._clobber(word)
            return self.inside(named, width)
        named, width = _loaded(word, address)
        value = self._value(word, address, named)
        self._clobber(word)
        if value is not None:
            self.known[word >> 12 & 15] = value
        if named is None and value is not None and not _is_half(word):
            named, width = value, 0
        return self.inside(named, width)

    def _value(self, word: int, address: int, loaded: int | None) -> int | None:
        """What the instruction sets its result to, if that is known."""
        rotated = _rotated(word)
        if word & 0x0FFF0000 == 0x028F0000:  # add rd, pc, #
            return address + _AHEAD + rotated & _MASK
        if word & 0x0FFF0000 == 0x024F0000:
            return address + _AHEAD - rotated & _MASK
        if word & 0x0F7F0000 == 0x051F0000 and loaded is not None and loaded in self.text:
            place = loaded - self.text.start
            return int.from_bytes(self.code[place : place + 4], "little")
        if word & 0x0FF00000 == 0x03000000:
            return word >> 4 & 0xF000 | word & 0xFFF
        own = self.known.get(word >> 12 & 15)
        if word & 0x0FF00000 == 0x03400000 and own is not None:  # movt
            return own & 0xFFFF | (word >> 4 & 0xF000 | word & 0xFFF) << 16
        if word & 0x0FE00FF0 == 0x00800000:  # add rd, rn, rm, one of them pc
            here = {_PC: address + _AHEAD}
            pair = [{**self.known, **here}.get(r) for r in (word >> 16 & 15, word & 15)]
            if _PC in (word >> 16 & 15, word & 15) and None not in pair:
                return sum(each or 0 for each in pair) & _MASK
        return None

    def _clobber(self, word: int) -> None:
        """Forget every register that the instruction may write."""
        if word & 0x0E000000 in (0x08000000, 0x0A000000) or word & 0x0FFFFFF0 == 0x012FFF30:
            self.known.clear()
        self.forget(word >> 12 & 15, word >> 16 & 15)
        if word & 0x0F0000D0 == 0x000000D0 or word & 0x0F900090 == 0x00800090:
            self.known.clear()  # ldrd and long multiplications write two


def _is_half(word: int) -> bool:
    """movw: half of an address is none; a loaded literal is read where it stands."""
    return word & 0x0FF00000 == 0x03000000


def _loaded(word: int, address: int) -> tuple[int | None, int]:
    """Where a load relative to pc reads, and how much; the table of `ldr pc, [pc, rn, lsl #2]`
    stands there and its size is not known."""
    here = address + _AHEAD
    sign = 1 if word >> 23 & 1 else -1
    if word & 0x0F3F0000 == 0x051F0000:  # ldr, ldrb
        return here + sign * (word & 0xFFF), 1 if word >> 22 & 1 else 4
    if word & 0x0F3F0E00 == 0x0D1F0A00:  # vldr
        return here + sign * 4 * (word & 0xFF), 8 if word >> 8 & 1 else 4
    halves = word >> 4 & 0xF0 | word & 0xF
    if word & 0x0F7F00F0 == 0x014F00D0:  # ldrd
        return here + sign * halves, 8
    if word & 0x0F7F0090 == 0x015F0090:  # ldrh, ldrsb, ldrsh
        return here + sign * halves, 1 if word & 0xF0 == 0xD0 else 2
    if word & 0x0FFFFFF0 == 0x079FF100:
        return here, 0
    return None, 0


def _rotated(word: int) -> int:
    """A modified immediate: 8 bits, rotated right by twice four (A5.2.4)."""
    number, by = word & 0xFF, 2 * (word >> 8 & 15)
    return (number >> by | number << (32 - by)) & _MASK


_USES = {  # data processing by opcode: tst teq cmp cmn; and sub rsb add bic
    **dict.fromkeys((8, 9, 10, 11), Use.COMPARE),
    **dict.fromkeys((0, 2, 3, 4, 14), Use.STEP),
}


def _constants(word: int) -> Iterator[Constant]:
    if word >> 28 == _UNCONDITIONAL:
        return
    opcode, sets_flags = word >> 21 & 15, word >> 20 & 1
    target, source = word >> 12 & 15, word >> 16 & 15
    if word & 0x0E000000 == 0x02000000 and opcode in _USES:
        compares = _USES[opcode] is Use.COMPARE
        if compares != bool(sets_flags) and compares:
            return  # movw, movt, msr
        if source in (_SP, _PC) or (target in (_SP, _PC) and not compares):
            return
        number = _rotated(word)
        yield Constant(_USES[opcode], min(number, (1 << 32) - number))
    elif word & 0x0FEF0010 == 0x01A00000 and word >> 5 & 3 != 3:  # mov with lsl, lsr, asr
        count = word >> 7 & 31
        if count:
            yield Constant(Use.SHIFT, 1 << count)
