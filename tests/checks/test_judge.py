"""Events become findings: the right check, in the right words."""

import signal
from dataclasses import fields, replace
from typing import Any, cast

import pytest

from rig.architectures import ARCHITECTURES
from rig.checks.findings import CHECKS, Finding
from rig.checks.judge import Observation, judge, script_as_run
from rig.contracts import Contract
from rig.runner.batches import Batch
from rig.runner.compose import Binding
from rig.runner.events import SELECT, Event, Kind, RunResult
from rig.runner.placement import READ_ONLY_VIEW, STACK_SIZE, place
from rig.runner.scripts import Address, Buffer, Call, Pointer, Script, Side, Write

OUT, IN = 0, 1
EXPECTED = bytes(range(40))
SCRIPT = Script(
    (
        Buffer("out", 40, expected=EXPECTED, side=Side.END),
        Buffer("in", 40, content=bytes(40), constant=True, side=Side.END),
        Buffer("empty", 0, side=Side.START),
        Buffer("in", 16, content=bytes(16), constant=True, side=Side.END),  # a further part
    ),
    (
        Call(Address(0), (Pointer(0), Pointer(2, null=True)), role="begin"),
        Write(0, b""),
        Call(Address(0), ()),
    ),
)
X86_64 = ARCHITECTURES["x86_64"]
PLACES = X86_64.places
PC = 0x1_0000_0040
WRONG = EXPECTED[:20] + b"\xff" + EXPECTED[21:]
OTHER = EXPECTED[:20] + b"\xee" + EXPECTED[21:]


class _Scripts:
    """A batch whose scripts are all one."""

    binding = Binding(X86_64, cast(Contract, None), {})

    def script(self, _index: int) -> Script:
        return SCRIPT


BATCH = cast(Batch, _Scripts())


def _describe(address: int) -> str:
    return f"rig_toy+{address - 0x1_0000_0000:#x}: mov eax, ebx (toy.c:7)"


def _result(*events: Event, ran: int = 9, unreported: int = 0) -> RunResult:
    failed = len({event.script for event in events})
    found = {"events": events, "ran": ran, "failed_scripts": failed, "unreported": unreported}
    empty: dict[str, Any] = {field.name: () for field in fields(RunResult)}
    return RunResult(**empty | {"abandoned": 0, "steps": 0, "cpu_ns": 0} | found)


def _judge(*results: RunResult) -> list[Finding]:
    """The findings of runs whose guard sides alternate, each with a seed of its own."""
    runs = [Observation(r, seed, bool(seed % 2)) for seed, r in enumerate(results)]
    return judge(BATCH, runs, _describe)


def _one(event: Event) -> Finding:
    (finding,) = _judge(_result(event), _result(event))
    assert finding.check in CHECKS
    return finding


def _value(data: bytes, script: int = 0) -> Event:
    return Event(script, 0, Kind.VALUE, OUT, None, 20, EXPECTED[20], data[20], data)


def test_a_wrong_value_shows_the_row_of_bytes_that_differs() -> None:
    finding = _one(_value(WRONG))
    assert (finding.check, finding.summary) == ("value", "`out` differs from byte 20 of 40")
    expected, actual = finding.details[:2]
    assert expected.split() == ["expected", "+16", *EXPECTED[16:32].hex(" ").split()]
    assert actual.split() == ["actual", "+16", *WRONG[16:32].hex(" ").split()]


@pytest.mark.parametrize(
    ("runs", "check", "words"),
    [
        ([(WRONG, False), (WRONG, True)], "value", "of 40"),
        ([(WRONG, False), (OTHER, False)], "uninitialised", "garbage"),
        ([(WRONG, False), (None, False)], "uninitialised", "garbage"),
        ([(None, True), (WRONG, True)], "uninitialised", "garbage"),
    ],
)
def test_a_value_that_hangs_on_the_seed_is_of_uninitialised_state(
    runs: list[tuple[bytes | None, bool]], check: str, words: str
) -> None:
    observations = [
        Observation(_result(*([] if data is None else [_value(data)])), seed, flipped)
        for seed, (data, flipped) in enumerate(runs)
    ]
    (finding,) = judge(BATCH, observations, _describe)
    assert finding.check == check
    assert words in finding.summary


