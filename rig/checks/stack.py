"""The stack check: nothing is written below the stack pointer, but for the red zone where the ABI
has one: a signal handler would overwrite it there.

Enters: a project, its session, a path, a batch and which of its scripts. Leaves: findings, each
with the instruction that wrote. Never here: choosing cases. Each is run in single steps, so that
a few short ones have to do: they end when there were STEPS steps.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from rig.capabilities.paths import Path
from rig.checks.findings import Finding
from rig.checks.judge import Observation, judge
from rig.checks.trial import where
from rig.project import Project, prologue
from rig.runner.batches import Batch
from rig.runner.client import RunFlag
from rig.runner.session import Session

CHECK = "stack"
STEPS = 50_000
LENGTHS = frozenset((0, 1, 16, 33, 48, 64, 129, 256, 257, 512, 520, 1040))
_BUDGET_US = 20_000_000


@dataclass(frozen=True, slots=True)
class Watched:
    """`cases` were run; `findings` name their scripts in the batch."""

    cases: int
    findings: tuple[Finding, ...]


def watch_stack(
    project: Project,
    session: Session,
    path: Path,
    seed: int,
    batch: Batch,
    scripts: Iterable[int],
) -> Watched:
    """Runs scripts of a batch, those that take least first, in single steps under the path's
    first mask."""
    describe, start = functools.partial(where, project), prologue(project, path, path.masks[0])
    steps, cases = 0, 0
    findings: list[Finding] = []
    for script in scripts:
        if steps >= STEPS:
            break
        result = session.run(
            batch.data,
            start,
            first=script,
            count=1,
            flags=RunFlag.STEP | RunFlag.BELOW,
            seed=seed,
            cpu_budget_us=_BUDGET_US,
        )
        steps, cases = steps + result.steps, cases + 1
        found = judge(batch, [Observation(result, seed, False)], describe)
        findings += (finding for finding in found if finding.check == CHECK)
    return Watched(cases, tuple(findings))
