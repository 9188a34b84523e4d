"""The pytest items of a manifest: one per path and source or search, one of generated
inputs and one of needed instructions per primitive, one per dispatcher.

Enters: a plan. Leaves: rows in the run's part files, and failures in words. Never here: what
pytest does with them.
"""

import contextlib
import functools
import json
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest

from rig.cache import write_atomically
from rig.capabilities.paths import Path, Sweep
from rig.capabilities.vector import Vector
from rig.cases import Case
from rig.checks.acceptance import sort_out
from rig.checks.capability import static_findings
from rig.checks.findings import Finding
from rig.checks.trial import Flow, Outcome, where
from rig.inputs import strategies
from rig.inputs.answers import answer as ask
from rig.inputs.answers import with_inverses
from rig.inputs.sources import Source, problems
from rig.inputs.sweeps import SWEPT
from rig.lab import Lab, flow_row, takes
from rig.manifest import FUSED, Acceptance
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project
from rig.report.failures import Failure, document, render
from rig.report.results import ERROR
from rig.runner.batches import Batch
from rig.search.corpus import CorpusError
from rig.search.novelty import size
from rig.search.paths import Explored, explore_path

SHOWN = 3
GENERATED = "generated"
NOVELTY = "novelty"
ISA = "isa"
EXAMPLES = 60
RECORDED = 20  # generated cases whose instructions are recorded: 3 ms a path and case


class FoundFault(Exception):  # noqa: N818  (a verdict, not an error of the rig)
    """A check failed; the text is what a person reads."""


class ManifestFile(pytest.File):
    """A rig.toml; its items come breadth first: published vectors on every path, then edges,
    then sweeps, then generated inputs, then the large published sets."""

    def __init__(self, *, lab: Lab, **rest: Any) -> None:
        super().__init__(**rest)
        self.lab = lab

    def collect(self) -> Iterator[pytest.Item]:
        """The items, ordered by rank; within a rank primitives take turns."""
        lab = self.lab
        for project in lab.plan.projects:
            if project.manifest.path.resolve() == self.path.resolve():
                for name, make in _planned(lab, project):
                    yield make(self, name=name, lab=lab, project=project)
        folder = lab.plan.options.vectors
        if folder and problems(FilePath(folder)):
            yield ProblemsItem.from_parent(self, name="vectors", folder=FilePath(folder))


def _planned(lab: Lab, project: Project) -> Iterator[tuple[str, Any]]:
    """Names with what makes the item."""
    paths = lab.plan.paths(project)
    names = list(dict.fromkeys(path.primitive for path in paths))
    for sweep in project.sweeps:
        if sweep.primitive in names and sweep.dispatched:
            yield f"{sweep.primitive}/{project.arch}/dispatch", _maker(DispatchItem, sweep=sweep)
    for name in names:
        taken = tuple(p for p in paths if p.primitive == name)
        yield f"{name}/{project.arch}/{ISA}", _maker(IsaItem, paths=taken)
    ranked = [
        (source.rank, turn, path, source)
        for name in names
        for turn, path in enumerate(p for p in paths if p.primitive == name)
        for source in lab.sources(name)
    ]
    ranked.sort(key=lambda row: (row[0], row[3].name if row[0] == 4 else "", row[1]))
    for rank in sorted({row[0] for row in ranked} | {3}):
        for _, _, path, source in (row for row in ranked if row[0] == rank):
            yield f"{path.id}/{source.name}", _maker(BatchItem, path=path, source=source)
        for name in names if rank == 3 else ():
            if strategies.has_strategy(name):
                taken = tuple(p for p in paths if p.primitive == name)
                yield f"{name}/{project.arch}/{GENERATED}", _maker(GeneratedItem, paths=taken)
        for path in paths if rank == 3 else ():
            if path.primitive in SWEPT:
                yield f"{path.id}/{NOVELTY}", _maker(NoveltyItem, path=path)


def _maker(kind: type["_RigItem"], **fields: Any) -> Any:
    def make(parent: ManifestFile, **common: Any) -> pytest.Item:
        item: pytest.Item = kind.from_parent(parent, **common, **fields)
        return item

    return make


