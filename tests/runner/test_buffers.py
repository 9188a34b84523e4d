"""Values, placement, guard pages, canaries, constant inputs, aliases."""

import itertools
import signal

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag
from rig.runner.events import ACTUAL_LIMIT, Kind
from rig.runner.placement import PAGE, SPAN, addresses, in_stack, locate, place
from rig.runner.scripts import SLOT_CAPACITY, Buffer, Pointer, Script, Side

pytestmark = pytest.mark.parametrize(
    "arch", ["x86_64", "i386", "aarch64", "arm"], indirect=True, scope="session"
)

ODD = [1, 7, 8, 16, 33, 100, 5000]


@pytest.fixture
def places(arch):
    return ARCHITECTURES[arch].places


def copying(image, size, function="copy", expected=None, **placement):
    content = bytes(i * 7 % 256 for i in range(size))
    out = Buffer("out", size, expected=content if expected is None else expected, **placement)
    source = Buffer("in", size, content, constant=True, **placement)
    return Script((out, source), (image.call(function, Pointer(0), Pointer(1), size),))


def test_right_values_pass_at_every_placement(run, image):
    scripts = [
        copying(image, size, side=side, align=align, skew=skew)
        for size in (0, *ODD)
        for side in Side
        for align in (1, 16, 64)
        for skew in (0, 1, 9, 100)
    ]
    result = run(*scripts)
    assert (result.events, result.ran) == ((), len(scripts))


