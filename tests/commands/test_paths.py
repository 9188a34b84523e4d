"""`rig paths`: what masks select, and that a dispatcher's fault shows."""

import json
from pathlib import Path

import pytest

from rig.architectures import host_architecture
from rig.commands import paths

from .conftest import CONTROLS, NATIVE, Rig


def test_native(rig: Rig) -> None:
    result = rig("paths", NATIVE)
    assert result.code == 0
    assert (
        "ghash x86_64: 128 masks asked, 3,060 undeclared bits flipped, 0 mismatches" in result.lines
    )
    start = result.lines.index("  fused=-,aes=ssse3,ghash=pclmul8 (mask)")
    assert result.lines[start + 1] == "    pclmul ssse3  0x20207808111:0x0:0x0:0x0:0x0"
    assert result.lines[-1].endswith("0 mismatches")
    assert all(len(line) <= 80 for line in result.lines)


def test_json(rig: Rig) -> None:
    document = json.loads(rig("paths", NATIVE, "--primitive=ghash", "--json").out)
    (row,) = document["primitives"]
    assert (row["primitive"], row["arch"], row["tested"]) == ("ghash", "x86_64", True)
    assert row["mismatches"] == []
    kinds = [(path["kind"], path["variants"]["ghash"]) for path in row["paths"]]
    assert kinds[:3] == [("mask", "ct64"), ("mask", "ssse3"), ("mask", "pclmul8")]
    assert ("direct", "table4") in kinds
    pclmul8 = row["paths"][2]
    assert pclmul8["masks"] == ["0x20207808111:0x0:0x0:0x0:0x0"]
    assert pclmul8["needs"] == [["pclmul", "ssse3"]]
    assert pclmul8["lengths"] == [{"min": 0, "max": None, "step": 1, "apart": []}]
    assert pclmul8["reason"] is None or pclmul8["reason"]["code"] == "cpu"


def test_by_variant(rig: Rig) -> None:
    rows = json.loads(rig("paths", NATIVE, "--variant=pclmul8", "--json").out)["primitives"]
    assert {row["primitive"] for row in rows} == {"ghash", "aes_gcm"}
    assert all("pclmul8" in path["path"] for row in rows for path in row["paths"])


def test_mismatches(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "SHOWN", 1)
    result = rig("paths", CONTROLS)
    assert result.code == 1
    mismatches = json.loads(rig("paths", CONTROLS, "--json").out)["primitives"][0]["mismatches"]
    assert any("no variant declares it, yet it changes the choice" in m for m in mismatches)
    assert mismatches[0] in " ".join(result.out.split())
    assert f"  ! and {len(mismatches) - 1} more (all in --json)" in result.lines


def test_unknown_names(rig: Rig) -> None:
    for option in ("--primitive=gash", "--variant=pclmulqdq"):
        result = rig("paths", NATIVE, option)
        assert (result.code, result.out) == (2, "")
        assert "did you mean" in result.err


SELECTED = {
    "i386": "chacha20=ssse3",
    "aarch64": "chacha20=neon",
    "arm": "chacha20=neon",
}


@pytest.mark.parametrize("arch", SELECTED)
def test_other_architectures(rig: Rig, arch: str) -> None:
    document = json.loads(
        rig("paths", NATIVE, "--primitive=chacha20", f"--arch={arch}", "--json").out
    )
    if document.get("absent"):
        pytest.skip(str(document["absent"]))
    (row,) = document["primitives"]
    assert (row["arch"], row["tested"], row["mismatches"]) == (arch, True, [])
    assert SELECTED[arch] in [path["path"] for path in row["paths"] if path["kind"] == "mask"]


def test_what_cannot_run_here(rig: Rig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Beside what can it is said with what brings it; alone it is an error."""
    monkeypatch.setenv("PATH", str(tmp_path))
    foreign = "aarch64" if host_architecture() != "aarch64" else "arm"
    options = ("--primitive=chacha20", f"--arch={foreign}")
    alone = rig("paths", NATIVE, *options)
    assert (alone.code, alone.out) == (2, "")
    assert alone.err.startswith(f"rig: {foreign}: ")
    assert "`apt-get install qemu-user`" in alone.err
    both = rig("paths", NATIVE, *options, f"--arch={host_architecture()}")
    assert both.code == 0
    assert both.out.startswith(f"{foreign:7} not here: ")
    assert all(len(line) <= 80 for line in both.lines)
    required = rig("paths", NATIVE, *options, f"--require-arch={foreign}")
    assert (required.code, required.out) == (2, "")
