"""Paths of a project as contestants: each message on each path that takes it.

Enters: a project with a session, paths, workloads. Leaves: `Row`s of what was timed, `Absence`s of
what was not. Before a path is timed its answers are judged and its code is proven as in a run: how
fast something wrong is, or something else, is of no interest. Never here: choosing paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path as FilePath

from rig.bench.against import Rival
from rig.bench.rounds import ROUND_NS, Contestant, Timing, race
from rig.bench.workloads import SETTING_UP, Workload
from rig.capabilities.paths import Path
from rig.cases import Answer
from rig.checks.findings import CHECKS
from rig.checks.trial import Trial, try_batch
from rig.errors import RigError
from rig.inputs.answers import answers
from rig.lab import settle, takes
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, prologue
from rig.runner.batches import Batch, make_batch, plan_of
from rig.runner.client import TIMED_LIMIT, RunFlag, Timed
from rig.runner.session import Session

SEEDS = (2, 3)  # those of a run
BUDGET_US = 20_000_000  # of CPU time, for the repeats of one round


@dataclass(frozen=True, slots=True)
class Row:
    """What a workload took on a path, or, with a `library`, there under the mask that stands for
    that path. `done` are the bytes of the message that the call does; `ratios` are those of the
    base's time to this one's, round by round, empty without a base. The base is the first path, or
    the library where there is one."""

    arch: str
    primitive: str
    algorithm: str
    action: str
    size: int
    aad: int
    path: str
    kind: str
    mask: str
    emulator: str | None
    done: int
    timing: Timing
    ratios: tuple[float, ...] = ()
    library: str = ""

    @property
    def title(self) -> str:
        """What was done, but for the size."""
        return f"{self.algorithm} {self.action}".rstrip()

    @property
    def name(self) -> str:
        """The path; for a library it with that path."""
        return f"{self.library} for {self.path}" if self.library else self.path

    @property
    def rates(self) -> tuple[float, ...]:
        """10^6 bytes a second, round by round."""
        return tuple(1e3 * self.done / ns for ns in self.timing.samples)


@dataclass(frozen=True, slots=True)
class Untimed:
    """A path or a library that was not timed, and why. `wrong` where a check failed."""

    arch: str
    primitive: str
    path: str
    reason: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A path that has been judged, with the workloads that it takes: a script of the batch each."""

    project: Project
    session: Session
    path: Path
    batch: Batch
    workloads: tuple[Workload, ...]

    def contestant(self, workload: Workload) -> Contestant:
        """What repeats the calls of a workload."""
        index = self.workloads.index(workload)
        start, step = (
            prologue(self.project, self.path, self.path.masks[0]),
            _step(self.batch, index),
        )

        def make(repeats: int) -> int:
            result = self.session.run(
                self.batch.data,
                start,
                flags=RunFlag.TIMED,
                seed=SEEDS[0],
                first=index,
                count=1,
                cpu_budget_us=BUDGET_US,
                timed=Timed(step, repeats),
            )
            if result.events or not result.elapsed_ns:
                ended = result.events[0].kind.name.lower() if result.events else "nothing"
                raise RigError(f"{self.path.id}: {ended} where it was timed; see `rig run`")
            return max(1, result.elapsed_ns - result.empty_ns)

        return make

    def done(self, workload: Workload) -> int:
        """The bytes of the message that the path's call does."""
        part = PRIMITIVES[workload.primitive].operations[workload.case.values.operation].part
        doing = self.path.doing.get(part[0]) if part else None
        return doing.done(workload.size) if doing else workload.size


def _step(batch: Batch, index: int) -> int:
    """The step of a script's first call behind those that set up a key."""
    case, answer = batch.case(index), batch.answer(index)
    uses = plan_of(batch.definition, batch.binding, case, answer).uses
    made = [use.role for use in uses if use.role in batch.binding.targets or not use.optional]
    roles = SETTING_UP.get(case.values.primitive, ())
    first = len(list(takewhile(roles.__contains__, made)))
    if not first < len(made) <= first + TIMED_LIMIT:
        raise RigError(f"{case.name}: {len(made) - first} calls to time: 1 to {TIMED_LIMIT}")
    return len(batch.script(index).steps) - len(made) + first


