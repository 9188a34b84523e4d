"""Architectures whose instructions are words of 32 bits: what `aarch64` and `arm` share.

Enters: bytes of the text. Leaves: `Instruction` records, text by capstone, which is loaded at
the first use. Never here: any encoding.

What an instruction does to flow and what it refers to is read from its bits by the
architecture's own module; capstone says whether the word is an instruction at all, and how it is
written.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rig.trace.architecture import (
    Constant,
    DecoderMissingError,
    Exposure,
    Instruction,
    Kind,
    Told,
)

WORD = 4
_ENTRY_SIZES = (4, 2, 1)


def disassembler(arch: str, *modes: str) -> Any:
    """Capstone for an architecture, by the names of its constants.

    Raises:
        DecoderMissingError: capstone is not installed.
    """
    try:
        import capstone
    except ImportError as error:
        raise DecoderMissingError(
            "ARM code cannot be decoded here: capstone is not installed (pip install capstone)"
        ) from error
    mode = sum(getattr(capstone, name) for name in modes)
    return capstone.Cs(getattr(capstone, arch), mode)


def signed(value: int, bits: int) -> int:
    """A number of so many bits, in two's complement."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


class Row(ABC):
    """One row of instructions, in order: which registers hold a known address meanwhile."""

    def __init__(self, code: bytes, base: int) -> None:
        self.text = range(base, base + len(code))
        self.code = code
        self.known: dict[int, int] = {}

    @abstractmethod
    def reference(self, word: int, address: int) -> tuple[int | None, int]:
        """What the instruction names relative to itself, and how many bytes of it it reads."""

    def inside(self, address: int | None, width: int) -> tuple[int | None, int]:
        """These two if the address lies in the text; else nothing."""
        return (None, 0) if address is None or address not in self.text else (address, width)

    def forget(self, *registers: int) -> None:
        """These hold something else now."""
        for register in registers:
            self.known.pop(register, None)


class FixedWidth(ABC):
    """An encoding in words of 32 bits, little endian (see `Architecture`)."""

    told = Told.BY_FILE
    stop = "udf #0"

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder

    @abstractmethod
    def flow(self, word: int, address: int) -> tuple[Kind, int | None]:
        """The kind of an instruction, and where a direct jump or call goes."""

    @abstractmethod
    def row(self, code: bytes, base: int) -> Row:
        """Begin a row of instructions."""

    @abstractmethod
    def is_padding(self, instruction: Instruction) -> bool:
        """Whether it is a nop or a filling word."""

    @abstractmethod
    def constants(self, instruction: Instruction) -> Sequence[Constant]:
        """See `Architecture`."""

    @abstractmethod
    def exposure(self, instruction: Instruction) -> Exposure:
        """See `Architecture`."""

    @abstractmethod
    def assembly(self, instruction: Instruction) -> str | None:
        """The text that an assembler takes for it, wherever it stands. None: what every CPU of
        the base takes, be it as a hint that it does not know, and whose text tells where it is."""

    def straight(self, code: bytes, base: int, start: int) -> Iterator[Instruction]:
        """Decode one after the other from `start` (see `Architecture`)."""
        row = self.row(code, base)
        for address in range(start, base + len(code) - WORD + 1, WORD):
            encoded = code[address - base : address - base + WORD]
            if next(self._decoder.disasm_lite(encoded, address, 1), None) is None:
                return
            word = int.from_bytes(encoded, "little")
            reference, width = row.reference(word, address)
            yield Instruction(address, encoded, *self.flow(word, address), reference, width)

    def jump_table(self, code: bytes, base: int, table: int, inside: range) -> list[int]:
        """Read addresses, distances in bytes, or halfwords or bytes that count instructions,
        from `table` on, up to the first that cannot be one."""
        for size in _ENTRY_SIZES:
            for origin, scale in ((table, 1), (0, 1)) if size == WORD else ((table, WORD),):
                targets = _entries(code[table - base :], size, origin, scale, inside)
                if len(targets) > 1:
                    return targets
        return []

    def text(self, instruction: Instruction, name: Callable[[int], str | None]) -> str:
        """Write it in the usual syntax, with a name for what it leads or refers to."""
        text = self.written(instruction)
        for address in (instruction.target, instruction.reference):
            named = None if address is None else name(address)
            if named is not None:
                text = re.sub(rf"#0x{address:x}\b", named, text)
        return text

    def written(self, instruction: Instruction) -> str:
        """The text, with numbers for addresses."""
        rows = self._decoder.disasm_lite(instruction.code, instruction.address, 1)
        _, _, mnemonic, operands = next(rows)
        return f"{mnemonic} {operands}".rstrip()


def _entries(code: bytes, size: int, origin: int, scale: int, inside: range) -> list[int]:
    targets = []
    for place in range(0, min(len(code), len(inside)) - size + 1, size):
        number = int.from_bytes(code[place : place + size], "little")
        target = origin + scale * (signed(number, 32) if size == WORD else number)
        if target not in inside or target % WORD or origin <= target < origin + place + size:
            break
        targets.append(target)
    return targets