class _RigItem(pytest.Item):
    def reportinfo(self) -> tuple[FilePath, int | None, str]:
        return self.path, None, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, FoundFault):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def runtest(self) -> None:
        """Judges. An interrupt starts its traceback here: CPython 3.11 may raise it between two
        lines, which pytest cannot word."""
        try:
            self.judge()
        except KeyboardInterrupt:
            raise KeyboardInterrupt from None

    def judge(self) -> None:
        """Raises FoundFault for what is wrong."""
        raise NotImplementedError

    def mark_path(self, path: Path) -> None:
        """Marks with arguments, so that `-m "variant(name='avx2')"` selects."""
        self.add_marker(pytest.mark.primitive(name=path.primitive))
        self.add_marker(pytest.mark.arch(name=path.arch))
        self.add_marker(pytest.mark.kind(name=path.kind))
        for slot, variant in path.choice:
            self.add_marker(pytest.mark.variant(slot=slot, name=variant))
        for capability in sorted(path.needs):
            self.add_marker(pytest.mark.isa(name=capability))


class DispatchItem(_RigItem):
    """The dispatcher against the manifest's rule, as the controller found it."""

    def __init__(self, *, lab: Lab, project: Project, sweep: Sweep, **rest: Any) -> None:
        super().__init__(**rest)
        self.sweep = sweep

    def judge(self) -> None:
        """Fails with every mismatch."""
        if self.sweep.mismatches:
            shown = self.sweep.mismatches[: 4 * SHOWN]
            rest = len(self.sweep.mismatches) - len(shown)
            lines = [*shown, f"... and {rest} more"] if rest else [*shown]
            raise FoundFault("dispatch: " + "\n".join(lines))


class IsaItem(_RigItem):
    """A primitive's code, executed or not, against what its variants ask for."""

    def __init__(self, *, lab: Lab, project: Project, paths: tuple[Path, ...], **rest: Any) -> None:
        super().__init__(**rest)
        self._run = (lab, project, paths)
        for path in paths:
            self.mark_path(path)

    def judge(self) -> None:
        """Records a row for each path that a finding is about, fails with the first findings."""
        lab, project, paths = self._run
        primitive = project.manifest.primitives[paths[0].primitive]
        found = static_findings(project, primitive, functools.partial(where, project))
        failures: dict[Finding, Failure] = {}
        for path in paths:
            concerning = _concerning(path, paths, found)
            standing, taken = sort_out(concerning, project.manifest.accept, ())
            if concerning:
                lab.record(project, static_row(path, standing, taken))
            for finding in standing:
                failure = Failure(project, path, path.masks[0], lab.seeds(), finding, None, None)
                failures.setdefault(finding, failure)
        if failures:
            raise FoundFault(report(lab, failures.values()))


def _concerning(
    path: Path, paths: Sequence[Path], found: Mapping[str, Sequence[Finding]]
) -> list[Finding]:
    """The static findings that fail a path: those about no variant, and those about its own
    variant, unless a direct path is there to take them."""
    choice = dict(path.choice)
    name = choice.get(FUSED, choice.get(path.primitive, ""))
    direct = any(p.kind == "direct" and (p.primitive, name) in p.choice for p in paths)
    own = () if direct and path.kind != "direct" else found.get(name, ())
    return [*(own if name else ()), *found.get("", ())]


class ProblemsItem(_RigItem):
    """Files of the user's folder that could not be read."""

    def __init__(self, *, folder: FilePath, **rest: Any) -> None:
        super().__init__(**rest)
        self.folder = folder

    def judge(self) -> None:
        """Fails with a line per problem."""
        raise FoundFault("\n".join(str(problem) for problem in problems(self.folder)))