def test_a_value_that_hangs_on_the_guard_side_is_no_matter_of_garbage() -> None:
    right, wrong = _result(), _result(_value(WRONG))
    observations = [Observation(right, 0, False), Observation(wrong, 1, True)]
    observations.append(Observation(wrong, 0, True))
    (finding,) = judge(BATCH, observations, _describe)
    assert "where the buffers lie" in finding.summary


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (-1, "1 byte before `out` (40 bytes)"),
        (-2, "2 bytes before `out` (40 bytes)"),
        (40, "1 byte behind `out` (40 bytes)"),
        (41, "2 bytes behind `out` (40 bytes)"),
    ],
)
def test_a_changed_canary_is_told_by_its_distance(offset: int, words: str) -> None:
    finding = _one(Event(0, 0, Kind.CANARY, OUT, Side.START, offset, 0, 1))
    assert (finding.check, finding.summary) == ("memory", f"wrote {words}")


def _crash(
    address: int | None, number: int = signal.SIGSEGV, error: int = 4, script: int = 0
) -> Event:
    registers = {"rax": 1, "rbx": 2, "rcx": 3, "rip": PC, "error": error}
    return Event(script, 0, Kind.CRASH, signal=number, pc=PC, address=address, registers=registers)


@pytest.mark.parametrize(
    ("index", "offset", "words"),
    [
        (OUT, 40, "1 byte behind `out` (40 bytes)"),
        (IN, 47, "8 bytes behind `in` (40 bytes)"),
        (2, -1, "1 byte before `empty` (0 bytes)"),
        (3, 16, "1 byte behind `in` (16 bytes)"),
    ],
)
def test_a_fault_at_a_guard_page_names_the_buffer(index: int, offset: int, words: str) -> None:
    address = place(SCRIPT.buffers[index], index, PLACES) + offset
    observation = Observation(_result(_crash(address)), 0, False)
    (finding,) = judge(BATCH, [observation], _describe)
    assert finding.check == "memory"
    assert finding.summary.endswith(words)
    assert finding.symbol == "rig_toy"
    assert finding.details[0].startswith("SIGSEGV at rig_toy+0x40")


def test_a_bus_error_inside_a_buffer_is_its_alignment() -> None:
    address = place(SCRIPT.buffers[IN], IN, PLACES) + 4
    observation = Observation(_result(_crash(address, signal.SIGBUS)), 0, False)
    (finding,) = judge(BATCH, [observation], _describe)
    assert finding.check == "crash"
    assert finding.summary.endswith(f", byte 4 of `in`, {address % 16} modulo 16")


@pytest.mark.parametrize(("error", "verb"), [(4, "read"), (6, "wrote")])
def test_a_fault_says_whether_it_was_a_write(error: int, verb: str) -> None:
    address = place(SCRIPT.buffers[OUT], OUT, PLACES) + 40
    observation = Observation(_result(_crash(address, error=error)), 0, False)
    (finding,) = judge(BATCH, [observation], _describe)
    assert finding.summary.startswith(f"{verb} ")


def test_a_flipped_run_has_its_buffers_at_the_other_side() -> None:
    flipped = script_as_run(BATCH, 0, flipped=True)
    assert [b.side for b in flipped.buffers] == [Side.START, Side.START, Side.END, Side.START]
    before = place(flipped.buffers[OUT], OUT, PLACES) - 1
    observation = Observation(_result(_crash(before)), 1, True)
    (finding,) = judge(BATCH, [observation], _describe)
    assert finding.summary.endswith("1 byte before `out` (40 bytes)")


@pytest.mark.parametrize("address", [PLACES.stack - 8, PLACES.stack + STACK_SIZE + 8])
def test_a_fault_at_the_stack_is_named(address: int) -> None:
    finding = _one(_crash(address))
    assert finding.check == "memory"
    assert finding.summary.endswith("the guard page of the stack")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (_crash(5000), "SIGSEGV at rig_toy+0x40: mov eax, ebx (toy.c:7), address 0x1388"),
        (_crash(None, signal.SIGILL), "SIGILL at rig_toy+0x40: mov eax, ebx (toy.c:7)"),
        (_crash(None, 99), "signal 99 at rig_toy+0x40: mov eax, ebx (toy.c:7)"),
        (Event(0, 0, Kind.CRASH, signal=signal.SIGKILL), "killed by SIGKILL"),
    ],
)
def test_other_crashes_name_signal_and_place(event: Event, words: str) -> None:
    finding = _one(event)
    assert (finding.check, finding.summary) == ("crash", words)
    assert all("rax" in detail or "rip" in detail for detail in finding.details)


