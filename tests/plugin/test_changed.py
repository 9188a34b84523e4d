"""`--changed`: what is judged again and what is carried over, in whole runs of a small project."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rig.data import data_folder

Command = Callable[..., Any]
MANIFEST = """
rig      = 1
include  = ["{native}/include"]
dispatch = "rules"

[poly1305]
symbols  = {{ init = "init_{{name}}", blocks = "blocks_{{name}}", emit = "emit_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "one", source = "one.c", dispatch = false }},
  {{ arch = "x86_64", name = "two", source = "two.c" }},
]
"""
ONE, TWO = "poly1305/x86_64/direct/poly1305=one", "poly1305/x86_64/direct/poly1305=two"
TWO_BY_MASK = "poly1305/x86_64/mask/poly1305=two"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """Two variants in two sources; the second in what follows is what is touched."""
    native = data_folder("native").resolve()
    code = (native / "generic" / "poly1305_donna44.c").read_text()
    for name in ("one", "two"):
        named = code
        for role in ("init", "blocks", "emit"):
            named = named.replace(f"rig_poly1305_{role}_donna44", f"{role}_{name}")
        (pytester.path / f"{name}.c").write_text(named)
    (pytester.path / "rig.toml").write_text(MANIFEST.format(native=native))
    return pytester.path


def _run(folder: Path, command: Command, *options: str) -> tuple[int, dict[str, Any], str]:
    process = command("run", "-j", "1", "--cache-dir=cache", *options)
    out, _ = process.communicate(timeout=120)
    return process.returncode, json.loads((folder / "rig-report/results.json").read_text()), out


def _judged(document: dict[str, Any]) -> set[str]:
    return {path["id"] for path in document["paths"] if path["carried"] is None}


def _coverage(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "rig-report/coverage.json").read_text())
    return {path["id"]: (len(path["hits"]), len(path["branches"])) for path in found["paths"]}


def test_only_what_changed_is_judged_again(folder: Path, command: Command) -> None:
    code, first, _ = _run(folder, command, "--changed")
    assert (code, _judged(first), first["totals"]["carried"]) == (0, {ONE, TWO, TWO_BY_MASK}, 0)
    covered = _coverage(folder)

    code, second, screen = _run(folder, command, "--changed")
    assert (code, _judged(second)) == (0, set())
    assert "carried    3 of 3 paths over from " in screen and "cases      0 judged" in screen
    assert second["totals"]["carried"] == second["totals"]["cases"] == first["totals"]["cases"]
    assert [p["coverage"] for p in second["paths"]] == [p["coverage"] for p in first["paths"]]
    assert _coverage(folder) == covered

    source = folder / "two.c"
    source.write_text("static int unused(int x) { return x; }\n" + source.read_text())
    code, third, _ = _run(folder, command, "--changed")
    assert (code, _judged(third), third["run"]["compiled"]) == (0, {TWO, TWO_BY_MASK}, 1)
    assert _coverage(folder) == covered, "code of the carried path has moved, not changed"


def test_what_failed_is_judged_until_it_passes(folder: Path, command: Command) -> None:
    right = (folder / "two.c").read_text()
    (folder / "two.c").write_text(right.replace("h, in, padbit)", "h, in, 0)"))
    for _ in range(2):
        code, document, _ = _run(folder, command, "--changed")
        assert code == 1
        assert {TWO, TWO_BY_MASK} <= _judged(document)
    assert _judged(document) == {TWO, TWO_BY_MASK}


def test_the_oracle_and_the_contract_count(folder: Path, command: Command) -> None:
    """A manifest's own contract: a word of it changed is everything changed."""
    header = (data_folder("native") / "include" / "poly1305.h").read_text()
    own = folder / "own" / "poly1305.h"
    own.parent.mkdir()
    own.write_text(header)
    manifest = folder / "rig.toml"
    table = '[poly1305]\ncontract = "own/poly1305.h"'
    manifest.write_text(manifest.read_text().replace("[poly1305]", table))
    _run(folder, command)
    assert _judged(_run(folder, command, "--changed")[1]) == set()
    own.write_text(header + "/* */\n")
    assert _judged(_run(folder, command, "--changed")[1]) == {ONE, TWO, TWO_BY_MASK}


def test_a_run_of_a_part_proves_nothing_for_later(folder: Path, command: Command) -> None:
    _run(folder, command, "--", "-k", "published")
    assert _judged(_run(folder, command, "--changed")[1]) == {ONE, TWO, TWO_BY_MASK}
