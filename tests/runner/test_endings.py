"""Crashes, exits, endless loops: each is a result, and the rest of the batch goes on."""

import signal

import pytest

from rig.runner.client import CRASH_LIMIT, RunFlag
from rig.runner.events import Kind
from rig.runner.scripts import Script

pytestmark = pytest.mark.parametrize("arch", ["x86_64", "i386"], indirect=True, scope="session")


def calling(image, name, *arguments):
    return Script((), (image.call(name, *arguments),))


@pytest.mark.parametrize(
    ("function", "number", "offset"),
    [
        ("breakpoint", signal.SIGTRAP, 1),
        ("undefined", signal.SIGILL, 0),
        ("divide", signal.SIGFPE, 2),
    ],
)
@pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.COVERAGE])
def test_a_crash_has_its_signal_and_pc(only, runner, image, function, number, offset, flags):
    event = only(calling(image, function), flags=flags)
    assert (event.kind, event.signal, event.step) == (Kind.CRASH, number, 0)
    assert event.pc == image.symbols[function] + offset
    assert event.address is None
    assert tuple(event.registers) == runner.arch.registers.all


def test_an_address_that_is_none_is_not_told(only, image, arch):
    if arch == "i386":
        pytest.skip("every address of i386 is canonical")
    event = only(calling(image, "non_canonical"))
    assert (event.signal, event.address) == (signal.SIGSEGV, None)
    assert event.pc == image.symbols["non_canonical"] + 10


def test_a_crash_without_a_stack_is_still_told(only, image, arch):
    event = only(calling(image, "lost_stack"))
    assert (event.kind, event.signal) == (Kind.CRASH, signal.SIGSEGV)
    assert event.registers["rsp" if arch == "x86_64" else "esp"] == 0


def test_the_rest_runs_after_a_crash(run, image):
    good, bad = calling(image, "identity", 1), calling(image, "undefined")
    result = run(good, bad, good, bad, good)
    assert [event.script for event in result.events] == [1, 3]
    assert (result.ran, result.failed_scripts, result.abandoned) == (5, 2, 0)


def test_too_many_crashes_end_a_run_and_say_so(run, image):
    result = run(*[calling(image, "undefined")] * (CRASH_LIMIT + 4))
    assert (result.ran, result.failed_scripts, result.abandoned) == (CRASH_LIMIT, CRASH_LIMIT, 4)


def test_an_exit_is_no_success(run, image):
    result = run(calling(image, "leave", 0), calling(image, "leave", 7), calling(image, "divide"))
    kinds = [(event.kind, event.actual) for event in result.events]
    assert kinds == [(Kind.EXIT, 0), (Kind.EXIT, 7), (Kind.CRASH, None)]


def test_an_uncaught_signal_is_a_crash_without_pc(only, image):
    event = only(calling(image, "kill_self"))
    assert (event.kind, event.signal, event.pc) == (Kind.CRASH, signal.SIGUSR1, None)


def test_an_endless_loop_ends_at_its_budget(run, image):
    good = calling(image, "identity", 1)
    result = run(good, calling(image, "forever"), good, cpu_budget_us=20_000)
    (event,) = result.events
    assert (event.kind, event.script) == (Kind.TIMEOUT, 1)
    assert 0 <= event.pc - image.symbols["forever"] < 16
    assert (result.ran, result.abandoned) == (2, 1)


def test_stop_at_first_ends_after_the_first_failing_script(run, image):
    good = calling(image, "identity", 1)
    register = "rbx" if image.arch == "x86_64" else "ebx"
    for bad in (calling(image, "undefined"), calling(image, f"clobber_{register}")):
        result = run(good, bad, bad, good, flags=RunFlag.STOP_AT_FIRST)
        assert (result.ran, result.failed_scripts, result.abandoned) == (2, 1, 2)


def test_events_are_capped_but_failures_counted(run, image):
    result = run(*[Script((), (image.call("identity", 1, returns=2),))] * 1000)
    assert (len(result.events), result.unreported) == (256, 744)
    assert (result.ran, result.failed_scripts) == (1000, 1000)


def test_a_variant_cannot_speak_on_the_protocols_pipe(run, image):
    assert run(calling(image, "sabotage")).events == ()
