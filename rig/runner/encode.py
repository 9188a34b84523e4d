"""Turns scripts and prologues into the bytes that the runner reads.

Enters: records of `scripts`. Leaves: bytes; ScriptError says which script breaks which limit.
Never here: sending, or choosing a placement. Layouts are those of native/runner/protocol.h:
little-endian, every record a multiple of 8 bytes.
"""

import itertools
from collections.abc import Sequence
from struct import Struct

from rig.runner.placement import PAGE, TABLE_WORDS
from rig.runner.scripts import (
    KEPT_LIMIT,
    LATER_LIMIT,
    SLOT_CAPACITY,
    SLOT_COUNT,
    WATCH_BYTES,
    WATCH_LIMIT,
    Address,
    Argument,
    Buffer,
    Call,
    Later,
    Point,
    Pointer,
    Prologue,
    Result,
    Script,
    Side,
    Step,
    TableEntry,
    TablePointer,
    Target,
    Watch,
    Word,
    Write,
)

ARGUMENT_LIMIT = 16
CALL_LIMIT = 4096

_COUNT = Struct("<Q")
_SCRIPT = Struct("<QQII")  # length, number, buffers, steps
_NUMBER = Struct("<Q")
_BUFFER = Struct("<IIIIII")  # size, flags, align, skew, alias, 0
_STEP = Struct("<BBBBIQQ")  # kind, target kind, bits of returns, arguments, size, value, returns
_ARGUMENT = Struct("<BBHIQ")  # kind, bits, 0, buffer or call, value, offset or table entry
_WRITE = Struct("<QQ")  # address, size
_PROLOGUE = Struct("<QII")  # select, table words, writes

_HAS_CONTENT, _HAS_EXPECTED, _CONSTANT, _AT_END, _ALIAS = 1, 2, 4, 8, 16
_CALL, _WRITE_STEP, _POINT, _WATCH, _LATER = 0, 1, 2, 3, 4
_TARGET_ADDRESS, _TARGET_TABLE, _TARGET_RESULT = 0, 1, 2
_WORD, _POINTER, _TABLE_POINTER, _RESULT, _NULL = 0, 1, 2, 3, 4
_POINTER_SIZE = 8
_BITS = frozenset((8, 16, 32, 64))
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1
_PADDING = tuple(bytes(-size % 8) for size in range(8))


class ScriptError(ValueError):
    """A script that the runner cannot hold; the text names script, part and limit."""


def encode(scripts: Sequence[Script], number: int = 0) -> bytes:
    """A batch. `number` is what the first script's garbage and stack phase go by, the next
    script has the next: script k alone with `number=k` meets the same garbage as in its batch.
    """
    parts: list[bytes] = []
    for index, script in enumerate(scripts):
        try:
            parts.append(_script(script, number + index))
        except ScriptError as error:
            raise ScriptError(f"script {index}: {error}") from None
    return _joined(parts)


def encode_rewritten(templates: Sequence[Script], rewrites: Sequence[tuple[int, bytes]]) -> bytes:
    """A batch of many scripts that differ in what they write first: each is a template by its
    index, with bytes in place of those that stand there."""
    split = [_split(template) for template in templates]
    scripts: list[bytes] = []
    for number, (which, data) in enumerate(rewrites):
        head, middle, tail, size = split[which]
        if len(data) != size:
            raise ScriptError(f"script {number}: {len(data)} bytes where the template has {size}")
        scripts.append(b"".join((head, _NUMBER.pack(number), middle, data, tail)))
    return _joined(scripts)


def _split(template: Script) -> tuple[bytes, bytes, bytes, int]:
    """An encoded script without its number and without what its first step writes, and how many
    bytes that are."""
    write = template.steps[0]
    assert isinstance(write, Write)
    whole, size = _script(template, 0), len(write.data)
    start = len(_script(Script(template.buffers, (), template.length), 0)) + _STEP.size
    return whole[:8], whole[8 + _NUMBER.size : start], whole[start + size :], size


