"""The race check: whoever is first, a call of the initialiser comes back to a whole capability
vector, and it stays whole.

Enters: a project whose manifest names its initialiser. Leaves: a `Race`. Never here: threads,
which meet by chance. Calls run in single steps, and every point at which one can stand while
another runs is taken by itself:

- at each change of memory by the first call, a second begins there (what it does follows from
  memory alone). It comes back, or waits; then it is given what the first still had to write;
- where it came back, the first goes on from each of its instructions at which that could have been,
  with the memory that the second left.

Whole is what a call alone leaves. A stop is before an instruction, and between an exclusive load
and its store there is none: the reservation would be lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rig.build.image import Segment
from rig.build.project import vector_symbol
from rig.checks.findings import Finding
from rig.checks.trial import where
from rig.errors import BuildError
from rig.project import Project, decoded, traps_of
from rig.runner.client import RunFlag
from rig.runner.encode import ScriptError, encode
from rig.runner.events import Event, Kind
from rig.runner.scripts import Address, Call, Later, Prologue, Script, Step, Watch, Write
from rig.runner.session import Session
from rig.trace.exclusives import within_exclusives

CHECK = "race"
STOPS = (
    300  # of the first call, where a second that came back is behind it; evenly, if there are more
)
_ENDED = {Kind.CRASH: "crashes", Kind.EXIT: "ends the process", Kind.TIMEOUT: "does not come back"}
_MOST_CHANGES = 250
_BUDGET_US = 10_000_000

Bytes = dict[int, int]  # by address


@dataclass(frozen=True, slots=True)
class Race:
    """What became of the initialiser of a manifest: `schedules` were run; `reason` says why
    nothing, or not all, could be judged. `accepted` is where the manifest's entry stands that took
    what was found, and `reason` then the entry's."""

    manifest: str
    arch: str
    initialiser: str
    schedules: int = 0
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    accepted: str = ""


