"""AArch64: what its instructions do, from their bits.

Enters: words of the text. Leaves: kinds, targets, references, numbers. Never here: text; that is
capstone's. "C4" and "C6" are chapters of the Arm Architecture Reference Manual (DDI 0487).
"""

from collections.abc import Iterator

from rig.trace.architecture import Access, Constant, Exposure, Instruction, Kind, Term, Use
from rig.trace.fixed import FixedWidth, Row, disassembler, signed

_NOP, _ZERO = 0xD503201F, 31
_REGISTER_BRANCHES = {  # C4.1: unconditional branch (register), by opc; 8 and 9: with a key
    0: Kind.INDIRECT_JUMP,
    1: Kind.INDIRECT_CALL,
    2: Kind.RETURN,
    8: Kind.INDIRECT_JUMP,
    9: Kind.INDIRECT_CALL,
}
_LITERAL_WIDTHS = {0: (4, 8, 4, 0), 1: (4, 8, 16, 0)}  # by V, then opc; prfm reads nothing
_MASK = (1 << 64) - 1


class AArch64(FixedWidth):
    """The encoding of A64."""

    def __init__(self) -> None:
        """Load the decoder.

        Raises:
            DecoderMissingError: capstone is not installed.
        """
        super().__init__(disassembler("CS_ARCH_ARM64", "CS_MODE_ARM"))

    def flow(self, word: int, address: int) -> tuple[Kind, int | None]:
        """The kind and the target (C6.2)."""
        if word & 0x7C000000 == 0x14000000:  # b, bl
            kind = Kind.CALL if word >> 31 else Kind.JUMP
            return kind, _target(word, address, 0, 26)
        if word & 0xFF000000 == 0x54000000:  # b.cond, bc.cond; al and nv are always
            kind = Kind.JUMP if word & 0xE == 0xE else Kind.CONDITIONAL
            return kind, _target(word, address, 5, 19)
        if word & 0x7E000000 == 0x34000000:  # cbz, cbnz
            return Kind.CONDITIONAL, _target(word, address, 5, 19)
        if word & 0x7E000000 == 0x36000000:  # tbz, tbnz
            return Kind.CONDITIONAL, _target(word, address, 5, 14)
        if word & 0xFE000000 == 0xD6000000:
            return _REGISTER_BRANCHES.get(word >> 21 & 0xF, Kind.STOP), None
        if word < 0x10000 or word & 0xFF000000 == 0xD4000000:
            return _exception(word), None
        return Kind.OTHER, None

    def row(self, code: bytes, base: int) -> Row:
        """Begin a row of instructions."""
        return _Pages(code, base)

    def is_padding(self, instruction: Instruction) -> bool:
        """Whether it is nop or zeros."""
        return _word(instruction) in (0, _NOP)

    def constants(self, instruction: Instruction) -> tuple[Constant, ...]:
        """Immediates of cmp, tst, add, sub, and; bits that shifts and tbz count."""
        return tuple(c for c in _constants(_word(instruction)) if c.value)

    def exposure(self, instruction: Instruction) -> Exposure:
        """The base and the index of loads and stores; operands of divisions."""
        word = _word(instruction)
        bits = 64 if word >> 31 else 32
        if word & 0x7FE0F800 == 0x1AC00800:  # udiv, sdiv
            return Exposure(timed=(*_term(word >> 5 & 31, bits), *_term(word >> 16 & 31, bits)))
        if any(word & mask == code for mask, code in _TIMED):
            return Exposure(timed=(), known=False)
        terms = _address(word)
        return Exposure() if terms is None else Exposure((Access(terms),))

    def assembly(self, instruction: Instruction) -> str | None:
        """The text for the assembler (see `FixedWidth`); every base has SIMD registers."""
        word = _word(instruction)
        relative = word & 0x1F000000 == 0x10000000 or word & 0x3B000000 == 0x18000000
        hint = word & 0xFFFFF01F == 0xD503201F  # bti, paciasp, xpaclri, esb
        jumps = self.flow(word, instruction.address)[1] is not None
        return None if relative or hint or jumps else self.written(instruction)


def _word(instruction: Instruction) -> int:
    return int.from_bytes(instruction.code, "little")


_TIMED = (  # fdiv and fsqrt, of one number and of several
    (0xFF20FC00, 0x1E201800),
    (0xFF3FFC00, 0x1E21C000),
    (0xBFA0FC00, 0x2E20FC00),
    (0xBFBFFC00, 0x2EA1F800),
)


def _term(number: int, bits: int = 64, factor: int = 1) -> tuple[Term, ...]:
    """A general register; 31 is zero."""
    return () if number == _ZERO else (Term(f"x{number}", factor, bits),)


def _address(word: int) -> tuple[Term, ...] | None:
    """The registers of the address that an instruction touches; None if it touches none."""
    if word & 0xFFFFFFE0 == 0xD50B7420:  # dc zva
        return _term(word & 31)
    if word & 0x0A000000 != 0x08000000:
        return None
    if word & 0x3B000000 == 0x18000000:  # a literal
        return ()
    number = word >> 5 & 31
    base = (Term("sp"),) if number == _ZERO else _term(number)
    if word & 0x3B200C00 != 0x38200800:
        return base
    whole_vector = word & 0x04800000 == 0x04800000
    scale = (4 if whole_vector else word >> 30) if word >> 12 & 1 else 0
    return base + _term(word >> 16 & 31, 64 if word >> 13 & 1 else 32, 1 << scale)


