"""Which items there are, what they are called, and how they are selected."""

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., pytest.RunResult]

PATHS = [
    "chacha20/x86_64/mask/chacha20=generic",
    "chacha20/x86_64/mask/chacha20=ssse3",
    "chacha20/x86_64/direct/chacha20=generic",
    "chacha20/x86_64/direct/chacha20=ssse3",
]
SOURCES = ("published", "edges", "sweep")
IDS = [f"{path}/{source}" for source in SOURCES for path in PATHS]


def _listed(result: pytest.RunResult) -> list[str]:
    """The items of a path and a source; others run several paths at once."""
    lines = (line.partition("rig.toml::") for line in result.outlines)
    return [name for _, found, name in lines if found and name.endswith(SOURCES)]


def test_ids_are_stable_and_stand_breadth_first(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path
) -> None:
    result = under_pytest("--collect-only", "-q", toy)
    assert result.ret == 0
    assert _listed(result) == IDS
    assert not (pytester.path / "rig-report").exists()
    result.stdout.no_fnmatch_line("controls *")


def test_marks_with_arguments_select(under_pytest: Run, toy: Path) -> None:
    marks = ("primitive(name='chacha20')", "variant(name='ssse3')", "isa(name='ssse3')")
    chosen = " and ".join((*marks, "kind(name='direct')", "arch(name='x86_64')"))
    assert _listed(under_pytest("--collect-only", "-q", toy, "-m", chosen)) == IDS[3::4]


def test_one_item_is_named_by_its_id(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path
) -> None:
    result = under_pytest("-v", f"rig.toml::{PATHS[2]}/published")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"rig.toml::{PATHS[2]}/published PASSED*"])