def _joined(scripts: Sequence[bytes]) -> bytes:
    """A batch of encoded scripts."""
    first = 8 + 8 * len(scripts)
    offsets = [*itertools.accumulate(map(len, scripts), initial=first)][:-1]
    head = (_COUNT.pack(len(scripts)), Struct(f"<{len(offsets)}Q").pack(*offsets))
    return b"".join((*head, *scripts))


def encode_prologue(prologue: Prologue) -> bytes:
    """The part of a RUN request that makes a batch run on one path."""
    table = prologue.table
    if len(table) > TABLE_WORDS:
        raise ScriptError(f"a table of {len(table)} words: at most {TABLE_WORDS}")
    parts = [_PROLOGUE.pack(prologue.select or 0, len(table), len(prologue.writes))]
    parts.append(Struct(f"<{len(table)}Q").pack(*table))
    for write in prologue.writes:
        parts += (_WRITE.pack(write.address, len(write.data)), _padded(write.data))
    return b"".join(parts)


def _script(script: Script, number: int) -> bytes:
    buffers, steps = script.buffers, script.steps
    if len(buffers) > SLOT_COUNT:
        raise ScriptError(f"{len(buffers)} buffers: at most {SLOT_COUNT}")
    parts = [_SCRIPT.pack(script.length, number, len(buffers), len(steps))]
    for buffer in buffers:
        _add_buffer(parts, buffer, buffers)
    _check_watches(steps)
    calls = 0
    for step in steps:
        if isinstance(step, Call):
            _add_call(parts, step, calls, buffers)
            calls += 1
        elif isinstance(step, Point):
            _check_point(step, buffers)
            parts.append(_STEP.pack(_POINT, 0, 0, 0, step.buffer, step.offset, step.target))
        elif isinstance(step, Watch):
            parts.append(_STEP.pack(_WATCH, 0, 0, 0, step.size, step.address, 0))
        elif isinstance(step, Later):
            head = _STEP.pack(_LATER, 0, 0, 0, len(step.data), step.address, step.steps)
            parts += (head, _padded(step.data))
        else:
            size = len(step.data)
            parts += (_STEP.pack(_WRITE_STEP, 0, 0, 0, size, step.address, 0), _padded(step.data))
    return b"".join(parts)


def _add_buffer(parts: list[bytes], buffer: Buffer, buffers: Sequence[Buffer]) -> None:
    size, content, expected, alias = buffer.size, buffer.content, buffer.expected, buffer.alias
    flags = (_CONSTANT if buffer.constant else 0) | (_AT_END if buffer.side is Side.END else 0)
    if content is not None:
        flags |= _HAS_CONTENT
    if expected is not None:
        flags |= _HAS_EXPECTED
    if alias is None:
        _check_place(buffer)
        alias = 0
    else:
        _check_alias(buffer, alias, buffers)
        flags |= _ALIAS
    parts.append(_BUFFER.pack(size, flags, buffer.align, buffer.skew, alias, 0))
    for data in (content, expected):
        if data is not None:
            if len(data) != size:
                raise ScriptError(f"buffer {buffer.name}: {len(data)} bytes for a size of {size}")
            parts += (data, _PADDING[size % 8])


def _check_place(buffer: Buffer) -> None:
    align = buffer.align
    if not 1 <= align <= PAGE or align & (align - 1):
        raise ScriptError(f"buffer {buffer.name}: align {align} is no power of two up to {PAGE}")
    if buffer.skew < 0 or buffer.size + align - 1 + buffer.skew > SLOT_CAPACITY:
        raise ScriptError(f"buffer {buffer.name}: does not fit a slot of {SLOT_CAPACITY} bytes")


def _check_alias(buffer: Buffer, alias: int, buffers: Sequence[Buffer]) -> None:
    if not 0 <= alias < len(buffers) or buffers[alias].alias is not None:
        raise ScriptError(f"buffer {buffer.name}: alias {alias} is no buffer with its own memory")
    if buffer.size > buffers[alias].size:
        raise ScriptError(f"buffer {buffer.name}: larger than {buffers[alias].name}, its alias")
    if buffer.constant and buffer.content is None:
        raise ScriptError(f"buffer {buffer.name}: a constant alias needs content")


