"""`rig coverage`: totals, listing, what is missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rig as package

from .conftest import CONTROLS, NATIVE, Rig


def test_listing(rig: Rig) -> None:
    result = rig("coverage", "chacha20/clean", CONTROLS)
    assert result.code == 0
    assert result.lines[0].startswith("chacha20/clean x86_64: ")
    assert "+ executed   - not executed   ~ jump that went one way only" in result.lines
    assert "  10 of 10 directions of conditional jumps" in result.lines
    assert "faults.c" in result.lines
    assert any(line.startswith("+ +0x0") for line in result.lines)
    assert all(len(line) <= 80 for line in result.lines)


def test_missing_only(rig: Rig) -> None:
    """`exits` ends the process by a system call: the `ud2` behind it is never executed."""
    result = rig("coverage", "chacha20/exits", CONTROLS, "--missing")
    assert result.code == 0
    assert any(line.startswith("- ") and line.endswith("ud2") for line in result.lines)
    assert "of them failed: rig run --primitive chacha20 --variant exits" in result.out
    functions = {line.split(":")[0] for line in result.lines if "missing" in line}
    assert functions == {"control_exits"}


def test_json(rig: Rig) -> None:
    document = json.loads(rig("coverage", "chacha20/exits", CONTROLS, "--json").out)
    assert document["paths"] == ["chacha20/x86_64/direct/chacha20=exits"]
    assert document["executed"] == document["total"] - 1
    (missing,) = [f for f in document["functions"] if f["missed"]]
    assert missing["name"] == "control_exits"
    assert len(missing["missed"]) == len(missing["missed_offsets"]) == 1
    assert missing["missed_lines"][0].startswith("faults_x86_64.S:")


def test_named_path(rig: Rig) -> None:
    """One path by its id; without one the union of all that run the variant."""
    both = [f"chacha20/x86_64/{kind}/chacha20=clean" for kind in ("mask", "direct")]
    for arguments, expected in (([f"--path={both[0]}"], both[:1]), ([], both)):
        result = rig("coverage", "chacha20/clean", CONTROLS, *arguments, "--json")
        assert json.loads(result.out)["paths"] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ghash",), "ghash: name a variant: ghash/table4, ghash/ct64, ghash/ssse3, ghash/pclmul"),
        (("ghash/clmul",), "no such variant; did you mean `ghash/pclmul`?"),
        (("gash/pclmul",), "no such variant; did you mean `ghash/pclmul`?"),
        (("aes_gcm",), "composed over fused, aes, ghash"),
        (("ghash/ct64", "--path=ghash=ct46"), "did you mean `ghash=ct64`?"),
    ],
)
def test_unknown_names(arguments: tuple[str, ...], message: str, rig: Rig) -> None:
    result = rig("coverage", arguments[0], NATIVE, *arguments[1:])
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_closed_pipe(rig_cache: Path) -> None:
    """`rig coverage ... | head -1` says nothing on standard error."""
    root = Path(package.__file__).parent.parent
    command = [sys.executable, "-m", "rig", "coverage", "chacha20/clean", str(CONTROLS)]
    process = subprocess.Popen(
        [*command, f"--cache-dir={rig_cache}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
        text=True,
    )
    assert process.stdout and process.stderr
    assert process.stdout.readline().startswith("chacha20/clean")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait()
