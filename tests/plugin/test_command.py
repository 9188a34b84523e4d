"""`rig run` as a user meets it: in other folders, beside itself, and cut short."""

import json
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rig.data import data_folder

Command = Callable[..., "subprocess.Popen[str]"]
SECONDS = 120.0


def _finished(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


def _document(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def _verdicts(folder: Path) -> dict[str, tuple[str, dict[str, int]]]:
    return {path["id"]: (path["verdict"], path["cases"]) for path in _document(folder)["paths"]}


def test_paths_with_spaces_and_the_pytest_line(
    pytester: pytest.Pytester, command: Command, toy: Path
) -> None:
    """From nothing, with a cache of its own; what `-v` prints gives the same result."""
    project = pytester.mkdir("a project")
    toy.rename(project / "rig.toml")
    options = ["a project", "-j", "1", "-v", "--cache-dir=a cache", "--report=a report"]
    selected = ["--", "-k", "generic and (published or edges or generated)"]
    code, out, err = _finished(command("run", *options, *selected, NO_COLOR="1"))
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert {path.name for path in pytester.path.iterdir()} == {"a project", "a cache", "a report"}
    first = _verdicts(pytester.path / "a report")
    line = shlex.split(out.splitlines()[0])
    assert line[0] == "pytest"
    again = [sys.executable, "-m", *line, "--assert=plain", "-p", "no:cacheprovider"]
    done = subprocess.run(again, capture_output=True, text=True, cwd=pytester.path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing compiled" in done.stdout
    assert _verdicts(pytester.path / "a report") == first
    assert first["chacha20/x86_64/mask/chacha20=generic"][0] == "pass"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_absent_architecture_is_told_and_no_failure(
    pytester: pytest.Pytester, command: Command, rig_cache: Path, toy: Path, jobs: str
) -> None:
    toy.write_text(
        toy.read_text().replace(
            'arch = "x86_64", name = "generic"', 'arch = "arm", name = "generic"'
        )
    )
    options = ["--arch", "arm", "-j", jobs, f"--cache-dir={rig_cache}", "--report=r"]
    code, out, err = _finished(command("run", *options, PATH="/nowhere"))
    assert (code, err) == (0, "")
    assert "controls   none ran" in out
    (absent,) = _document(pytester.path / "r")["run"]["absent"]
    assert absent["arch"] == "arm"
    assert absent["reason"].endswith("qemu-arm is not on PATH")
    assert absent["fix"] == "`apt-get install qemu-user`"
    required = command("run", *options, "--require-arch=aarch64,arm", PATH="/nowhere")
    code, out, err = _finished(required)
    assert code == 2
    (told,) = [line for line in err.splitlines() if line]
    assert told.startswith("ERROR: rig: ")


def test_a_runner_behind_a_prefix(
    pytester: pytest.Pytester, command: Command, rig_cache: Path, toy: Path
) -> None:
    """By an option, and by the manifest, whose paths are relative to it."""
    script = pytester.mkdir("tools") / "board"
    script.write_text('#!/bin/sh\nexec "$@"\n')
    script.chmod(0o755)
    options = ["-j", "1", f"--cache-dir={rig_cache}", "--report=r", "--variant=generic"]
    few = ["--", "-k", "published"]
    assert _finished(command("run", *options, "--runner", f"x86_64={script} ", *few))[0] == 0
    assert {p["emulator"] for p in _document(pytester.path / "r")["paths"]} == {"board"}
    toy.write_text(f'runner = {{ x86_64 = "tools/board" }}\n{toy.read_text()}')
    assert _finished(command("run", *options, *few))[0] == 0
    assert {p["emulator"] for p in _document(pytester.path / "r")["paths"]} == {"board"}
    code, _, err = _finished(command("run", *options, "--runner", "x86_64=/bin/false"))
    assert code == 2
    assert "the prefix for x86_64 does not work: " in err
    assert "died during the handshake (exit 1)" in err


def test_two_runs_at_once_with_one_cache_and_one_report(
    pytester: pytest.Pytester, command: Command, rig_cache: Path, toy: Path
) -> None:
    options = ["-j", "1", f"--cache-dir={rig_cache}", "--", "-k", "generic and published"]
    both = [command("run", *options) for _ in range(2)]
    for process in both:
        code, out, err = _finished(process)
        assert (code, err) == (0, ""), out
    assert _document(pytester.path / "rig-report")["totals"]["cases"] == 28
    assert {path.name for path in pytester.path.iterdir()} == {"rig.toml", "rig-report"}


def test_a_folder_that_cannot_be_written(command: Command, rig_cache: Path, toy: Path) -> None:
    """No verdict is lost: the screen says where the report could not go."""
    options = ["-j", "1", f"--cache-dir={rig_cache}", "--", "-k", "generic and published"]
    code, out, err = _finished(command("run", toy, *options, cwd=Path("/proc")))
    assert (code, err) == (0, "")
    (line,) = (line for line in out.splitlines() if line.startswith("report"))
    assert "/proc/rig-report: cannot write the report: " in line
    assert line.endswith("name another with --report DIR")


def test_a_home_that_cannot_be_written(command: Command, toy: Path) -> None:
    places = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": None}
    code, out, err = _finished(command("run", toy, "-j", "1", **places))
    assert (code, out) == (2, "")
    assert err.startswith("rig: /proc/nowhere/.cache/variant-rig: cannot write the cache: ")
    assert err.endswith("name another with --cache-dir DIR\n")


def _marked(mark: str) -> Iterator[tuple[int, int, str]]:
    """The processes that inherited a mark: process, its parent, its program."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                yield int(folder.name), int(parent), str((folder / "exe").readlink())
        except OSError:
            continue


def _until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def _a_worker_is_at_work(process: "subprocess.Popen[str]", mark: str) -> bool:
    """Whether a worker, a Python that is the command's child, has a runner."""
    assert process.poll() is None, process.communicate()
    found = list(_marked(mark))
    python = str(Path(f"/proc/{process.pid}/exe").readlink())
    workers = {pid for pid, parent, program in found if (parent, program) == (process.pid, python)}
    return any("/runners/" in program and parent in workers for _, parent, program in found)


ENDLESS = f"""
rig     = 1
include = ["{data_folder("native") / "include"}"]

[chacha20]
dir      = "{data_folder("native") / "controls"}"
symbols  = {{ ctr32 = "control_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "endless", source = "faults.c" }},
]
"""


def test_an_interrupt_ends_everything_and_keeps_the_old_report(
    pytester: pytest.Pytester, command: Command, rig_cache: Path
) -> None:
    """Sent to the command alone, as CI does, while workers run code that never ends."""
    (pytester.path / "rig.toml").write_text(ENDLESS)
    report = pytester.mkdir("rig-report")
    (report / "results.json").write_text("old")
    mark = uuid.uuid4().hex
    options = ["-j", "2", f"--cache-dir={rig_cache}", "--", "-k", "sweep"]
    process = command("run", *options, RIG_TEST_MARK=mark)
    _until(lambda: _a_worker_is_at_work(process, mark), "no worker started its runner")
    process.send_signal(signal.SIGINT)
    code, out, err = _finished(process)
    assert code == 2
    assert err == "rig: interrupted\n"
    assert "report     interrupted: the report was not replaced" in out
    assert "Traceback" not in out
    assert (report / "results.json").read_text() == "old"
    _until(lambda: not list(_marked(mark)), "a process is left")


def test_a_pipe_that_closes_early(pytester: pytest.Pytester, environment: None) -> None:
    line = f"{shlex.quote(sys.executable)} -m rig list | head -1"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
