"""Memory that is watched in single steps, and what comes into it from outside meanwhile."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag
from rig.runner.events import Kind
from rig.runner.scripts import Later, Script, Watch

pytestmark = pytest.mark.parametrize("arch", list(ARCHITECTURES), indirect=True, scope="session")


def stepped(run, *steps):
    result = run(Script((), steps), flags=RunFlag.STEP)
    assert {event.kind for event in result.events} <= {Kind.CHANGED, Kind.RETURN}
    return result


def test_a_change_names_its_bytes_and_its_step(run, image):
    state = image.symbols["state"]
    result = stepped(run, Watch(state, 4), image.call("count_up"))
    (event,) = result.events
    assert (event.address, event.data, event.step) == (state, b"\x08", 1)
    assert 0 < event.offset <= result.steps


def test_without_a_watch_nothing_is_told(run, image):
    assert stepped(run, image.call("count_up")).events == ()


def test_each_call_begins_anew(run, image):
    state = image.symbols["state"]
    call = image.call("count_up")
    first, second = stepped(run, Watch(state, 4), call, call).events
    assert (first.data, second.data) == (b"\x08", b"\x09")
    assert first.offset == second.offset


def test_what_comes_later_is_there_at_its_step_and_no_change_of_the_call(run, image):
    state = image.symbols["state"]
    call, watch = image.call("count_up", returns=0, bits=32), Watch(state, 4)
    steps = stepped(run, watch, call).steps
    seen = []
    for step in range(steps):
        later = Later(step, state, (0x41).to_bytes(4, "little"))
        seen.append([e.actual for e in stepped(run, later, watch, call).events if e.actual])
    assert seen[0] == [0x42] and seen[-1] == [8]
    assert sorted(seen, reverse=True) == seen


def test_a_step_that_never_comes_does_nothing(run, image):
    later = Later(1000, image.symbols["state"], b"\x41")
    call = image.call("count_up", returns=8, bits=32)
    assert stepped(run, later, call).events == ()
