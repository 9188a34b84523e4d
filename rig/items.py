"""The pytest items of a manifest: one per path and source or search, one of generated
inputs and one of needed instructions per primitive, one per dispatcher.

Enters: a plan. Leaves: rows in the run's part files, and failures in words. Never here: what
pytest does with them.
"""

import contextlib
import functools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, NoReturn

import pytest

from rig.capabilities.paths import UNUSED, Choice, Path, Sweep
from rig.checks.acceptance import sort_out, symbols_of
from rig.checks.audit import CHECK as OBJECT
from rig.checks.audit import audit
from rig.checks.capability import static_findings
from rig.checks.constant_time import CHECK as CONSTANT_TIME
from rig.checks.constant_time import Leak, TooLongError, examine
from rig.checks.findings import Finding
from rig.checks.race import CHECK as RACE
from rig.checks.race import Race
from rig.checks.stack import CHECK as STACK
from rig.checks.stack import watch_stack
from rig.checks.trial import CPU_BUDGET_US, where
from rig.checks.unwind import CHECK as UNWIND
from rig.checks.unwind import (
    Unwound,
    framed,
    instructions,
    judge_frames,
    observe,
    watching,
)
from rig.errors import RigError
from rig.inputs import strategies
from rig.inputs.sources import (
    EDGES,
    NEGATIVES,
    PACKAGED,
    PUBLISHED,
    SWEEP,
    SWITCHES,
    USER,
    Source,
    problems,
)
from rig.inputs.sweeps import is_swept
from rig.inputs.twins import LENGTHS
from rig.lab import Lab, twin_batches, watched_scripts
from rig.manifest import FUSED, Acceptance, Primitive
from rig.plan import unrunnable
from rig.project import Project
from rig.report.failures import Failure
from rig.report.results import ERROR
from rig.runner.batches import Batch
from rig.search.corpus import CorpusError
from rig.search.generated import GENERATED, Search
from rig.search.paths import NOVELTY, explore_path
from rig.tally import SHOWN, Tally, added_up, skipped_row, tally_row
from rig.verdicts import FoundFault, failures_of, report, smallest

ISA = "isa"
OUT_OF_TIME = "--budget was over"
UNWOUND = (PUBLISHED, USER, EDGES, NEGATIVES, SWEEP)  # what UnwindItem takes its cases from


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
                    if lab.selection.amount(name.rpartition("/")[2]):
                        yield make(self, name=name, lab=lab, project=project)
        folder = lab.plan.options.vectors
        if folder and problems(FilePath(folder)):
            yield ProblemsItem.from_parent(self, name="vectors", folder=FilePath(folder))


