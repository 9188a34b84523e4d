"""Station 6: turns what a runner observed into findings.

Enters: a batch and the two results of its runs (two seeds of garbage, opposite guard sides).
Leaves: findings, each by its own check, at most one per check and script. Never here: running
anything, or which path was meant (see `proof`).
"""

import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from rig.architectures import Architecture, Places
from rig.checks.findings import Finding
from rig.runner.batches import Batch
from rig.runner.events import SELECT, Event, Kind, RunResult
from rig.runner.placement import PAGE, in_stack, locate
from rig.runner.scripts import Call, Pointer, Script, Side

Describe = Callable[[int], str]

_SHOWN = 16
_ZMM_IN_USE = 1 << 6
_ENDINGS = (Kind.CRASH, Kind.TIMEOUT, Kind.EXIT)


@dataclass(frozen=True, slots=True)
class Observation:
    """One run of a batch; `flipped` says that buffers had the other guard side."""

    result: RunResult
    seed: int
    flipped: bool


class Cause(Enum):
    """What a wrong value depends on, in words."""

    INPUT = ""
    GARBAGE = "; it depends on garbage: something is used before it is set, or never set"
    PLACE = "; it depends on where the buffers lie"


def judge(batch: Batch, observations: Sequence[Observation], describe: Describe) -> list[Finding]:
    """The findings of a batch, by script; the first run that shows one words it, or the first that
    can name an instruction."""
    runs = [_Values(observation) for observation in observations]
    found: dict[tuple[str, int], Finding] = {}
    arch = batch.binding.arch
    for observation in observations:
        for event in observation.result.events:
            script = script_as_run(batch, event.script, observation.flipped)
            finding = _finding(event, script, describe, _cause(event, runs), arch)
            known = found.setdefault((finding.check, event.script), finding)
            if finding.symbol and not known.symbol:
                found[finding.check, event.script] = finding
    return sorted(found.values(), key=lambda f: (f.script or 0, f.check))


def unsettled(observations: Sequence[Observation]) -> bool:
    """Whether the runs left different values somewhere: only a further run tells then whether
    garbage or placement made the difference."""
    runs = [_Values(observation) for observation in observations]
    wrong = {key for run in runs for key in run.wrong}
    return any(len({run.left(*key) for run in runs} - {None}) > 1 for key in wrong)


class _Values:
    """What a run left in the buffers that are compared."""

    def __init__(self, observation: Observation) -> None:
        events, result = observation.result.events, observation.result
        self.flipped = observation.flipped
        self.wrong = {(e.script, e.buffer): e.data for e in events if e.kind is Kind.VALUE}
        self._cut_short = {e.script for e in events if e.kind in _ENDINGS}
        self._known = events[-1].script if result.unreported and events else result.ran

    def left(self, script: int, buffer: int | None) -> bytes | None:
        """The bytes of a wrong buffer, nothing of a right one, None where the run cannot tell."""
        if (script, buffer) in self.wrong:
            return self.wrong[script, buffer]
        return b"" if script < self._known and script not in self._cut_short else None


def _cause(event: Event, runs: Sequence[_Values]) -> Cause:
    """Runs that differ in the seed only tell of garbage, others of placement."""
    left: dict[bool, set[bytes]] = {False: set(), True: set()}
    for run in runs:
        values = run.left(event.script, event.buffer)
        if values is not None:
            left[run.flipped].add(values)
    if any(len(values) > 1 for values in left.values()):
        return Cause.GARBAGE
    return Cause.PLACE if len(left[False] | left[True]) > 1 else Cause.INPUT


def script_as_run(batch: Batch, index: int, flipped: bool) -> Script:
    """The script with its buffers on the side that they had in the run."""
    script = batch.script(index)
    if not flipped:
        return script
    return replace(script, buffers=tuple(replace(b, side=Side(1 - b.side)) for b in script.buffers))


def _finding(
    event: Event, script: Script, describe: Describe, cause: Cause, arch: Architecture
) -> Finding:
    match event.kind:
        case Kind.VALUE:
            return _value(event, script, cause)
        case Kind.CONSTANT:
            name = _buffer(event, script)
            return _at(event, "input", f"`{name}` changed at byte {event.offset}")
        case Kind.CANARY:
            return _canary(event, script)
        case Kind.CRASH:
            return _crash(event, script, describe, arch)
        case Kind.TIMEOUT:
            where = describe(event.pc or 0)
            return _at(event, "timeout", f"still running at {where}", symbol=_symbol(where))
        case Kind.WRITE:
            return _write(event, script, describe, arch)
        case Kind.EXIT:
            return _at(event, "exit", f"the code ended the process with status {event.actual}")
        case Kind.RETURN:
            text = f"returned {event.actual:#x}, not {event.expected:#x}"
            return _at(event, "return", f"{_call(event, script)} {text}")
        case Kind.REGISTER:
            text = f"{event.register} is {event.actual:#x} after the call, was {event.expected:#x}"
            return _at(event, "abi", f"{_call(event, script)}: {text}")
        case Kind.BELOW:
            where = describe(event.pc or 0)
            text = f"wrote {_bytes(event.offset or 0)} below the stack pointer"
            text = f"{_call(event, script)}: {text}"
            return _at(event, "stack", text, f"at {where}", symbol=_symbol(where))
        case Kind.UPPERS:
            return _at(event, "abi", f"{_call(event, script)}: {_uppers(event.actual or 0)}")
        case Kind.CHANGED:
            raise ValueError("no case watches memory")
        case Kind.STACK:
            text = f"the caller's stack changed, {event.offset} bytes above the arguments"
            return _at(event, "abi", f"{_call(event, script)}: {text}")


