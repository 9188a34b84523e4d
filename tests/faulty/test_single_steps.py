"""The stack check and the race check from end to end: exit codes, results.json, a replay."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import rig.cli

HERE = Path(__file__).parent


def run(folder: Path, cache: Path, manifest: Path, *wanted: str) -> tuple[dict, str]:
    """results.json and the screen of a run on x86_64 that must fail."""
    roots = [str(Path(rig.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    options = ("--arch", "x86_64", "-j", "1", "--cache-dir", str(cache))
    done = subprocess.run(
        [sys.executable, "-m", "rig", "run", str(manifest), *wanted, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    report = folder / "rig-report" / "results.json"
    return json.loads(report.read_text()), " ".join(done.stdout.split())


def test_a_write_below_the_stack_pointer_replays(tmp_path, rig_cache, capsys):
    wanted = ("--checks", "stack", "--variant", "below", "--variant", "below_twin")
    document, _ = run(tmp_path, rig_cache, HERE / "memory.toml", *wanted)
    checks = {path["path"]: path["checks"] for path in document["paths"] if path["checks"]}
    assert checks == {"chacha20=below": {"stack": "fail"}, "chacha20=below_twin": {"stack": "pass"}}
    (case,) = (tmp_path / "rig-report" / "cases").iterdir()
    assert rig.cli.main(["replay", str(case), "--cache-dir", str(rig_cache)]) == 1
    assert (
        "stack: call 1 (ctr32): wrote 129 bytes below the stack pointer" in capsys.readouterr().out
    )


def test_a_race_fails_the_run_and_no_path(tmp_path, rig_cache):
    shutil.copytree(HERE / "sources", tmp_path / "sources")
    text = (HERE / "race.toml").read_text().replace("race_once", "race_early")
    (tmp_path / "rig.toml").write_text(text)
    document, screen = run(tmp_path, rig_cache, tmp_path / "rig.toml", "--checks", "race")
    (race,) = document["races"]
    assert (race["initialiser"], race["arch"], race["reason"]) == ("race_early", "x86_64", None)
    assert len(race["findings"]) == document["totals"]["failed"] == 1
    assert "race: while a call stands before race_early" in screen
    assert "schedules of two first calls, 1 wrong" in screen
    assert {path["verdict"] for path in document["paths"]} == {"skipped"}
