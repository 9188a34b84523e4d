"""Failures of a run: chosen from findings, put in words, left as case files.

Enters: outcomes with findings. Leaves: text, and files in the run's folder. Never here: rows.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from rig.cache import write_atomically
from rig.capabilities.paths import Path
from rig.capabilities.vector import Vector
from rig.checks.findings import Finding
from rig.checks.stack import CHECK as STACK
from rig.checks.trial import Outcome
from rig.checks.unwind import CHECK as UNWIND
from rig.lab import Lab
from rig.project import Project
from rig.report.failures import Failure, document, render
from rig.runner.batches import Batch
from rig.search.novelty import size
from rig.tally import SHOWN


class FoundFault(Exception):  # noqa: N818  (a verdict, not an error of the rig)
    """A check failed; the text is what a person reads."""


def failures_of(
    lab: Lab, project: Project, path: Path, batch: Batch, mask: Vector, outcome: Outcome
) -> list[Failure]:
    """One failure for each check that found something, on its smallest case."""
    first: dict[str, Finding] = {}
    for finding in sorted(outcome.findings, key=lambda f: _size(batch, f)):
        first.setdefault(finding.check, finding)
    return [_failure(lab, project, path, batch, mask, f, outcome) for f in first.values()]


def _failure(
    lab: Lab,
    project: Project,
    path: Path,
    batch: Batch,
    mask: Vector,
    finding: Finding,
    outcome: Outcome,
) -> Failure:
    case = None if finding.script is None else batch.case(finding.script)
    answer = None if finding.script is None else batch.answer(finding.script)
    more = outcome.failed - 1
    return Failure(project, path, mask, lab.seeds(), finding, case, answer, more=more)


def _size(batch: Batch, finding: Finding) -> int:
    return -1 if finding.script is None else size(batch.case(finding.script))


def smallest(failures: Iterable[Failure]) -> list[Failure]:
    """The failure of each check with the smallest case."""
    first: dict[str, Failure] = {}
    for failure in sorted(failures, key=lambda f: 0 if f.case is None else size(f.case)):
        first.setdefault(failure.finding.check, failure)
    return list(first.values())


def report(lab: Lab, failures: Iterable[Failure]) -> str:
    """The failures in words; each case is left as a file, its agreement on all paths asked."""
    blocks = []
    for failure in list(failures)[:SHOWN]:
        complete = _with_agreement(lab, failure)
        if complete.case is not None:
            text = json.dumps(document(complete), indent=1)
            write_atomically(lab.plan.folder / "cases" / f"{complete.id}.json", text.encode())
        blocks.append("\n".join(render(complete, lab.plan.options.report)))
    return "\n\n".join(blocks)


def _with_agreement(lab: Lab, failure: Failure) -> Failure:
    """Of secrets, of call frame information and of the stack other paths say nothing."""
    apart = failure.twin is not None or failure.finding.check in (STACK, UNWIND)
    if failure.case is None or failure.answer is None or apart:
        return failure
    right, wrong = lab.agreement(failure.project, failure.case, failure.answer)
    return replace(failure, right=tuple(right), wrong=tuple(wrong))
