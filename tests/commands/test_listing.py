"""`rig list`: only the manifest is read."""

import json
from pathlib import Path

import pytest

from rig.capabilities.models import MODELS
from rig.checks.findings import CHECKS
from rig.profiles import PARTS

from .conftest import CONTROLS, NATIVE, Rig

KEYS = {"primitive", "variant", "arch", "needs", "constant_time", "dispatch", "source"}


def test_variants(rig: Rig) -> None:
    result = rig("list", NATIVE)
    assert result.code == 0
    assert result.lines[0].split() == ["primitive,", "variant", "arch", "needs", "source"]
    rows = [line.split() for line in result.lines]
    first = rows[rows.index(["ghash"]) + 1]
    assert first[:4] == ["table4", "x86_64", "-", "generic/ghash_table4.c"]
    assert "aes_gcm                composed over fused, aes, ghash" in result.lines
    assert any("(variable" in line for line in result.lines)
    assert all(len(line) <= 80 for line in result.lines)


def test_json(rig: Rig) -> None:
    document = json.loads(rig("list", "variants", NATIVE, CONTROLS, "--json").out)
    rows = {(row["primitive"], row["variant"]): row for row in document["variants"]}
    assert all(row.keys() >= KEYS for row in rows.values())
    assert rows["ghash", "pclmul"]["needs"] == ["pclmul", "ssse3"]
    assert rows["ghash", "table4"]["constant_time"] is False
    assert rows["chacha20", "wrong_tail"]["source"] == "faults.c"
    assert {"primitive": "aes_gcm", "slots": ["fused", "aes", "ghash"]} in document["compositions"]


def test_needs_no_compiler(rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A source that no compiler takes is listed all the same, from ./rig.toml."""
    (tmp_path / "x.c").write_text("no C")
    stanza = '{ arch = "x86_64", name = "x", source = "x.c", needs = "avx2 !avx512f" }'
    text = f'rig = 1\n[chacha20]\nsymbols = {{ ctr32 = "{{name}}" }}\nvariants = [ {stanza} ]\n'
    (tmp_path / "rig.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    words = " ".join(" ".join(rig("list").lines[1:3]).split())
    assert words == "chacha20 x x86_64 avx2 !avx512f x.c"


def test_checks(rig: Rig) -> None:
    found = json.loads(rig("list", "checks", "--json").out)
    assert {row["name"]: row["proves"] for row in found["checks"]} == CHECKS
    sources = {row["name"]: row for row in found["sources"]}
    assert [row["gives"] for row in found["sources"]] == [part.gives for part in PARTS]
    quick = [sources[name]["quick"] for name in ("edges", "sweep", "novelty")]
    assert quick == [None, 400, 0]
    text = rig("list", "checks")
    assert all(name in text.out for name in (*CHECKS, *sources))
    assert all(len(line) <= 80 for line in text.lines)


def test_cpus(rig: Rig) -> None:
    rows = {row["name"]: row for row in json.loads(rig("list", "cpus", "--json").out)["cpus"]}
    assert rows.keys() == {model.name for model in MODELS}
    assert (rows["nexus6p"]["archs"], rows["nexus6p"]["mask"]) == (["aarch64", "arm"], "0x3d")
    assert rows["pentium-987"]["year"] == 2012
    assert not {"aes", "pclmul", "avx"} & set(rows["pentium-987"]["capabilities"])
    text = rig("list", "cpus")
    assert any(
        line.startswith("haswell         2013  intel   Haswell: AVX2") for line in text.lines
    )
    assert "nexus4               2012  arm          Nexus 4, Krait: NEON, no AES, PMULL, SHA" in (
        text.lines
    )
    assert all(len(line) <= 80 for line in text.lines)


def test_missing_manifest(rig: Rig) -> None:
    result = rig("list", "chekcs")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("rig: chekcs: no such manifest")