def _planned(lab: Lab, project: Project) -> Iterator[tuple[str, Any]]:
    """Names, each ending in its part of a profile, with what makes the item."""
    every, paths = lab.plan.paths(project), lab.plan.due(project)
    stepped = stepped_paths(project, every)
    unwound = framed(project, every)
    explored = _explored(lab, project, every)
    names = list(dict.fromkeys(path.primitive for path in every))
    for sweep in project.sweeps:
        if sweep.primitive in names and sweep.dispatched:
            yield f"{sweep.primitive}/{project.arch}/dispatch", _maker(DispatchItem, sweep=sweep)
    for race in lab.plan.races:
        if (race.manifest, race.arch) == (str(project.manifest.path), project.arch):
            yield f"{race.initialiser or 'init'}/{race.arch}/{RACE}", _maker(RaceItem, race=race)
    for name in names:
        taken = tuple(p for p in every if p.primitive == name)
        yield f"{name}/{project.arch}/{ISA}", _maker(IsaItem, paths=taken)
        yield f"{name}/{project.arch}/{OBJECT}", _maker(ObjectItem, paths=taken)
    ranked = [
        (source.rank, turn, path, source)
        for name in names
        for turn, path in enumerate(p for p in paths if p.primitive == name)
        for source in lab.sources(name)
        if lab.plan.is_due(project, path, source.name)
    ]
    ranked.sort(key=lambda row: (row[0], row[3].name if row[0] == PACKAGED else "", row[1]))
    for rank in sorted({row[0] for row in ranked} | {3}):
        for _, _, path, source in (row for row in ranked if row[0] == rank):
            yield f"{path.id}/{source.name}", _maker(BatchItem, path=path, source=source)
        for path in paths if rank == 3 else ():
            if lab.sharing(project, path) and lab.plan.is_due(project, path, SWITCHES):
                yield f"{path.id}/{SWITCHES}", _maker(SwitchItem, path=path)
            if path.id in unwound and lab.plan.is_due(project, path, UNWIND):
                yield f"{path.id}/{UNWIND}", _maker(UnwindItem, path=path)
        for name in names if rank == 3 else ():
            due = (p for p in paths if lab.plan.is_due(project, p, GENERATED))
            taken = tuple(p for p in due if p.primitive == name)
            if taken and strategies.has_strategy(name):
                yield f"{name}/{project.arch}/{GENERATED}", _maker(GeneratedItem, paths=taken)
        for path in paths if rank == 3 else ():
            if path.id in stepped and lab.plan.is_due(project, path, CONSTANT_TIME):
                yield f"{path.id}/{CONSTANT_TIME}", _maker(ConstantTimeItem, path=path)
            if _is_watched(path) and lab.plan.is_due(project, path, STACK):
                yield f"{path.id}/{STACK}", _maker(StackItem, path=path)
            if path.id in explored and lab.plan.is_due(project, path, NOVELTY):
                yield f"{path.id}/{NOVELTY}", _maker(NoveltyItem, path=path)


def sources_by_path(lab: Lab, project: Project) -> dict[str, tuple[str, ...]]:
    """What names the rows of each path, by its id, that was judged whole."""
    every = lab.plan.paths(project)
    kinds = {
        NOVELTY: _explored(lab, project, every),
        CONSTANT_TIME: stepped_paths(project, every),
        UNWIND: framed(project, every),
        STACK: {path.id for path in every if _is_watched(path)},
        SWITCHES: {path.id for path in every if lab.sharing(project, path)},
        GENERATED: {path.id for path in every if strategies.has_strategy(path.primitive)},
    }
    chosen = {name: ids for name, ids in kinds.items() if lab.selection.amount(name)}
    return {
        path.id: (
            *(source.name for source in lab.sources(path.primitive)),
            *(name for name, ids in chosen.items() if path.id in ids),
        )
        for path in every
    }


def _is_watched(path: Path) -> bool:
    """Whether the stack check is made on a path: each variant by itself."""
    return path.kind != "mask" and is_swept(path.primitive)


def _explored(lab: Lab, project: Project, paths: Sequence[Path]) -> frozenset[str]:
    """The ids of the paths on which the search is made."""
    sparse = sparse_paths(project, paths) if lab.selection.is_sparse(NOVELTY) else None
    return frozenset(
        path.id
        for path in distinct_paths(paths)
        if is_swept(path.primitive) and (sparse is None or path.id in sparse)
    )


def distinct_paths(paths: Sequence[Path]) -> list[Path]:
    """One kind of path for each choice of variants: a direct path has the code of the mask's and
    takes every length that its variant does."""
    direct = {(path.primitive, path.choice) for path in paths if path.kind != "mask"}
    return [p for p in paths if p.kind != "mask" or (p.primitive, p.choice) not in direct]


