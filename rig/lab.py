"""What one process keeps while it runs cases: sessions, batches, the file it appends to.

Enters: a plan. Leaves: outcomes as rows in an append-only part file. Never here: building or
enumerating; the controller has done both.
"""

import json
import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path as FilePath
from typing import Any

from filelock import FileLock

from rig.cache import digest, write_atomically
from rig.capabilities.paths import Path
from rig.capabilities.vector import Vector
from rig.cases import Answer, Case, Inputs
from rig.checks.acceptance import sort_out, symbols_of
from rig.checks.stack import LENGTHS as STACK_LENGTHS
from rig.checks.switching import ring, sharing, under
from rig.checks.trial import Outcome, Trial, try_batch
from rig.inputs.answers import answer, answers, with_inverses
from rig.inputs.contexts import switches
from rig.inputs.sources import SWITCHES, Source, limited, sources
from rig.inputs.twins import LENGTHS, LONG, twins
from rig.plan import Plan, unrunnable
from rig.primitives import PRIMITIVES
from rig.primitives.definition import Definition, Operation, octets, parts
from rig.primitives.pairs import sides
from rig.profiles import part_of
from rig.project import Project, binding
from rig.runner.batches import Batch, Contents, make_batch
from rig.runner.compose import Binding, permits
from rig.runner.session import Session

BATCHES_KEPT = 12
ANSWERS_KEPT = 2048
_MAKERS = (
    *("cases.py", "contracts.py", "architectures.py", "oracle/*.py", "primitives/*.py"),
    *("inputs/*.py", "vectors/*.py", "runner/*.py", "manifest.py", "lab.py"),
    *("checks/switching.py", "project.py"),
)


@dataclass(frozen=True, slots=True)
class Answered:
    """A source's cases with their answers, inverses included."""

    cases: tuple[Case, ...]
    answers: tuple[Answer, ...]


