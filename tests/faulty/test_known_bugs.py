"""Real defects, re-created in the bundled variants by small edits (known_bugs.toml): each is named
by the check that it deserves, in a source of the default profile, and its unedited twin passes the
same cases. Whether the plain published vectors would have found it is measured."""

import functools
import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any

import pytest

from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import Path
from rig.capabilities.vector import Vector
from rig.cases import Case
from rig.checks.audit import CHECK as OBJECT
from rig.checks.audit import audit
from rig.checks.capability import static_findings
from rig.checks.constant_time import CHECK as CONSTANT_TIME
from rig.checks.constant_time import examine
from rig.checks.findings import CHECKS, Finding
from rig.checks.race import CHECK as RACE
from rig.checks.race import initialiser, judge_race
from rig.checks.stack import CHECK as STACK
from rig.checks.stack import watch_stack
from rig.checks.trial import Outcome, Trial, try_batch, where
from rig.checks.unwind import CHECK as UNWIND
from rig.checks.unwind import judge_frames, observe, watching
from rig.data import data_folder
from rig.inputs.answers import answers, with_inverses
from rig.inputs.sources import SWEEP, sources
from rig.lab import takes, twin_batches, watched_scripts
from rig.manifest import Manifest, Primitive, read
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, enumerate_paths, prologue
from rig.runner.batches import Batch, Contents, make_batch
from rig.runner.client import RunFlag
from rig.runner.command import AbsentError
from rig.runner.encode import encode
from rig.runner.events import Kind
from rig.runner.scripts import Prologue, Script, Side
from rig.runner.session import Session

from ..native import test_cpuid, test_hwcap, test_lengths

HERE = FilePath(__file__).parent
SEEDS = (2, 3)
BUDGET_US = 400_000
RECORDED = ("path", "capability")
ISA, DISPATCH = "isa", "dispatch"
# What a test that compares the outputs of published vectors can see.
PLAIN = (Kind.VALUE, Kind.RETURN, Kind.CRASH, Kind.EXIT, Kind.TIMEOUT)
PLAIN_FILES = ".json"  # the bundled ones and Wycheproof's; CAVP's .rsp are too many for each row
CHUNKS = (64, 256, 512)
PLAINLY = {True: "yes", False: "no", None: "-"}
# The bundled project's own tests, which no run of the rig makes.
LENGTHS = "test_lengths"
FUNCTIONS = {
    "test_cpuid": test_cpuid.test_random_leaves,
    "test_hwcap": test_hwcap.test_words,
}
# Fused kernels have no vectors of their own.
COMPOSED = {"aes_gcm_fused": "aes_gcm", "chacha20_poly1305_fused": "chacha20_poly1305"}


@dataclass(frozen=True, slots=True)
class Edit:
    """A text of a file of native/ that stands there once, and what stands there instead."""

    file: str
    find: str
    replace: str


@dataclass(frozen=True, slots=True)
class Defect:
    """A row of known_bugs.toml. `variants` are those that are built, by primitive; of a leaf its
    own is judged on its direct path. `source` finds the defect by `check`; `plain` says whether
    published vectors alone do, None where they reach it in no way, or by what the CPU lacks;
    `uppers` says that the CPU must tell which upper halves of vectors are in use."""

    id: str
    kind: str
    arch: str
    primitive: str
    variants: dict[str, str]
    edits: tuple[Edit, ...]
    check: str
    source: str
    plain: bool | None = None
    says: str = ""
    uppers: bool = False

    @property
    def whole(self) -> bool:
        """Whether no path is judged, but the project."""
        return self.check in (DISPATCH, RACE) or self.source == LENGTHS

    @property
    def where(self) -> str:
        """Primitive and variants, as a path is written."""
        names = ",".join(f"{slot}={name}" for slot, name in self.variants.items())
        return names if self.primitive in self.variants else f"{self.primitive}:{names}"