def sparse_paths(project: Project, paths: Sequence[Path]) -> frozenset[str]:
    """The ids of so many distinct paths that each variant is in each slot of its primitives on
    one, if need be on one that cannot run here. What these leave out is code that a path of each
    variant has run by itself: a composition joins its variants by bytes in memory, and its own
    code is the same over all of them."""
    distinct = distinct_paths(paths)
    left = {(path.primitive, part) for path in distinct for part in path.choice}
    chosen: set[tuple[str, Choice]] = set()
    for able in (True, False):
        taken = [p for p in distinct if able == (not unrunnable(project, p))]
        while found := max(taken, key=lambda p: len(_unmet(p, left)), default=None):
            if not _unmet(found, left):
                break
            left -= _unmet(found, left)
            chosen.add((found.primitive, found.choice))
    return frozenset(p.id for p in distinct if (p.primitive, p.choice) in chosen)


def _unmet(path: Path, left: set[tuple[str, tuple[str, str]]]) -> set[tuple[str, tuple[str, str]]]:
    """What a path runs of what is left."""
    return left.intersection((path.primitive, part) for part in path.choice)


def stepped_paths(project: Project, paths: Sequence[Path]) -> frozenset[str]:
    """The ids of the paths on which the constant-time check is made: each variant's direct path,
    but not where its stanza says that it is variable-time. A composition calls what these have
    shown; its own code takes two paths, with a fused kernel and without: the last of each that
    can run here."""
    chosen: dict[tuple[str, ...], Path] = {}
    for path in paths:
        composed = project.manifest.primitives[path.primitive].composed
        if path.constant_time and path.primitive in LENGTHS and (composed or path.kind != "mask"):
            fused = dict(path.choice).get(FUSED, UNUSED) != UNUSED
            key = (path.primitive, str(fused)) if composed else (path.id,)
            if key not in chosen or not unrunnable(project, path):
                chosen[key] = path
    return frozenset(path.id for path in chosen.values())


def _maker(kind: type["_RigItem"], **fields: Any) -> Any:
    def make(parent: ManifestFile, **common: Any) -> pytest.Item:
        item: pytest.Item = kind.from_parent(parent, **common, **fields)
        return item

    return make


class _RigItem(pytest.Item):
    _over: tuple[Lab, Project, Sequence[Path]] | None = None

    def reportinfo(self) -> tuple[FilePath, int | None, str]:
        return self.path, None, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, FoundFault | RigError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def runtest(self) -> None:
        """Judges. An interrupt starts its traceback here: CPython 3.11 may raise it between two
        lines, which pytest cannot word."""
        self._check_time()
        try:
            self.judge()
        except KeyboardInterrupt:
            raise KeyboardInterrupt from None

    def judge(self) -> None:
        """Raises FoundFault for what is wrong."""
        raise NotImplementedError

    @property
    def part(self) -> str:
        """The source of cases or kind of item that it is, as a profile names it."""
        return self.name.rpartition("/")[2]

    def set_paths(self, lab: Lab, project: Project, paths: Sequence[Path]) -> None:
        """Names the paths that the item judges: it is marked with what they are."""
        self._over = (lab, project, paths)
        for path in paths:
            self._mark(path)

    def _check_time(self) -> None:
        """Skips the item, with a row for each of its paths, where the run's time is over."""
        lab, project, paths = self._over or (None, None, ())
        if lab and project and 0 < lab.plan.until < time.time():
            for path in paths:
                lab.record(project, skipped_row(path, self.part, "budget", OUT_OF_TIME))
            pytest.skip(OUT_OF_TIME)

    def _mark(self, path: Path) -> None:
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


class RaceItem(_RigItem):
    """The initialiser of the capability vector, as the controller found it."""

    def __init__(self, *, lab: Lab, project: Project, race: Race, **rest: Any) -> None:
        super().__init__(**rest)
        self.race = race

    def judge(self) -> None:
        """Fails with what went wrong; skips where nothing could, or the manifest knows it."""
        if self.race.findings:
            raise FoundFault("\n".join(f"race: {f.summary}" for f in self.race.findings))
        if self.race.reason:
            known = f"accepted, {self.race.accepted}: " if self.race.accepted else ""
            pytest.skip(f"{known}{self.race.reason}")