class Lab:
    """The state of one process of a run."""

    def __init__(self, plan: Plan, worker: str) -> None:
        self.plan, self.worker, self.selection = plan, worker, plan.options.selection
        self._part = plan.folder / f"part-{worker}.jsonl"
        self._sessions: dict[FilePath, Session] = {}
        self._offered: dict[str, tuple[Source, ...]] = {}
        self._sharing: dict[tuple[str, str], tuple[Path, ...]] = {}
        self._answered = lru_cache(maxsize=BATCHES_KEPT)(self._ask)
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._batches: OrderedDict[tuple[str, str], Batch] = OrderedDict()

    def close(self) -> None:
        """Ends every runner."""
        for session in self._sessions.values():
            session.close()

    def session(self, project: Project) -> Session:
        """The session of a project, started on first use."""
        if project.image.path not in self._sessions:
            self._sessions[project.image.path] = project.session()
        return self._sessions[project.image.path]

    def sources(self, primitive: str) -> tuple[Source, ...]:
        """The sources of a primitive under this run's options, as far as they take them."""
        return tuple(s for s in self.offered(primitive) if self.selection.amount(s.name))

    def offered(self, primitive: str) -> tuple[Source, ...]:
        """The sources of this run's profile, those that `--checks` leaves out included."""
        if primitive not in self._offered:
            folder, profile = self.plan.options.vectors, self.selection.profile
            found = sources(primitive, FilePath(folder) if folder else None)
            chosen = ((source, part_of(source.name).amount(profile)) for source in found)
            self._offered[primitive] = tuple(limited(s, most) for s, most in chosen if most)
        return self._offered[primitive]

    def batch(self, project: Project, path: Path, source: Source) -> Batch:
        """The batch of a source for a path; paths with one binding and the same lengths share,
        on disk those of all architectures with the same widths of C's types."""
        bound = binding(project, path)
        key = _batch_key(path, source.name, bound, source.most, source.files)
        own = (project.arch, key)
        if own not in self._batches:
            while len(self._batches) >= BATCHES_KEPT:
                self._batches.popitem(last=False)
            self._batches[own] = self._load(path, source, bound, key)
        self._batches.move_to_end(own)
        return self._batches[own]

    def _load(self, path: Path, source: Source, bound: Binding, key: str) -> Batch:
        """The batch from the cache on disk, else made; one process makes it, the others wait."""
        definition = PRIMITIVES[path.primitive]

        @cache
        def contents() -> Contents:
            answered: Answered = self._answered(path.primitive, source.name)
            pairs = zip(answered.cases, answered.answers, strict=True)
            operations = definition.operations
            taken = [
                (c, a)
                for c, a in pairs
                if takes(path, c)
                and permits(c, operations[c.values.operation].roles, bound.contract)
            ]
            return [c for c, _ in taken], [a for _, a in taken]

        return self._kept(key, definition, bound, contents)

    def _kept(
        self, key: str, definition: Definition, bound: Binding, contents: Callable[[], Contents]
    ) -> Batch:
        """A batch under its key on disk; what it holds is asked for where it is made, and where
        something failed."""
        file = self.plan.cache / "batches" / key
        file.parent.mkdir(exist_ok=True)
        with FileLock(f"{file}.lock"):
            if not file.exists():
                write_atomically(file, pack(make_batch(definition, bound, *contents())))
        size, published, called, data = unpack(file.read_bytes())
        return Batch(definition, bound, size, data, contents, published, called)

    def _ask(self, primitive: str, name: str) -> Answered:
        definition = PRIMITIVES[primitive]
        source = next(s for s in self.offered(primitive) if s.name == name)
        cases = source.load()
        found = answers(definition, cases, self.plan.cache)
        return Answered(*with_inverses(definition, cases, found))

    def answer(self, case: Case) -> Answer:
        """The answer that a case brings, else the oracle's; the last ANSWERS_KEPT are remembered:
        searches on several paths ask of the same values."""
        if case.expected is not None:
            return case.expected
        key = digest(case.values.key())
        if key not in self._answers:
            while len(self._answers) >= ANSWERS_KEPT:
                self._answers.popitem(last=False)
            self._answers[key] = answer(PRIMITIVES[case.values.primitive], case)
        return self._answers[key]

    def seeds(self) -> tuple[int, int]:
        """The two seeds of garbage."""
        seed = self.plan.options.seed
        return 2 * seed, 2 * seed + 1

    def run(
        self,
        project: Project,
        path: Path,
        batch: Batch,
        recorded: bool = True,
        ways: bool = True,
    ) -> Iterator[tuple[Vector, Outcome]]:
        """Runs a batch on a path, under each of its masks."""
        for mask in path.masks:
            trial = Trial(mask, self.seeds(), recorded=recorded, ways=ways)
            outcome = try_batch(project, self.session(project), path, batch, trial)
            yield mask, settle(project, path, self.selection.checks, outcome)

    def sharing(self, project: Project, path: Path) -> tuple[Path, ...]:
        """The paths that can take turns with a path here, on messages that both take."""
        key = (str(project.manifest.path), path.id)
        if key not in self._sharing:
            self._sharing[key] = self._find_sharing(project, path)
        return self._sharing[key]

    def _find_sharing(self, project: Project, path: Path) -> tuple[Path, ...]:
        every = [p for sweep in project.sweeps for p in sweep.paths]
        found = [p for p in sharing(project, path, every) if not unrunnable(project, p)]
        cases = [case for case in switches(path.primitive) if takes(path, case)] if found else []
        return tuple(p for p in found if cases and all(takes(p, case) for case in cases))

    def switched(self, project: Project, path: Path, others: Sequence[Path]) -> Batch:
        """The batch of a path in whose scripts the masks of others take turns with its own."""
        definition = PRIMITIVES[path.primitive]
        bound, masks = ring(project, path, others)

        @cache
        def contents() -> Contents:
            cases = [case for case in switches(path.primitive) if takes(path, case)]
            found = answers(definition, cases, self.plan.cache)
            every, given = with_inverses(definition, cases, found)
            return under(masks, every), given

        key = digest(_batch_key(path, SWITCHES, bound), repr((bound.turns, masks)))
        return self._kept(key, definition, bound, contents)

    def run_switched(
        self, project: Project, path: Path, others: tuple[Path, ...], batch: Batch
    ) -> Outcome:
        """Runs a batch in whose scripts others take turns with the path."""
        trial = Trial(path.masks[0], self.seeds(), others=others)
        outcome = try_batch(project, self.session(project), path, batch, trial)
        return settle(project, path, self.selection.checks, outcome)

    def several(
        self, project: Project, path: Path, cases: Sequence[Case], found: Sequence[Answer]
    ) -> Batch:
        """A batch of a few cases, not kept."""
        return make_batch(PRIMITIVES[path.primitive], binding(project, path), cases, found)

    def agreement(self, project: Project, case: Case, found: Answer) -> tuple[list[str], list[str]]:
        """Which paths of the case's primitive give the answer, and which do not, by name."""
        right: list[str] = []
        wrong: list[str] = []
        alone = replace(self.plan.options, variant=(), primitive=())
        everything = replace(self.plan, options=alone).paths(project)
        for path in everything:
            same = path.primitive == case.values.primitive and takes(path, case)
            if same and not unrunnable(project, path):
                batch = self.several(project, path, [case], [found])
                outcomes = [outcome for _, outcome in self.run(project, path, batch)]
                verdict = wrong if any(o.findings or o.accepted for o in outcomes) else right
                verdict.append(f"{path.name} ({path.kind})")
        return right, wrong

    def record(self, project: Project, row: Mapping[str, Any]) -> None:
        """Appends one row; a worker that dies later loses nothing of it."""
        whole = {"manifest": str(project.manifest.path), **row}
        line = json.dumps(whole, separators=(",", ":")) + "\n"
        descriptor = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)


def settle(project: Project, path: Path, checks: Collection[str], outcome: Outcome) -> Outcome:
    """The outcome without the findings of other checks and those that the manifest accepts."""
    if not outcome.findings:
        return outcome
    chosen = [finding for finding in outcome.findings if finding.check in checks]
    standing, taken = sort_out(chosen, project.manifest.accept, symbols_of(project, path))
    failed = outcome.failed if standing else 0
    return replace(outcome, findings=tuple(standing), failed=failed, accepted=tuple(taken))