@pytest.mark.parametrize(
    ("event", "check", "words"),
    [
        (
            Event(0, 0, Kind.CONSTANT, IN, None, 3, 0, 1, b"\0\0\0\1"),
            "input",
            "`in` changed at byte 3",
        ),
        (
            Event(0, 2, Kind.RETURN, expected=0, actual=0xFFFF_FFFF),
            "return",
            "call 2 returned 0xffffffff, not 0x0",
        ),
        (
            Event(0, 0, Kind.REGISTER, expected=1, actual=2, register="rbx"),
            "abi",
            "call 1 (begin): rbx is 0x2 after the call, was 0x1",
        ),
        (
            Event(0, SELECT, Kind.REGISTER, expected=1, actual=2, register="DF"),
            "abi",
            "the dispatcher: DF is 0x2 after the call, was 0x1",
        ),
        (
            Event(0, 0, Kind.STACK, offset=16, expected=0, actual=1, address=PLACES.stack),
            "abi",
            "call 1 (begin): the caller's stack changed, 16 bytes above the arguments",
        ),
        (Event(0, 0, Kind.EXIT, actual=3), "exit", "the code ended the process with status 3"),
        (
            Event(0, 0, Kind.TIMEOUT, pc=PC, registers={}),
            "timeout",
            "still running at rig_toy+0x40: mov eax, ebx (toy.c:7)",
        ),
    ],
)
def test_each_kind_has_its_check_and_words(event: Event, check: str, words: str) -> None:
    finding = _one(event)
    assert (finding.check, finding.summary) == (check, words)


def test_every_kind_is_judged() -> None:
    address = place(SCRIPT.buffers[OUT], OUT, PLACES) + 40
    events = {
        Kind.VALUE: _value(WRONG),
        Kind.RETURN: Event(0, 0, Kind.RETURN, expected=0, actual=1),
        Kind.CONSTANT: Event(0, 0, Kind.CONSTANT, IN, None, 0, 0, 1, b"\1"),
        Kind.CANARY: Event(0, 0, Kind.CANARY, OUT, Side.END, 40, 0, 1),
        Kind.REGISTER: Event(0, 0, Kind.REGISTER, expected=1, actual=2, register="r12"),
        Kind.STACK: Event(0, 0, Kind.STACK, offset=0, expected=0, actual=1, address=PLACES.stack),
        Kind.CRASH: _crash(address),
        Kind.EXIT: Event(0, 0, Kind.EXIT, actual=0),
        Kind.TIMEOUT: Event(0, 0, Kind.TIMEOUT, pc=PC, registers={}),
        Kind.BELOW: Event(0, 0, Kind.BELOW, offset=136, expected=0, actual=1, pc=PC),
        Kind.UPPERS: Event(0, 0, Kind.UPPERS, actual=4),
        Kind.WRITE: replace(_crash(address), kind=Kind.WRITE),
    }
    assert set(events) == set(Kind) - {Kind.CHANGED}  # which no case asks for
    assert {_one(event).check for event in events.values()} <= set(CHECKS)


def test_a_write_to_an_input_names_its_byte_and_its_instruction() -> None:
    address = place(SCRIPT.buffers[IN], IN, PLACES) + READ_ONLY_VIEW + 7
    changed = Event(0, 0, Kind.CONSTANT, IN, None, 7, 0, 1, b"\1")
    written = replace(_crash(address), kind=Kind.WRITE)
    (finding,) = judge(
        BATCH,
        [Observation(_result(changed), 0, False), Observation(_result(changed, written), 1, False)],
        _describe,
    )
    assert (finding.check, finding.symbol) == ("input", "rig_toy")
    assert finding.summary == "wrote `in`, which it may only read, at byte 7"
    assert finding.details == ("SIGSEGV at rig_toy+0x40: mov eax, ebx (toy.c:7)",)


@pytest.mark.parametrize("address", [0, 8, 4095])
def test_a_fault_through_null_names_the_argument(address: int) -> None:
    finding = _one(_crash(address))
    assert (finding.check, finding.summary) == ("memory", "read through `empty`, NULL for 0 bytes")


def test_a_check_fires_once_for_each_script() -> None:
    canaries = [Event(n, 0, Kind.CANARY, OUT, Side.END, 40 + n, 0, 1) for n in (2, 1, 1)]
    found = _judge(_result(*canaries), _result(_value(WRONG, 1), *canaries))
    assert [(f.script, f.check) for f in found] == [
        (1, "memory"),
        (1, "value"),
        (2, "memory"),
    ]


def test_nothing_happened() -> None:
    assert _judge(_result(), _result()) == []
