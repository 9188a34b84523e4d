"""What A32 can jump by: any instruction that writes the pc, under any condition."""

import signal

import pytest

from rig.runner.client import RunFlag
from rig.runner.events import Kind
from rig.runner.scripts import Script, Word

pytestmark = pytest.mark.parametrize("arch", ["arm"], indirect=True, scope="session")

ARMED = RunFlag.COVERAGE | RunFlag.BRANCHES
TAKEN, NOT_TAKEN, BOTH = 1, 2, 3
FLAGS = [RunFlag.NONE, ARMED, RunFlag.STEP, ARMED | RunFlag.STEP]
RETURNS = ["pop_pc", "ldmia_pc", "bx_lr", "mov_pc", "ldr_pc", "ldr_pc_back"]
RETURNS += ["ldm_ib", "ldm_da", "ldm_db", "bl_eq", "blx_eq"]


def call(image, name, value, returns):
    return image.call(name, Word(value, 32), returns=returns, bits=32)


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", RETURNS)
def test_predicated_returns_and_calls(run, image, name, flags):
    for values in ([0], [1], [0, 1, 0]):
        calls = tuple(call(image, name, v, 9 if v else 7) for v in values)
        result = run(Script((), calls), flags=flags)
        assert result.events == ()
        if flags & RunFlag.BRANCHES:
            way = sum({NOT_TAKEN if v else TAKEN for v in values})
            assert dict(result.branches)[image.offset(f"jump_{name}")] == way


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("kind", ["mov", "add", "ldr", "predicated", "table"])
def test_targets_of_indirect_jumps(run, image, kind, flags):
    calls = tuple(call(image, f"switch_{kind}", which, 10 + which) for which in (0, 1, 0))
    result = run(Script((), calls), flags=flags)
    assert result.events == ()
    at = image.offset(f"indirect_switch_{kind}")
    places = {image.symbols[f"switch_{kind}_{end}"] for end in ("zero", "one")}
    found = {target for offset, target in result.indirect if offset == at}
    assert found == (places if flags & RunFlag.BRANCHES else set())


@pytest.mark.parametrize("flags", FLAGS)
def test_a_return_from_no_stack_crashes_at_the_return(run, image, flags):
    scripts = [Script((), (call(image, "lost_return", v, v),)) for v in (1, 0)]
    (event,) = run(*scripts, flags=flags).events
    assert (event.kind, event.script, event.signal) == (Kind.CRASH, 1, signal.SIGSEGV)
    assert event.pc == image.symbols["jump_lost_return"]
    assert event.address == 16
