"""Runs a batch on one path and judges it.

Enters: a project, its session, a path, a batch. Leaves: a frozen `Outcome`: findings, counts
and the instructions that were executed. Never here: choosing cases or paths, reporting.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from rig.build.image import Function
from rig.capabilities.paths import Path
from rig.capabilities.vector import Vector
from rig.checks.capability import CHECK as CAPABILITY
from rig.checks.capability import executed
from rig.checks.crossing import Crossing, Run, find_crossing
from rig.checks.findings import Finding
from rig.checks.judge import Observation, judge, unsettled
from rig.checks.proof import Claim, claim, prove
from rig.manifest import Acceptance
from rig.project import Project, decoded, directions_of, prologue
from rig.runner.batches import Batch
from rig.runner.client import RunFlag
from rig.runner.events import Kind, RunResult
from rig.runner.session import Session
from rig.trace.branches import NOT_TAKEN, TAKEN, resolve
from rig.trace.lines import Lines, kept_line_table
from rig.trace.listing import describe

CPU_BUDGET_US = 2_000_000


@dataclass(frozen=True, slots=True)
class Trial:
    """How a batch is run: the mask, the seeds of garbage (two, so that what depends on it
    shows), each script's budget of CPU time in microseconds, and whether what is executed is
    recorded: without it there is no path check and no capability check. With `ways` so are the
    ways that jumps go, at the price of a trap per script and jump that went one way only."""

    mask: Vector
    seeds: tuple[int, ...]
    budget_us: int = CPU_BUDGET_US
    recorded: bool = True
    ways: bool = True
    others: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """What was executed: `hits` are addresses, `ways` pairs of a conditional jump's address and
    TAKEN or NOT_TAKEN, `indirect` pairs of an indirect jump's address and where it went."""

    hits: frozenset[int] = frozenset()
    ways: frozenset[tuple[int, int]] = frozenset()
    indirect: frozenset[tuple[int, int]] = frozenset()

    def __or__(self, other: "Flow") -> "Flow":
        return Flow(self.hits | other.hits, self.ways | other.ways, self.indirect | other.indirect)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a batch gave on a path under one mask. `cases` ran to a verdict, `abandoned` did
    not; `flow` is what was executed; `accepted` are the manifest's entries that took findings
    away."""

    cases: int
    failed: int
    abandoned: int
    findings: tuple[Finding, ...]
    flow: Flow
    accepted: tuple[Acceptance, ...] = ()


def try_batch(
    project: Project, session: Session, path: Path, batch: Batch, trial: Trial
) -> Outcome:
    """Runs a batch once per seed and judges it. The first run records what is executed; the
    second has the opposite guard sides, inputs where they cannot be written, and no garbage in the
    upper halves of vectors, so that it shows which calls leave some. Where values
    differ between them, a third tells whether the seed or the sides made the difference."""
    start = prologue(project, path, trial.mask)

    def run(first: int, count: int, flags: RunFlag) -> RunResult:
        return session.run(
            batch.data,
            start,
            first=first,
            count=count,
            flags=flags,
            seed=trial.seeds[0],
            cpu_budget_us=trial.budget_us,
        )

    def observe(seed: int, flags: RunFlag) -> Observation:
        result = session.run(
            batch.data, start, flags=flags, seed=seed, cpu_budget_us=trial.budget_us
        )
        return Observation(result, seed, RunFlag.FLIP in flags)

    flipped = RunFlag.FLIP | RunFlag.READ_ONLY
    clean = flipped | RunFlag.CLEAN_UPPERS
    ways = RunFlag.BRANCHES if trial.ways else RunFlag.NONE
    recording = RunFlag.COVERAGE | ways if trial.recorded else RunFlag.NONE
    observations = [
        observe(seed, clean if number % 2 else recording) for number, seed in enumerate(trial.seeds)
    ]
    if unsettled(observations):
        observations.append(observe(trial.seeds[0], flipped))
    findings = judge(batch, observations, functools.partial(where, project))
    results = [o.result for o in observations]
    order = session.addresses(results[0].order)
    if batch.size and trial.recorded:
        ran = project.image.functions_at(order)
        claimed = claim(project, path, trial.others)
        findings += _path_findings(project, claimed, results, ran, batch, run)
        taken = executed(
            project, path, frozenset(order), functools.partial(where, project), trial.others
        )
        findings += _capability_findings(project, taken, batch.size, run)
    failed = max(result.failed_scripts for result in results)
    abandoned = max(result.abandoned for result in results)
    judged = batch.size - abandoned
    whole = any(f.check in ("path", CAPABILITY) for f in findings)
    flow = flow_of(project, results[0])
    return Outcome(judged, judged if whole else failed, abandoned, tuple(findings), flow)


def flow_of(project: Project, result: RunResult) -> Flow:
    """What a recorded run executed, with the directions that hits prove."""
    base = project.image.text.address
    hits = frozenset(base + offset for offset in result.order)
    seen = [(base + offset, mask) for offset, mask in result.branches]
    masks = resolve(directions_of(project.image), hits, seen)
    ways = {(at, way) for at, mask in masks.items() for way in (TAKEN, NOT_TAKEN) if mask & way}
    indirect = frozenset((base + offset, target) for offset, target in result.indirect)
    return Flow(hits, frozenset(ways), indirect)


def _path_findings(
    project: Project,
    claimed: Claim,
    results: Sequence[RunResult],
    ran: frozenset[Function],
    batch: Batch,
    run: Run,
) -> list[Finding]:
    """The path check; a crash excuses code that has not run, never a stranger's that has."""
    crashed = any(e.kind in (Kind.CRASH, Kind.EXIT) for r in results for e in r.events)
    longest = functools.partial(_longest, batch)
    findings = [f for f in prove(claimed, ran, longest, batch.called) if f.symbol or not crashed]
    strangers = {function.name: function for function in ran & claimed.strangers}
    base = project.image.text.address
    return [
        _with_edge(project, f, find_crossing(strangers[f.symbol], batch.size, base, run))
        if f.symbol
        else f
        for f in findings
    ]


def _longest(batch: Batch) -> int:
    """The bytes of the longest message that is not refused."""
    taken = (index for index in range(batch.size) if not batch.answer(index).refused)
    return max((batch.script(index).length for index in taken), default=0)


def _capability_findings(
    project: Project, found: Sequence[tuple[int, Finding]], size: int, run: Run
) -> list[Finding]:
    """What a path's masks do not allow, each with the first script that executes it."""
    base = project.image.text.address
    return [
        replace(finding, script=crossing.script) if crossing else finding
        for address, finding in found
        for crossing in (find_crossing(Function("", address, 1, ""), size, base, run),)
    ]


def _with_edge(project: Project, finding: Finding, crossing: Crossing | None) -> Finding:
    if crossing is None:
        return finding
    source = crossing.source
    details = () if source is None else (f"reached from {where(project, source)}",)
    return replace(finding, script=crossing.script, details=details)


@functools.lru_cache(maxsize=4)
def _lines(path: FilePath, root: FilePath) -> Lines:
    return kept_line_table(path, root)


def where(project: Project, address: int) -> str:
    """An address in words: symbol, offset, instruction, source line."""
    image = project.image
    return describe(decoded(image), _lines(image.path, image.root), address)


def lines_of(project: Project) -> Lines:
    """The image's table of source lines, read once per process."""
    return _lines(project.image.path, project.image.root)
