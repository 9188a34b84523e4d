"""A whole run's report: results.json against the documented schema, and its replay lines."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import rig as package
from rig.checks.findings import CHECKS

from .conftest import CONTROLS, Result, Rig

DOCS = Path(package.__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DOCS / "results.schema.json").read_text())
    return document


@pytest.fixture(scope="module")
def folder(rig_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def run(rig_cache: Path, folder: Path) -> Result:
    """The published vectors on a planted fault and its clean twin."""
    options = ("-j", "1", f"--cache-dir={rig_cache}", "--variant=wrong_tail", "--variant=clean")
    done = subprocess.run(
        [sys.executable, "-m", "rig", "run", str(CONTROLS), *options, "--", "-k", "published"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def test_document(run: Result, folder: Path, schema: dict[str, Any]) -> None:
    assert run.code == 1, run.out + run.err
    document = json.loads((folder / "rig-report" / "results.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    verdicts = {(row["path"], row["kind"]): row["verdict"] for row in document["paths"]}
    assert verdicts["chacha20=clean", "direct"] == "pass"
    assert verdicts["chacha20=wrong_tail", "direct"] == "fail"


def test_replay_lines(run: Result, folder: Path, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every printed line replays, and fails again."""
    monkeypatch.chdir(folder)
    lines = re.findall(r"^  replay    rig (.*)$", run.out, re.MULTILINE)
    assert lines
    for line in lines:
        command, *arguments = shlex.split(line)
        assert rig(command, *arguments).code == 1, line


def test_schema_knows_every_check(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$defs"]["check"]["enum"] == list(CHECKS)


def test_documentation_names_every_key(schema: dict[str, Any]) -> None:
    text = (DOCS / "results.md").read_text()
    missing = [key for key in _keys(schema) if f"`{key}`" not in text]
    assert missing == []


def _keys(schema: dict[str, Any]) -> list[str]:
    found = []
    for part in (schema, *schema.get("$defs", {}).values()):
        found += _properties(part)
    return found


def _properties(part: dict[str, Any]) -> list[str]:
    found = []
    for key, value in part.get("properties", {}).items():
        found += [key, *_properties(value), *_properties(value.get("items", {}))]
    return found