class BatchItem(_RigItem):
    """A source of cases on one path, under each of its masks."""

    def __init__(
        self, *, lab: Lab, project: Project, path: Path, source: Source, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self._run = (lab, project, path, source)
        self.mark_path(path)

    def judge(self) -> None:
        """Runs, records a row, fails with the first findings."""
        lab, project, path, source = self._run
        reason = unrunnable(project, path)
        if reason:
            lab.record(project, skipped_row(path, source.name, "cpu", reason))
            pytest.skip(reason)
        try:
            batch = lab.batch(project, path, source)
            outcomes = list(lab.run(project, path, batch))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            lab.record(project, skipped_row(path, source.name, ERROR, text))
            raise
        lab.record(project, row(project, path, source.name, batch, outcomes))
        failures = [
            f for mask, o in outcomes for f in _failures(lab, project, path, batch, mask, o)
        ]
        if failures:
            raise FoundFault(report(lab, failures))


class NoveltyItem(_RigItem):
    """The search for code of one path that nothing has reached yet."""

    def __init__(self, *, lab: Lab, project: Project, path: Path, **rest: Any) -> None:
        super().__init__(**rest)
        self._run = (lab, project, path)
        self.mark_path(path)

    def judge(self) -> None:
        """Searches, records a row, fails with the smallest case of each check."""
        lab, project, path = self._run
        reason = unrunnable(project, path)
        if reason:
            lab.record(project, skipped_row(path, NOVELTY, "cpu", reason))
            pytest.skip(reason)
        try:
            explored = explore_path(lab, project, path)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            lab.record(project, skipped_row(path, NOVELTY, ERROR, text))
            if isinstance(error, CorpusError):
                raise FoundFault(str(error)) from None
            raise
        lab.record(project, explored_row(project, path, explored))
        failures = [
            f
            for batch, mask, outcome in explored.failures
            for f in _failures(lab, project, path, batch, mask, outcome)
        ]
        if failures:
            raise FoundFault(report(lab, _smallest(failures)))


class GeneratedItem(_RigItem):
    """Hypothesis on a primitive: each example runs on every selected path."""

    def __init__(self, *, lab: Lab, project: Project, paths: tuple[Path, ...], **rest: Any) -> None:
        super().__init__(**rest)
        self._search = Search(lab, project, paths)
        for path in paths:
            self.mark_path(path)

    def judge(self) -> None:
        """Searches, shrinks, records a row per path, fails with the smallest case."""
        search = self._search
        with contextlib.suppress(FoundFault):
            search.run(self.name)
        for path in search.runnable:
            search.lab.record(search.project, search.row(path))
        if search.failed:
            raise FoundFault(
                report(search.lab, [f for found in search.failed.values() for f in found])
            )


class Search:
    """What Hypothesis tries on some paths of one primitive. After `run`, `failed` holds the
    failures of the smallest case by path: Hypothesis replays that case last. A path that has
    run into its budget of time is not tried again."""

    def __init__(self, lab: Lab, project: Project, paths: Sequence[Path]) -> None:
        self.lab, self.project = lab, project
        self.primitive = paths[0].primitive
        self.runnable = [path for path in paths if not unrunnable(project, path)]
        self.failed: dict[str, list[Failure]] = {}
        self._hung: dict[str, list[Failure]] = {}
        self._counts: Counter[str] = Counter()
        self._flows: dict[str, Flow] = {}
        self._accepted: dict[str, set[Acceptance]] = {}

    def run(self, name: str) -> None:
        """Tries examples; raises FoundFault if a path fails."""
        from hypothesis import HealthCheck, given, seed, settings, target

        chosen = settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )

        def every_path_agrees(case: Case) -> None:
            tried = [path for path in self.runnable if path.id not in self._hung]
            known = self._reached()
            self.failed = self._hung | {
                path.id: found for path in tried if (found := self._try(path, case))
            }
            target(float(self._reached() - known), label="newly reached")
            if self.failed:
                raise FoundFault(name)

        test = given(strategies.cases(self.primitive))(every_path_agrees)
        seed(self.lab.plan.options.seed)(chosen(test))()

    def _reached(self) -> int:
        """How many instructions and directions of jumps all recorded examples reached."""
        return sum(len(flow.hits) + len(flow.ways) for flow in self._flows.values())

    def _try(self, path: Path, case: Case) -> list[Failure]:
        if not takes(path, case):
            return []
        definition = PRIMITIVES[self.primitive]
        cases, answers = with_inverses(definition, [case], [ask(definition, case)])
        batch = self.lab.several(self.project, path, cases, answers)
        failures: list[Failure] = []
        recorded = self._counts[path.id] < RECORDED
        for mask, outcome in self.lab.run(self.project, path, batch, recorded):
            self._counts[path.id] += outcome.cases
            self._flows[path.id] = self._flows.get(path.id, Flow()) | outcome.flow
            self._accepted.setdefault(path.id, set()).update(outcome.accepted)
            failures += _failures(self.lab, self.project, path, batch, mask, outcome)
        if any(failure.finding.check == "timeout" for failure in failures):
            self._hung[path.id] = failures
        return failures

    def row(self, path: Path) -> dict[str, Any]:
        """The row of a path: how many cases it ran, what it failed."""
        findings = [failure.finding for failure in self.failed.get(path.id, ())]
        return {
            "path": path.id,
            "source": GENERATED,
            "published": {},
            "cases": self._counts[path.id],
            "failed": len(findings),
            "abandoned": 0,
            "checks": sorted({finding.check for finding in findings}),
            "accepted": accepted_row(self._accepted.get(path.id, ())),
            "findings": [_finding_row(finding) for finding in findings],
            **flow_row(self._flows.get(path.id, Flow()), self.project.image.text.address),
        }


