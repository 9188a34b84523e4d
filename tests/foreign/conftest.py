"""Projects in other people's shape, each built once, and a way to judge all of their paths."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

import pytest

from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import Path, missing
from rig.capabilities.vector import Vector
from rig.cases import Answer, Case
from rig.checks.findings import Finding
from rig.checks.trial import Trial, try_batch
from rig.inputs.answers import answers
from rig.inputs.sources import EDGES, PUBLISHED, SWEEP, sources
from rig.lab import takes
from rig.manifest import Manifest, read
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, enumerate_paths
from rig.runner.batches import make_batch
from rig.runner.command import AbsentError
from rig.runner.session import Session

HERE = FilePath(__file__).parent
BUDGET_US = 200_000
EDGES_AT_MOST = 200


@dataclass(frozen=True, slots=True)
class Judged:
    """What a path gave: the cases that it took, those that it declined, the findings."""

    cases: int
    declined: tuple[Case, ...]
    findings: tuple[Finding, ...]

    @property
    def checks(self) -> set[str]:
        """The names of the checks that fired."""
        return {finding.check for finding in self.findings}


class Bench:
    """Builds and judges in this process; what is built lies in one cache."""

    def __init__(self, cache: FilePath) -> None:
        self.cache = cache
        self._contents: dict[str, tuple[list[Case], tuple[Answer, ...]]] = {}
        self._sessions: dict[FilePath, Session] = {}

    def close(self) -> None:
        """Ends every runner."""
        for session in self._sessions.values():
            session.close()

    def session(self, project: Project) -> Session:
        """One session for all that is judged of an image: it takes a second to lay out."""
        if project.image.path not in self._sessions:
            self._sessions[project.image.path] = project.session()
        return self._sessions[project.image.path]

    def project(self, manifest: Manifest | FilePath | str, arch: str = "x86_64") -> Project:
        """A project with its paths; a name is that of a manifest in this folder. Skips where
        nothing runs the architecture."""
        if not isinstance(manifest, Manifest):
            manifest = read(HERE / manifest)
        try:
            project = build(manifest, arch, find_toolchain("zig"), self.cache, 2)
        except AbsentError as error:
            pytest.skip(str(error))
        session = self.session(project)
        primitives = project.manifest.primitives.values()
        found = [
            enumerate_paths(project, session, p)
            for p in primitives
            if any(v.arch == arch for v in p.variants) or p.composed
        ]
        return replace(project, sweeps=tuple(found))

    def judged(self, project: Project) -> Mapping[tuple[str, str], Judged]:
        """Every path that this CPU can run, by kind and variant, under its first mask."""
        paths = [p for s in project.sweeps for p in s.paths if not missing(p, project.host)]
        return {(p.kind, p.choice[0][1]): self.judge(project, p, p.masks[0]) for p in paths}

    def judge(self, project: Project, path: Path, mask: Vector, every: int = 1) -> Judged:
        """One path under one mask, by one in `every` of its cases."""
        definition = PRIMITIVES[path.primitive]
        whole, found = self.contents(path.primitive)
        taken = [pair for pair in zip(whole, found, strict=True) if takes(path, pair[0])][::every]
        cases, wanted = [case for case, _ in taken], [answer for _, answer in taken]
        batch = make_batch(definition, binding(project, path), cases, wanted)
        trial = Trial(mask, (2, 3), BUDGET_US)
        outcome = try_batch(project, self.session(project), path, batch, trial)
        declined = tuple(case for case in whole if not takes(path, case))
        return Judged(outcome.cases, declined, outcome.findings)

    def contents(self, primitive: str) -> tuple[list[Case], tuple[Answer, ...]]:
        """Published vectors, some of the edges, and a part of the sweep that has every tail and
        every number of whole 64-byte blocks; the answers."""
        if primitive not in self._contents:
            found = {source.name: source.load() for source in sources(primitive, None)}
            sweep = [c for n, c in enumerate(found[SWEEP]) if n < 140 or _longest(c) % 64 == 0]
            cases = [*found.get(PUBLISHED, ()), *_spread(found[EDGES]), *sweep]
            wanted = answers(PRIMITIVES[primitive], cases, self.cache)
            self._contents[primitive] = cases, wanted
        return self._contents[primitive]

    def cases(self, primitive: str) -> list[Case]:
        """Every case that a path may take."""
        return self.contents(primitive)[0]


def _spread(edges: Sequence[Case]) -> list[Case]:
    """About EDGES_AT_MOST of them, of each operation at each side of its pages alike."""
    alike: dict[object, list[Case]] = defaultdict(list)
    for case in edges:
        alike[case.values.operation, case.placement.side].append(case)
    step = 1 + len(edges) // EDGES_AT_MOST
    return [case for cases in alike.values() for case in cases[::step]]


def _longest(case: Case) -> int:
    """Bytes of a case's longest input."""
    return max(len(value) for value in case.values.inputs.values() if isinstance(value, bytes))


@pytest.fixture(scope="session")
def bench(rig_cache: FilePath) -> Iterator[Bench]:
    bench = Bench(rig_cache)
    yield bench
    bench.close()


@pytest.fixture(scope="session")
def foreign() -> FilePath:
    """This folder, where the projects are."""
    return HERE