def defects() -> Iterator[Defect]:
    """The rows of the table."""
    for row in tomllib.loads((HERE / "known_bugs.toml").read_text())["defect"]:
        edits = tuple(Edit(**edit) for edit in row.pop("edits"))
        on = dict(part.split("=") for part in row.pop("on").split(","))
        primitive = row.pop("primitive", next(iter(on)))
        yield Defect(kind=row.pop("class"), primitive=primitive, variants=on, edits=edits, **row)


DEFECTS = tuple(defects())


@dataclass(frozen=True, slots=True)
class Target:
    """A project that holds what a defect names, and its runner."""

    project: Project
    session: Session

    def primitive(self, name: str) -> Primitive:
        return self.project.manifest.primitives[name]

    def path(self, name: str) -> Path:
        """The direct path of a leaf's only variant; the path of a composition's."""
        paths = enumerate_paths(self.project, self.session, self.primitive(name)).paths
        kind = "mask" if self.primitive(name).slots else "direct"
        return next(path for path in paths if path.kind == kind)


def narrowed(manifest: Manifest, defect: Defect) -> Manifest:
    """The manifest with what a defect names and nothing else; with all where the dispatcher is
    what is judged."""
    if defect.source == LENGTHS:
        return test_lengths.stubbed(manifest)
    if defect.check in (DISPATCH, RACE):
        return manifest
    wanted = {defect.primitive, *defect.variants}
    wanted |= {name for kernel, name in COMPOSED.items() if kernel in wanted}
    wanted |= {kernel for kernel, name in COMPOSED.items() if name in wanted}
    primitives = {
        name: replace(
            primitive,
            variants=tuple(
                replace(v, dispatch=True)
                for v in primitive.variants
                if defect.variants.get(name) == v.name
            ),
        )
        for name, primitive in manifest.primitives.items()
        if name in wanted
    }
    return replace(manifest, dispatch=None, primitives=primitives)


def edited(defect: Defect, folder: FilePath) -> FilePath:
    """The bundled project with the defect in it."""
    shutil.copytree(data_folder("native"), folder, ignore=shutil.ignore_patterns("controls"))
    for edit in defect.edits:
        file = folder / edit.file
        text = file.read_text()
        assert text.count(edit.find) == 1, f"{edit.file} holds {text.count(edit.find)} of it"
        file.write_text(text.replace(edit.find, edit.replace))
    return folder / "rig.toml"


@dataclass(slots=True)
class Works:
    """Twins, answers and batches, made when they are first asked for."""

    cache: FilePath
    twins: dict[Any, Target] = field(default_factory=dict)
    held: dict[Any, bool] = field(default_factory=dict)
    contents: dict[Any, Contents] = field(default_factory=dict)

    def target(self, defect: Defect, manifest: FilePath) -> Target:
        """A project built; skips where the architecture cannot run here."""
        try:
            project = build(
                narrowed(read(manifest), defect), defect.arch, find_toolchain(), self.cache, 2
            )
        except AbsentError as error:
            pytest.skip(str(error))
        return Target(project, project.session())

    def twin(self, defect: Defect) -> Target:
        """The same without the defect."""
        whole = defect.source if defect.whole else ""
        key = (defect.arch, defect.primitive, whole, *defect.variants.items())
        if key not in self.twins:
            self.twins[key] = self.target(defect, data_folder("native") / "rig.toml")
        return self.twins[key]

    def chunks(self, primitive: str, source: str) -> Iterator[tuple[Any, Contents]]:
        """The cases of a source with their answers, few at first."""
        cases = _cases(primitive, source)
        start, sizes = 0, iter(CHUNKS)
        while start < len(cases):
            size = next(sizes, CHUNKS[-1])
            key = (primitive, source, start)
            if key not in self.contents:
                definition, part = PRIMITIVES[primitive], cases[start : start + size]
                found = answers(definition, part, self.cache)
                self.contents[key] = with_inverses(definition, part, found)
            yield key, self.contents[key]
            start += size


@functools.cache
def _cases(primitive: str, name: str) -> Sequence[Case]:
    return next(s for s in sources(primitive, None) if s.name == name).load()


