"""Which ways jumps go: every condition, both ways, with nothing else changed."""

import signal
from dataclasses import replace
from itertools import product

import pytest

from rig.runner.client import RunFlag, RunnerError, TrapKind
from rig.runner.events import Kind
from rig.runner.scripts import Buffer, Pointer, Script, Side, Word

pytestmark = pytest.mark.parametrize("arch", ["x86_64", "i386"], indirect=True, scope="session")

ARMED = RunFlag.COVERAGE | RunFlag.BRANCHES
TAKEN, NOT_TAKEN, BOTH = 1, 2, 3
PASSES = 256  # of a jump in a script, before its trap rests
CF, PF, AF, ZF, SF, OF = 1, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11
EVERY_FLAGS = [sum(bits) for bits in product(*((0, bit) for bit in (CF, PF, AF, ZF, SF, OF)))]


def conditions(flags):
    """Intel SDM volume 1, appendix B: the condition codes 0 to 15."""
    less = bool(flags & SF) != bool(flags & OF)
    even = [flags & OF, flags & CF, flags & ZF, flags & (CF | ZF), flags & SF, flags & PF]
    even += [less, less or flags & ZF]
    return [bool(each) != odd for each in even for odd in (False, True)]


def calling(image, name, *arguments, returns=None):
    return Script((), (image.call(name, *arguments, returns=returns),))


def seen(result, image, name):
    """The directions of the jump at a label."""
    return dict(result.branches).get(image.offset(name), 0)


@pytest.mark.parametrize("flags", [RunFlag.NONE, ARMED, ARMED | RunFlag.STEP])
@pytest.mark.parametrize("name", ["short", "near", "hinted", "widened"])
def test_every_condition_on_all_flags(run, image, name, flags):
    scripts = []
    for bits in EVERY_FLAGS:
        held = sum(holds << code for code, holds in enumerate(conditions(bits)))
        scripts.append(calling(image, f"{name}_conditions", bits | 2, returns=held))
    assert run(*scripts, flags=flags).events == ()


@pytest.mark.parametrize("name", ["short", "near", "hinted", "widened"])
def test_a_condition_goes_one_way_at_a_time(run, image, name):
    for bits in EVERY_FLAGS:
        result = run(calling(image, f"{name}_conditions", bits | 2), flags=ARMED)
        ways = [seen(result, image, f"{name}_{code}") for code in range(16)]
        assert ways == [TAKEN if holds else NOT_TAKEN for holds in conditions(bits)], bits


