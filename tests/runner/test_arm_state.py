"""State of ARM machines: what a call must keep, what it may not look at, how it may end."""

import signal

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.client import RunFlag
from rig.runner.events import SELECT, Kind
from rig.runner.scripts import Buffer, Pointer, Prologue, Script

pytestmark = pytest.mark.parametrize("arch", ["aarch64", "arm"], indirect=True, scope="session")

GARBAGE = {"aarch64": [f"x{n}" for n in range(19)], "arm": ["r0", "r1", "r2", "r3", "r12"]}
STORED = {"aarch64": 29 * 8 + 512, "arm": 12 * 4 + 256}
FLAGS = {"aarch64": 0xF0000000, "arm": 0xF80F0000}


def calling(image, name, *arguments):
    return Script((), (image.call(name, *arguments),))


def differs_everywhere(left, right):
    return all(a != b for a, b in zip(left, right, strict=True))


def test_a_changed_register_is_named(run, image, arch):
    names = ARCHITECTURES[arch].registers.kept
    scripts = [calling(image, f"clobber_{name}") for name in names]
    after = [calling(image, "identity", 1)] * len(names)  # each starts clean again
    result = run(*(script for pair in zip(scripts, after, strict=True) for script in pair))
    found = [(event.kind, event.script, event.register) for event in result.events]
    assert found == [(Kind.REGISTER, 2 * i, name) for i, name in enumerate(names)]
    assert all(event.expected != event.actual for event in result.events)


def test_what_is_the_callees_is_nobodys_business(run, image):
    assert run(calling(image, "clobber_what_is_free")).events == ()


def test_what_select_breaks_is_its_own_step(only, image, arch):
    name = "x23" if arch == "aarch64" else "r7"
    event = only(Script((), ()), prologue=Prologue(select=image.symbols[f"clobber_{name}"]))
    assert (event.kind, event.step, event.register) == (Kind.REGISTER, SELECT, name)


def test_the_callers_stack_must_stay_but_for_arguments(run, only, image, arch):
    event = only(calling(image, "clobber_stack"))
    assert (event.kind, event.offset, event.actual) == (Kind.STACK, 13, 0)
    registers = 8 if arch == "aarch64" else 4
    assert run(calling(image, "clobber_argument", *range(registers + 1))).events == ()
    assert only(calling(image, "clobber_argument", *range(registers))).kind is Kind.STACK


@pytest.mark.parametrize("flags", [RunFlag(0), RunFlag.READ_ONLY])
def test_a_load_that_must_be_aligned_is_no_write(only, image, flags):
    buffer = Buffer("b", 8, bytes(8), constant=True, align=8, skew=1)
    event = only(Script((buffer,), (image.call("exclusively", Pointer(0)),)), flags=flags)
    assert (event.kind, event.signal) == (Kind.CRASH, signal.SIGBUS)


def test_the_stack_pointer_takes_four_phases_in_turn(only, image, arch):
    call = image.call("stack_pointer", returns=0)
    seen = {
        only(Script((), (*(image.call("minus_one"),) * calls, call))).actual % 64
        for calls in range(4)
    }
    assert seen == ({0, 16, 32, 48} if arch == "aarch64" else {0, 40, 16, 56})


def test_each_byte_of_a_register_differs_between_neighbouring_seeds(only, image, arch):
    size = ARCHITECTURES[arch].pointer_bytes
    for name in (*GARBAGE[arch], "stack"):
        script = Script((), (image.call(f"garbage_{name}", returns=0),))
        first, second, again = (only(script, seed=seed).actual for seed in (4, 5, 4))
        assert first == again
        assert differs_everywhere(first.to_bytes(size, "little"), second.to_bytes(size, "little"))


def test_every_arithmetic_flag_differs_between_neighbouring_seeds(only, image, arch):
    script = Script((), (image.call("garbage_flags", returns=0),))
    first, second = (only(script, seed=seed).actual for seed in (6, 7))
    assert (first ^ second) & FLAGS[arch] == FLAGS[arch]