class _PathsItem(_RigItem):
    def __init__(self, *, lab: Lab, project: Project, paths: tuple[Path, ...], **rest: Any) -> None:
        super().__init__(**rest)
        self._run = (lab, project, paths)
        self.set_paths(lab, project, paths)


class _PathItem(_RigItem):
    """What is judged on one path; a row says what came out, or why nothing did."""

    def __init__(self, *, lab: Lab, project: Project, path: Path, **rest: Any) -> None:
        super().__init__(**rest)
        self._run = (lab, project, path)
        self.set_paths(lab, project, (path,))

    def judge(self) -> None:
        """Judges the path, but skips one that cannot run here."""
        lab, project, path = self._run
        if reason := unrunnable(project, path):
            self.skip("cpu", reason)
        self.judge_path(lab, project, path)

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Raises FoundFault for what is wrong."""
        raise NotImplementedError

    def skip(self, code: str, text: str) -> NoReturn:
        """Ends the item with a row that says why."""
        self._note(code, text)
        pytest.skip(text)

    @contextlib.contextmanager
    def noting_errors(self) -> Iterator[None]:
        """Leaves a row for an error that is no verdict, and lets it go on."""
        try:
            yield
        except Exception as error:
            self._note(ERROR, f"{type(error).__name__}: {error}")
            raise

    def _note(self, code: str, text: str) -> None:
        lab, project, path = self._run
        lab.record(project, skipped_row(path, self.part, code, text))


class _StaticItem(_PathsItem):
    """What can be said of a primitive's code without running it."""

    def find(self, project: Project, primitive: Primitive) -> Mapping[str, Sequence[Finding]]:
        """The findings by variant; under the empty name those about none."""
        raise NotImplementedError

    def judge(self) -> None:
        """Records a row for each path that a finding is about, fails with the first findings."""
        lab, project, paths = self._run
        found = self.find(project, project.manifest.primitives[paths[0].primitive])
        failures: dict[Finding, Failure] = {}
        for path in paths:
            concerning = _concerning(path, paths, found)
            standing, taken = sort_out(concerning, project.manifest.accept, ())
            if concerning:
                lab.record(project, _row(project, path, self.part, _static(standing, taken)))
            for finding in standing:
                failure = Failure(project, path, path.masks[0], lab.seeds(), finding, None, None)
                failures.setdefault(finding, failure)
        if failures:
            raise FoundFault(report(lab, failures.values()))


class IsaItem(_StaticItem):
    """A primitive's code, executed or not, against what its variants ask for."""

    def find(self, project: Project, primitive: Primitive) -> Mapping[str, Sequence[Finding]]:
        """See `static_findings`."""
        return static_findings(project, primitive, functools.partial(where, project))


class ObjectItem(_StaticItem):
    """A primitive's objects."""

    def find(self, project: Project, primitive: Primitive) -> Mapping[str, Sequence[Finding]]:
        """See `audit`."""
        return audit(project, primitive, functools.partial(where, project))


def _concerning(
    path: Path, paths: Sequence[Path], found: Mapping[str, Sequence[Finding]]
) -> list[Finding]:
    """The static findings that fail a path: those about no variant, and those about its own
    variant, unless a direct path is there to take them."""
    choice = dict(path.choice)
    name = choice.get(path.primitive, "")
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


class BatchItem(_PathItem):
    """A source of cases on one path, under each of its masks."""

    def __init__(self, *, source: Source, **rest: Any) -> None:
        super().__init__(**rest)
        self._source = source

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Runs, records a row, fails with the first findings."""
        source = self._source
        with self.noting_errors():
            batch = lab.batch(project, path, source)
            outcomes = list(lab.run(project, path, batch, ways=source.rank < PACKAGED))
        tally = added_up(outcome for _, outcome in outcomes)
        lab.record(project, _row(project, path, source.name, tally, batch.published))
        failures = [
            f for mask, o in outcomes for f in failures_of(lab, project, path, batch, mask, o)
        ]
        if failures:
            raise FoundFault(report(lab, failures))


class SwitchItem(_PathItem):
    """Messages begun on one path and carried on by the others whose contexts have its layouts."""

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Runs, records a row, fails with the first findings."""
        with self.noting_errors():
            others = lab.sharing(project, path)
            batch = lab.switched(project, path, others)
            outcome = lab.run_switched(project, path, others, batch)
        lab.record(project, _row(project, path, SWITCHES, added_up((outcome,))))
        if failures := failures_of(lab, project, path, batch, path.masks[0], outcome):
            raise FoundFault(report(lab, failures))


