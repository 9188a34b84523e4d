"""`rig doctor`: what works, what does not, and what was therefore not tried."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import rig as package
from rig.architectures import host_architecture
from rig.capabilities.bits import LAYOUTS
from rig.commands import doctor
from rig.project import Project
from rig.runner.client import RunFlag
from rig.runner.events import RunResult

from .conftest import Rig

PROVEN = (
    *("Python", "machine", "decoder", "cache", "compiler", "runner", "CPU", "image"),
    *("RWX memory", "traps", "guard pages", "CPU timer", "controls"),
)
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1


def test_possible(rig: Rig) -> None:
    result = rig("doctor")
    assert result.code == 0
    assert result.lines[-1] == "a run is possible here"
    for name in PROVEN:
        assert any(line.startswith(f"ok    {name} ") for line in result.lines), name
    assert all(len(line) <= 80 for line in result.lines if "/" not in line)


def test_json(rig: Rig) -> None:
    document = json.loads(rig("doctor", "--json").out)
    assert document["possible"] is True
    status = {check["name"]: check["status"] for check in document["checks"]}
    assert all(status[name] == "ok" for name in PROVEN)
    assert status["emulators"] == status["room"] == "note"
    assert set(LAYOUTS) - {host_architecture()} <= status.keys()


def test_other_architectures(rig_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = {check.name: check for check in doctor.examine("zig", str(rig_cache))}
    host = host_architecture()
    foreign = "aarch64" if host != "aarch64" else "arm"
    emulator = f"qemu-{foreign}"
    if shutil.which(emulator):
        assert checks[foreign].status == doctor.OK
        assert re.match(rf"runs here by {emulator} \d\S*: .*aes", checks[foreign].text)
        assert re.search(rf"{emulator} \d", checks["emulators"].text)
    monkeypatch.setenv("PATH", "/nowhere")
    checks = {check.name: check for check in doctor.examine("zig", str(rig_cache))}
    assert checks[foreign].status == checks["emulators"].status == doctor.NOTE
    assert checks[foreign].text.startswith("does not run here: ")
    assert checks[foreign].fix == checks["emulators"].fix == "`apt-get install qemu-user`"
    assert checks["emulators"].text.startswith("missing: qemu-x86_64, ")
    assert checks["controls"].status == doctor.OK


def test_untried_after_a_failure() -> None:
    checks = {check.name: check for check in doctor.examine("zig", "/proc/none")}
    assert checks["cache"].status == doctor.FAIL
    assert "--cache-dir" in checks["cache"].text
    assert checks["compiler"].status == doctor.OK
    assert checks["runner"].status == doctor.UNTRIED
    assert checks["runner"].text == "not tried, as it needs: cache"
    assert checks["controls"].status == doctor.UNTRIED


def test_missing_compiler(rig_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    checks = {check.name: check for check in doctor.examine("clang", str(rig_cache))}
    assert (checks["compiler"].status, checks["runner"].status) == (doctor.FAIL, doctor.UNTRIED)
    assert "apt install clang" in checks["compiler"].text


@pytest.mark.parametrize(
    ("name", "variant", "flags"),
    [
        ("traps", "clean", RunFlag.COVERAGE),
        ("guard pages", "over_read", RunFlag.NONE),
        ("CPU timer", "endless", RunFlag.NONE),
    ],
)
def test_signal_that_does_not_arrive(
    name: str, variant: str, flags: RunFlag, rig_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = doctor._run

    def deaf(project: Project, asked: str, how: RunFlag) -> RunResult:
        result = real(project, asked, how)
        silent = (asked, how) == (variant, flags)
        return replace(result, events=(), order=()) if silent else result

    monkeypatch.setattr(doctor, "_run", deaf)
    checks = {check.name: check for check in doctor.examine("zig", str(rig_cache))}
    assert checks[name].status == doctor.FAIL
    assert "run outside" in checks[name].fix
    assert checks["controls"].status == doctor.UNTRIED


def test_refused_memory(rig_cache: Path) -> None:
    """A process that asked the kernel to refuse it memory which is writable and executable."""
    libc = ctypes.CDLL(None, use_errno=True)

    def forbid() -> None:
        libc.prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)

    probe = "import mmap; mmap.mmap(-1, 4096, prot=7)"
    if subprocess.run([sys.executable, "-c", probe], preexec_fn=forbid, stderr=-3).returncode == 0:
        pytest.skip("this kernel has no PR_SET_MDWE")
    done = subprocess.run(
        [sys.executable, "-m", "rig", "doctor", f"--cache-dir={rig_cache}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(package.__file__).parent.parent)},
        preexec_fn=forbid,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    text = " ".join(done.stdout.split())
    assert "FAIL RWX memory runner refused MAP: Permission denied; SELinux (execmem)" in text
    assert "- traps not tried, as it needs: RWX memory" in text
    assert text.endswith("no run is possible here: see FAIL")
