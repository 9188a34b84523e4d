"""Hits, their order, stepping, patches."""

import pytest
from iced_x86 import Decoder

from rig.runner.client import RunFlag
from rig.runner.scripts import Script, Word

pytestmark = pytest.mark.parametrize("arch", ["x86_64", "i386"], indirect=True, scope="session")


def instructions(image, name, count):
    base, text = image.text
    start = image.symbols[name] - base
    decoder = Decoder(image.word(0).bits, text[start:], ip=start)
    return [instruction.ip for instruction in list(decoder)[:count]]


def ways(image):
    """Text offsets of both ways through `two_ways`, in the order of execution."""
    head = instructions(image, "two_ways", 2)
    return (
        [*head, *instructions(image, "way_zero", 1)],
        [*head, *instructions(image, "way_other", 2)],
    )


def call(image, value):
    return Script((), (image.call("two_ways", value),))


def test_hits_are_the_executed_instructions_in_order(run, image):
    zero, other = ways(image)
    assert list(run(call(image, 0), flags=RunFlag.COVERAGE).order) == zero
    assert list(run(call(image, 1), flags=RunFlag.COVERAGE).order) == other
    both = run(call(image, 0), call(image, 1), call(image, 0), flags=RunFlag.COVERAGE)
    assert list(both.order) == zero + other[2:]
    assert both.hits == {*zero, *other}
    assert run(call(image, 0)).order == ()


def test_hits_survive_a_crash(run, image):
    crash = Script((), (image.call("breakpoint"),))
    result = run(call(image, 0), crash, call(image, 0), call(image, 1), flags=RunFlag.COVERAGE)
    zero, other = ways(image)
    assert list(result.order) == zero + instructions(image, "breakpoint", 2) + other[2:]
    assert result.failed_scripts == 1


def test_loops_and_flags_are_right_under_traps(run, image):
    words = [Word(3)] * 10
    script = Script((), (image.call("sum10", *words, returns=165, bits=64),))
    assert run(script, flags=RunFlag.COVERAGE).events == ()


@pytest.mark.parametrize("extra", [RunFlag.NONE, RunFlag.COVERAGE])
def test_a_stepped_run_gives_every_pc(run, image, extra):
    base = image.text[0]
    result = run(call(image, 0), call(image, 1), flags=RunFlag.STEP | extra)
    zero, other = ways(image)
    assert [pc - base for pc in result.trace] == zero + other
    assert result.steps == len(result.trace)
    assert result.events == ()


def test_a_patch_holds_until_restore(run, runner, image):
    address = image.symbols["minus_one"]
    script = Script((), (image.call("minus_one", returns=-1, bits=32),))
    before = runner.read(address, 6)
    runner.patch(address, bytes.fromhex("31c0c3"))  # xor eax, eax; ret
    runner.patch(address + 1, b"\xc9")  # xor ecx, ecx
    assert [event.actual for event in run(script).events] != []
    runner.restore()
    assert runner.read(address, 6) == before
    assert run(script, flags=RunFlag.COVERAGE).events == ()
    assert runner.read(address, 6) == before


def test_traps_are_planted_in_patched_text(run, runner, image):
    address = image.symbols["two_ways"]
    # xor edi, edi; nop, or and eax, 0; nop: in one trap's instruction
    runner.patch(address, bytes.fromhex("31ff90" if image.arch == "x86_64" else "83e0006690"))
    try:
        order = run(call(image, 1), flags=RunFlag.COVERAGE).order
    finally:
        runner.restore()
    assert list(order) == ways(image)[0]
