"""Jumps on ARM, which the handler executes: every condition, both ways, with nothing else
changed."""

import signal

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag, Runner, RunnerError
from rig.runner.encode import encode
from rig.runner.events import Kind
from rig.runner.scripts import Address, Buffer, Call, Pointer, Prologue, Script, Side, Word

pytestmark = pytest.mark.parametrize("arch", ["aarch64", "arm"], indirect=True, scope="session")

ARMED = RunFlag.COVERAGE | RunFlag.BRANCHES
TAKEN, NOT_TAKEN, BOTH = 1, 2, 3
PASSES = 256  # of a jump in a script, before its trap rests
N, Z, C, V = 8, 4, 2, 1
FLAGS = [RunFlag.NONE, ARMED, RunFlag.STEP, ARMED | RunFlag.STEP]


def conditions(nzcv):
    """Arm ARM: the condition codes 0 to 15, the last two always."""
    even = bool(nzcv & N) == bool(nzcv & V)
    held = [nzcv & Z, nzcv & C, nzcv & N, nzcv & V, nzcv & C and not nzcv & Z]
    held += [even, even and not nzcv & Z]
    return [bool(each) != odd for each in held for odd in (False, True)] + [True, True]


def calling(image, name, *arguments, returns=None):
    """A call with whole registers."""
    words = [Word(a, ARCHITECTURES[image.arch].pointer_bits) for a in arguments]
    return Script((), (image.call(name, *words, returns=returns, bits=32),))


def seen(result, image, name):
    """The directions of the jump at a label."""
    return dict(result.branches).get(image.offset(f"jump_{name}"), 0)


def targets(result, image, name):
    at = image.offset(f"indirect_{name}")
    return {target for offset, target in result.indirect if offset == at}


@pytest.mark.parametrize("flags", FLAGS)
def test_every_condition_on_all_flags(run, image, arch, flags):
    codes = 16 if arch == "aarch64" else 15
    for nzcv in range(16):
        held = conditions(nzcv)[:codes]
        value = sum(each << code for code, each in enumerate(held))
        result = run(calling(image, "conditions", nzcv << 28, returns=value), flags=flags)
        assert result.events == ()
        if flags & RunFlag.BRANCHES:
            ways = [seen(result, image, f"condition_{code}") for code in range(codes)]
            assert ways == [TAKEN if each else NOT_TAKEN for each in held]


@pytest.mark.parametrize("nzcv", [0, Z, C | V, N | Z | C | V])
@pytest.mark.parametrize("flags", FLAGS[1:])
def test_registers_flags_and_vectors_survive(output, image, arch, nzcv, flags):
    size = 520 if arch == "aarch64" else 320
    whole = ARCHITECTURES[arch].pointer_bits
    call = image.call("survivors", Pointer(0), Word(nzcv << 28, whole))
    script = Script((Buffer("out", size),), (call,))
    assert output(script, flags=flags, seed=3) == output(script, seed=3)


@pytest.mark.parametrize("value", [0, 1])
def test_a_tail_jump(run, image, value):
    result = run(calling(image, "tail", value, returns=5 if value else 6), flags=ARMED)
    assert result.events == ()
    assert seen(result, image, "tail") == (NOT_TAKEN if value else TAKEN)


def test_a_jump_into_nothing_crashes_there(run, image, arch):
    result = run(calling(image, "into_nothing", 0), calling(image, "into_nothing", 1), flags=ARMED)
    (event,) = result.events
    assert (event.kind, event.script, event.signal) == (Kind.CRASH, 0, signal.SIGSEGV)
    distance = -(1 << 20) if arch == "aarch64" else 8 - (1 << 25)
    assert event.pc == event.address == image.symbols["jump_into_nothing"] + distance
    assert seen(result, image, "into_nothing") == BOTH


@pytest.mark.parametrize("flags", FLAGS[1:])
def test_an_endless_jump_times_out(run, image, flags):
    result = run(calling(image, "onto_itself", 1), flags=flags, cpu_budget_us=40_000)
    (event,) = result.events
    assert (event.kind, event.pc) == (Kind.TIMEOUT, image.symbols["jump_onto_itself"])


@pytest.mark.parametrize("flags", FLAGS)
def test_nested_calls(run, image, flags):
    result = run(calling(image, "nested", 30, returns=465), flags=flags)
    assert result.events == ()
    if flags & RunFlag.BRANCHES:
        assert seen(result, image, "nested") == BOTH
        assert seen(run(calling(image, "nested", 9), flags=flags), image, "nested") == BOTH