def twin_batches(project: Project, path: Path, cache: FilePath) -> Iterator[tuple[Batch, ...]]:
    """Groups that differ in secrets only, each case a batch of its own, so that all meet the same
    garbage at the same addresses. Where the path takes none of the lengths, of its least."""
    definition, bound = PRIMITIVES[path.primitive], binding(project, path)
    lengths = LENGTHS[path.primitive]
    fitting = [n for n in lengths if _takes_twins(path, n)] or [path.lengths[0].first()]
    for length in fitting:
        edged = length != lengths[LONG] or len(fitting) == 1 < len(lengths)
        for group in twins(path.primitive, length, edges=edged):
            if all(takes(path, case) for case in group):
                found = answers(definition, group, cache)
                pairs = zip(group, found, strict=True)
                yield tuple(make_batch(definition, bound, [c], [a]) for c, a in pairs)


def _takes_twins(path: Path, length: int) -> bool:
    return any(takes(path, c) for group in twins(path.primitive, length) for c in group)


def watched_scripts(batch: Batch) -> list[int]:
    """The scripts of a batch for the stack check: of each operation one of each length, short
    ones first."""
    first: dict[tuple[int, str], int] = {}
    for index, case in enumerate(batch.contents()[0]):
        length = len(longest(case.values.inputs))
        if length in STACK_LENGTHS:
            first.setdefault((length, case.values.operation), index)
    return [index for _, index in sorted(first.items())]


def takes(path: Path, case: Case) -> bool:
    """Whether a path is defined for a case: for its length, with the functions that it calls,
    and without a behaviour that the path's variants leave undefined."""
    definition = PRIMITIVES[path.primitive]
    operation = definition.operations[case.values.operation]
    return (
        all(map(path.takes, call_lengths(case)))
        and path.roles.issuperset(operation.roles)
        and _given(path, operation, case)
        and not any(definition.undefined[name](case.values) for name in path.undefined)
    )


def _given(path: Path, operation: Operation, case: Case) -> bool:
    """Whether the function that may do a part only may be given the whole message."""
    role, name = operation.part or ("", "")
    doing = path.doing.get(role)
    return doing is None or doing.takes(len(octets(case.values.inputs, name)))


def call_lengths(case: Case) -> tuple[int, ...]:
    """The lengths that a path must take for a case: of each of its messages and of each part."""
    each = [(longest(own), own) for own in sides(case.values.inputs)]
    return tuple(n for message, own in each for n in (len(message), *map(len, parts(own, message))))


def longest(inputs: Inputs) -> bytes:
    """The longest message input, 16 bytes if there is none."""
    names = ("data", "message", "plaintext", "ciphertext")
    messages = [v for n in names if isinstance(v := inputs.get(n), bytes)]
    return max(messages, key=len, default=bytes(16))


def _batch_key(
    path: Path, source: str, bound: Binding, most: int | None = None, files: Sequence[FilePath] = ()
) -> str:
    """Everything that the bytes of a batch follow from."""
    definition = PRIMITIVES[path.primitive]
    roles = sorted((role, repr(target)) for role, target in bound.targets.items())
    sizes = (sorted(bound.sizes.items()), sorted(bound.align.items()), sorted(bound.doing.items()))
    widths = sorted(bound.arch.widths.items())
    narrowing = (roles, *sizes, widths, path.lengths, sorted(path.undefined))
    return digest(
        code_digest(),
        path.primitive,
        source,
        str(most),
        repr(narrowing),
        bound.contract.path.read_bytes(),
        definition.own.text if definition.own else b"",
        *(file.read_bytes() for file in files),
    )


@cache
def code_digest() -> str:
    """The rig's own code that the bytes of a batch follow from: none made by other is taken."""
    package = FilePath(__file__).parent
    files = [f for name in _MAKERS for f in sorted(package.glob(name))]
    return digest(*(file.read_bytes() for file in files))


def pack(batch: Batch) -> bytes:
    """A batch as the cache keeps it: its header's length, the header, the scripts."""
    published = Counter(case.name.rpartition(" ")[0] for case in batch.contents()[0])
    known = {"size": batch.size, "published": published, "called": sorted(batch.called)}
    header = json.dumps(known).encode()
    return len(header).to_bytes(8, "little") + header + batch.data


def unpack(data: bytes) -> tuple[int, dict[str, int], frozenset[str], bytes]:
    """The inverse of `pack`: size, counts, functions called, scripts."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return header["size"], header["published"], frozenset(header["called"]), data[start:]


def rows(folder: FilePath) -> list[dict[str, Any]]:
    """Every row that the workers of a run have written."""
    found: list[dict[str, Any]] = []
    for part in sorted(folder.glob("part-*.jsonl")):
        found += [json.loads(line) for line in part.read_text().splitlines()]
    return found