def _exception(word: int) -> Kind:
    """svc, hvc and smc come back; brk, hlt and udf do not (C4.1: exception generation)."""
    returning = word & 0xFFE00000 == 0xD4000000
    return Kind.OTHER if returning else Kind.STOP


def _target(word: int, address: int, low: int, bits: int) -> int:
    return address + 4 * signed(word >> low & ((1 << bits) - 1), bits)


class _Pages(Row):
    """adr, adrp with what adds to it, and loads of literals."""

    def reference(self, word: int, address: int) -> tuple[int | None, int]:
        """The address in the text that the instruction names, and the bytes that it reads."""
        value, width = self._named(word, address)
        if word & 0xFC000000 == 0x94000000 or word & 0xFFFFFC1F == 0xD63F0000:
            self.known.clear()
        self.forget(word & 31)
        if _may_write_back(word):
            self.forget(word >> 5 & 31, word >> 10 & 31)
        if width == 0 and value is not None:
            self.known[word & 31] = value
        page = word & 0x9F000000 == 0x90000000
        return (None, 0) if page else self.inside(value, width)

    def _named(self, word: int, address: int) -> tuple[int | None, int]:
        if word & 0x1F000000 == 0x10000000:  # adr, adrp
            distance = signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21)
            page = word >> 31
            return (address & -4096) + (distance << 12) if page else address + distance, 0
        if word & 0x3B000000 == 0x18000000:  # ldr literal
            width = _LITERAL_WIDTHS[word >> 26 & 1][word >> 30]
            return (_target(word, address, 5, 19), width) if width else (None, 1)
        base = self.known.get(word >> 5 & 31)
        if base is None:
            return None, 1
        if word & 0xFF800000 == 0x91000000:  # add of 64 bits
            return base + ((word >> 10 & 0xFFF) << 12 * (word >> 22 & 1)) & _MASK, 0
        if _is_plain_access(word):
            scale = 4 if word & 0x04800000 == 0x04800000 else word >> 30
            return base + ((word >> 10 & 0xFFF) << scale), 1 << scale
        return None, 1


def _is_plain_access(word: int) -> bool:
    """A load or store with an unsigned offset: the base stays."""
    return word & 0x3B000000 == 0x39000000


def _may_write_back(word: int) -> bool:
    """Loads and stores of the other forms: of pairs, or that change the base."""
    return word & 0x0A000000 == 0x08000000 and not _is_plain_access(word)


def _constants(word: int) -> Iterator[Constant]:
    target, source = word & 31, word >> 5 & 31
    wide = word >> 31
    if word & 0x1F800000 == 0x11000000:  # add, sub, adds, subs with 12 bits
        number = (word >> 10 & 0xFFF) << 12 * (word >> 22 & 1)
        sets_flags = word >> 29 & 1
        if sets_flags and target == _ZERO:
            yield Constant(Use.COMPARE, number)
        elif source != _ZERO and (sets_flags or target != _ZERO):
            yield Constant(Use.STEP, number)
    elif word & 0x1F800000 == 0x12000000 and word >> 29 & 3 in (0, 3):  # and, ands
        use = Use.COMPARE if target == _ZERO else Use.STEP
        if word >> 29 & 3 or target != _ZERO:
            yield Constant(use, _logical(word))
    elif word & 0x1F800000 == 0x13000000 and word >> 29 & 3 != 1:  # sbfm, ubfm
        yield from _shift(word >> 16 & 63, word >> 10 & 63, 63 if wide else 31)
    elif word & 0x7E000000 == 0x36000000:  # tbz, tbnz
        yield Constant(Use.SHIFT, 1 << (wide << 5 | word >> 19 & 31))
    elif word & 0x7FE00C10 == 0x7A400800:  # ccmp with 5 bits
        yield Constant(Use.COMPARE, word >> 16 & 31)


def _shift(rotation: int, last: int, top: int) -> Iterator[Constant]:
    """lsr, asr and lsl; other extracted fields say nothing of lengths."""
    if last == top:
        yield Constant(Use.SHIFT, 1 << rotation)
    elif last + 1 == rotation:
        yield Constant(Use.SHIFT, 1 << (top - last))


def _logical(word: int) -> int:
    """The number of a bitmask immediate (DecodeBitMasks in J1), without its sign."""
    rotation, ones = word >> 16 & 63, word >> 10 & 63
    length = ((word >> 22 & 1) << 6 | (ones ^ 63)).bit_length() - 1
    size = 1 << length
    pattern = (1 << (ones & size - 1) + 1) - 1
    rotation &= size - 1
    element = (pattern >> rotation | pattern << size - rotation) & (1 << size) - 1
    bits = 64 if word >> 31 else 32
    number = sum(element << place for place in range(0, bits, size))
    return min(number, (1 << bits) - number)
