"""What a run found: events and totals.

Enters: the bytes of a RUN reply. Leaves: frozen records. Never here: what an event means for
a verdict, or which source line a PC is.
"""

import struct
import sys
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from rig.architectures import Registers
from rig.runner.scripts import Side

SELECT = -1  # the `step` of what happens before the first one: the prologue, its `select`
ACTUAL_LIMIT = 4096
_NO_ADDRESS = (1 << 64) - 1


class Kind(IntEnum):
    """What went wrong."""

    VALUE = 1
    RETURN = 2
    CONSTANT = 3
    CANARY = 4
    REGISTER = 5
    STACK = 6
    CRASH = 7
    EXIT = 8
    TIMEOUT = 9
    WRITE = 10
    UPPERS = 11
    BELOW = 12
    CHANGED = 13


@dataclass(frozen=True, slots=True)
class Event:
    """One finding. `script` is the index in the batch, `step` the index in the script's steps
    (SELECT for the prologue; the last step for VALUE, which is judged at the end).

    - VALUE, CONSTANT: `buffer`, `offset` of the first differing byte, `expected` and `actual`
      byte there, and `data`: what the buffer holds from offset 0, at most ACTUAL_LIMIT bytes.
    - CANARY: `buffer`, `side`, `offset` of the nearest changed byte counted from the buffer's
      first byte (so -1 is the byte before it, `size` the byte behind it), bytes as above.
    - RETURN: `expected` and `actual` value, cut to the bits that count.
    - REGISTER: `register`, `expected` and `actual`.
    - STACK: the caller's stack changed: `offset` of the first changed byte above the last
      stack argument, `address` of that byte, bytes as above.
    - CRASH: `signal`, and unless the process was killed from outside `pc`, `address`
      (the fault's, where the signal has one) and `registers`. TIMEOUT: `pc`, `registers`.
    - UPPERS: under CLEAN_UPPERS a call left vectors in use above 128 bits: `actual` as in XINUSE,
      4 for bits 128 to 255, 64 for those above.
    - BELOW: under BELOW the instruction at `pc` wrote `offset` bytes below the stack pointer, where
      it owns nothing: the first of a script; bytes as above.
    - CHANGED: a call changed watched memory: `data` stands at `address` now, `offset` instructions
      after its first.
    - WRITE: under READ_ONLY a call wrote to what it may only read, and went on: as of a CRASH.
    - EXIT: `actual` is the exit code of a process that ended by itself.
    """

    script: int
    step: int
    kind: Kind
    buffer: int | None = None
    side: Side | None = None
    offset: int | None = None
    expected: int | None = None
    actual: int | None = None
    data: bytes = b""
    register: str | None = None
    signal: int | None = None
    pc: int | None = None
    address: int | None = None
    registers: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What an unwinder has at the instruction at text offset `offset`, when it was executed for
    the first time, by script `script`: `registers`, and of memory `data` from address `stack` on,
    which is the stack in use; none where that is too long or elsewhere. What it must come to:
    `returned`, the address behind the call, and `caller`, what the call must keep."""

    offset: int
    script: int
    registers: Mapping[str, int]
    stack: int
    data: bytes
    returned: int
    caller: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one RUN gave. `ran` scripts ran (a crashed one counts), `abandoned` did not.

    `failed_scripts` is exact; `unreported` events found no room in `events`. `order` holds the
    text offsets that were executed, by their first time. `trace` holds the PCs of a stepped
    run in order, of `steps` of them the first few million. Under REGISTERS it is empty, and
    `states` has the registers of each step one after the other, in the order of
    `Registers.stepped`, before its instruction is executed: 2**22 words at most. `cpu_ns` is user
    and system time.

    Under BRANCHES, `branches` has the text offset of each conditional jump that was seen to go
    some way, and a mask: 1 taken, 2 not taken; what hits prove besides, `rig.trace.branches`
    adds. `indirect` has each text offset of an indirect jump with each address that it went
    to, at most the first 2**16 pairs. A jump is watched for its first 256 times in each script.

    `uppers_told` says whether the CPU can tell what CLEAN_UPPERS asks.

    Under TIMED, `elapsed_ns` is what all repeats took of CPU time, and `empty_ns` as many calls of
    functions that do nothing.

    Under FRAMES, `frames` are those of `order`, as far as 32 MiB hold them.
    """

    events: tuple[Event, ...]
    ran: int
    abandoned: int
    failed_scripts: int
    unreported: int
    order: tuple[int, ...]
    trace: tuple[int, ...]
    steps: int
    cpu_ns: int
    branches: tuple[tuple[int, int], ...]
    indirect: tuple[tuple[int, int], ...]
    states: "array[int]" = field(default_factory=lambda: array("Q"))
    frames: tuple[Frame, ...] = ()
    uppers_told: bool = False
    elapsed_ns: int = 0
    empty_ns: int = 0

    @property
    def hits(self) -> frozenset[int]:
        """The text offsets of the instructions that were executed."""
        return frozenset(self.order)


