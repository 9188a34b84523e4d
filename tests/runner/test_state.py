"""What the ABI makes a function keep: registers, direction, control words, the caller's stack."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag
from rig.runner.events import Kind
from rig.runner.scripts import Buffer, Pointer, Script

pytestmark = pytest.mark.parametrize("arch", ["x86_64", "i386"], indirect=True, scope="session")

WAYS = {
    "DF": "set_direction",
    "MXCSR": "set_mxcsr",
    "x87 control word": "set_x87_control",
    "x87 tag word": "leave_mmx",
}


@pytest.mark.parametrize("number", range(11))
def test_a_changed_register_is_named(only, run, image, arch, number):
    kept = ARCHITECTURES[arch].registers.kept
    register = kept[number % len(kept)]
    function = WAYS.get(register, f"clobber_{register}")
    event = only(Script((), (image.call(function), image.call("minus_one"))))
    assert (event.kind, event.step, event.register) == (Kind.REGISTER, 0, register)
    assert event.expected != event.actual
    # The next call, of the next script too, starts clean.
    again = run(
        *[Script((), (image.call(function),))] * 2, Script((), (image.call("identity", 1),))
    )
    assert [e.script for e in again.events] == [0, 1]


def test_values_of_control_words(only, image, arch):
    assert only(Script((), (image.call("set_mxcsr"),))).actual == 0x9F80
    assert only(Script((), (image.call("set_x87_control"),))).actual == 0x27F
    event = only(Script((), (image.call("clobber_rsp" if arch == "x86_64" else "clobber_esp"),)))
    assert event.actual - event.expected == 8


def test_sticky_flags_are_nobodys_business(run, image):
    assert run(Script((), (image.call("raise_sticky_flags"),))).events == ()


def test_the_callers_stack_must_stay(only, image):
    event = only(Script((), (image.call("clobber_stack"),)))
    assert (event.kind, event.offset, event.actual) == (Kind.STACK, 13, 0)


def test_stack_arguments_belong_to_the_function(run, only, image, arch):
    first, size = (6, 8) if arch == "x86_64" else (0, 4)
    assert run(Script((), (image.call("clobber_argument", *range(first + 1)),))).events == ()
    assert only(Script((), (image.call("clobber_argument", *range(first)),))).kind is Kind.STACK
    event = only(Script((), (image.call("clobber_stack", *range(first + 1)),)))
    assert event.offset == 13 - size


def test_one_script_may_fail_in_several_ways(run, image, arch):
    buffers = (Buffer("b", 8, bytes(8), b"\1" + bytes(7), constant=True),)
    calls = (
        image.call("clobber_r12" if arch == "x86_64" else "clobber_esi"),
        image.call("poke", Pointer(0), 2, 9),
        image.call("identity", 4, returns=5),
    )
    result = run(Script(buffers, calls))
    assert [(e.kind, e.step) for e in result.events] == [
        (Kind.REGISTER, 0),
        (Kind.CONSTANT, 1),
        (Kind.RETURN, 2),
        (Kind.VALUE, 2),
    ]
    assert result.failed_scripts == 1


def test_upper_halves_that_stay_in_use_are_told(run, image):
    scripts = [Script((), (image.call(name),)) for name in ("dirty_uppers", "clean_uppers")]
    if not run(scripts[1], flags=RunFlag.CLEAN_UPPERS).uppers_told:
        pytest.skip("this CPU does not tell which vector registers are in use")
    result = run(*scripts, scripts[0], flags=RunFlag.CLEAN_UPPERS)
    assert [(e.kind, e.script, e.actual) for e in result.events] == [
        (Kind.UPPERS, 0, 4),
        (Kind.UPPERS, 2, 4),
    ]
    unasked = run(*scripts)
    assert (unasked.events, unasked.uppers_told) == ((), False)