def _at(event: Event, check: str, summary: str, *details: str, symbol: str = "") -> Finding:
    return Finding(check, event.script, summary, details, symbol)


def _call(event: Event, script: Script) -> str:
    """Which call it was, counted by calls alone: other steps put masks and addresses in place."""
    if event.step == SELECT:
        return "the dispatcher"
    calls = [step for step in script.steps[: event.step + 1] if isinstance(step, Call)]
    role = f" ({calls[-1].role})" if calls[-1].role else ""
    return f"call {len(calls)}{role}"


def _uppers(state: int) -> str:
    """XINUSE in words: SDM volume 1, 13.6."""
    registers = (
        "zmm registers above bit 255" if state & _ZMM_IN_USE else "ymm registers above bit 127"
    )
    return f"{registers} are in use after the call: no vzeroupper"


def _symbol(where: str) -> str:
    return where.partition("+")[0].partition(":")[0]


def _buffer(event: Event, script: Script) -> str:
    return script.buffers[event.buffer].name if event.buffer is not None else "?"


def _value(event: Event, script: Script, cause: Cause) -> Finding:
    assert event.buffer is not None and event.offset is not None
    buffer = script.buffers[event.buffer]
    start = max(0, event.offset - event.offset % _SHOWN)
    expected = (buffer.expected or b"")[start : start + _SHOWN]
    actual = event.data[start : start + _SHOWN]
    details = [f"expected  +{start:<5} {expected.hex(' ')}"]
    if actual:
        details.append(f"actual    +{start:<5} {actual.hex(' ')}")
    text = f"`{buffer.name}` differs from byte {event.offset} of {buffer.size}{cause.value}"
    return _at(event, "uninitialised" if cause is Cause.GARBAGE else "value", text, *details)


def _canary(event: Event, script: Script) -> Finding:
    assert event.buffer is not None and event.offset is not None
    buffer = script.buffers[event.buffer]
    where = _distance(buffer.name, event.offset, buffer.size)
    return _at(event, "memory", f"wrote {where}")


def _distance(name: str, offset: int, size: int) -> str:
    if offset < 0:
        return f"{_bytes(-offset)} before `{name}` ({size} bytes)"
    return f"{_bytes(offset - size + 1)} behind `{name}` ({size} bytes)"


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"


def _write(event: Event, script: Script, describe: Describe, arch: Architecture) -> Finding:
    """A write to an input, be it undone before the call returns."""
    assert event.address is not None and event.pc is not None
    found = locate(script, event.address, arch.places)
    name, offset = (found[0].name, found[1]) if found else ("?", 0)
    where = describe(event.pc)
    text = f"wrote `{name}`, which it may only read, at byte {offset}"
    return _at(
        event, "input", text, f"{_signal_name(event.signal or 0)} at {where}", symbol=_symbol(where)
    )


def _crash(event: Event, script: Script, describe: Describe, arch: Architecture) -> Finding:
    number = event.signal or 0
    name = _signal_name(number)
    if event.pc is None:
        return _at(event, "crash", f"killed by {name}")
    where = describe(event.pc)
    symbol = _symbol(where)
    fault = _fault(event, script, arch.places)
    if fault:
        verb = _verb(event, arch.registers.write_fault)
        return _at(event, "memory", f"{verb} {fault}", f"{name} at {where}", symbol=symbol)
    address = "" if event.address is None else f", address {event.address:#x}"
    address += _inside(event, script, arch.places)
    return _at(
        event,
        "crash",
        f"{name} at {where}{address}",
        *_registers(event, 2 * arch.pointer_bytes),
        symbol=symbol,
    )


def _verb(event: Event, write_fault: tuple[str, int] | None) -> str:
    if write_fault is None:
        return "touched"
    register, bit = write_fault
    return "wrote" if (event.registers or {}).get(register, 0) & bit else "read"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _fault(event: Event, script: Script, places: Places) -> str:
    """The buffer that a fault's address lies beside, in words; empty if it is another's."""
    if event.address is None or event.signal not in (signal.SIGSEGV, signal.SIGBUS):
        return ""
    if in_stack(event.address, places):
        return "the guard page of the stack"
    if event.address < PAGE and (names := _nulls(script)):
        return f"through {names}, NULL for 0 bytes"
    found = locate(script, event.address, places)
    if found is None:
        return ""
    buffer, offset = found
    return "" if 0 <= offset < buffer.size else _distance(buffer.name, offset, buffer.size)


def _inside(event: Event, script: Script, places: Places) -> str:
    """The byte of a buffer at which the code may be, but not with the alignment that it asks."""
    if event.address is None or event.signal != signal.SIGBUS:
        return ""
    found = locate(script, event.address, places)
    if found is None:
        return ""
    buffer, offset = found
    return f", byte {offset} of `{buffer.name}`, {event.address % 16} modulo 16"


def _nulls(script: Script) -> str:
    """The buffers that are passed as NULL."""
    arguments = (a for step in script.steps if isinstance(step, Call) for a in step.arguments)
    nulls = (a.buffer for a in arguments if isinstance(a, Pointer) and a.null)
    return " or ".join(dict.fromkeys(f"`{script.buffers[index].name}`" for index in nulls))


def _registers(event: Event, width: int) -> Iterator[str]:
    registers = list((event.registers or {}).items())
    for start in range(0, len(registers), 3):
        row = registers[start : start + 3]
        yield "  ".join(f"{name:>6} {value:0{width}x}" for name, value in row)
