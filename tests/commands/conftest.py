"""Projects with planted faults, and case files of what the rig finds on them."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from rig import cli
from rig import manifest as manifests
from rig.build.toolchain import find_toolchain
from rig.cases import Case, Placement
from rig.checks.trial import Trial, try_batch
from rig.data import data_folder
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, enumerate_paths
from rig.report.failures import Failure, document
from rig.runner.batches import make_batch
from rig.runner.session import Session

NATIVE = data_folder("native")
CONTROLS = NATIVE / "controls" / "rig.toml"
SEEDS = (2, 3)


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Rig = Callable[..., Result]


@pytest.fixture
def rig(rig_cache: Path, capsys: pytest.CaptureFixture[str]) -> Rig:
    """Runs a command with the suite's cache (`list` takes none)."""

    def run(command: str, *arguments: object) -> Result:
        options = [] if command == "list" else [f"--cache-dir={rig_cache}"]
        code = cli.main([command, *map(str, arguments), *options])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


def built(manifest: Path, cache: Path) -> Project:
    jobs = os.cpu_count() or 1
    return build(manifests.read(manifest), "x86_64", find_toolchain(), cache, jobs)


@pytest.fixture(scope="session")
def controls(rig_cache: Path) -> Project:
    return built(CONTROLS, rig_cache)


@pytest.fixture(scope="session")
def controls_session(controls: Project) -> Iterator[Session]:
    with controls.session() as session:
        yield session


@dataclass(frozen=True, slots=True)
class Found:
    """A case file and the failure that it was written of."""

    file: Path
    failure: Failure


def failures_of(project: Project, session: Session, variant: str, count: int) -> list[Failure]:
    """What the first lengths of the sweep find on a planted fault, as an item would say it."""
    definition = PRIMITIVES["chacha20"]
    found = enumerate_paths(project, session, project.manifest.primitives["chacha20"])
    path = next(p for p in found.paths if (p.kind, p.choice[0][1]) == ("direct", variant))
    cases = [
        Case(c.name, c.values, Placement(c.placement.side))
        for c, _ in zip(sweep("chacha20"), range(count), strict=False)
    ]
    answers = [answer(definition, case) for case in cases]
    batch = make_batch(definition, binding(project, path), cases, answers)
    outcome = try_batch(project, session, path, batch, Trial(path.masks[0], SEEDS, 60_000))
    return [
        Failure(project, path, path.masks[0], SEEDS, f, cases[f.script], answers[f.script])
        for f in outcome.findings
        if f.script is not None
    ]


Record = Callable[[str, str], Found]


@pytest.fixture
def record(controls: Project, controls_session: Session, tmp_path: Path) -> Record:
    """Writes the case file of the last finding of that check on that planted fault."""

    def write(variant: str, check: str) -> Found:
        count = 66 if variant in ("exits", "endless") else 64
        failures = failures_of(controls, controls_session, variant, count)
        failure = [f for f in failures if f.finding.check == check][-1]
        return Found(write_case(failure, tmp_path), failure)

    return write


def write_case(failure: Failure, folder: Path) -> Path:
    file = folder / "rig-report" / "cases" / f"{failure.id}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document(failure)))
    return file


@pytest.fixture
def checks_of(rig_cache: Path) -> Callable[[Path, str], set[str]]:
    """The checks that fire on the first lengths of a variant of a manifest, run directly."""

    def run(manifest: Path, variant: str) -> set[str]:
        project = built(manifest, rig_cache)
        with project.session() as session:
            return {f.finding.check for f in failures_of(project, session, variant, 100)}

    return run
