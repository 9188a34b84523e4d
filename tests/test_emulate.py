"""QEMU as the CPU that was named: the planted instructions beyond `needs` end in its own SIGILL."""

import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from rig.build.project import build_runner
from rig.build.toolchain import find_toolchain
from rig.capabilities.models import models, parse_cpu
from rig.capabilities.paths import direct_paths
from rig.capabilities.vector import Vector
from rig.cases import Case
from rig.emulate import check_emulated, emulator
from rig.errors import RigError
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep
from rig.manifest import read
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, host_vector, prologue
from rig.runner.batches import make_batch
from rig.runner.client import Runner
from rig.runner.events import Kind

FAULTY = Path(__file__).parent / "faulty" / "capability.toml"
SIGILL = 4

needs_qemu = pytest.mark.skipif(
    not shutil.which("qemu-x86_64"), reason="no qemu-x86_64: `apt install qemu-user`"
)

Emulated = Callable[[str], Project]


@pytest.fixture(scope="module")
def runner(rig_cache: Path) -> Path:
    return build_runner("x86_64", find_toolchain(), rig_cache)


@pytest.fixture(scope="module")
def emulated(rig_cache: Path, runner: Path) -> Emulated:
    def made(cpu: str) -> Project:
        prefix = emulator(cpu, "x86_64", runner)
        return build(read(FAULTY), "x86_64", find_toolchain(), rig_cache, 2, prefix)

    return made


@needs_qemu
@pytest.mark.parametrize("model", models("x86_64"), ids=lambda model: model.name)
def test_qemu_has_no_more_than_the_model(runner: Path, model: object) -> None:
    """QEMU's list of features is a second source of the models'."""
    name = model.name  # type: ignore[attr-defined]
    with Runner((*emulator(name, "x86_64", runner), str(runner))) as opened:
        host = host_vector(opened)
    check_emulated(name, host)
    assert host & Vector.base("x86_64") == Vector.base("x86_64")
    assert host.has("intel") == parse_cpu(name, "x86_64").has("intel")


@needs_qemu
@pytest.mark.parametrize(
    ("cpu", "variant", "crashes"),
    [
        ("core2duo", "clean", False),
        ("penryn", "pshufb", False),
        ("penryn", "sse41", False),
        ("core2duo", "sse41", True),
        ("penryn", "movbe", True),
        ("haswell", "movbe", False),
        ("sandybridge", "rorx", True),
        ("haswell", "rorx", False),
        ("westmere", "avx", True),
        ("sandybridge", "avx", False),
        ("sandybridge,-avx", "avx", True),
    ],
)
def test_sigill(emulated: Emulated, cpu: str, variant: str, crashes: bool) -> None:
    project = emulated(cpu)
    assert project.emulator == "qemu-x86_64 " + " ".join(project.runner[1:-1])
    primitive = project.manifest.primitives["chacha20"]
    paths = direct_paths(primitive, "x86_64")
    path = next(p for p in paths if p.choice == (("chacha20", variant),))
    case = next(iter(sweep("chacha20")))
    apart = [Case(case.name, case.values)]
    definition = PRIMITIVES["chacha20"]
    batch = make_batch(
        definition, binding(project, path), apart, [answer(definition, c) for c in apart]
    )
    with project.session() as session:
        events = session.run(batch.data, prologue(project, path, path.masks[0]), seed=1).events
    assert [(e.kind, e.signal) for e in events] == ([(Kind.CRASH, SIGILL)] if crashes else [])


def test_the_cpu_must_be_named(runner: Path) -> None:
    with pytest.raises(RigError, match=r"--emulate: name the CPU by --cpu, as in --cpu penryn"):
        emulator(None, "x86_64", runner)


def test_no_emulator(runner: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RigError, match=r"no[tn]? .*`apt install qemu-user` brings it"):
        emulator("penryn", "x86_64", runner)


def test_an_emulator_that_refuses(
    runner: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "qemu-x86_64"
    program.write_text("#!/bin/sh\necho unable to find CPU model >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(RigError, match="qemu-x86_64 -cpu Penryn: unable to find CPU model"):
        emulator("penryn", "x86_64", runner)


def test_a_cpu_with_more_proves_nothing() -> None:
    host = parse_cpu("penryn,+aes", "x86_64")
    with pytest.raises(RigError, match="QEMU's CPU also has aes"):
        check_emulated("penryn", host)
    check_emulated("penryn", parse_cpu("core2duo", "x86_64"))