def _check_watches(steps: Sequence[Step]) -> None:
    watches = [step for step in steps if isinstance(step, Watch)]
    size, later = sum(watch.size for watch in watches), sum(isinstance(s, Later) for s in steps)
    if len(watches) > WATCH_LIMIT or size > WATCH_BYTES:
        limit = f"at most {WATCH_LIMIT} pieces of {WATCH_BYTES} bytes together"
        raise ScriptError(f"{len(watches)} pieces of {size} bytes watched: {limit}")
    if later > LATER_LIMIT:
        raise ScriptError(f"{later} writes for later: at most {LATER_LIMIT}")


def _check_point(point: Point, buffers: Sequence[Buffer]) -> None:
    for index in (point.buffer, point.target):
        if not 0 <= index < len(buffers):
            raise ScriptError(f"a point to buffer {index} of {len(buffers)}")
    buffer = buffers[point.buffer]
    if not 0 <= point.offset <= buffer.size - _POINTER_SIZE:
        raise ScriptError(f"buffer {buffer.name}: no address fits at its byte {point.offset}")


def _add_call(parts: list[bytes], call: Call, calls: int, buffers: Sequence[Buffer]) -> None:
    arguments = call.arguments
    if len(arguments) > ARGUMENT_LIMIT:
        raise ScriptError(f"{len(arguments)} arguments: at most {ARGUMENT_LIMIT}")
    if calls == CALL_LIMIT:
        raise ScriptError(f"more than {CALL_LIMIT} calls")
    bits, value = (0, 0) if call.returns is None else _word(call.returns)
    kind, target = _target(call.target, calls)
    parts.append(_STEP.pack(_CALL, kind, bits, len(arguments), call.ms_abi, target, value))
    for argument in arguments:
        parts.append(_argument(argument, calls, buffers))


def _target(target: Target, calls: int) -> tuple[int, int]:
    if isinstance(target, Address):
        return _TARGET_ADDRESS, target.address
    if isinstance(target, TableEntry):
        if not 0 <= target.index < TABLE_WORDS:
            raise ScriptError(f"table entry {target.index}: the table has {TABLE_WORDS}")
        return _TARGET_TABLE, target.index
    return _TARGET_RESULT, _earlier(target, calls)


def _argument(argument: Argument, calls: int, buffers: Sequence[Buffer]) -> bytes:
    if isinstance(argument, Pointer):
        if not 0 <= argument.buffer < len(buffers):
            raise ScriptError(f"pointer to buffer {argument.buffer} of {len(buffers)}")
        size = buffers[argument.buffer].size
        if argument.null:
            return _ARGUMENT.pack(_NULL, 64, 0, 0, 0)
        if argument.kept and size > KEPT_LIMIT:
            raise ScriptError(f"{size} bytes cannot be kept: at most {KEPT_LIMIT}")
        offset = argument.offset & _MASK64
        return _ARGUMENT.pack(_POINTER, 64, argument.kept, argument.buffer, offset)
    if isinstance(argument, Word):
        bits, value = _word(argument)
        return _ARGUMENT.pack(_WORD, bits, 0, 0, value)
    if isinstance(argument, TablePointer):
        return _ARGUMENT.pack(_TABLE_POINTER, 64, 0, 0, argument.index)
    return _ARGUMENT.pack(_RESULT, 64, 0, _earlier(argument, calls), 0)


def _word(word: Word) -> tuple[int, int]:
    """Bits and value; a negative one of 8 or 16 bits comes sign-extended to 32."""
    bits, value = word.bits, word.value
    if bits not in _BITS or not -(1 << (bits - 1)) <= value < 1 << bits:
        raise ScriptError(f"{value} is no word of {bits} bits")
    return bits, value & (_MASK64 if bits == 64 else _MASK32)


def _earlier(result: Result, calls: int) -> int:
    if not 0 <= result.call < calls:
        raise ScriptError(f"the result of call {result.call}, which has not run yet")
    return result.call


def _padded(data: bytes) -> bytes:
    return data + _PADDING[len(data) % 8]


def batch_length(batch: bytes) -> int:
    """How many scripts an encoded batch holds."""
    count: int = _COUNT.unpack_from(batch)[0]
    return count
