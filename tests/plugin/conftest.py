"""Small projects, and runs of pytest and of `rig` on them, each in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rig
from rig.cli import _plugin
from rig.data import data_folder

ROOT = Path(rig.__file__).parents[1]
NATIVE = data_folder("native")
TOY = f"""
rig     = 1
include = ["{NATIVE / "include"}"]

[chacha20]
dir      = "{NATIVE}"
symbols  = {{ ctr32 = "rig_chacha20_ctr32_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "generic", source = "generic/chacha20_generic.c" }},
  {{ arch = "x86_64", name = "ssse3", source = "x86/chacha20_ssse3.c", needs = "ssse3" }},
]
"""
FAULTY = f"""
rig     = 1
include = ["{NATIVE / "include"}"]

[chacha20]
dir      = "{NATIVE / "controls"}"
symbols  = {{ ctr32 = "control_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "clean", source = "faults.c" }},
  {{ arch = "x86_64", name = "wrong_tail", source = "faults.c", dispatch = false }},
]
"""


@pytest.fixture
def toy(pytester: pytest.Pytester) -> Path:
    """A rig.toml with two variants of one primitive, dispatched by the rule."""
    path = pytester.path / "rig.toml"
    path.write_text(TOY)
    return path


@pytest.fixture
def faulty(pytester: pytest.Pytester) -> Path:
    """A rig.toml with a clean variant and one whose last byte may be wrong."""
    path = pytester.path / "rig.toml"
    path.write_text(FAULTY)
    return path


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes import this checkout, and no outer run speaks to them."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def under_pytest(pytester: pytest.Pytester, rig_cache: Path, environment: None) -> Run:
    """pytest with the plugin; without Hypothesis's, and without rewriting Hypothesis's asserts,
    which takes longer than everything else."""

    def run(*arguments: str | Path) -> pytest.RunResult:
        options = [*_plugin(), "-p", "no:hypothesispytest", "--assert=plain"]
        options += [f"--rig-cache-dir={rig_cache}", *map(str, arguments)]
        return pytester.runpytest_subprocess(*options)

    return run


Command = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def command(pytester: pytest.Pytester, environment: None) -> Iterator[Command]:
    """Starts the `rig` command in the test's folder, in a session of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path, cwd: Path | None = None, **set_: str | None) -> Any:
        merged = {**os.environ, **set_}
        process = subprocess.Popen(
            [sys.executable, "-m", "rig", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd or pytester.path,
            env={name: value for name, value in merged.items() if value is not None},
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def results(folder: Path) -> dict[str, Any]:
    """The document of a report folder."""
    document: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return document


@pytest.fixture
def document(pytester: pytest.Pytester) -> Callable[[], dict[str, Any]]:
    """What the last run left in ./rig-report."""
    return lambda: results(pytester.path / "rig-report")