class UnwindItem(_PathItem):
    """Call frame information on one path, at each instruction of assembly that its sources run."""

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Unwinds, records a row, or the reason where something could not be judged; fails with
        the first findings."""
        with self.noting_errors():
            unwound = list(_unwound(lab, project, path))
        unjudged = {name: why for _, each in unwound for name, why in each.unjudged.items()}
        failures, taken = _unwound_failures(lab, project, path, unwound)
        if failures or not unjudged:
            lab.record(project, _row(project, path, UNWIND, _static([*failures], taken)))
        if unjudged:
            text = "; ".join(f"unwind: {name}: {why}" for name, why in sorted(unjudged.items()))
            self._note("no-cfi", text)
        if failures:
            raise FoundFault(report(lab, failures.values()))
        if unjudged:
            pytest.skip(text)


def _unwound(lab: Lab, project: Project, path: Path) -> Iterator[tuple[Batch, Unwound]]:
    """What the frames of the path's sources give, each instruction's once; the sources that reach
    farthest first, and no more than there is left to reach."""
    left, seen = set(instructions(project, path)), set[int]()
    describe = functools.partial(where, project)
    small = [source for source in lab.offered(path.primitive) if source.name in UNWOUND]
    with watching(project) as session:
        for source in sorted(small, key=lambda source: -source.rank):
            batch = lab.batch(project, path, source)
            if not left or not batch.size:
                continue
            found = observe(project, session, path, batch.data, lab.seeds()[0], CPU_BUDGET_US)
            frames = [frame for frame in found if frame.offset not in seen]
            seen.update(frame.offset for frame in frames)
            left -= seen
            yield batch, judge_frames(project, frames, describe)


def _unwound_failures(
    lab: Lab, project: Project, path: Path, unwound: Sequence[tuple[Batch, Unwound]]
) -> tuple[dict[Finding, Failure], list[Acceptance]]:
    """The first finding about each function that the manifest does not accept, as a failure."""
    first = {f.symbol: (f, batch) for batch, each in reversed(unwound) for f in each.findings}
    standing, taken = sort_out((f for f, _ in first.values()), project.manifest.accept, ())
    failures = {}
    for finding in standing:
        batch, script = first[finding.symbol][1], finding.script or 0
        case, answer = batch.case(script), batch.answer(script)
        failures[finding] = Failure(
            project, path, path.masks[0], lab.seeds(), finding, case, answer
        )
    return failures, taken


class NoveltyItem(_PathItem):
    """The search for code of one path that nothing has reached yet."""

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Searches, records a row, fails with the smallest case of each check."""
        try:
            with self.noting_errors():
                explored = explore_path(lab, project, path)
        except CorpusError as error:
            raise FoundFault(str(error)) from None
        lab.record(project, _row(project, path, NOVELTY, explored.tally))
        failures = [
            f
            for batch, mask, outcome in explored.failures
            for f in failures_of(lab, project, path, batch, mask, outcome)
        ]
        if failures:
            raise FoundFault(report(lab, smallest(failures)))


