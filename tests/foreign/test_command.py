"""The command itself on a project of somebody else's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path, rig_cache):
    def run_rig(manifest: Path) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "rig", "run", manifest, "--cache-dir", rig_cache)
        return subprocess.run(
            (*command, "-j", "1", "--", "-k", "published"),
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run_rig


def results(folder: Path) -> dict[str, str]:
    document = json.loads((folder / "rig-report" / "results.json").read_text())
    return {f"{p['kind']} {p['path']}": p["verdict"] for p in document["paths"]}


def test_a_clean_project(run, foreign, tmp_path):
    done = run(foreign / "ring" / "rig.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(results(tmp_path).values()) <= {"pass", "skipped"}
    assert results(tmp_path)["mask chacha20=nohw"] == "pass"


def test_an_undeclared_crossing(run, foreign, tmp_path):
    done = run(foreign / "stitched" / "undeclared.toml")
    found = results(tmp_path)
    if found["mask chacha20=ssse3"] == "skipped":
        pytest.skip("this CPU has no SSSE3")
    assert done.returncode == 1, done.stdout + done.stderr
    assert found["mask chacha20=ssse3"] == "fail"
    assert found["mask chacha20=nohw"] == "pass"
    assert "ChaCha20_ctr32_nohw ran" in done.stdout


def test_what_cannot_be_built(run, foreign):
    done = run(foreign / "broken" / "no_entry.toml")
    assert done.returncode == 2
    assert "did you mean `ChaCha20_ctr32_nohw`?" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
