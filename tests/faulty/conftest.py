"""The faulty projects of this folder, each built once, and a way to run a source of cases on one
of their paths in this process."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

import pytest

from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import Path, Sweep
from rig.checks.stack import Watched, watch_stack
from rig.checks.trial import Outcome, Trial, try_batch
from rig.inputs.answers import answers, with_inverses
from rig.inputs.sources import HUGE, SWEEP, sources
from rig.lab import takes
from rig.manifest import Manifest, read
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, enumerate_paths
from rig.runner.batches import Batch, Contents, make_batch
from rig.runner.command import AbsentError
from rig.runner.session import Session

HERE = FilePath(__file__).parent
SEEDS = (2, 3)
BUDGET_US = 60_000
HUGE_BUDGET_US = 4_000_000
BY_SYMBOLS = ("aead", "dispatch", "parts")


@dataclass(frozen=True, slots=True)
class Target:
    """A project in its runner, with the sweep of each of its primitives."""

    project: Project
    session: Session
    sweeps: dict[str, Sweep]

    def path(self, primitive: str, variant: str) -> Path:
        """The direct path of a variant; of a composition the only one."""
        paths = self.sweeps[primitive].paths
        if self.project.manifest.primitives[primitive].slots:
            return paths[0]
        return next(p for p in paths if p.kind == "direct" and (primitive, variant) in p.choice)


class Bench:
    """Targets and answers, made when they are first asked for."""

    def __init__(self, cache: FilePath) -> None:
        self.cache = cache
        self._targets: dict[tuple[str, str, str], Target] = {}
        self._contents: dict[tuple[str, str], Contents] = {}
        self._batches: dict[tuple[object, ...], Batch] = {}

    def close(self) -> None:
        """Ends the runners."""
        for target in self._targets.values():
            target.session.close()

    def target(self, name: str, fault: str = "clean", arch: str = "x86_64") -> Target:
        """The project NAME.toml; one of BY_SYMBOLS with those of `fault`. Skips the test where
        nothing here runs the architecture."""
        key = (name, fault if name in BY_SYMBOLS else "clean", arch)
        if key not in self._targets:
            manifest = _with_symbols(read(HERE / f"{name}.toml"), key[1])
            project = self._build(manifest, arch)
            session = project.session()
            sweeps = {
                primitive.name: enumerate_paths(project, session, primitive)
                for primitive in manifest.primitives.values()
            }
            self._targets[key] = Target(project, session, sweeps)
        return self._targets[key]

    def _build(self, manifest: Manifest, arch: str) -> Project:
        try:
            return build(manifest, arch, find_toolchain("zig"), self.cache, 2)
        except AbsentError as error:
            pytest.skip(str(error))

    def outcome(self, target: Target, path: Path, source: str, first: int | None = None) -> Outcome:
        """What a source of cases, or its first few, give on a path under its first mask."""
        batch = self._batch(target.project, path, source, first)
        budget = HUGE_BUDGET_US if source == HUGE else BUDGET_US
        trial = Trial(path.masks[0], SEEDS, budget)
        return try_batch(target.project, target.session, path, batch, trial)

    def watched(self, target: Target, path: Path, scripts: Sequence[int]) -> Watched:
        """What single steps show of some scripts of the sweep."""
        batch = self._batch(target.project, path, SWEEP, max(scripts) + 1)
        return watch_stack(target.project, target.session, path, SEEDS[0], batch, scripts)

    def _batch(self, project: Project, path: Path, source: str, first: int | None) -> Batch:
        bound = binding(project, path)
        whose = (project.arch, bound.contract.path, path.primitive)
        key = (*whose, source, first, *sorted(bound.targets.items()))
        if key not in self._batches:
            cases, found = (part[:first] for part in self.taken(path, source))
            self._batches[key] = make_batch(PRIMITIVES[path.primitive], bound, cases, found)
        return self._batches[key]

    def taken(self, path: Path, source: str) -> Contents:
        """Those of them that a path is defined for."""
        pairs = zip(*self.contents(path.primitive, source), strict=True)
        taken = [(case, answer) for case, answer in pairs if takes(path, case)]
        return [case for case, _ in taken], [answer for _, answer in taken]

    def contents(self, primitive: str, source: str) -> Contents:
        """The cases of a source with their answers."""
        key = (primitive, source)
        if key not in self._contents:
            cases = next(s for s in sources(primitive, None) if s.name == source).load()
            definition = PRIMITIVES[primitive]
            found = answers(definition, cases, self.cache)
            self._contents[key] = with_inverses(definition, cases, found)
        return self._contents[key]


def _with_symbols(manifest: Manifest, fault: str) -> Manifest:
    dispatch = manifest.dispatch
    if dispatch:
        dispatch = replace(dispatch, symbol=dispatch.symbol.replace("clean", fault))
    primitives = {
        name: replace(
            primitive,
            symbols={r: s.replace("_clean", f"_{fault}") for r, s in primitive.symbols.items()},
        )
        for name, primitive in manifest.primitives.items()
    }
    return replace(manifest, dispatch=dispatch, primitives=primitives)


@pytest.fixture(scope="session")
def bench(rig_cache: FilePath) -> Iterator[Bench]:
    """The one bench of the session."""
    made = Bench(rig_cache)
    yield made
    made.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the table of known defects after a run of them."""
    reports = (r for group in terminalreporter.stats.values() for r in group)
    ran = any("test_defect_is_found" in getattr(r, "nodeid", "") for r in reports)
    if ran:
        terminalreporter.section("known defects (tests/faulty/TABLE.md)")
        terminalreporter.write((HERE / "TABLE.md").read_text())
