"""The gate on real runs of a small project: what is planted is named, by file and line."""

import json
import shutil
from pathlib import Path

import pytest

from ..small import MANIFEST, Done, command, make, run

GATE = """\
rules = ["all-paths-run", "no-new-skips"]
[require]
archs = ["x86_64"]
[thresholds]
"*" = { instructions = 100 }
"""
DEAD = "    if (len == 12345678901u)\n        out[0] = 7;\n"


@pytest.fixture(scope="session")
def whole(rig_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with its gate file, a run of it, and the baseline of that run."""
    folder = tmp_path_factory.mktemp("gate")
    make(folder / "small")
    (folder / "small" / "rig-gate.toml").write_text(GATE)
    result = run(folder, rig_cache, "small")
    assert result.returncode == 0, result.stdout + result.stderr
    assert gate(folder, "--update").returncode == 0
    return folder


def gate(folder: Path, *arguments: str) -> Done:
    return command(folder, "-m", "rig", "gate", *arguments)


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    shutil.copytree(whole, tmp_path / "copy")
    return tmp_path / "copy"


def test_it_passes(whole: Path) -> None:
    result = gate(whole)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "gate       small x86_64: passed; 4 of 4 paths ran, 100% of" in result.stdout


def test_dead_code(rig_cache: Path, copy: Path) -> None:
    """By the gate as part of the run: exit code 1, the lines that nothing reaches."""
    source = copy / "small" / "chacha20_generic.c"
    text = source.read_text()
    entry = text.index("rig_chacha20_ctr32_generic(")
    body = text.index("{\n", entry) + 2
    source.write_text(text[:body] + DEAD + text[body:])
    line = text[:body].count("\n") + 2
    result = run(copy, rig_cache, "small", "--gate")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "FAIL       chacha20/generic x86_64: reached less than the baseline" in result.stdout
    assert f"small/chacha20_generic.c:{line}  rig_chacha20_ctr32_generic: " in result.stdout
    allow = (
        'allow = [{{ symbol = "rig_chacha20_ctr32_generic", line = "{}-{}", reason = "planted" }}]'
    )
    (copy / "small" / "rig.toml").write_text(MANIFEST.format(allow=allow.format(line - 1, line)))
    result = run(copy, rig_cache, "small", "--gate")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_path_removed_and_an_entry_gone_stale(rig_cache: Path, copy: Path) -> None:
    allow = 'allow = [{ symbol = "rig_chacha20_ctr32_generic", line = 1, reason = "stale" }]'
    lines = MANIFEST.format(allow=allow).splitlines(keepends=True)
    kept = [line for line in lines if 'name = "ssse3"' not in line]
    (copy / "small" / "rig.toml").write_text("".join(kept))
    assert run(copy, rig_cache, "small", source="published").returncode == 0
    result = gate(copy)
    assert result.returncode == 1
    place = "small/rig-baseline.json:"
    for kind in ("direct", "mask"):
        assert f"FAIL       chacha20/x86_64/{kind}/chacha20=ssse3: gone" in result.stdout
    assert result.stdout.count(place) == 2
    stale = "FAIL       allow rig_chacha20_ctr32_generic:1: no code stands there; take the entry"
    assert stale in result.stdout and "small/rig.toml:4" in result.stdout


def test_coverage_reads_a_run(whole: Path) -> None:
    """coverage.py reports the .c files of a real run, and the header that is inlined."""
    done = command(whole, "-m", "coverage", "report", "--rcfile=rig-report/native.coveragerc")
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[2:] if line}
    for name in ("chacha20_generic.c", "chacha20_ssse3.c"):
        assert rows[f"small/{name}"][1] == "0"


def test_an_unusable_gate_ends_a_run_with_2(rig_cache: Path, copy: Path) -> None:
    (copy / "small" / "rig-gate.toml").write_text("rules = 3")
    result = run(copy, rig_cache, "small", "--gate", source="published")
    assert result.returncode == 2
    assert "gate       could not judge: small/rig-gate.toml:1: `rules` must be" in result.stdout


def test_json_is_the_same_verdict(whole: Path) -> None:
    result = gate(whole, "--json")
    assert json.loads(result.stdout)["passed"] is True
