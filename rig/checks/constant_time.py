"""The constant-time check: under two secrets the code goes the same ways, touches the same
addresses, and divides the same numbers.

Enters: a path, groups of cases that differ in their secrets. Leaves: `Leak`s, each with the two
cases that show it. Never here: choosing secrets, or measuring time: equal traces are what is
proven, of the cases that were run and no others.

Each case is run in single steps, from the same garbage at the same addresses. A difference in the
way hides what follows it. What a variant's contract calls public must be equal in a group: a case
in which it is not is left out.
"""

import functools
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from rig.architectures import ARCHITECTURES
from rig.build.image import Image
from rig.capabilities.paths import Path
from rig.capabilities.vector import Vector
from rig.checks.findings import Finding
from rig.checks.judge import Observation, judge
from rig.contracts import Contract
from rig.errors import RigError
from rig.project import Project, decoded, prologue
from rig.runner.batches import Batch
from rig.runner.client import RunFlag
from rig.runner.scripts import Script
from rig.runner.session import Session
from rig.trace.architecture import Exposure, Instruction, Kind, Term
from rig.trace.instructions import architecture

CHECK = "constant-time"
_BUDGET_US = 60_000_000
_FLAGS = RunFlag.STEP | RunFlag.REGISTERS
_ONE, _OTHER = "under one secret", "under the other"

Describe = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Leak:
    """A finding, the batch of one case that shows it, and the one that it was compared with, none
    where the case fails by itself."""

    finding: Finding
    batch: Batch
    twin: Batch | None


class TooLongError(RigError):
    """A case takes more steps than the runner keeps; the message says which."""


def examine(
    project: Project,
    session: Session,
    path: Path,
    mask: Vector,
    seed: int,
    group: Sequence[Batch],
    describe: Describe,
) -> list[Leak]:
    """Compares every case of a group, each a batch of its own, with the first."""
    start = prologue(project, path, mask)
    sight = _sight(_Key(project.image.path, project.image))

    def trace(batch: Batch) -> "_Trace":
        result = session.run(batch.data, start, flags=_FLAGS, seed=seed, cpu_budget_us=_BUDGET_US)
        if result.steps * sight.width > len(result.states):
            raise TooLongError(
                f"{path.id}: {result.steps} steps of `{batch.case(0).name}` are too many to trace"
            )
        found = judge(batch, [Observation(result, seed, False)], describe)
        return _Trace(batch, result.states, result.states[sight.pc :: sight.width], tuple(found))

    first, *others = (trace(batch) for batch in _comparable(group))
    leaks = [Leak(f, t.batch, None) for t in (first, *others) for f in t.findings]
    for other in others if not first.findings else ():
        if not other.findings:
            found = sight.differences(first, other)
            leaks += (
                Leak(finding, other.batch, first.batch)
                for finding in _findings(project, first, other, found, describe)
            )
    return leaks


def _comparable(group: Sequence[Batch]) -> Iterator[Batch]:
    """The first, and those in which nothing public differs from it."""
    contract, first = group[0].binding.contract, group[0].script(0)
    yield group[0]
    yield from (b for b in group[1:] if _same_public(contract, first, b.script(0)))


