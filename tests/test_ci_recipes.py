"""The recipes of docs/ci: they parse, they fit together, and every `rig` line in them runs."""

import configparser
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rig import cli
from rig.options import OPTIONS

from .small import ROOT, Done, command, make

FOLDER = ROOT / "docs" / "ci"
RECIPES = sorted(FOLDER.iterdir())
NAMES = [recipe.name for recipe in RECIPES]
_VARIABLES = {
    r"\$\{\{ matrix\.arch \}\}": "x86_64",
    r"\$ARCH": "x86_64",
    r"\{env:RIG_ARCH\}": "x86_64",
    r"\{posargs\}": "",
}
RULES = 'rules = ["all-paths-run"]\n[require]\narchs = ["x86_64"]\n'


def rig_lines(recipe: Path) -> list[list[str]]:
    """The arguments of each `rig` command, variables filled in for x86_64."""
    found = re.findall(r"^(?:\s*- (?:run: )?|\s+)rig (.*)$", recipe.read_text(), re.MULTILINE)
    return [shlex.split(_filled(line)) for line in found]


def _filled(line: str) -> str:
    for pattern, value in _VARIABLES.items():
        line = re.sub(pattern, value, line)
    return line


@pytest.mark.parametrize("recipe", RECIPES, ids=NAMES)
def test_every_line_parses(recipe: Path) -> None:
    lines = rig_lines(recipe)
    assert [line[0] for line in lines] == ["run", "report", "gate"]
    assert recipe.read_text().count("rig run ") == 1
    flags = {f"--{option.name}" for option in OPTIONS} | {"--into"}
    for line in lines:
        cli._parse(line)
        assert {word for word in line if word.startswith("--")} <= flags


@pytest.mark.parametrize("recipe", RECIPES, ids=NAMES)
def test_what_is_written_is_what_is_read(recipe: Path) -> None:
    """The folder of the run is the one that is merged; the merged one is what the gate reads."""
    run, report, gate = rig_lines(recipe)
    assert run[run.index("--report") + 1] in [word.replace("run-", "") for word in report]
    assert gate == ["gate", report[report.index("--into") + 1]]
    assert "--cache-dir" in run and "--require-arch" in run


def _split_report(run: list[str]) -> tuple[list[str], str]:
    """A run line without its report folder, and that folder."""
    place = run.index("--report")
    return run[:place] + run[place + 2 :], run[place + 1]


@pytest.fixture(scope="session")
def ran(rig_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small project in place of `native`, run by the line that all recipes share."""
    folder = tmp_path_factory.mktemp("recipes")
    make(folder / "native")
    (folder / "native" / "rig-gate.toml").write_text(RULES)
    (folder / ".rig-cache").symlink_to(rig_cache)
    line, _ = _split_report(rig_lines(RECIPES[0])[0])
    _passes(command(folder, "-m", "rig", *line, "-j1", "--", "-k", "published"))
    return folder


@pytest.mark.parametrize("recipe", RECIPES, ids=NAMES)
def test_every_line_runs(recipe: Path, ran: Path, tmp_path: Path) -> None:
    """What another machine would bring is made up."""
    run, report, gate = rig_lines(recipe)
    line, folder = _split_report(run)
    assert line == _split_report(rig_lines(RECIPES[0])[0])[0]
    shutil.copytree(ran / "native", tmp_path / "native")
    shutil.copytree(ran / "rig-report", tmp_path / folder)
    for name in report[1 : report.index("--into")]:
        _bring(tmp_path / folder, tmp_path / name)
    _passes(command(tmp_path, "-m", "rig", *report, "--format=lcov,xml,markdown"))
    summary = tmp_path / "summary.md"
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    _passes(command(tmp_path, "-m", "rig", *gate, **github))
    assert "### Gate passed: `native`" in summary.read_text()
    assert (tmp_path / "rig-report" / "coverage.xml").is_file()


def _passes(done: Done) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def _bring(made: Path, folder: Path) -> None:
    """A run's folder, downloaded under another name; under that of another architecture its
    documents say that they come from there."""
    arch = folder.name.removeprefix("run-")
    if folder == made:
        return
    shutil.copytree(made, folder)
    for name in ("results.json", "coverage.json") if arch != "x86_64" else ():
        text = (folder / name).read_text().replace("x86_64", arch)
        document: dict[str, Any] = json.loads(text)
        for row in [*document.get("images", ()), *document["paths"]]:
            row |= {key: arch for key in ("digest", "image") if key in row}
        (folder / name).write_text(json.dumps(document))


@pytest.mark.parametrize("recipe", [r for r in RECIPES if r.suffix == ".yml"], ids=lambda r: r.name)
def test_yaml(recipe: Path) -> None:
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load(recipe.read_text())
    scripts = list(_strings(document))
    for line in re.findall(r"rig (?:run|report|gate) .*", recipe.read_text()):
        assert any(line.strip() in script for script in scripts), line


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def test_github() -> None:
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load((FOLDER / "github.yml").read_text())
    run, gate = document["jobs"]["run"], document["jobs"]["gate"]
    rows = {row["arch"]: row["runner"] for row in run["strategy"]["matrix"]["include"]}
    assert rows == {"x86_64": "ubuntu-24.04", "aarch64": "ubuntu-24.04-arm"}
    assert gate["needs"] == "run" and gate["if"] == "always()"
    cache = next(step for step in run["steps"] if "cache" in step.get("uses", ""))
    assert cache["with"]["path"] == ".rig-cache"


def test_tox() -> None:
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read(FOLDER / "tox.ini")
    commands = parsed["testenv"]["commands"] + parsed["testenv:gate"]["commands"]
    assert len(re.findall(r"^rig ", commands, re.MULTILINE)) == 3


def test_the_page_names_every_recipe() -> None:
    text = (ROOT / "docs" / "ci.md").read_text()
    assert all(f"ci/{name}" in text for name in NAMES)
