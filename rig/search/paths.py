"""The novelty loop on one path: what it begins with, how its cases run, what it leaves.

Enters: a lab, a project, a path. Leaves: what was explored, and the corpus of the path in the
cache and, if asked for, in a folder. Never here: rows or reports.
"""

import functools
import itertools
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from rig.cache import digest
from rig.capabilities.paths import Path, chosen_variants
from rig.capabilities.vector import Vector
from rig.cases import Case
from rig.checks.trial import CPU_BUDGET_US, Flow, Outcome, flow_of
from rig.inputs.answers import with_inverses
from rig.inputs.mutations import SKEWS, Field, free_inputs, mutate, resized
from rig.inputs.sweeps import sweep
from rig.inputs.thresholds import Mention, Proposal, propose
from rig.lab import Lab, takes
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, decoded, functions_of, prologue
from rig.runner.batches import Batch
from rig.runner.client import RunFlag
from rig.search.corpus import committed, kept, write
from rig.search.novelty import Budget, Features, Tried, explore
from rig.tally import Tally
from rig.trace.instructions import architecture

NOVELTY = "novelty"
FAILED_KEPT = 16

Failed = tuple[Batch, Vector, Outcome]


@dataclass(slots=True)
class Explored:
    """What the loop did on a path: the sums over its cases as they were judged, the first
    FAILED_KEPT batches with findings, the corpus."""

    tally: Tally = field(default_factory=Tally)
    failures: list[Failed] = field(default_factory=list)
    corpus: tuple[Case, ...] = ()

    def add(self, batch: Batch, mask: Vector, outcome: Outcome) -> None:
        """Counts one batch under one mask."""
        self.tally.add(outcome)
        if outcome.findings and len(self.failures) < FAILED_KEPT:
            self.failures.append((batch, mask, outcome))


def explore_path(lab: Lab, project: Project, path: Path) -> Explored:
    """Replays the corpora, tries every alignment and the lengths that the code speaks of, then
    explores; CorpusError for a committed corpus that cannot be read."""
    options, explored = lab.plan.options, Explored()
    file = lab.plan.cache / "corpus" / f"{_key(project, path)}.json"
    proposals = proposed(project, path)
    aligns = _aligns(project, path)
    start = (
        *committed(project.manifest.root, path.primitive),
        *kept(file, path.primitive),
        *_numbered(seeds(path.primitive)),
        *_moved(_anchor(path), aligns),
        *_threshold_cases(path.primitive, proposals),
    )
    lengths = tuple(proposal.length for proposal in proposals)
    chance = random.Random(f"{options.seed} {path.id}")
    changes = _Changes(Field(lengths, aligns), chance)
    bench = PathBench(lab, project, path, explored)
    budget = Budget(lab.selection.amount(NOVELTY), options.novelty_budget)
    finders = explore(bench, start, changes, budget)
    explored.corpus = tuple(finder.case for finder in finders)
    write(file, path.id, explored.corpus)
    if options.export_corpus:
        write(exported(FilePath(options.export_corpus), path), path.id, explored.corpus)
    return explored


def exported(folder: FilePath, path: Path) -> FilePath:
    """Where the corpus of a path goes: below its primitive, as a committed corpus has it."""
    name = re.sub(r"[^A-Za-z0-9_.=-]+", "_", path.id.partition("/")[2])
    return folder / path.primitive / f"{name}.json"


def _key(project: Project, path: Path) -> str:
    """A path keeps its corpus when its code changes: that is when it is worth most."""
    return digest(str(project.manifest.path.resolve()), path.id)


class _Changes:
    """Changed cases, numbered as they are made; the later finders, which stand deepest, are
    changed the most."""

    def __init__(self, by: Field, chance: random.Random) -> None:
        self._field, self._chance, self._made = by, chance, 0

    def __call__(self, cases: Sequence[Case]) -> Case:
        last = len(cases)
        base = cases[max(self._chance.randrange(last), self._chance.randrange(last))]
        changed = mutate(base, self._field, self._chance)
        self._made += 1
        return replace(changed, name=f"novelty {self._made}")


class PathBench:
    """Runs cases on a path, judged under each of its masks (see `novelty.Bench`)."""

    def __init__(self, lab: Lab, project: Project, path: Path, explored: Explored) -> None:
        self._lab, self._project, self._path, self._explored = lab, project, path, explored
        self._anchor = _anchor(path)
        self._batch: Batch | None = None

    def judge(self, cases: Sequence[Case]) -> Tried:
        """Judges the cases that the path takes, and their inverses, by the oracle. One that is
        known to run the whole path stands before them: a batch must prove its path."""
        definition = PRIMITIVES[self._path.primitive]
        taken = [case for case in (*self._anchor, *cases) if takes(self._path, case)]
        answers = [self._lab.answer(case) for case in taken]
        found = with_inverses(definition, taken, answers)
        self._batch = self._lab.several(self._project, self._path, *found)
        outcomes = list(self._lab.run(self._project, self._path, self._batch))
        for mask, outcome in outcomes:
            self._explored.add(self._batch, mask, outcome)
        if any(outcome.abandoned or _hung(outcome) for _, outcome in outcomes):
            return Tried(found[0], frozenset(), goes_on=False)
        return Tried(found[0], _features(outcome.flow for _, outcome in outcomes))

    def reach(self, first: int, count: int) -> Features:
        """Runs the range under each mask, without judging it again."""
        assert self._batch is not None
        session = self._lab.session(self._project)
        results = [
            session.run(
                self._batch.data,
                prologue(self._project, self._path, mask),
                first=first,
                count=count,
                flags=RunFlag.COVERAGE | RunFlag.BRANCHES,
                seed=self._lab.seeds()[0],
                cpu_budget_us=CPU_BUDGET_US,
            )
            for mask in self._path.masks
        ]
        return _features(flow_of(self._project, result) for result in results)


