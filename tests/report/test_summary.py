"""What the controller notes of items as they end."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rig.lab import Lab
from rig.report.summary import Reporter


def _ended(outcome: str, name: str) -> pytest.TestReport:
    return pytest.TestReport(
        name, (name, 0, name), {}, cast(Any, outcome), None, "call", duration=2.5
    )


def test_how_long_an_item_takes_is_learnt_from_those_that_pass() -> None:
    """One that failed may have ended early, and would make the rest look quicker than it is."""
    plan = SimpleNamespace(build_seconds=0.0, plan_seconds=0.0)
    reporter = Reporter(cast(Lab, SimpleNamespace(plan=plan)))
    reporter.pytest_runtest_logreport(_ended("passed", "right"))
    reporter.pytest_runtest_logreport(_ended("failed", "broken"))
    assert reporter.judged == 2
    assert reporter.seconds == {"right": 2.5}