@pytest.mark.parametrize("order", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_directions_survive_a_crash(run, image, order):
    result = run(*(calling(image, "crash_behind", value) for value in order), flags=ARMED)
    assert [event.script for event in result.events] == [i for i, v in enumerate(order) if v]
    assert {event.signal for event in result.events} == {signal.SIGILL}
    assert seen(result, image, "crash_behind") == BOTH


def above(image, count, bound):
    return calling(image, "above", count, bound, returns=max(0, count - bound))


@pytest.mark.parametrize(("bound", "mask"), [(PASSES - 1, BOTH), (PASSES, TAKEN)])
def test_a_jump_is_watched_until_its_budget_is_spent(run, image, bound, mask):
    late = above(image, PASSES + 100, bound)
    result = run(late, late, flags=ARMED)
    assert result.events == ()
    assert seen(result, image, "above") == mask
    assert seen(result, image, "again") == TAKEN  # the way out came too late


def test_the_next_script_has_a_budget_of_its_own(run, image):
    late = above(image, 2 * PASSES, PASSES)
    result = run(late, late, above(image, 2, 1), late, flags=ARMED)
    assert result.events == ()
    assert seen(result, image, "above") == seen(result, image, "again") == BOTH


@pytest.mark.parametrize("extra", [RunFlag.NONE, RunFlag.STEP])
@pytest.mark.parametrize("count", [1, 2, PASSES + 50])
def test_targets_of_an_indirect_jump(run, image, count, extra):
    odd = count // 2
    script = calling(image, "places", count, 1, returns=count - odd + 1000 * odd)
    result = run(script, script, flags=ARMED | extra)
    assert result.events == ()
    places = ["place_zero", "place_other"][: min(count, 2)]
    assert targets(result, image, "places") == {image.symbols[place] for place in places}
    assert len(result.indirect) == len(places)


def test_an_indirect_jump_into_nothing_crashes(run, image):
    result = run(calling(image, "wherever", 0x666000), flags=ARMED)
    (event,) = result.events
    assert (event.kind, event.signal, event.pc) == (Kind.CRASH, signal.SIGSEGV, 0x666000)
    assert targets(result, image, "wherever") == {0x666000}


def test_a_trace_holds_every_pc_in_order(run, image):
    scripts = [calling(image, "above", 2, 1), calling(image, "places", 2, 1)]
    unarmed = run(*scripts, flags=RunFlag.STEP)
    assert run(*scripts, flags=RunFlag.STEP | ARMED).trace == unarmed.trace
    base = image.text[0]
    hits = [pc - base for pc in unarmed.trace]
    assert run(*scripts, flags=RunFlag.COVERAGE).order == tuple(dict.fromkeys(hits))
    loop = image.offset("above_loop")
    assert [hits[i + 1] - loop for i, at in enumerate(hits) if at == loop] == [4, 4]
    assert unarmed.branches == unarmed.indirect == ()


def test_steps_need_traps(program, prefix):
    with Runner([*prefix, str(program)]) as runner:
        batch = runner.batch(encode([Script((), ())]))
        with pytest.raises(RunnerError, match="without traps"):
            runner.run(batch, Prologue(), flags=RunFlag.STEP)


def test_a_pool_in_the_text_is_left_alone(run, image, arch):
    script = Script((), (image.call("pool", returns=0x1122334455667788, bits=64),))
    for flags in FLAGS:
        result = run(script, flags=flags)
        assert result.events == ()
    words = {trap.offset for trap in image.traps()}
    pool = image.offset("pool") + (8 if arch == "aarch64" else 12)
    assert not {pool, pool + 4} & words
    assert {pool - 4, pool + 8} <= words


@pytest.mark.parametrize(("function", "stores"), [("peek", 0), ("poke", 1)])
def test_a_fault_tells_a_store_from_a_load(only, image, function, stores):
    for side, offset in ((Side.END, 4), (Side.START, -1)):
        rest = (Word(7, 8),) if stores else ()
        call = image.call(function, Pointer(0), offset, *rest)
        event = only(Script((Buffer("b", 4, side=side),), (call,)))
        assert (event.signal, event.registers["store"]) == (signal.SIGSEGV, stores)


def test_a_call_of_nothing_stores_nothing(only):
    event = only(Script((), (Call(Address(0), ()),)))
    assert (event.pc, event.registers["store"]) == (0, 0)