def _same_public(contract: Contract, first: Script, other: Script) -> bool:
    arguments = [a for function in contract.functions for a in function.arguments]
    public = {a.name for a in arguments if a.public} - {a.name for a in arguments if a.secret}
    return len(first.buffers) == len(other.buffers) and all(
        a.size == b.size and (a.name not in public or a.content == b.content)
        for a, b in zip(first.buffers, other.buffers, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Trace:
    """What a case showed: the registers of every step, and of these the program counters."""

    batch: Batch
    states: "array[int]"
    pcs: "array[int]"
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Difference:
    """Where two traces part: the step, the address of its instruction, and in which way."""

    step: int
    pc: int
    way: str
    terms: tuple[Term, ...] = ()


_BRANCH, _ADDRESS, _TIME = "branch", "address", "time"
_BLIND = {_ADDRESS: "vector", _TIME: "operand"}
# What compilers call to divide: whose own takes how long is not for the rig's to show.
_DIVISION = re.compile(r"__(aeabi_u?[il]div(mod)?|u?(div|mod)[sdt]i3|u?divmod[sdt]i4)")
_SHORT = ("__aeabi_i", "__aeabi_ui", "__divsi", "__udivsi", "__modsi", "__umodsi")
_PASSED: Mapping[str, tuple[str, ...]] = {  # where its operands come; on i386 in memory
    "x86_64": ("rdi", "rsi", "rdx", "rcx"),
    "i386": (),
    "aarch64": ("x0", "x1", "x2", "x3"),
    "arm": ("r0", "r1", "r2", "r3"),
}
_Parts = tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class _Look:
    """What to look at where an instruction stands: columns of the registers, with masks. An
    `entry` is that of a function that divides."""

    exposure: Exposure
    parts: tuple[tuple[str, tuple[Term, ...], _Parts], ...]
    blind: tuple[str, ...]
    entry: bool


class _Sight:
    """The instructions of an image, and what each shows, found when it is first met."""

    def __init__(self, image: Image) -> None:
        taken = decoded(image)
        names = ARCHITECTURES[image.arch].registers
        self.width, self.pc = len(names.stepped), names.stepped.index(names.pc)
        self._columns = {name: place for place, name in enumerate(names.stepped)}
        self._flags = self._columns.get("cpsr")
        self._encoding = architecture(image.arch)
        self._instructions: Mapping[int, Instruction] = {
            i.address: i
            for row in (*(f.instructions for f in taken.functions), taken.stray)
            for i in row
        }
        self._looks: dict[int, _Look | None] = {}
        self._divisions = {f.address: f for f in taken.functions if _DIVISION.fullmatch(f.name)}
        self._passed = _PASSED[image.arch]

    def kind(self, pc: int) -> Kind:
        """What the instruction there does to flow."""
        found = self._instructions.get(pc)
        return found.kind if found else Kind.OTHER

    def differences(self, first: _Trace, other: _Trace) -> list[_Difference]:
        """Where the other trace is not as the first: of each instruction and way the first."""
        common = _common(first.pcs, other.pcs)
        found: dict[tuple[int, str], _Difference] = {}
        for step, look in enumerate(map(self._look, first.pcs[:common])):
            if look and not (look.entry and self._divides(first.pcs[step - 1])):
                for way, terms in self._shown(look, first.states, other.states, step):
                    pc = first.pcs[step]
                    found.setdefault((pc, way), _Difference(step, pc, way, terms))
        if common < max(len(first.pcs), len(other.pcs)):
            step = max(0, common - 1)
            found[first.pcs[step], _BRANCH] = _Difference(step, first.pcs[step], _BRANCH)
        return list(found.values())

    def _shown(
        self, look: _Look, one: "array[int]", two: "array[int]", step: int
    ) -> Iterator[tuple[str, tuple[Term, ...]]]:
        at = step * self.width
        if look.exposure.condition is not None:
            if self._holds(look, one, at) != self._holds(look, two, at):
                yield _ADDRESS, ()
                return
            if not self._holds(look, one, at):
                return
        for way in look.blind:
            yield way, ()
        for way, terms, parts in look.parts:
            if _value(one, at, parts) != _value(two, at, parts):
                yield way, terms

    def _holds(self, look: _Look, states: "array[int]", at: int) -> bool:
        assert self._flags is not None and look.exposure.condition is not None
        return _condition(look.exposure.condition, states[at + self._flags] >> 28)

    def _look(self, pc: int) -> _Look | None:
        if pc not in self._looks:
            self._looks[pc] = self._prepared(self._instructions.get(pc))
        return self._looks[pc]

    def _divides(self, pc: int) -> bool:
        return any(pc in range(f.address, f.end) for f in self._divisions.values())

    def _prepared(self, instruction: Instruction | None) -> _Look | None:
        if instruction is None:
            return None
        shown = self._encoding.exposure(instruction)
        entered = self._divisions.get(instruction.address)
        if entered:
            count = 2 if entered.name.startswith(_SHORT) else 4
            timed = tuple(Term(name) for name in self._passed[:count])
            shown = replace(shown, timed=timed, known=bool(timed))
        groups = [(_ADDRESS, access.terms) for access in shown.accesses if access.terms]
        # Of a division each operand counts by itself.
        groups += [(_TIME, (term,)) for term in shown.timed or ()]
        blind = [_BLIND[_ADDRESS]] * (not all(access.known for access in shown.accesses))
        blind += [_BLIND[_TIME]] * (shown.timed is not None and not shown.known)
        if not groups and not blind:
            return None
        parts = tuple((way, terms, self.parts(terms)) for way, terms in groups)
        return _Look(shown, parts, tuple(blind), entered is not None)

    def parts(self, terms: Iterable[Term]) -> _Parts:
        """Terms by where their registers stand in a row of states."""
        return tuple(
            (self._columns[t.register], t.factor, (1 << t.bits) - 1, t.right) for t in terms
        )


def _common(one: "array[int]", two: "array[int]") -> int:
    """How many steps two traces have in common, from the first on."""
    if one == two:
        return len(one)
    pairs = enumerate(zip(one, two, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(two)))


def _value(states: "array[int]", at: int, parts: _Parts) -> int:
    value = 0
    for column, factor, mask, right in parts:
        value += (states[at + column] >> right & mask) * factor
    return value


def _condition(condition: int, nzcv: int) -> bool:
    """Whether a condition holds (Arm ARM for ARMv7, A8.3); flags as N Z C V."""
    n, z, c, v = (bool(nzcv >> place & 1) for place in (3, 2, 1, 0))
    table = (z, c, n, v, c and not z, n == v, n == v and not z, True)
    return table[condition >> 1] != bool(condition & 1)


@dataclass(frozen=True, slots=True)
class _Key:
    """An image by its path, which its contents name."""

    path: FilePath
    image: Image = field(compare=False, repr=False)


@functools.lru_cache(maxsize=8)
def _sight(key: _Key) -> _Sight:
    return _Sight(key.image)


def _findings(
    project: Project,
    first: _Trace,
    other: _Trace,
    found: Sequence[_Difference],
    describe: Describe,
) -> Iterator[Finding]:
    """One for each function and way, about its first instruction."""
    groups: dict[tuple[str, str], list[_Difference]] = {}
    for difference in sorted(found, key=lambda d: d.step):
        function = project.image.function_at(difference.pc)
        groups.setdefault((function.name if function else "", difference.way), []).append(
            difference
        )
    sight = _sight(_Key(project.image.path, project.image))
    for (symbol, _), same in groups.items():
        summary, details = _worded(sight, first, other, same[0], describe)
        details += _more(len(same) - 1) + _reached(project, first, same[0], describe)
        yield Finding(CHECK, 0, f"{describe(same[0].pc)} {summary}", details, symbol)


def _worded(
    sight: _Sight, first: _Trace, other: _Trace, d: _Difference, describe: Describe
) -> tuple[str, tuple[str, ...]]:
    if d.way == _BRANCH:
        return _branch(sight, first, other, d, describe)
    if d.way == _BLIND[_ADDRESS]:
        return "takes its addresses from a vector register, which the rig does not follow", ()
    if d.way == _BLIND[_TIME]:
        return "takes a time that depends on operands that the rig does not follow", ()
    values = tuple(filter(None, (_both(sight, first, other, d, term) for term in d.terms)))
    if d.way == _TIME:
        return "takes a time that depends on its operands, and these on a secret", values
    if not d.terms:
        return "touches memory or not: its condition depends on a secret", ()
    return "touches an address that depends on a secret", values


def _branch(
    sight: _Sight, first: _Trace, other: _Trace, d: _Difference, describe: Describe
) -> tuple[str, tuple[str, ...]]:
    places = [t.pcs[d.step + 1] if d.step + 1 < len(t.pcs) else None for t in (first, other)]
    texts = ["the end" if place is None else describe(place) for place in places]
    went = tuple(f"{when}: to {text}" for when, text in zip((_ONE, _OTHER), texts, strict=True))
    if sight.kind(d.pc) is Kind.OTHER and d.pc in places:
        return "repeats itself as often as a secret says", went
    return "branches on a secret", went


def _both(sight: _Sight, first: _Trace, other: _Trace, d: _Difference, term: Term) -> str:
    at = d.step * sight.width
    parts = sight.parts((replace(term, factor=1),))
    one, two = (_value(trace.states, at, parts) for trace in (first, other))
    if one == two:
        return ""
    return f"{term.register} {one:#x} {_ONE}, {two:#x} {_OTHER}"


def _more(count: int) -> tuple[str, ...]:
    plural = "s" * (count != 1)
    return (f"and {count} further instruction{plural} of this function",) if count else ()


def _reached(
    project: Project, first: _Trace, d: _Difference, describe: Describe
) -> tuple[str, ...]:
    """For a function of no variant, as memcmp: who called it."""
    function = project.image.function_at(d.pc)
    if function is None or project.owners.get(function.address):
        return ()
    inside = range(function.address, function.address + function.size)
    before = (pc for pc in reversed(first.pcs[: d.step]) if pc not in inside)
    caller = next(before, None)
    return () if caller is None else (f"reached from {describe(caller)}",)