def batch_of(project: Project, path: Path, contents: Contents) -> Batch:
    """The batch of those cases that a path takes."""
    pairs = [(c, a) for c, a in zip(*contents, strict=True) if takes(path, c)]
    definition = PRIMITIVES[path.primitive]
    return make_batch(
        definition, binding(project, path), [c for c, _ in pairs], [a for _, a in pairs]
    )


def outcome(target: Target, path: Path, contents: Contents, check: str) -> Outcome:
    """What cases give on a path under its first mask."""
    trial = Trial(path.masks[0], SEEDS, BUDGET_US, recorded=check in RECORDED, ways=False)
    batch = batch_of(target.project, path, contents)
    return try_batch(target.project, target.session, path, batch, trial)


def plain(target: Target, path: Path) -> bool:
    """Whether published vectors find anything as a plain test runs them: buffers at the start of
    a page, every capability set, outputs compared."""
    project, primitive = target.project, path.primitive
    published = [s for s in sources(primitive, None) if s.files]
    for source in published:
        if any(file.suffix != PLAIN_FILES for file in source.files):
            continue
        cases = source.load()
        aligned = [replace(c, placement=replace(c.placement, side=Side.START)) for c in cases]
        batch = batch_of(project, path, (aligned, [c.expected for c in cases if c.expected]))
        start = prologue(project, path, Vector.full(project.arch))
        result = target.session.run(batch.data, start, seed=SEEDS[0], cpu_budget_us=BUDGET_US)
        if any(event.kind in PLAIN for event in result.events):
            return True
    return False


def found(works: Works, target: Target, defect: Defect) -> tuple[Finding | None, Any]:
    """The first finding of the defect's check, with the key of the cases that gave it."""
    project, primitive = target.project, target.primitive(defect.primitive)
    if defect.source in FUNCTIONS:
        return vector_fault(target, FUNCTIONS[defect.source]), None
    if defect.source == LENGTHS:
        events = test_lengths.wrong(project, defect.primitive)
        return next((Finding("value", e.script, str(e)) for e in events), None), None
    if defect.check == RACE:
        return next(iter(judge_race(project, initialiser(project)).findings), None), None
    if defect.check == DISPATCH:
        mismatches = enumerate_paths(project, target.session, primitive).mismatches
        return next((Finding(DISPATCH, None, text) for text in mismatches), None), None
    if defect.source == ISA:
        static = static_findings(project, primitive, functools.partial(where, project))
        return next((f for f in static.get(defect.variants[primitive.name], ())), None), None
    if defect.check == OBJECT:
        audited = audit(project, primitive, functools.partial(where, project))
        return next((f for each in audited.values() for f in each), None), None
    path = target.path(defect.primitive)
    if defect.check == CONSTANT_TIME:
        return next(timed(works, target, path), None), None
    if defect.check == UNWIND:
        return next(iter(unwound(works, target, path)), None), None
    if defect.check == STACK:
        return next(iter(watched(works, target, path)), None), None
    for key, contents in works.chunks(defect.primitive, defect.source):
        for finding in outcome(target, path, contents, defect.check).findings:
            if finding.check == defect.check:
                return finding, key
    return None, None


def vector_fault(target: Target, test: Callable[[Project, Session], None]) -> Finding | None:
    """What the project's own test says of the function that makes the vector."""
    try:
        test(target.project, target.session)
    except AssertionError as error:
        return Finding(DISPATCH, None, str(error))
    return None


def tells_uppers(target: Target) -> bool:
    """Whether the runner sees which upper halves of vectors are in use."""
    nothing = encode([Script((), ())])
    return target.session.run(nothing, Prologue(), flags=RunFlag.CLEAN_UPPERS).uppers_told


def timed(works: Works, target: Target, path: Path) -> Iterator[Finding]:
    """The findings of the constant-time check."""
    project, session = target.project, target.session
    describe = functools.partial(where, project)
    for group in twin_batches(project, path, works.cache):
        leaks = examine(project, session, path, path.masks[0], SEEDS[0], group, describe)
        yield from (leak.finding for leak in leaks)


