"""Calls by Microsoft's x64 convention: arguments, home space, what is kept besides."""

from dataclasses import replace

import pytest

from rig.runner.events import Kind
from rig.runner.scripts import Script


def ms_call(image, name, *arguments, returns=None):
    return replace(image.call(name, *arguments, returns=returns), ms_abi=True)


def test_six_arguments_have_their_places(run, image):
    values = [3 << 40, 5, 7 << 33, 11, 13 << 50, 17]
    total = sum(f * v for f, v in zip((1, 2, 4, 8, 1, 1), values, strict=True)) % (1 << 64)
    call = ms_call(image, "ms_sum", *values, returns=total)
    for seed in range(4):
        assert run(Script((), (call,) * 5), seed=seed).events == ()


def test_home_space_is_the_callees_and_nothing_above(run, only, image):
    assert run(Script((), (ms_call(image, "ms_home"),))).events == ()
    event = only(Script((), (ms_call(image, "ms_above"),)))
    assert (event.kind, event.offset, event.actual) == (Kind.STACK, 13, 0)
    assert run(Script((), (ms_call(image, "ms_above", *range(6)),))).events == ()
    assert only(Script((), (image.call("ms_home"),))).kind is Kind.STACK


@pytest.mark.parametrize(
    ("name", "register"),
    [
        ("ms_rdi", "rdi"),
        ("ms_rsi", "rsi"),
        ("ms_xmm6", "xmm6[63:0]"),
        ("ms_xmm15", "xmm15[127:64]"),
        ("clobber_rbx", "rbx"),
        ("clobber_rsp", "rsp"),
        ("set_direction", "DF"),
    ],
)
def test_a_changed_register_is_named(only, image, name, register):
    event = only(Script((), (ms_call(image, name),)))
    assert (event.kind, event.register) == (Kind.REGISTER, register)
    assert event.expected != event.actual


def test_what_each_convention_leaves_to_the_callee(run, image):
    assert run(Script((), (ms_call(image, "ms_xmm5"),))).events == ()
    own = [image.call(name) for name in ("ms_rdi", "ms_rsi", "ms_xmm6", "ms_xmm15")]
    ms = ms_call(image, "ms_sum", 1, 2, 3, 4, 5, 6)
    assert run(Script((), tuple(c for call in own for c in (call, ms)))).events == ()