def test_every_register_has_a_pattern_of_its_own(output, image, arch):
    size, word = STORED[arch], ARCHITECTURES[arch].pointer_bytes
    script = Script(
        (Buffer("out", size, bytes(size)),), (image.call("store_registers", Pointer(0)),)
    )
    first, second = (output(script, seed=seed) for seed in (8, 9))
    assert differs_everywhere(first, second)
    assert len({first[i : i + word] for i in range(0, size, word)}) == size // word


@pytest.mark.parametrize(
    ("function", "number", "offset"),
    [("breakpoint", signal.SIGTRAP, 4), ("undefined", signal.SIGILL, 0)],
)
@pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.COVERAGE, RunFlag.STEP])
def test_a_crash_has_its_signal_and_pc(only, image, arch, function, number, offset, flags):
    event = only(calling(image, function), flags=flags)
    assert (event.kind, event.signal, event.step) == (Kind.CRASH, number, 0)
    assert event.pc == image.symbols[function] + offset
    assert event.address is None
    assert tuple(event.registers) == ARCHITECTURES[arch].registers.all


def test_a_crash_without_a_stack_is_still_told(only, image):
    event = only(calling(image, "lost_stack"))
    assert (event.kind, event.signal) == (Kind.CRASH, signal.SIGSEGV)
    assert event.registers["sp"] == 0


def test_other_endings(run, only, image):
    result = run(
        calling(image, "leave", 7), calling(image, "undefined"), calling(image, "leave", 0)
    )
    kinds = [(event.kind, event.actual) for event in result.events]
    assert kinds == [(Kind.EXIT, 7), (Kind.CRASH, None), (Kind.EXIT, 0)]
    event = only(calling(image, "kill_self"))
    assert (event.kind, event.signal, event.pc) == (Kind.CRASH, signal.SIGUSR1, None)
    assert run(calling(image, "sabotage")).events == ()


def test_an_endless_loop_ends_at_its_budget(run, image):
    good = calling(image, "identity", 1)
    result = run(good, calling(image, "forever"), good, cpu_budget_us=40_000)
    (event,) = result.events
    assert (event.kind, event.script) == (Kind.TIMEOUT, 1)
    assert 0 <= event.pc - image.symbols["forever"] < 16


def test_hits_are_the_executed_instructions_in_order(run, image, arch):
    head = [image.offset("two_ways") + 4 * i for i in range(1 if arch == "aarch64" else 2)]
    zero = [*head, image.offset("way_zero")]
    other = [*head, image.offset("way_other"), image.offset("way_other") + 4]
    crash = [image.offset("breakpoint"), image.offset("breakpoint") + 4]
    result = run(
        *(calling(image, "two_ways", 0), calling(image, "breakpoint")),
        *(calling(image, "two_ways", 0), calling(image, "two_ways", 1)),
        flags=RunFlag.COVERAGE,
    )
    assert list(result.order) == zero + crash + other[len(head) :]
    stepped = run(calling(image, "two_ways", 0), calling(image, "two_ways", 1), flags=RunFlag.STEP)
    assert [pc - image.text[0] for pc in stepped.trace] == zero + other
    assert stepped.steps == len(stepped.trace)


def test_a_patch_holds_until_restore(run, runner, image, arch):
    address = image.symbols["way_other"]
    script = Script((), (image.call("two_ways", 1, returns=2),))
    before = runner.read(address, 4)
    nop = 0xD503201F if arch == "aarch64" else 0xE1A00000
    runner.patch(address, nop.to_bytes(4, "little"))
    for flags in (RunFlag.NONE, RunFlag.COVERAGE):
        assert [event.actual for event in run(script, flags=flags).events] == [1]
    runner.restore()
    assert run(script, flags=RunFlag.COVERAGE).events == ()
    assert runner.read(address, 4) == before