def accepted_row(entries: Iterable[Acceptance]) -> list[list[str]]:
    """Check and place of the manifest's entries that took findings away."""
    return sorted([entry.check, entry.place] for entry in set(entries))


def static_row(
    path: Path, findings: Sequence[Finding], accepted: Iterable[Acceptance]
) -> dict[str, Any]:
    """The row of findings that need no case."""
    return {
        "path": path.id,
        "source": ISA,
        "published": {},
        "cases": 0,
        "failed": len(findings),
        "abandoned": 0,
        "checks": sorted({finding.check for finding in findings}),
        "accepted": accepted_row(accepted),
        "findings": [_finding_row(finding) for finding in findings[:SHOWN]],
    }


def skipped_row(path: Path, source: str, code: str, text: str) -> dict[str, Any]:
    """The row of what could not run."""
    return {"path": path.id, "source": source, "reason": {"code": code, "text": text}}


def row(
    project: Project,
    path: Path,
    source: str,
    batch: Batch,
    outcomes: Sequence[tuple[Vector, Outcome]],
) -> dict[str, Any]:
    """The row of a source on a path; cases are counted once for each mask."""
    findings = [finding for _, outcome in outcomes for finding in outcome.findings]
    flow = functools.reduce(operator.or_, (outcome.flow for _, outcome in outcomes), Flow())
    return {
        "path": path.id,
        "source": source,
        "published": dict(batch.published),
        "cases": sum(outcome.cases for _, outcome in outcomes),
        "failed": sum(outcome.failed for _, outcome in outcomes),
        "abandoned": sum(outcome.abandoned for _, outcome in outcomes),
        "checks": sorted({finding.check for finding in findings}),
        "accepted": accepted_row(a for _, outcome in outcomes for a in outcome.accepted),
        "findings": [_finding_row(finding) for finding in findings[:SHOWN]],
        **flow_row(flow, project.image.text.address),
    }


def explored_row(project: Project, path: Path, explored: Explored) -> dict[str, Any]:
    """The row of a search; cases are counted once for each mask."""
    findings = [finding for _, _, outcome in explored.failures for finding in outcome.findings]
    return {
        "path": path.id,
        "source": NOVELTY,
        "published": {},
        "cases": explored.cases,
        "failed": explored.failed,
        "abandoned": explored.abandoned,
        "checks": sorted(explored.checks),
        "accepted": accepted_row(explored.accepted),
        "findings": [_finding_row(finding) for finding in findings[:SHOWN]],
        **flow_row(explored.flow, project.image.text.address),
    }


def _finding_row(finding: Finding) -> dict[str, str]:
    return {"check": finding.check, "summary": finding.summary, "symbol": finding.symbol}


def _failures(
    lab: Lab, project: Project, path: Path, batch: Batch, mask: Vector, outcome: Outcome
) -> list[Failure]:
    """One failure for each check that found something, on its smallest case."""
    first: dict[str, Finding] = {}
    for finding in sorted(outcome.findings, key=lambda f: _size(batch, f)):
        first.setdefault(finding.check, finding)
    failures = []
    for finding in first.values():
        case = None if finding.script is None else batch.case(finding.script)
        answer = None if finding.script is None else batch.answer(finding.script)
        failures.append(
            Failure(
                project, path, mask, lab.seeds(), finding, case, answer, more=outcome.failed - 1
            )
        )
    return failures


def _smallest(failures: Iterable[Failure]) -> list[Failure]:
    """The failure of each check with the smallest case."""
    first: dict[str, Failure] = {}
    for failure in sorted(failures, key=lambda f: 0 if f.case is None else size(f.case)):
        first.setdefault(failure.finding.check, failure)
    return list(first.values())


def _size(batch: Batch, finding: Finding) -> int:
    if finding.script is None:
        return -1
    return size(batch.case(finding.script))


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
    if failure.case is None or failure.answer is None:
        return failure
    right, wrong = lab.agreement(failure.project, failure.case, failure.answer)
    return replace(failure, right=tuple(right), wrong=tuple(wrong))
