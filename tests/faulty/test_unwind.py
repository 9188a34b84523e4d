"""Faults in call frame information on every architecture that runs here, each named at its first
instruction, and their twins; the same from end to end with a replay."""

import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rig.cli
from rig import manifest
from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.checks.trial import CPU_BUDGET_US, where
from rig.checks.unwind import framed, judge_frames, observe, watching
from rig.inputs.answers import answers
from rig.inputs.sources import sources
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, enumerate_paths
from rig.runner.batches import make_batch
from rig.runner.command import AbsentError

HERE = Path(__file__).parent
EXPECTED = {
    "moved": r"moved\+0x[14]: .* (comes out as|read at) 0x.*; the CFA is 0x",
    "epilogue": r"epilogue\+0x\w+: (jmp|b) .* comes out as 0x",
    "slot": r"slot\+0x\w+: .* the caller's (rbx|ebx|x19|r4)(:| comes out as 0x)",
    "bare": r"no call frame information at \w+_bare\+0x[14]: ",
    "aligned": r"aligned\+0x\w+: xor .* read at 0x\w+, which is not in the stack in use",
    "vector": r"vector\+0x\w+: .* the caller's d8 comes out as 0x0, it was 0x",
}
X86_FAULTS = {"moved", "epilogue", "slot", "bare", "aligned"}
FAULTS = {
    "x86_64": X86_FAULTS,
    "i386": X86_FAULTS,
    "aarch64": {"moved", "epilogue", "slot", "bare", "vector"},
    "arm": {"moved", "epilogue", "slot", "vector"},
}


@pytest.fixture(scope="module", params=ARCHITECTURES)
def project(request: pytest.FixtureRequest, rig_cache: Path) -> Project:
    read = manifest.read(HERE / "unwind.toml")
    try:
        return build(read, request.param, find_toolchain("zig"), rig_cache, 2)
    except AbsentError as error:
        pytest.skip(f"{error.reason}; {error.fix}")


@pytest.fixture(scope="module")
def found(project: Project, rig_cache: Path) -> Iterator[dict[str, tuple]]:
    """What the published vectors give, by variant."""
    (primitive,) = project.manifest.primitives.values()
    with project.session() as session:
        paths = enumerate_paths(project, session, primitive).paths
    definition = PRIMITIVES["chacha20"]
    cases = next(s for s in sources("chacha20", None) if s.name == "published").load()[:3]
    answered = answers(definition, cases, rig_cache)
    describe = functools.partial(where, project)
    alone = framed(project, paths)
    with watching(project) as session:

        def unwound(path):
            batch = make_batch(definition, binding(project, path), cases, answered)
            frames = observe(project, session, path, batch.data, 2, CPU_BUDGET_US)
            assert frames
            return frames, judge_frames(project, frames, describe)

        yield {dict(p.choice)["chacha20"]: unwound(p) for p in paths if p.id in alone}


def test_each_variant_is_unwound_on_its_direct_path(project, found):
    assert set(found) == {v.name for v in project.manifest.variants(project.arch)}


def test_faults_are_named_and_nothing_else_is(project, found):
    faulty = {name: unwound.findings for name, (_, unwound) in found.items() if unwound.findings}
    assert set(faulty) == FAULTS[project.arch]
    for name, findings in faulty.items():
        (finding,) = findings
        assert re.search(EXPECTED[name], finding.summary), finding.summary
        assert (finding.check, finding.symbol) == ("unwind", f"faulty_chacha20_{name}")


def test_exception_tables_are_a_reason_on_arm_alone(project, found):
    unjudged = {symbol for _, unwound in found.values() for symbol in unwound.unjudged}
    assert unjudged == ({"faulty_chacha20_bare"} if project.arch == "arm" else set())


def test_frames_hold_what_the_call_began_with(project, found):
    registers = ARCHITECTURES[project.arch].registers
    frames, _ = found["leaf"]
    first = frames[0]
    word = ARCHITECTURES[project.arch].pointer_bytes if "86" in project.arch else 0
    assert first.registers[registers.sp] == first.caller[registers.sp] - word
    kept = [n for n in registers.kept if n in first.caller and n != registers.sp]
    assert len(kept) >= 4
    assert {n: first.registers[n] for n in kept} == {n: first.caller[n] for n in kept}


def test_a_run_leaves_a_case_that_replays(tmp_path, rig_cache, capsys):
    wanted = ("--checks", "unwind", *(f"--variant={name}" for name in ("twin", "slot")))
    options = ("--arch", "x86_64", "-j", "1", "--cache-dir", str(rig_cache))
    roots = [str(Path(rig.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "rig", "run", str(HERE / "unwind.toml"), *wanted, *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    document = json.loads((tmp_path / "rig-report" / "results.json").read_text())
    checks = {path["id"]: path["checks"] for path in document["paths"] if path["checks"]}
    assert checks == {
        "chacha20/x86_64/direct/chacha20=slot": {"unwind": "fail"},
        "chacha20/x86_64/direct/chacha20=twin": {"unwind": "pass"},
    }
    (case,) = (tmp_path / "rig-report" / "cases").iterdir()
    assert rig.cli.main(["replay", str(case), "--cache-dir", str(rig_cache)]) == 1
    assert "unwind: faulty_chacha20_slot+0x1: xor rbx, rbx" in capsys.readouterr().out