def prepare(
    project: Project,
    session: Session,
    path: Path,
    workloads: Sequence[Workload],
    cache: FilePath,
) -> Ready | Untimed:
    """A path judged on the workloads that it takes."""

    def untimed(reason: str, wrong: bool = False) -> Untimed:
        return Untimed(project.arch, path.primitive, path.name, reason, wrong)

    if lacking := unrunnable(project, path):
        return untimed(lacking)
    definition = PRIMITIVES[path.primitive]
    taken = [w for w in workloads if takes(path, w.case)]
    found = answers(definition, [w.case for w in taken], cache)
    pairs = [(w, a) for w, a in zip(taken, found, strict=True) if not a.refused]
    if not pairs:
        return untimed("takes none of the messages")
    cases, known = [w.case for w, _ in pairs], [a for _, a in pairs]
    batch = make_batch(definition, binding(project, path), cases, known)
    trial = Trial(path.masks[0], SEEDS, ways=False)
    outcome = settle(project, path, CHECKS, try_batch(project, session, path, batch, trial))
    if outcome.findings:
        first = outcome.findings[0]
        return untimed(f"{first.check}: {first.summary}", wrong=True)
    return Ready(project, session, path, batch, tuple(w for w, _ in pairs))


Rivals = Callable[[Project, Path, Workload, Answer], Rival | None]
"""Gives the library that a path is timed against, if it can do the same."""


@dataclass(frozen=True, slots=True)
class _Entry:
    ready: Ready
    rival: Rival | None
    contestant: Contestant


def timed(
    ready: Sequence[Ready],
    workloads: Sequence[Workload],
    rounds: int,
    rivals: Rivals | None = None,
    round_ns: int = ROUND_NS,
) -> Iterator[Row]:
    """Each workload on all paths that take it, in turn, each with its rival."""
    for workload in workloads:
        taking = [each for each in ready if workload in each.workloads]
        entries = [entry for each in taking for entry in _entries(each, workload, rivals)]
        timings = race([entry.contestant for entry in entries], rounds, round_ns)
        for number, (entry, timing) in enumerate(zip(entries, timings, strict=True)):
            base = None if rivals else timings[0]
            if number + 1 < len(entries) and entries[number + 1].rival:
                base = timings[number + 1] if not entry.rival else None
            yield _row(entry, workload, timing, base)


def _entries(ready: Ready, workload: Workload, rivals: Rivals | None) -> Iterator[_Entry]:
    """A path, then its rival."""
    yield _Entry(ready, None, ready.contestant(workload))
    if rivals:
        answer = ready.batch.answer(ready.workloads.index(workload))
        if rival := rivals(ready.project, ready.path, workload, answer):
            yield _Entry(ready, rival, rival.contestant)


def _row(entry: _Entry, workload: Workload, timing: Timing, base: Timing | None) -> Row:
    ready, rival = entry.ready, entry.rival
    return Row(
        arch=ready.project.arch,
        primitive=workload.primitive,
        algorithm=workload.algorithm,
        action=workload.action,
        size=workload.size,
        aad=workload.aad,
        path=ready.path.name,
        kind=ready.path.kind,
        mask=rival.mask if rival else str(ready.path.masks[0]),
        emulator=ready.project.emulator,
        done=workload.size if rival else ready.done(workload),
        timing=timing,
        ratios=ratios(base, timing) if base else (),
        library=rival.library if rival else "",
    )


def ratios(base: Timing, timing: Timing) -> tuple[float, ...]:
    """How many times as fast as the base, round by round."""
    return tuple(b / own for b, own in zip(base.samples, timing.samples, strict=True))
