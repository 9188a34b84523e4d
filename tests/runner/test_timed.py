"""Calls by the clock: which, how often, with what arguments. No test looks at the times."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag, Timed
from rig.runner.encode import encode
from rig.runner.events import Kind
from rig.runner.scripts import Address, Buffer, Call, Pointer, Prologue, Result, Script, Word

MIXED = (
    (1, 8),
    (2 << 40, 64),
    (-3, 16),
    (4 << 40, 64),
    (5, 32),
    (-6, 8),
    (7, 64),
    (8, 16),
    (9, 64),
)
REPEATS = 80
CALLS = 1 + (1 + REPEATS // 8) + REPEATS  # by the script, before the clock starts, by the clock


@pytest.fixture
def timed(runner):
    """Runs one script by the clock."""

    def run(script, step=0, repeats=REPEATS):
        batch = runner.batch(encode([script]))
        try:
            clock = Timed(step, repeats)
            return runner.run(batch, Prologue(), flags=RunFlag.TIMED, timed=clock)
        finally:
            runner.drop(batch)

    return run


def counting(image, left):
    counter = Buffer("left", 4, left.to_bytes(4, "little"), align=4)
    return Script((counter,), (image.call("count_down", Pointer(0)),))


@pytest.mark.parametrize("arch", ARCHITECTURES, indirect=True)
def test_arguments_are_those_of_the_script(image, timed):
    words = tuple(Word(value, bits) for value, bits in MIXED)
    script = Script((), (Call(Address(image.symbols["must_be_mixed"]), words),))
    result = timed(script)
    assert (result.ran, result.events) == (1, ())
    assert result.elapsed_ns > 0 and result.empty_ns > 0


@pytest.mark.parametrize("arch", ARCHITECTURES, indirect=True)
def test_calls_are_as_many_as_asked(image, timed):
    assert timed(counting(image, CALLS)).events == ()
    (event,) = timed(counting(image, CALLS - 1)).events
    assert event.kind is Kind.CRASH


def test_what_sets_up_is_called_once(image, timed):
    counter = Buffer("left", 4, (CALLS + 1).to_bytes(4, "little"), align=4)
    once = Buffer("once", 4, (1).to_bytes(4, "little"), align=4)
    calls = [image.call("count_down", Pointer(buffer)) for buffer in (1, 0)]
    assert timed(Script((counter, once), tuple(calls)), step=1).events == ()
    (event,) = timed(Script((counter, once), tuple(calls)), step=0).events
    assert event.kind is Kind.CRASH


def test_a_function_that_an_earlier_call_returned(image, timed):
    named = image.call("identity", image.symbols["count_down"])
    script = counting(image, CALLS)
    through = Call(Result(0), script.steps[0].arguments)
    assert timed(Script(script.buffers, (named, through)), step=1).events == ()


def test_without_the_flag_there_is_no_clock(image, run):
    result = run(counting(image, 1))
    assert (result.events, result.elapsed_ns, result.empty_ns) == ((), 0, 0)