def counted(name, count, zero, bits):
    """What the loop instructions and jcxz give: rcx or ecx behind it, whether it jumps. A write
    to ecx clears the upper half of rcx, one to cx leaves that of ecx."""
    instruction, _, part = name.partition("_")
    mask = (1 << (bits // 2 if part == "half" else bits)) - 1
    if instruction == "jcxz":
        return count, count & mask == 0
    kept = count & ~mask if bits == 32 else 0
    left = count - 1 & mask
    wanted = {"loop": True, "loope": zero, "loopne": not zero}[instruction]
    return kept | left, left != 0 and wanted


@pytest.mark.parametrize("flags", [RunFlag.NONE, ARMED])
@pytest.mark.parametrize(
    "name",
    [
        *("loop_whole", "loope_whole", "loopne_whole", "jcxz_whole"),
        *("loop_half", "loope_half", "loopne_half", "jcxz_half"),
    ],
)
def test_jumps_that_count(run, image, name, flags):
    bits = image.word(0).bits
    half = 1 << bits // 2
    for count, zero in product([*range(4), half, half + 1, half + 2, -1 % half**2], (False, True)):
        left, jumps = counted(name, count, zero, bits)
        value = ~left if jumps else left
        script = calling(image, name, count, ZF if zero else 0, returns=value % (1 << bits))
        result = run(script, flags=flags)
        assert result.events == (), (count, zero)
        if flags:
            assert seen(result, image, f"jump_{name}") == (TAKEN if jumps else NOT_TAKEN)


@pytest.mark.parametrize("bits", [0, CF | ZF, PF | SF | AF, OF, CF | PF | AF | ZF | SF | OF])
@pytest.mark.parametrize("extra", [RunFlag.NONE, RunFlag.STEP])
def test_registers_flags_and_the_red_zone_survive(output, image, bits, extra):
    size = 408 if image.arch == "x86_64" else 104
    script = Script((Buffer("out", size),), (image.call("survivors", Pointer(0), bits | 2),))
    assert output(script, flags=ARMED | extra, seed=3) == output(script, seed=3)


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize(
    ("name", "results"),
    [("to_the_next", (1, 1)), ("into_the_middle", (1, 0xC3C0FF)), ("tail", (6, 5))],
)
def test_where_a_jump_leads(run, image, name, results, value):
    result = run(calling(image, name, value, returns=results[value]), flags=ARMED)
    assert result.events == ()
    assert seen(result, image, f"jump_{name}") == (NOT_TAKEN if value else TAKEN)


def test_a_jump_into_nothing_crashes_there(run, image):
    result = run(calling(image, "into_nothing", 0), calling(image, "into_nothing", 1), flags=ARMED)
    (event,) = result.events
    assert (event.kind, event.script, event.signal) == (Kind.CRASH, 0, signal.SIGSEGV)
    assert event.pc == event.address == image.symbols["jump_into_nothing"] + 6 + 0x70000000
    assert seen(result, image, "jump_into_nothing") == BOTH


@pytest.mark.parametrize("flags", [ARMED, ARMED | RunFlag.STOP_AT_FIRST])
def test_an_endless_jump_times_out(run, image, flags):
    script = calling(image, "onto_itself", 1)
    result = run(script, flags=flags, cpu_budget_us=20_000)
    (event,) = result.events
    assert (event.kind, event.pc) == (Kind.TIMEOUT, image.symbols["jump_onto_itself"])
    assert seen(result, image, "jump_onto_itself") == TAKEN


def test_nested_calls(run, image):
    assert seen(run(calling(image, "nested", 0), flags=ARMED), image, "jump_nested") == NOT_TAKEN
    result = run(calling(image, "nested", 300, returns=300 * 301 // 2), flags=ARMED)
    assert result.events == ()
    result = run(calling(image, "nested", 9, returns=45), flags=ARMED)
    assert seen(result, image, "jump_nested") == BOTH


@pytest.mark.parametrize("order", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_directions_survive_a_crash(run, image, order):
    result = run(*(calling(image, "crash_behind", value) for value in order), flags=ARMED)
    assert [event.script for event in result.events] == [i for i, v in enumerate(order) if v]
    assert seen(result, image, "jump_crash_behind") == BOTH
    only = run(calling(image, "crash_behind", 1), flags=ARMED)
    assert seen(only, image, "jump_crash_behind") == NOT_TAKEN


def test_directions_survive_a_broken_canary(run, image):
    buffer = Buffer("in", 8, content=bytes(8), side=Side.START)
    broken = Script(
        (buffer,), (image.call("tail", 0), image.call("poke", Pointer(0), 8, Word(1, 8)))
    )
    result = run(broken, calling(image, "tail", 1), flags=ARMED)
    assert {event.kind for event in result.events} == {Kind.CANARY}
    assert seen(result, image, "jump_tail") == BOTH


def above(image, count, bound):
    return calling(image, "above", count, bound, returns=max(0, count - bound))


@pytest.mark.parametrize(("bound", "mask"), [(PASSES - 1, BOTH), (PASSES, TAKEN)])
def test_a_jump_is_watched_until_its_budget_is_spent(run, image, bound, mask):
    result = run(above(image, PASSES + 100, bound), flags=ARMED)
    assert result.events == ()
    assert seen(result, image, "jump_above") == mask
    assert seen(result, image, "jump_again") == TAKEN  # the way out came too late


def test_the_next_script_has_a_budget_of_its_own(run, image):
    late = above(image, 2 * PASSES, PASSES)
    result = run(late, late, above(image, 2, 1), late, flags=ARMED)
    assert result.events == ()
    assert seen(result, image, "jump_above") == seen(result, image, "jump_again") == BOTH


def test_the_calls_of_a_script_share_a_budget(run, image):
    step = image.call("above", PASSES // 2, PASSES, returns=0)
    last = image.call("above", 1, 0, returns=1)
    assert seen(run(Script((), (step, last)), flags=ARMED), image, "jump_above") == BOTH
    assert seen(run(Script((), (step, step, last)), flags=ARMED), image, "jump_above") == TAKEN


def test_a_long_loop_of_one_sided_jumps_goes_on_at_full_speed(run, image):
    million = 1_000_000
    result = run(above(image, million, million), flags=ARMED, cpu_budget_us=5_000_000)
    assert result.events == ()
    assert seen(result, image, "jump_above") == TAKEN


@pytest.fixture
def with_knowledge(runner, image):
    """Uploads the traps anew, one of them with what hits and returns prove of its jump."""

    def upload(name, **known):
        at = image.offset(name)
        base, text = image.text
        traps = [replace(t, **known) if t.offset == at else t for t in image.traps()]
        runner.traps(base, len(text), traps)

    yield upload
    runner.traps(image.text[0], len(image.text[1]), image.traps())


def test_a_direction_that_a_hit_proves_is_not_waited_for(run, image, with_knowledge):
    with_knowledge("jump_above", proven=NOT_TAKEN)
    result = run(above(image, 9, 3), flags=ARMED)
    assert seen(result, image, "jump_above") == TAKEN
    result = run(above(image, 9, 0), flags=ARMED)
    assert seen(result, image, "jump_above") == NOT_TAKEN
    with_knowledge("jump_above", proven=BOTH)
    result = run(above(image, 9, 3), flags=ARMED)
    assert seen(result, image, "jump_above") == 0
    assert image.offset("jump_above") in result.hits


def test_a_direction_that_is_due_counts_when_the_call_is_back(run, image, with_knowledge):
    with_knowledge("jump_again", due=NOT_TAKEN)
    result = run(above(image, 2 * PASSES, 1), flags=ARMED)
    assert seen(result, image, "jump_again") == BOTH
    with_knowledge("jump_to_crash", due=NOT_TAKEN)
    result = run(calling(image, "loop_then_crash", 2 * PASSES), flags=ARMED)
    assert seen(result, image, "jump_to_crash") == TAKEN
    result = run(calling(image, "loop_then_crash", 2), flags=ARMED)
    assert seen(result, image, "jump_to_crash") == BOTH


def targets(result, image, name):
    return {target for offset, target in result.indirect if offset == image.offset(name)}


@pytest.mark.parametrize("extra", [RunFlag.NONE, RunFlag.STEP])
@pytest.mark.parametrize("count", [1, 2, 50, PASSES + 50])
def test_targets_of_an_indirect_jump(run, image, count, extra):
    odd = count // 2
    script = calling(image, "indirect", count, 1, returns=count - odd + 1000 * odd)
    result = run(script, script, flags=ARMED | extra)
    assert result.events == ()
    places = ["indirect_zero", "indirect_other"][: min(count, 2)]
    assert targets(result, image, "jump_indirect") == {image.symbols[place] for place in places}
    assert len(result.indirect) == len(set(result.indirect)) == len(places)


def test_an_indirect_jump_is_watched_anew_in_each_script(run, image):
    late = calling(image, "indirect", PASSES + 10, PASSES, returns=PASSES + 10_000)
    result = run(late, late, flags=ARMED)
    assert result.events == ()
    assert targets(result, image, "jump_indirect") == {image.symbols["indirect_zero"]}
    result = run(late, calling(image, "indirect", 2, 1, returns=1001), flags=ARMED)
    assert len(targets(result, image, "jump_indirect")) == 2


@pytest.mark.parametrize("extra", [RunFlag.NONE, RunFlag.STEP])
def test_a_jump_through_memory_leaves_the_rest_alone(run, image, extra):
    place = image.symbols["indirect_end"]
    script = calling(image, "indirect_by_memory", place, returns=-1)
    result = run(script, flags=ARMED | extra)
    assert result.events == ()
    assert targets(result, image, "jump_by_memory") == {place}


@pytest.mark.parametrize("known", [True, False], ids=["unmapped", "not canonical"])
def test_an_indirect_jump_into_nothing_crashes(run, image, arch, known):
    if arch == "i386" and not known:
        pytest.skip("every address of i386 is canonical")
    place = 0x666000 if known else 1 << 63
    result = run(calling(image, "indirect_by_memory", place), flags=ARMED)
    (event,) = result.events
    assert (event.kind, event.signal) == (Kind.CRASH, signal.SIGSEGV)
    assert event.pc == (place if known else image.symbols["jump_by_memory"])
    assert not event.registers["rflags" if arch == "x86_64" else "eflags"] & 1 << 8
    assert targets(result, image, "jump_by_memory") == ({place} if known else set())


def test_a_trace_holds_every_pc_that_it_holds_unarmed(run, image):
    scripts = [
        calling(image, "above", 5, 3),
        calling(image, "indirect", 3, 1),
        calling(image, "nested", 3),
    ]
    unarmed = run(*scripts, flags=RunFlag.STEP)
    armed = run(*scripts, flags=RunFlag.STEP | ARMED)
    assert armed.trace == unarmed.trace
    base = image.text[0]
    assert armed.order == tuple(dict.fromkeys(pc - base for pc in unarmed.trace))


def test_order_is_that_of_plain_coverage(run, image):
    scripts = [calling(image, "above", 5, 3), calling(image, "indirect", 3, 1)]
    armed, plain = run(*scripts, flags=ARMED), run(*scripts, flags=RunFlag.COVERAGE)
    assert armed.order == plain.order
    assert plain.branches == plain.indirect == ()


def test_a_patched_jump_is_taken_as_it_stands(run, runner, image):
    at = image.symbols["jump_above"]
    script = calling(image, "above", 5, 9)
    before = seen(run(script, flags=ARMED), image, "jump_above")
    runner.patch(at, b"\x73")  # jb to jae
    turned = seen(run(script, flags=ARMED), image, "jump_above")
    runner.patch(at, b"\x66\x90")  # a nop
    gone = run(calling(image, "above", 5, 9, returns=5), flags=ARMED)
    runner.restore()
    assert (before, turned, seen(gone, image, "jump_above")) == (TAKEN, NOT_TAKEN, 0)
    assert gone.events == ()
    assert image.offset("jump_above") in gone.hits


def test_branches_need_coverage(run, image):
    with pytest.raises(RunnerError, match="branches or frames without coverage"):
        run(calling(image, "tail", 0), flags=RunFlag.BRANCHES)


def test_the_image_has_jumps_of_both_kinds(image):
    kinds = {trap.offset: trap.kind for trap in image.traps()}
    assert kinds[image.offset("jump_above")] is TrapKind.CONDITIONAL
    assert kinds[image.offset("jump_indirect")] is TrapKind.INDIRECT
