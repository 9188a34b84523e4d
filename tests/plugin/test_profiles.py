"""`--checks` and `--profile` in whole runs of a small project whose one variant is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

Document = Callable[[], dict[str, Any]]
WRONG = "chacha20/x86_64/direct/chacha20=wrong_tail"


def _checks(document: dict[str, Any]) -> set[str]:
    return {name for path in document["paths"] for name in path["checks"]}


def test_only_the_chosen_check_judges(faulty: Path, under_pytest: Run, document: Document) -> None:
    result = under_pytest(faulty, "--rig-checks=memory,sweep", "-n", "0")
    assert result.ret == 0
    found = document()
    assert _checks(found) == {"memory", "crash", "exit", "timeout"}
    assert {source for path in found["paths"] for source in path["cases"]} == {"sweep"}
    assert {"value", "edges"} <= {row["name"] for row in found["run"]["left_out"]}
    assert any("left out   value" in line for line in result.outlines)


def test_the_same_code_fails_by_value(faulty: Path, under_pytest: Run, document: Document) -> None:
    result = under_pytest(faulty, "--rig-checks=value", "--rig-profile=quick", "-n", "0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = document()
    assert [p["id"] for p in found["paths"] if p["checks"].get("value") == "fail"] == [WRONG]
    assert found["run"]["profile"] == "quick"
    taken = {path["id"]: path["cases"]["sweep"] for path in found["paths"]}
    assert set(taken.values()) == {400}
    assert not any("generated" in path["cases"] for path in found["paths"])


def test_an_unknown_check_is_told_in_one_line(faulty: Path, under_pytest: Run) -> None:
    result = under_pytest(faulty, "--rig-checks=vale")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: rig: --checks vale: unknown; did you mean `value`?*"])
