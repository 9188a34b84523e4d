"""`rig report`: one folder of several, in every format."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rig import cli

from ..synthetic import FULL, GENERIC, SHIPPED, WIDE, image, ran, skipped, write

FORMATS = {"lcov": "coverage.lcov", "xml": "coverage.xml", "markdown": "summary.md"}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two machines, each with what the other lacks, and an aarch64 one."""
    monkeypatch.chdir(tmp_path)
    known = {"architectures": ["aarch64", "x86_64"]}
    write(tmp_path / "a", (ran(GENERIC), skipped(WIDE), ran(SHIPPED)), image(**known))
    write(tmp_path / "b", (skipped(GENERIC), ran(WIDE), skipped(SHIPPED)), image(**known))
    write(tmp_path / "c", (ran(WIDE, arch="aarch64"),), image("aarch64", **known))
    return tmp_path


def test_merged(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--into=all", f"--format={','.join(FORMATS)}"]
    assert cli.main(["report", "a", "b/results.json", "c", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "all: 4 of 4 paths ran (x86_64 aarch64)",
        *(f"all/{name}" for name in FORMATS.values()),
    ]
    assert "SF:proj/c/chacha.c\n" in (runs / "all" / "coverage.lcov").read_text()
    assert 'filename="proj/c/chacha.c"' in (runs / "all" / "coverage.xml").read_text()
    assert "| `chacha20/wide` | aarch64 | pass |" in (runs / "all" / "summary.md").read_text()
    results = json.loads((runs / "all" / "results.json").read_text())
    assert {row["verdict"] for row in results["paths"]} == {"pass"}


def test_the_gate_decides_on_the_merged(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = '[require]\narchs = ["x86_64", "aarch64"]\n[thresholds]\n"chacha20/wide" = '
    (runs / "proj" / "rig-gate.toml").write_text(rules + "{ instructions = 100 }\n")
    assert cli.main(["gate", "a", "b"]) == 1
    assert cli.main(["gate", "a", "b", "c"]) == 0
    cli.main(["report", "a", "b", "c", "--into=all", "--format=lcov"])
    assert cli.main(["gate", "all"]) == 0
    assert cli.main(["gate", "all", "--update"]) == 0
    baseline = json.loads((runs / "proj" / "rig-baseline.json").read_text())
    assert sorted(baseline) == ["aarch64", "rig-baseline", "x86_64"]
    capsys.readouterr()


def test_coverage_reads_the_merged_folder(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["report", "a", "b", "--into=all", "--format=markdown"])
    capsys.readouterr()
    command = [sys.executable, "-m", "coverage", "report", "--rcfile=all/native.coveragerc"]
    root = str(Path(cli.__file__).parent.parent)
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": root}, check=False
    )
    assert done.stdout.splitlines()[-1].split()[-1] == "100%", done.stdout + done.stderr


def test_the_page(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rig.report.html")
    assert cli.main(["report", "a", "b", "--into=all", "--format=html"]) == 0
    assert "all/index.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no report: "),
        (["a", "--format=htlm"], "--format htlm: unknown; did you mean `html`?"),
        (["a", "other"], "a and other: proj x86_64 zig 0 was built from different sources"),
        (["a", "--into=proj"], "not a report (holds x); name another with --into DIR"),
    ],
)
def test_refusals(
    runs: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (runs / "proj" / "x").touch()
    write(runs / "other", FULL, image(digest="0ther"))
    assert cli.main(["report", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
