"""`rig run` from end to end on faulty projects, all at once: exit codes, the words of verdicts,
replay lines with their case files, and that a variant which does not come back costs the others
nothing."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import rig.cli
from rig.cases import from_json

HERE = Path(__file__).parent
# An endless loop would take its whole budget of CPU time in each of four runs.
SHORT_BUDGET = """
import functools, sys
import rig.cli, rig.lab
rig.lab.Trial = functools.partial(rig.lab.Trial, budget_us=60_000)
sys.exit(rig.cli.main())
"""
FATAL = {"crash": "crash", "endless": "timeout", "exits": "exit"}


@dataclass(frozen=True, slots=True)
class Run:
    """What a run left: its exit code, what it printed, the report's folder."""

    code: int
    output: str
    report: Path

    def paths(self) -> dict[str, dict]:
        """The paths of results.json by name and kind."""
        document = json.loads((self.report / "results.json").read_text())
        return {f"{path['path']} {path['kind']}": path for path in document["paths"]}


def start(folder: Path, cache: Path, *arguments: object, code: str = "") -> subprocess.Popen[str]:
    """Starts `rig run` in a folder of its own, in one process."""
    folder.mkdir(exist_ok=True)
    entry = ("-c", code) if code else ("-m", "rig")
    options = ["-j", "1", "--cache-dir", str(cache)]
    command = [sys.executable, *entry, "run", *options, *map(str, arguments)]
    roots = [str(Path(rig.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def undeclared_bit(folder: Path) -> Path:
    """The project dispatch.toml, copied, with a dispatcher that looks at BMI2."""
    folder.mkdir()
    shutil.copytree(HERE / "sources", folder / "sources")
    text = (HERE / "dispatch.toml").read_text().replace("clean_select", "undeclared_select")
    (folder / "rig.toml").write_text(text)
    return folder / "rig.toml"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, rig_cache: Path) -> dict[str, Run]:
    base = tmp_path_factory.mktemp("runs")
    # The searches find what their time allows: left out, so that each count is known.
    known = ("--", "-k", "not novelty")
    fatal = [*(f"--variant={name}" for name in ("finishes", *FATAL)), *known]
    undeclared_bit(base / "dispatch")
    started = {
        "fatal": start(base / "fatal", rig_cache, HERE / "endings.toml", *fatal, code=SHORT_BUDGET),
        "dispatch": start(base / "dispatch", rig_cache),
    }
    outputs = {name: process.communicate(timeout=120)[0] for name, process in started.items()}
    return {
        name: Run(process.returncode, outputs[name], base / name / "rig-report")
        for name, process in started.items()
    }


def test_fatal_variants_are_verdicts(runs):
    run = runs["fatal"]
    assert run.code == 1, run.output
    screen = " ".join(run.output.split())
    assert re.search(
        r"check crash: SIGSEGV at faulty_chacha20_crash\+0x[0-9a-f]+: mov byte ptr .*?"
        r"\(sources/endings.c:\d+\), address 0x123456789abc",
        screen,
    )
    assert re.search(r"check timeout: still running at faulty_chacha20_endless\+0x", screen)
    assert "check exit: the code ended the process with status 3" in screen
    assert all(f"{name} FAIL" in screen for name in FATAL)
    assert "finishes ok" in screen


def test_fatal_variants_cost_the_others_nothing(runs):
    paths = runs["fatal"].paths()
    for kind in ("mask", "direct"):
        assert paths[f"chacha20=finishes {kind}"]["verdict"] == "pass"
    for name in FATAL:
        path = paths[f"chacha20={name} direct"]
        assert (path["verdict"], path["failed"]) == ("fail", 1)
    # But for what follows a timeout, which is the last length alone.
    cases = {name: path["cases"] for name, path in paths.items()}
    whole = cases["chacha20=finishes direct"]
    assert cases["chacha20=crash direct"] == cases["chacha20=exits direct"] == whole
    assert cases["chacha20=endless direct"] == {**whole, "sweep": whole["sweep"] - 1}


def test_failures_leave_cases_that_replay_lines_name(runs):
    run = runs["fatal"]
    named = re.findall(r"replay +rig replay (rig-report/cases/\S+\.json)\n", run.output)
    documents = [json.loads((run.report.parent / name).read_text()) for name in named]
    found = {d["path"]["slots"]["chacha20"]: d["finding"]["check"] for d in documents}
    assert found == FATAL
    for document in documents:
        case = from_json(document["case"])
        assert len(case.values.inputs["data"]) == 4095
        assert len(case.expected.outputs["output"]) == 4095
    assert len(list((run.report / "cases").iterdir())) == len(FATAL)


def test_replay_line_replays(runs, rig_cache, capsys):
    file = next((runs["fatal"].report / "cases").glob("*-exit.json"))
    assert rig.cli.main(["replay", str(file), "--cache-dir", str(rig_cache)]) == 1
    assert "check     exit: the code ended the process with status 3" in capsys.readouterr().out


def test_failures_say_who_is_right(runs):
    screen = " ".join(runs["fatal"].output.split())
    assert "right chacha20=finishes (mask), chacha20=finishes (direct) wrong" in screen


def test_dispatcher_fails_alone(runs):
    run = runs["dispatch"]
    assert run.code == 1, run.output
    assert "word 2 bit 8, bmi2: no variant declares it" in " ".join(run.output.split())
    assert re.findall("^FAILED .*::(.*?) ", run.output, re.MULTILINE) == [
        "chacha20/x86_64/dispatch"
    ]
    paths = run.paths()
    assert {path["verdict"] for path in paths.values()} <= {"pass", "skipped"}
    for kind in ("mask", "direct"):
        assert paths[f"chacha20=clean {kind}"]["verdict"] == "pass"
        assert {"published", "edges", "sweep", "generated"} <= set(
            paths[f"chacha20=clean {kind}"]["cases"]
        )