def unwound(works: Works, target: Target, path: Path) -> tuple[Finding, ...]:
    """The findings of the unwind check on the first published vectors."""
    project = target.project
    _, contents = next(works.chunks(path.primitive, "published"))
    batch = batch_of(project, path, contents)
    with watching(project) as session:
        frames = observe(project, session, path, batch.data, SEEDS[0], BUDGET_US)
    return judge_frames(project, frames, functools.partial(where, project)).findings


def watched(works: Works, target: Target, path: Path) -> tuple[Finding, ...]:
    """The findings of the stack check on the first chunk of the sweep."""
    project, session = target.project, target.session
    _, contents = next(works.chunks(path.primitive, SWEEP))
    batch = batch_of(project, path, contents)
    return watch_stack(project, session, path, SEEDS[0], batch, watched_scripts(batch)).findings


def waits_for(defect: Defect) -> str:
    """What is not here yet of the check or the source that finds a defect."""
    if defect.check not in CHECKS:
        return f"no check `{defect.check}` yet"
    own = defect.source in (
        ISA,
        DISPATCH,
        CONSTANT_TIME,
        UNWIND,
        STACK,
        OBJECT,
        RACE,
        LENGTHS,
        *FUNCTIONS,
    )
    if own or defect.source in (s.name for s in sources(defect.primitive, None)):
        return ""
    return f"no source `{defect.source}` of {defect.primitive} yet"


def names(items: Iterable[Defect]) -> list[str]:
    return ["".join(c if c.isalnum() else "-" for c in item.id)[:48] for item in items]


@pytest.fixture(scope="module")
def works(rig_cache: FilePath) -> Iterator[Works]:
    made = Works(rig_cache)
    yield made
    for twin in made.twins.values():
        twin.session.close()


@pytest.mark.parametrize("defect", DEFECTS, ids=names(DEFECTS))
def test_defect_is_found(works, defect, tmp_path):
    target = works.target(defect, edited(defect, tmp_path / "native"))
    try:
        judge(works, target, defect)
    finally:
        target.session.close()


def judge(works: Works, target: Target, defect: Defect) -> None:
    twin = works.twin(defect)
    judged = COMPOSED.get(defect.primitive, defect.primitive)
    if not defect.whole and (reason := unrunnable(target.project, target.path(judged))):
        pytest.skip(reason)
    if defect.plain is not None:
        assert plain(target, target.path(judged)) == defect.plain, "plain vectors"
    if reason := waits_for(defect):
        pytest.skip(reason)
    if defect.uppers and not tells_uppers(twin):
        pytest.skip("this CPU does not tell which upper halves of vectors are in use")
    finding, key = found(works, target, defect)
    assert finding, f"no finding of `{defect.check}` in {defect.source}"
    assert defect.says in " ".join((finding.summary, *finding.details)), finding
    assert passes(works, twin, defect, key)


def passes(works: Works, twin: Target, defect: Defect, key: Any) -> bool:
    """Whether the twin passes the cases that found the defect."""
    if key is None:
        return found(works, twin, defect)[0] is None
    known = (defect.arch, *defect.variants.items(), *key, defect.check in RECORDED)
    if known not in works.held:
        path = twin.path(defect.primitive)
        done = outcome(twin, path, works.contents[key], defect.check)
        works.held[known] = not (done.findings or done.failed or done.abandoned)
    return works.held[known]


def table() -> str:
    """The table of TABLE.md."""
    lines = [
        "| defect | class | in | check | source | by plain vectors |",
        "|---|---|---|---|---|---|",
    ]
    for row in DEFECTS:
        cells = (row.id, row.kind, f"{row.where} ({row.arch})", row.check, row.source)
        lines.append(f"| {' | '.join((*cells, PLAINLY[row.plain]))} |")
    return "\n".join(lines) + "\n"


def test_table():
    """TABLE.md holds the rows; RIG_GOLD=write makes it anew."""
    file = HERE / "TABLE.md"
    if os.environ.get("RIG_GOLD") == "write":
        file.write_text(table())
    assert file.read_text() == table()


def test_ids_are_unique():
    assert len({d.id for d in DEFECTS}) == len(DEFECTS)