class _UnjudgedError(Exception):
    """Why there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """A call of `steps` instructions, at `pcs`: what it changed after how many of them. `ended`
    says how, if it did not come back."""

    steps: int
    pcs: tuple[int, ...]
    changes: tuple[tuple[int, Bytes], ...]
    ended: str = ""

    def until(self, steps: int) -> Bytes:
        """All that it had changed by then."""
        return _joined(change for at, change in self.changes if at <= steps)

    def after(self, steps: int) -> Bytes:
        """All that it changed after that."""
        return _joined(change for at, change in self.changes if at > steps)


def initialiser(project: Project) -> str:
    """The symbol of the project's initialiser, empty if the manifest names none; BuildError where
    nothing defines it."""
    dispatch = project.manifest.dispatch
    vector = vector_symbol(project.manifest, project.arch)
    name = dispatch.init.replace("{vector}", vector) if dispatch else ""
    if name and name not in project.image.symbols:
        raise BuildError(
            f"{project.manifest.path}: [dispatch] `init`: nothing defines `{name}` on "
            f"{project.arch}; define it, or leave `init` away"
        )
    return name


def judge_race(project: Project, symbol: str) -> Race:
    """Runs every schedule of two first calls of a function until one goes wrong."""
    race = Race(str(project.manifest.path), project.arch, symbol)
    if not symbol:
        return replace(race, reason="the manifest names no `init` of the capability vector")
    with _stepping(project) as session:
        return _Judge(project, session, symbol).judge(race)


def _stepping(project: Project) -> Session:
    """A runner that stops at every instruction, but not where that would lose a reservation."""
    base, text = project.image.text.address, decoded(project.image)
    spared = within_exclusives(text)
    taken = [t for t in traps_of(project.image) if base + t.offset not in spared]
    return Session(project.image, taken, project.runner)


@dataclass(slots=True)
class _Judge:
    project: Project
    session: Session
    symbol: str
    schedules: int = 0

    def judge(self, race: Race) -> Race:
        """The race with its verdict, or why there is none."""
        findings: tuple[Finding, ...] = ()
        reason = ""
        try:
            findings = tuple(self._findings(self._alone()))
        except _UnjudgedError as error:
            reason = str(error)
        return replace(race, schedules=self.schedules, findings=findings, reason=reason)

    def _alone(self) -> _Ran:
        alone = self._call()
        if alone.ended:
            raise _UnjudgedError(f"alone it {alone.ended}")
        if self._vector(alone.until(alone.steps)) == self._vector({}):
            raise _UnjudgedError("alone it leaves the vector as it is")
        return alone

    def _findings(self, alone: _Ran) -> Iterator[Finding]:
        """The first finding: what goes wrong once does so at most other points too."""
        whole = self._vector(alone.until(alone.steps))
        starts = sorted({0, *(at for at, _ in alone.changes)})
        returned: list[tuple[int, Bytes]] = []
        for start, end in zip(starts, [*starts[1:], alone.steps], strict=True):
            held = alone.until(start)
            second, waited = self._second(alone, start, held)
            left = held | (alone.after(start) if waited else {}) | second.until(second.steps)
            if (seen := self._vector(left)) != whole:
                text = "comes back with" if not waited else "waits for it and comes back with"
                yield self._finding(alone, start, f"another call {text}", seen, whole)
                return
            if not waited:
                returned += ((stop, left) for stop in range(start, end))
        for stop, left in returned[:: -(-len(returned) // STOPS) or 1]:
            if found := self._goes_on(alone, stop, left, whole):
                yield found
                return

    def _second(self, alone: _Ran, start: int, held: Bytes) -> tuple[_Ran, bool]:
        """A call that begins while the first stands there; whether it waits for what the first has
        still to write."""
        patience = 2 * alone.steps + 1000
        rest = [Later(patience, at, data) for at, data in _pieces(alone.after(start))]
        ran = self._call(*(Write(at, data) for at, data in _pieces(held)), *rest)
        if ran.ended:
            raise _UnjudgedError(f"{self._stop(alone, start)}: another call {ran.ended}")
        return ran, ran.steps > patience

    def _goes_on(self, alone: _Ran, stop: int, left: Bytes, whole: bytes) -> Finding | None:
        """The first call, behind the stop with the memory that the second left."""
        ran = self._call(*(Later(stop, at, data) for at, data in _pieces(left)))
        if ran.ended:
            text = f"{self._stop(alone, stop)}, goes on after another call and {ran.ended}"
            return Finding(CHECK, None, f"a call that stands {text}", (), self.symbol)
        memory = left
        for at, change in ran.changes:
            memory = memory | change if at > stop else memory
            if (seen := self._vector(memory)) != whole:
                text = "another call has come back when this one goes on to"
                return self._finding(alone, stop, text, seen, whole)
        return None

    def _finding(self, alone: _Ran, stop: int, text: str, seen: bytes, whole: bytes) -> Finding:
        word = next(n for n in range(0, len(whole), 4) if seen[n : n + 4] != whole[n : n + 4])
        found, right = (int.from_bytes(v[word : word + 4], "little") for v in (seen, whole))
        says = f"word {word // 4} of the capability vector {found:#x}, not {right:#x}"
        summary = f"while a call stands {self._stop(alone, stop)}, {text} {says}"
        return Finding(CHECK, None, summary, (), self.symbol)

    def _stop(self, alone: _Ran, stop: int) -> str:
        if stop >= len(alone.pcs):
            return "behind its last instruction"
        return f"before {where(self.project, alone.pcs[stop])}"

    def _call(self, *steps: Step) -> _Ran:
        """A first call in a fresh process."""
        image = self.project.image
        watches = [Watch(s.address, s.size) for s in image.segments if _is_data(s)]
        call = Call(Address(image.entry(self.symbol)), ())
        try:
            batch = encode([Script((), (*steps, *watches, call))])
        except ScriptError as error:
            raise _UnjudgedError(str(error)) from None
        self.schedules += 1
        result = self.session.run(batch, Prologue(), flags=RunFlag.STEP, cpu_budget_us=_BUDGET_US)
        changes = [event for event in result.events if event.kind is Kind.CHANGED]
        if result.unreported or len(changes) > _MOST_CHANGES:
            raise _UnjudgedError(f"it changes memory more than {_MOST_CHANGES} times")
        ended = next((_ENDED[e.kind] for e in result.events if e.kind in _ENDED), "")
        return _Ran(result.steps, result.trace, tuple(map(_change, changes)), ended)

    def _vector(self, memory: Bytes) -> bytes:
        """The vector where memory is that of the image but for some bytes."""
        place = self.project.image.vector
        segment = next(
            s for s in self.project.image.segments if 0 <= place.address - s.address < s.size
        )
        start = place.address - segment.address
        held = segment.data[start : start + 4 * place.words].ljust(4 * place.words, b"\0")
        return bytes(memory.get(place.address + n, byte) for n, byte in enumerate(held))


def _is_data(segment: Segment) -> bool:
    return segment.writable and not segment.executable


def _change(event: Event) -> tuple[int, Bytes]:
    start = event.address or 0
    return event.offset or 0, {start + n: byte for n, byte in enumerate(event.data)}


def _joined(changes: Iterator[Bytes]) -> Bytes:
    memory: Bytes = {}
    for change in changes:
        memory |= change
    return memory


def _pieces(memory: Bytes) -> Iterator[tuple[int, bytes]]:
    """Bytes that stand in a row, together."""
    row: list[int] = []
    for address in sorted(memory):
        if row and address != row[-1] + 1:
            yield row[0], bytes(memory[at] for at in row)
            row = []
        row.append(address)
    if row:
        yield row[0], bytes(memory[at] for at in row)
