"""`rig paths`: what masks select, and that a dispatcher's fault shows."""

import json

import pytest

from rig.commands import paths

from .conftest import CONTROLS, NATIVE, Rig


def test_native(rig: Rig) -> None:
    result = rig("paths", NATIVE)
    assert result.code == 0
    assert (
        "ghash x86_64: 8 masks asked, 1,860 undeclared bits flipped, 0 mismatches" in result.lines
    )
    start = result.lines.index("  fused=-,aes=ssse3,ghash=pclmul (mask)")
    assert result.lines[start + 1] == "    pclmul ssse3  0x20207808111:0x0:0x0:0x0:0x0"
    assert result.lines[-1].endswith("0 mismatches")
    assert all(len(line) <= 80 for line in result.lines)


def test_json(rig: Rig) -> None:
    document = json.loads(rig("paths", NATIVE, "--primitive=ghash", "--json").out)
    (row,) = document["primitives"]
    assert (row["primitive"], row["arch"], row["tested"]) == ("ghash", "x86_64", True)
    assert row["mismatches"] == []
    kinds = [(path["kind"], path["variants"]["ghash"]) for path in row["paths"]]
    assert kinds[:3] == [("mask", "ct64"), ("mask", "ssse3"), ("mask", "pclmul")]
    assert ("direct", "table4") in kinds
    pclmul = row["paths"][2]
    assert pclmul["masks"] == ["0x20207808111:0x0:0x0:0x0:0x0"]
    assert pclmul["needs"] == [["pclmul", "ssse3"]]
    assert pclmul["lengths"] == [{"min": 0, "max": None, "step": 1, "apart": []}]
    assert pclmul["reason"] is None or pclmul["reason"]["code"] == "cpu"


def test_by_variant(rig: Rig) -> None:
    rows = json.loads(rig("paths", NATIVE, "--variant=pclmul", "--json").out)["primitives"]
    assert {row["primitive"] for row in rows} == {"ghash", "aes_gcm"}
    assert all("pclmul" in path["path"] for row in rows for path in row["paths"])


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