def _features(flows: Iterable[Flow]) -> Features:
    return frozenset(
        feature for flow in flows for feature in (*((at, 0) for at in flow.hits), *flow.ways)
    )


def _hung(outcome: Outcome) -> bool:
    return any(finding.check == "timeout" for finding in outcome.findings)


@functools.cache
def seeds(primitive: str) -> tuple[Case, ...]:
    """The first case in the sweep of each operation and key size."""
    first: dict[tuple[str, int], Case] = {}
    for case in sweep(primitive):
        key = case.values.inputs.get("key", b"")
        assert isinstance(key, bytes)
        first.setdefault((case.values.operation, len(key)), case)
    return tuple(first.values())


def _anchor(path: Path) -> tuple[Case, ...]:
    """The first case of the sweep with no free input empty that the path takes."""
    fitting = (
        case
        for case in sweep(path.primitive)
        if takes(path, case) and all(case.values.inputs[name] for name in free_inputs(case))
    )
    return tuple(itertools.islice(fitting, 1))


def _numbered(cases: Sequence[Case]) -> Iterator[Case]:
    for number, case in enumerate(cases):
        yield replace(case, name=f"seed {number}")


def _moved(cases: Sequence[Case], aligns: Mapping[str, int]) -> Iterator[Case]:
    """Every buffer at once so many bytes off its guard page, as far as its alignment allows."""
    for case, distance in itertools.product(cases, range(1, SKEWS)):
        skews = {name: distance - distance % align for name, align in aligns.items()}
        placement = replace(case.placement, skews=skews)
        yield replace(case, name=f"moved by {distance}", placement=placement)


def _threshold_cases(primitive: str, proposals: Sequence[Proposal]) -> Iterator[Case]:
    """Each length that the sweep lacks, in each free input, on the first case of each operation
    in the sweep: one that undoes another comes as its inverse."""
    for (_, name), (case, lengths) in _swept(primitive).items():
        for proposal in proposals:
            chance = random.Random(f"{name} {proposal.length}")
            longer = resized(case, name, proposal.length, chance)
            if _length(longer, name) not in lengths:
                yield replace(longer, name=f"{name} by {proposal.reason}")


@functools.cache
def _swept(primitive: str) -> dict[tuple[str, str], tuple[Case, set[int]]]:
    """By operation and free input: the first case of the sweep, and the lengths that it has."""
    found: dict[tuple[str, str], tuple[Case, set[int]]] = {}
    for case in sweep(primitive):
        for name in free_inputs(case):
            _, lengths = found.setdefault((case.values.operation, name), (case, set()))
            lengths.add(_length(case, name))
    return found


def _length(case: Case, name: str) -> int:
    value = case.values.inputs[name]
    assert isinstance(value, bytes)
    return len(value)


def proposed(project: Project, path: Path) -> tuple[Proposal, ...]:
    """The lengths that the code of a path speaks of: its variants' and its composition's."""
    manifest, arch = project.manifest, architecture(project.arch)
    primitive = manifest.primitives[path.primitive]
    chosen = chosen_variants(manifest, primitive, project.arch, path.choice)
    addresses = {f.address for variant in chosen for f in functions_of(project, variant)}
    addresses |= _composing(project, path)
    return propose(
        Mention(constant.use.value, constant.value, decoded(project.image).place(i.address) or "")
        for function in decoded(project.image).functions
        if function.address in addresses
        for i in function.instructions
        for constant in arch.constants(i)
    )


def _composing(project: Project, path: Path) -> set[int]:
    """The functions in the files of the composition's own symbols."""
    primitive, image = project.manifest.primitives[path.primitive], project.image
    if not primitive.composed:
        return set()
    entries = [image.symbols[s] for s in primitive.symbols.values() if s in image.symbols]
    files = {f.source for address in entries if (f := image.function_at(address))}
    return {f.address for f in image.functions if f.source in files}


def _aligns(project: Project, path: Path) -> dict[str, int]:
    """What each pointer argument's buffer must stay aligned to."""
    bound = binding(project, path)
    aligns: dict[str, int] = {}
    for function in bound.contract.functions:
        for argument in function.arguments:
            for whole in (argument, *bound.contract.inside(argument.name)) * argument.pointer:
                own = bound.align.get(whole.name, whole.align)
                aligns[argument.name] = max(own, aligns.get(argument.name, 1))
    return aligns
