"""Where everything of a run stands: fixed addresses, and a buffer's place in its slot.

Enters: buffers, an architecture's places. Leaves: addresses, and the buffer that an address
belongs to. Never here: bytes. The constants and the rule are those of native/runner/protocol.h
and child.c.
"""

from rig.architectures import Places
from rig.runner.scripts import SLOT_CAPACITY, Buffer, Script, Side

PAGE = 4096
SPAN = SLOT_CAPACITY + 2 * PAGE
TABLE_WORDS = 128
STACK_SIZE = 1 << 20
READ_ONLY_VIEW = 128 << 20


def place(buffer: Buffer, index: int, places: Places) -> int:
    """The address of a buffer that stands in slot `index`; an alias has no place of its own."""
    start = places.arena + index * SPAN + PAGE
    if buffer.side is Side.START:
        return start + buffer.skew
    end = start + SLOT_CAPACITY - buffer.size
    return end - end % buffer.align - buffer.skew


def addresses(script: Script, places: Places) -> tuple[int, ...]:
    """The address of each buffer of a script, aliases resolved."""
    owners = (b.alias if b.alias is not None else i for i, b in enumerate(script.buffers))
    return tuple(place(script.buffers[owner], owner, places) for owner in owners)


def locate(script: Script, address: int, places: Places) -> tuple[Buffer, int] | None:
    """The buffer in whose slot an address lies, and the address's offset in bytes from that
    buffer's first byte: negative before it, `size` or more behind it; in read-only views too.
    None if no slot of the script holds the address."""
    if address >= places.arena + READ_ONLY_VIEW:
        address -= READ_ONLY_VIEW
    index = (address - places.arena) // SPAN
    if not 0 <= index < len(script.buffers) or script.buffers[index].alias is not None:
        return None
    buffer = script.buffers[index]
    return buffer, address - place(buffer, index, places)


def in_stack(address: int, places: Places) -> bool:
    """Whether an address lies in the stack that calls run on, or in its guard pages."""
    return places.stack - PAGE <= address < places.stack + STACK_SIZE + PAGE
