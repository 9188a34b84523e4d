"""A case as the runner sees it: buffers, then calls, with capability writes in between.

Enters: values and placement chosen by others. Leaves: frozen records that `encode` turns
into bytes. Never here: what the bytes mean to a primitive, or judging.
"""

from dataclasses import dataclass, field
from enum import IntEnum

SLOT_COUNT = 16
SLOT_CAPACITY = 4 << 20
KEPT_LIMIT = 16 << 10
WATCH_LIMIT = 8
WATCH_BYTES = 256 << 10
LATER_LIMIT = 512


class Side(IntEnum):
    """Which PROT_NONE page a buffer touches."""

    START = 0
    END = 1


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory of a case, in a slot of its own between two PROT_NONE pages.

    `content` None is seeded garbage. `expected` None is not compared. A `constant` buffer
    must be unchanged after every call. With `side` END the buffer ends at the guard page,
    rounded down so that its address is a multiple of `align`; with START it begins at the
    guard page. `skew` moves it that many bytes away from its guard, off its alignment.
    `alias` is another buffer's index whose memory this one is.
    """

    name: str
    size: int
    content: bytes | None = None
    expected: bytes | None = None
    constant: bool = False
    side: Side = Side.END
    align: int = 1
    skew: int = 0
    alias: int | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """A number of 8, 16, 32 or 64 bits; the rest of its register is garbage (8 and 16 bits
    are extended to 32 first, which compilers rely on)."""

    value: int
    bits: int = 64


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a buffer of the script, plus an offset in bytes. With `kept` the call must
    leave the buffer, KEPT_LIMIT bytes at most, as it was before the call. With `null` it is NULL
    instead: the buffer has no bytes."""

    buffer: int
    offset: int = 0
    kept: bool = False
    null: bool = False


@dataclass(frozen=True, slots=True)
class TablePointer:
    """The address of the path's table of function pointers, of its entry at an index."""

    index: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """What an earlier call of the script returned."""

    call: int


@dataclass(frozen=True, slots=True)
class Address:
    """A fixed address in an image."""

    address: int


@dataclass(frozen=True, slots=True)
class TableEntry:
    """The function pointer that stands at this index of the path's table."""

    index: int


Argument = Word | Pointer | TablePointer | Result
Target = Address | TableEntry | Result


@dataclass(frozen=True, slots=True)
class Call:
    """One call; `returns` is the number it must return, None if that is not checked. With `ms_abi`
    it is by Microsoft's convention on x86_64. `role` is for words about it."""

    target: Target
    arguments: tuple[Argument, ...]
    returns: Word | None = None
    ms_abi: bool = False
    role: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes put at an address of the image (a capability vector) before the next call."""

    address: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Point:
    """The address of buffer `target` put into buffer `buffer` at an offset in bytes."""

    buffer: int
    offset: int
    target: int


@dataclass(frozen=True, slots=True)
class Watch:
    """Under STEP: memory of the image whose changes by the calls that follow are events; a script
    has WATCH_LIMIT pieces and WATCH_BYTES at most."""

    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Later:
    """Under STEP: bytes that are put at an address while a call that follows runs, before its
    instruction number `steps`, counted from 0; a script has LATER_LIMIT at most."""

    steps: int
    address: int
    data: bytes


Step = Call | Write | Point | Watch | Later


@dataclass(frozen=True, slots=True)
class Script:
    """One case; `length` is what the dispatcher is told where it looks at a length."""

    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    length: int = 0


@dataclass(frozen=True, slots=True)
class Prologue:
    """What makes a batch run on one path: before each script the writes are done, the table
    is filled with `table` (pointers of the architecture), then `select`, if any, is called with
    the table's address and the script's length and may rewrite the table."""

    writes: tuple[Write, ...] = ()
    table: tuple[int, ...] = ()
    select: int | None = None