class ConstantTimeItem(_PathItem):
    """One path in single steps under several secrets."""

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Runs, records a row, fails with the first finding of each check."""
        with self.noting_errors():
            try:
                cases, leaks = _leaks(lab, project, path)
            except TooLongError as error:
                self.skip("too-long", str(error))
        chosen = lab.selection.checks
        findings = list({k.finding: None for k in leaks if k.finding.check in chosen})
        symbols = symbols_of(project, path)
        standing, taken = sort_out(findings, project.manifest.accept, symbols)
        tally = _static(standing, taken)
        tally.cases = cases
        tally.failed = len({id(k.batch) for k in leaks if k.finding in standing})
        lab.record(project, _row(project, path, CONSTANT_TIME, tally))
        failures = [_failure(lab, project, path, k) for k in leaks if k.finding in standing]
        if failures:
            raise FoundFault(report(lab, _distinct(failures)))


def _leaks(lab: Lab, project: Project, path: Path) -> tuple[int, list[Leak]]:
    """How many cases were run, and what they showed."""
    cases, leaks = 0, []
    session, describe = lab.session(project), functools.partial(where, project)
    for group in twin_batches(project, path, lab.plan.cache):
        cases += len(group)
        seed = lab.seeds()[0]
        leaks += examine(project, session, path, path.masks[0], seed, group, describe)
    return cases, leaks


def _failure(lab: Lab, project: Project, path: Path, leak: Leak) -> Failure:
    case, answer = leak.batch.case(0), leak.batch.answer(0)
    failure = Failure(project, path, path.masks[0], lab.seeds(), leak.finding, case, answer)
    twin = (leak.twin.case(0), leak.twin.answer(0)) if leak.twin else None
    return replace(failure, twin=twin)


def _distinct(failures: Sequence[Failure]) -> list[Failure]:
    """The first for each function and instruction: other secrets show the same again."""
    first: dict[tuple[str, str], Failure] = {}
    for failure in failures:
        first.setdefault((failure.finding.symbol, failure.finding.summary), failure)
    return list(first.values())


class StackItem(_PathItem):
    """A few short cases of the sweep on one path in single steps."""

    def judge_path(self, lab: Lab, project: Project, path: Path) -> None:
        """Runs, records a row, fails with the first finding about each function."""
        with self.noting_errors():
            source = next(s for s in lab.offered(path.primitive) if s.name == SWEEP)
            batch = lab.batch(project, path, source)
            session, seed = lab.session(project), lab.seeds()[0]
            watched = watch_stack(project, session, path, seed, batch, watched_scripts(batch))
        standing, taken = sort_out(watched.findings, project.manifest.accept, ())
        tally = _static(standing, taken)
        tally.cases, tally.failed = watched.cases, len({f.script for f in standing})
        lab.record(project, _row(project, path, STACK, tally))
        first = {finding.symbol: finding for finding in reversed(standing)}
        if first:
            failures = [_stack_failure(lab, project, path, batch, f) for f in first.values()]
            raise FoundFault(report(lab, failures))


def _stack_failure(
    lab: Lab, project: Project, path: Path, batch: Batch, finding: Finding
) -> Failure:
    case, answer = batch.case(finding.script or 0), batch.answer(finding.script or 0)
    return Failure(project, path, path.masks[0], lab.seeds(), finding, case, answer)


class GeneratedItem(_PathsItem):
    """Hypothesis on a primitive: each example runs on every selected path."""

    def judge(self) -> None:
        """Searches, shrinks, records a row per path, fails with the smallest case."""
        lab, project, paths = self._run
        search = Search(lab, project, paths)
        with contextlib.suppress(FoundFault):
            search.run(self.name)
        for path in search.runnable:
            lab.record(project, _row(project, path, GENERATED, search.tally(path)))
        if search.failed:
            raise FoundFault(report(lab, [f for found in search.failed.values() for f in found]))


def _row(
    project: Project,
    path: Path,
    source: str,
    tally: Tally,
    published: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    return tally_row(path, source, tally, project.image.text.address, published)


def _static(findings: Sequence[Finding], accepted: Sequence[Acceptance]) -> Tally:
    """The tally of findings that need no case."""
    tally = Tally(failed=len(findings), accepted=set(accepted))
    tally.found(findings)
    return tally
