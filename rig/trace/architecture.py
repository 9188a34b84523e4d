"""What one instruction is, and what an architecture must know about its own encoding.

Enters: nothing. Leaves: the records and the protocol that `x86` and its likes fulfil.
Never here: following flow, or anything that only one architecture has.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from rig.errors import RigError


class TraceError(RigError):
    """Code that cannot carry traps soundly; the message says where and what to do."""


class DecoderMissingError(TraceError):
    """The package that decodes this architecture is not installed."""


class Kind(Enum):
    """What an instruction does to the flow of control."""

    OTHER = "other"
    JUMP = "jump"
    CONDITIONAL = "conditional jump"
    CALL = "call"
    RETURN = "return"
    INDIRECT_JUMP = "indirect jump"
    INDIRECT_CALL = "indirect call"
    STOP = "stop"  # raises an exception always, as ud2 does
    PREDICATED_RETURN = "predicated return"  # or goes on behind it, as `popeq {pc}`
    PREDICATED_JUMP = "predicated indirect jump"

    @property
    def falls_through(self) -> bool:
        """Whether the next instruction in memory may be executed next."""
        return self not in _NEVER_FALLS_THROUGH

    @property
    def is_predicated(self) -> bool:
        """Whether it leaves only if its condition holds, and where to is not stated."""
        return self in (Kind.PREDICATED_RETURN, Kind.PREDICATED_JUMP)

    @property
    def is_indirect_jump(self) -> bool:
        """Whether it may jump to where nobody states."""
        return self in (Kind.INDIRECT_JUMP, Kind.PREDICATED_JUMP)

    @property
    def is_call(self) -> bool:
        """Whether control comes back behind it, if the callee returns."""
        return self in (Kind.CALL, Kind.INDIRECT_CALL)


# A tuple: it compares by identity, where a set would hash each member in Python.
_NEVER_FALLS_THROUGH = (Kind.JUMP, Kind.RETURN, Kind.INDIRECT_JUMP, Kind.STOP)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction as it stands in the text.

    `target` is where a direct jump or call goes. `reference` is an address that the
    instruction names relative to itself as data: it reads or writes `width` bytes there,
    or takes the address only (`width` 0).
    """

    address: int
    code: bytes
    kind: Kind
    target: int | None = None
    reference: int | None = None
    width: int = 0

    @property
    def length(self) -> int:
        """Its size in bytes."""
        return len(self.code)

    @property
    def end(self) -> int:
        """The address of the byte behind it."""
        return self.address + len(self.code)


class Use(Enum):
    """What an instruction does with a number that stands in it."""

    COMPARE = "compare"
    STEP = "step"
    SHIFT = "shift"


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that stands in an instruction and may be a length, in whatever unit: what it
    compares with or masks by, how far it steps, 2 to the power of what it shifts by. Its sign
    is left out."""

    use: Use
    value: int


@dataclass(frozen=True, slots=True)
class Term:
    """A register's part of an address, or a number that an instruction works on: `factor` times
    its low `bits` bits, shifted right by `right` before."""

    register: str
    factor: int = 1
    bits: int = 64
    right: int = 0


@dataclass(frozen=True, slots=True)
class Access:
    """Memory that an instruction touches: the terms of its address, a constant left out. Without
    `known` a vector register has a part in it."""

    terms: tuple[Term, ...]
    known: bool = True


@dataclass(frozen=True, slots=True)
class Exposure:
    """What an instruction shows to who watches caches and time: its accesses, and the numbers
    that its duration depends on, if `timed` (not all of them where it is not `known`: they are in
    memory or in vector registers). It shows nothing unless `condition` holds, a number as A32
    encodes it, and then shows that it does."""

    accesses: tuple[Access, ...] = ()
    timed: tuple[Term, ...] | None = None
    known: bool = True
    condition: int | None = None


class Told(Enum):
    """What tells data in a text from code, where flow does not."""

    BY_FILE = "mapping symbols"
    BY_INSTRUCTIONS = "each instruction names what it reads"
    IN_PART = "some do; so the rest of a function that holds data is not decoded"


class Architecture(Protocol):
    """The encoding of one architecture. Addresses are those of the running image."""

    told: Told
    stop: str
    """The instruction to put where flow never comes."""

    def straight(self, code: bytes, base: int, start: int) -> Iterator[Instruction]:
        """Decode one after the other from address `start`; `code` stands at `base`.

        Ends without a word at the end of `code` and before bytes that are no instruction.
        """
        ...

    def is_padding(self, instruction: Instruction) -> bool:
        """Whether assemblers and linkers fill gaps with this instruction."""
        ...

    def jump_table(self, code: bytes, base: int, table: int, inside: range) -> Sequence[int]:
        """Read the targets of a jump table at address `table`, if that is what it is.

        Both the table and its targets lie in `inside`; empty if the bytes cannot be one.
        """
        ...

    def text(self, instruction: Instruction, name: Callable[[int], str | None]) -> str:
        """Write it as assembly; `name` may give a name to an address that it mentions."""
        ...

    def exposure(self, instruction: Instruction) -> Exposure:
        """Tell what it shows beside its own address, in registers of `rig.architectures`."""
        ...

    def constants(self, instruction: Instruction) -> Sequence[Constant]:
        """Give the numbers in it that may be lengths; none that belong to the stack pointer."""
        ...
