"""Stepped runs that give registers: a row for each step, as they are before its instruction."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag
from rig.runner.scripts import Script

pytestmark = pytest.mark.parametrize("arch", list(ARCHITECTURES), indirect=True, scope="session")
STATES = RunFlag.STEP | RunFlag.REGISTERS
RESULT = {"x86_64": "rax", "i386": "eax", "aarch64": "x0", "arm": "r0"}


def rows(result, arch):
    width = len(ARCHITECTURES[arch].registers.stepped)
    assert len(result.states) == width * result.steps
    names = ARCHITECTURES[arch].registers.stepped
    return [
        dict(zip(names, result.states[at : at + width], strict=True))
        for at in range(0, len(result.states), width)
    ]


def test_each_row_has_the_pc_of_the_trace(run, image, arch):
    script = Script((), (image.call("sign", image.word(5), returns=1, bits=32),))
    plain, full = run(script, flags=RunFlag.STEP), run(script, flags=STATES)
    pc = ARCHITECTURES[arch].registers.pc
    assert [row[pc] for row in rows(full, arch)] == list(plain.trace)
    assert full.trace == () and len(plain.states) == 0
    assert full.events == ()


def test_registers_are_those_before_the_instruction(run, image, arch):
    """The last step of a function that returns its argument is its return."""
    script = Script((), (image.call("identity", image.word(0x1234567), returns=0x1234567),))
    last = rows(run(script, flags=STATES), arch)[-1]
    assert last[RESULT[arch]] == 0x1234567


def test_equal_scripts_of_one_number_have_equal_states(run, image, arch):
    script = Script((), (image.call("sign", image.word(5), returns=1, bits=32),))
    assert run(script, flags=STATES).states == run(script, flags=STATES).states


def test_other_arguments_have_other_states(run, image, arch):
    one, two = (
        run(Script((), (image.call("identity", image.word(n), returns=n),)), flags=STATES)
        for n in (3, 4)
    )
    assert len(one.states) == len(two.states)
    assert one.states != two.states