# ran, failed, events, unreported, hits, branches, cpu time, steps, traced, targets, frame bytes,
# whether the CPU tells of upper halves, elapsed and empty time
_RESULT = struct.Struct("<IIIIIIQQQQQQQQ")
_BRANCH = struct.Struct("<II")  # offset, directions
_TARGET = struct.Struct("<QII")  # target, offset, 0
_FRAME = struct.Struct("<IIQQIIII")  # offset, script, returned, stack, registers, kept, bytes, 0
_EVENT = struct.Struct("<IiIIIIqQQQ")  # kind, step, script, buffer, which, data, offset, ...


def decode_result(answer: bytes, count: int, known: Registers, states: bool = False) -> RunResult:
    """A RUN's answer; `count` scripts were asked for, of an architecture with these registers.
    With `states` it holds them for each step."""
    head = _RESULT.unpack_from(answer)
    ran, failed, found, unreported, hits, jumps, cpu, steps, traced, targets, _, told, *clock = head
    position = _RESULT.size
    events: list[Event] = []
    for _ in range(found):
        fields = _EVENT.unpack_from(answer, position)
        position += _EVENT.size
        size = fields[5]
        events.append(_event(fields, answer[position : position + size], known))
        position += size + -size % 8
    words = _words(answer[position : position + 8 * traced])
    position += 8 * traced
    order = struct.unpack_from(f"<{hits}I", answer, position)
    position += 4 * hits
    middle = position + _BRANCH.size * jumps
    branches = tuple(_BRANCH.iter_unpack(answer[position:middle]))
    rest = _TARGET.iter_unpack(answer[middle : middle + _TARGET.size * targets])
    indirect = tuple((offset, target) for target, offset, _ in rest)
    framed = answer[middle + _TARGET.size * targets :]
    return RunResult(
        events=tuple(events),
        ran=ran,
        abandoned=count - ran,
        failed_scripts=failed,
        unreported=unreported,
        order=order,
        trace=() if states else tuple(words),
        states=words if states else array("Q"),
        steps=steps,
        cpu_ns=cpu,
        branches=branches,
        indirect=indirect,
        frames=tuple(_frames(framed, known)),
        uppers_told=bool(told),
        elapsed_ns=clock[0],
        empty_ns=clock[1],
    )


def _words(data: bytes) -> "array[int]":
    words = array("Q", data)
    if sys.byteorder == "big":
        words.byteswap()
    return words


def _frames(data: bytes, known: Registers) -> Iterator[Frame]:
    vectors = (n for n in known.kept if n in known.dwarf.values() and n not in known.all)
    names = (*known.stepped, *vectors)
    position = 0
    while position < len(data):
        offset, script, returned, stack, count, kept, size, _ = _FRAME.unpack_from(data, position)
        position += _FRAME.size
        words = struct.unpack_from(f"<{count + kept}Q", data, position)
        position += 8 * len(words)
        now, caller = dict(zip(names, words[:count], strict=False)), words[count:]
        yield Frame(
            offset=offset,
            script=script,
            registers=now,
            stack=stack,
            data=data[position : position + size],
            returned=returned,
            caller=dict(zip(known.kept, caller, strict=False)),
        )
        position += size + -size % 8


def _event(fields: tuple[int, ...], data: bytes, known: Registers) -> Event:
    kind, step, script, buffer, which, _, offset, expected, actual, address = fields
    match Kind(kind):
        case Kind.VALUE | Kind.CONSTANT as k:
            return Event(script, step, k, buffer, None, offset, expected, actual, data)
        case Kind.CANARY as k:
            return Event(script, step, k, buffer, Side(which), offset, expected, actual)
        case Kind.RETURN | Kind.EXIT | Kind.UPPERS as k:
            return Event(script, step, k, expected=expected, actual=actual)
        case Kind.REGISTER as k:
            name = known.kept[which]
            return Event(script, step, k, expected=expected, actual=actual, register=name)
        case Kind.STACK as k:
            return Event(
                script, step, k, offset=offset, expected=expected, actual=actual, address=address
            )
        case Kind.BELOW as k:
            return Event(
                script, step, k, offset=offset, expected=expected, actual=actual, pc=address
            )
        case Kind.CHANGED as k:
            return Event(script, step, k, offset=offset, data=data, address=address)
        case k:
            return _crash(Event(script, step, k, signal=which), data, address, known)


def _crash(event: Event, data: bytes, address: int, known: Registers) -> Event:
    if not data:
        return event
    values = struct.unpack(f"<{len(known.all)}Q", data)
    registers = dict(zip(known.all, values, strict=True))
    return replace(
        event,
        pc=registers[known.pc],
        address=None if address == _NO_ADDRESS else address,
        registers=registers,
    )