@pytest.mark.parametrize("size", ODD)
def test_the_first_differing_byte_is_named(only, image, size):
    for wrong in {0, size // 2, size - 1}:
        expected = bytearray(copying(image, size).buffers[0].expected)
        expected[wrong] ^= 0x10
        event = only(copying(image, size, expected=bytes(expected)))
        right = copying(image, size).buffers[0].expected
        assert (event.kind, event.buffer, event.offset) == (Kind.VALUE, 0, wrong)
        assert (event.expected, event.actual) == (expected[wrong], right[wrong])
        assert event.data == right[:ACTUAL_LIMIT]


def test_each_wrong_buffer_gives_an_event(run, image):
    buffers = tuple(Buffer(f"b{i}", 4, b"abcd", b"abcd" if i % 2 else b"abxd") for i in range(4))
    result = run(Script(buffers, ()))
    assert [(e.buffer, e.offset) for e in result.events] == [(0, 2), (2, 2)]
    assert result.failed_scripts == 1


@pytest.mark.parametrize("function", ["peek", "flip"])
@pytest.mark.parametrize("size", [0, 1, 16, 4096, 4097])
@pytest.mark.parametrize("side", Side)
def test_one_byte_beyond_a_guard_is_a_fault_with_its_place(
    only, image, function, size, side, places
):
    offset = size if side is Side.END else -1
    script = Script((Buffer("b", size, side=side),), (image.call(function, Pointer(0), offset),))
    event = only(script)
    assert (event.kind, event.signal) == (Kind.CRASH, signal.SIGSEGV)
    assert locate(script, event.address, places) == (script.buffers[0], offset)
    assert 0 <= event.pc - image.symbols[function] < 32


def test_python_and_the_runner_place_alike(run, image, places):
    placements = itertools.product(Side, (1, 2, 16, 64, 4096), (0, 1, 5, 63), (0, 1, 17, 4096))
    scripts = []
    for side, align, skew, size in placements:
        buffers = (Buffer("a", 3), Buffer("b", size, side=side, align=align, skew=skew))
        address = place(buffers[1], 1, places)
        scripts.append(Script(buffers, (image.call("identity", Pointer(1), returns=address),)))
    assert run(*scripts).events == ()


def test_flip_puts_every_buffer_at_its_other_guard(run, image):
    for side in Side:
        script = Script((Buffer("b", 9, side=side),), (image.call("peek", Pointer(0), 9),))
        kinds = {flags: run(script, flags=flags).events for flags in (RunFlag.NONE, RunFlag.FLIP)}
        assert [bool(events) for events in kinds.values()] == [side is Side.END, side is Side.START]


def test_the_stack_has_guard_pages(only, image, places):
    event = only(Script((), (image.call("overflow"),)))
    assert (event.kind, event.signal) == (Kind.CRASH, signal.SIGSEGV)
    assert in_stack(event.address, places)
    assert not in_stack(place(Buffer("b", 1), 0, places), places)


def test_placement_keeps_its_promises(places):
    start = places.arena + PAGE
    end = start + SLOT_CAPACITY
    assert place(Buffer("b", 5, side=Side.START), 0, places) == start
    assert place(Buffer("b", 5, side=Side.START, skew=3), 0, places) == start + 3
    assert place(Buffer("b", 5), 0, places) == end - 5
    assert place(Buffer("b", 5, align=16), 0, places) == end - 16
    assert place(Buffer("b", 17, align=16), 2, places) == end + 2 * SPAN - 32
    assert place(Buffer("b", 16, align=16, skew=1), 0, places) == end - 17


@pytest.mark.parametrize("distance", [1, 2, 15, 16, 63, 64])
def test_a_canary_below_names_side_and_offset(only, image, distance):
    script = Script((Buffer("b", 8),), (image.call("flip", Pointer(0), -distance),))
    event = only(script)
    assert (event.kind, event.buffer, event.side) == (Kind.CANARY, 0, Side.START)
    assert event.offset == -distance
    assert event.expected ^ event.actual == 1


@pytest.mark.parametrize(
    ("buffer", "distance"),
    [
        (Buffer("b", 8, side=Side.START), 0),
        (Buffer("b", 8, side=Side.START), 63),
        (Buffer("b", 9, align=16), 0),  # the slack of the alignment
        (Buffer("b", 9, align=16), 6),
        (Buffer("b", 16, skew=3), 2),
    ],
)
def test_a_canary_above_covers_slack_too(only, image, buffer, distance):
    offset = buffer.size + distance
    event = only(Script((buffer,), (image.call("flip", Pointer(0), offset),)))
    assert (event.kind, event.side, event.offset) == (Kind.CANARY, Side.END, offset)


def test_the_canary_byte_nearest_to_the_buffer_is_named(run, image):
    calls = tuple(image.call("flip", Pointer(0), offset) for offset in (-9, -3, -30, 12, 10))
    below = run(Script((Buffer("b", 8, side=Side.START, skew=64),), calls)).events
    assert [(e.side, e.offset, e.step) for e in below] == [(Side.START, -9, 0), (Side.END, 12, 3)]


def test_copying_slack_over_slack_is_noticed(only, image):
    buffers = (Buffer("out", 9, align=16), Buffer("in", 9, align=16))
    event = only(Script(buffers, (image.call("copy", Pointer(0), Pointer(1), 16),)))
    assert (event.kind, event.buffer, event.offset) == (Kind.CANARY, 0, 9)


def test_scripts_after_a_broken_canary_run(run, image):
    broken = Script((Buffer("b", 8),), (image.call("flip", Pointer(0), -1),))
    result = run(copying(image, 16), broken, copying(image, 16), broken)
    assert [event.script for event in result.events] == [1, 3]
    assert (result.ran, result.failed_scripts) == (4, 2)


def test_a_changed_constant_is_reported_once_at_its_call(run, image):
    buffers = (Buffer("b", 40, bytes(40), constant=True),)
    calls = (image.call("peek", Pointer(0), 3), *(image.call("flip", Pointer(0), 33),) * 2)
    (event,) = run(Script(buffers, calls)).events
    assert (event.kind, event.buffer, event.offset, event.step) == (Kind.CONSTANT, 0, 33, 1)
    assert (event.expected, event.actual) == (0, 1)
    assert event.data == bytes(33) + b"\1" + bytes(6)


def test_a_kept_buffer_may_change_between_calls_only(run, image):
    """A state that one call sets and a later one may only read."""
    buffers = (Buffer("state", 40, bytes(40)),)
    writing, reading = (
        image.call("flip", Pointer(0), 7),
        image.call("peek", Pointer(0, kept=True), 3),
    )
    assert run(Script(buffers, (writing, reading, writing))).events == ()
    broken = image.call("flip", Pointer(0, kept=True), 33)
    (event,) = run(Script(buffers, (writing, reading, broken))).events
    assert (event.kind, event.buffer, event.offset, event.step) == (Kind.CONSTANT, 0, 33, 2)
    assert (event.expected, event.actual) == (0, 1)


def test_constant_garbage_is_watched_too(only, image):
    buffers = (Buffer("b", 13, constant=True),)
    event = only(Script(buffers, (image.call("flip", Pointer(0), 12),)))
    assert (event.kind, event.offset) == (Kind.CONSTANT, 12)


def test_an_alias_is_the_memory_of_its_owner(run, image, places):
    content, expected = bytes(range(20)), bytes(range(1, 21))
    out = Buffer("out", 20, expected=expected, alias=1)
    source = Buffer("in", 20, content, side=Side.START)
    scripts = [
        Script(pair, (image.call("increment", Pointer(o), Pointer(i), 20),))
        for pair, o, i in (
            ((out, source), 0, 1),
            ((Buffer("in", 20, content, alias=1), Buffer("out", 20, expected=expected)), 1, 0),
        )
    ]
    assert run(*scripts).events == ()
    assert len(set(addresses(scripts[0], places))) == 1


def test_locate_knows_only_the_slots_of_the_script(places):
    script = Script((Buffer("a", 16), Buffer("b", 16, alias=0)), ())
    first = script.buffers[0]
    assert locate(script, place(first, 0, places) + 15, places) == (first, 15)
    assert locate(script, places.arena, places) == (first, -SLOT_CAPACITY - PAGE + 16)
    assert locate(script, places.arena + SPAN + PAGE, places) is None
    assert locate(script, 0, places) is None


def test_a_slot_holds_its_whole_capacity(run, image):
    content = bytes(SLOT_CAPACITY)
    script = Script(
        (Buffer("b", SLOT_CAPACITY, content, content),),
        (image.call("flip", Pointer(0), 0), image.call("flip", Pointer(0), 0)),
    )
    assert run(script).events == ()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("side", Side)
def test_a_write_that_is_undone_is_a_fault_with_its_place(run, image, places, side, kept):
    buffer = Buffer("b", 40, bytes(40), constant=not kept, side=side)
    flip = image.call("flip", Pointer(0, kept=kept), 33)
    script = Script((buffer,), (flip, flip, image.call("peek", Pointer(0), 33, returns=0, bits=8)))
    whole = Script((buffer,), (image.call("peek", Pointer(0, kept=kept), 33),))
    assert run(whole, flags=RunFlag.READ_ONLY).events == ()
    result = run(script, whole, script, flags=RunFlag.READ_ONLY)
    found = [event for event in result.events if event.kind is Kind.WRITE]
    assert [(event.script, event.step) for event in found] == [(0, 0), (2, 0)]
    for event in found:
        assert event.signal == signal.SIGSEGV
        assert locate(script, event.address, places) == (buffer, 33)
        assert 0 <= event.pc - image.symbols["flip"] < 32
    assert (result.ran, result.failed_scripts) == (3, 2)


def test_what_may_be_written_is_where_it_was(run, image, places):
    buffer = Buffer("b", 9)
    there = image.call("identity", Pointer(0), returns=place(buffer, 0, places))
    script = Script((buffer,), (there, image.call("poke", Pointer(0), 3, 7)))
    assert run(script, flags=RunFlag.READ_ONLY).events == ()


def test_beyond_a_read_only_view_is_a_fault_too(only, image, places):
    script = Script(
        (Buffer("b", 5, bytes(5), constant=True),), (image.call("peek", Pointer(0), 5),)
    )
    event = only(script, flags=RunFlag.READ_ONLY)
    assert event.kind is Kind.CRASH
    assert locate(script, event.address, places) == (script.buffers[0], 5)


def test_null_is_the_address_0(run, image):
    script = Script((Buffer("b", 0),), (image.call("identity", Pointer(0, null=True), returns=0),))
    assert run(script).events == ()
