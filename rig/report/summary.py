"""What the controller prints and writes around a run.

Enters: pytest's hooks and the rows of the workers. Leaves: the last screen and the report
folder. Never here: verdicts; they are in the rows.
"""

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rig.carried.outlook import outlook, remembered
from rig.carried.progress import keep_progress
from rig.carried.proofs import keep
from rig.errors import RigError
from rig.gate.verdict import exit_code, judged, say
from rig.interrupt import interrupt_workers, was_interrupted
from rig.items import OUT_OF_TIME
from rig.lab import Lab, rows
from rig.report.coverage import coverage
from rig.report.coveragepy import native_parts
from rig.report.folder import ACCEPT, COVERAGE, MARKER, PAGE, replace_folder
from rig.report.known import accept_text, known
from rig.report.results import results
from rig.report.screen import screen
from rig.report.staleness import stale_entries, stale_line
from rig.vectors.published import packaged

_NOT_SELECTED = {"code": "not-selected", "text": "no item of this path was selected"}
_UNREACHED: Mapping[int, Mapping[str, str]] = {
    pytest.ExitCode.OK: _NOT_SELECTED,
    pytest.ExitCode.TESTS_FAILED: _NOT_SELECTED,
    pytest.ExitCode.NO_TESTS_COLLECTED: {"code": "not-selected", "text": "nothing was selected"},
    pytest.ExitCode.INTERRUPTED: {"code": "cut-short", "text": "interrupted"},
}
_CUT_SHORT = {"code": "cut-short", "text": "cut short"}


class Reporter:
    """Registered on the controller only."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.plan = lab, lab.plan
        self.began = time.monotonic() - lab.plan.build_seconds - lab.plan.plan_seconds
        self.document: dict[str, Any] | None = None
        self.covered: dict[str, Any] | None = None
        self.trouble = ""
        self.gate: list[str] = []
        self.seconds: dict[str, float] = {}
        self.judged = 0
        self.left: set[str] = set()

    def pytest_report_header(self) -> list[str]:
        """What was built, before anything runs."""
        plan = self.plan
        lines = [f"rig: seed {plan.options.seed}, cache {plan.cache}"]
        for project in plan.projects:
            image, count = project.image, len(plan.paths(project))
            lines.append(
                f"rig: {project.manifest.path} {project.arch}: {image.compiled} compiled, "
                f"{image.reused} reused, {count} paths"
            )
        return lines

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes how long an item took, or that the budget left no time for it. One that failed may
        have ended early, and says nothing of its time."""
        if report.when == "call" and report.skipped:
            if OUT_OF_TIME in str(report.longrepr):
                self.left.add(report.nodeid)
        elif report.when == "call":
            self.judged += 1
            if report.passed:
                self.seconds[report.nodeid] = report.duration

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Merges the rows; writes the report unless the run was cut short."""
        if session.config.option.collectonly:
            return
        stopped = bool(session.shouldfail or session.shouldstop)  # -x, --maxfail
        if was_interrupted(self.plan.folder):
            exitstatus = pytest.ExitCode.INTERRUPTED
        if not self.plan.projects and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            exitstatus = session.exitstatus = pytest.ExitCode.OK
        reason = _CUT_SHORT if stopped else _UNREACHED.get(exitstatus, _CUT_SHORT)
        found = rows(self.plan.folder)
        self.document = results(self.plan, found, reason)
        if self.plan.options.profile == "deep":
            whole = keep_progress(self.lab, found)
            self.document["run"]["progress"] = self._progress(session.config, found, whole)
        if reason is _NOT_SELECTED:
            stale = stale_entries(self.plan, found, self._sources)
            self.document["stale"] = [stale_line(entry) for entry in stale]
            self.document["known"] = known(self.plan, found, stale)
            if self.document["stale"] and exitstatus == pytest.ExitCode.OK:
                exitstatus = session.exitstatus = pytest.ExitCode.TESTS_FAILED
            keep(self.lab, found)
            self.covered = coverage(self.plan, found)
            self._write(self.document, self.covered)
            if self.plan.options.gate:
                session.exitstatus = self._judge(self.covered) or exitstatus
        else:
            self.trouble = f"{reason['text']}: the report was not replaced"

    def _progress(
        self, config: pytest.Config, rows: Sequence[Mapping[str, Any]], whole: bool
    ) -> dict[str, Any]:
        """Where a deep run stands, as results.json has it."""
        known = remembered(self.plan.cache, self.seconds)
        jobs = getattr(config.option, "numprocesses", None) or 1
        ahead = outlook(known, self.left, jobs)
        return {
            "budget": self.plan.options.budget,
            "since": min((row["resumed"] for row in rows if "resumed" in row), default=None),
            "resumed": sum("resumed" in row for row in rows),
            "judged": self.judged,
            "whole": whole,
            "left": ahead.left,
            "seconds": ahead.seconds,
            "guessed": ahead.guessed,
            "jobs": jobs,
        }

    def _sources(self, primitive: str) -> list[str]:
        return [source.name for source in self.lab.sources(primitive)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Tells the workers."""
        interrupt_workers(self.plan.folder)

    def _write(self, document: dict[str, Any], covered: Mapping[str, Any]) -> None:
        from rig.report.html import html

        accept = accept_text(document["known"])
        found = sorted((self.plan.folder / "cases").glob("*.json"))
        cases = {case.stem: case.read_bytes() for case in found}
        read = {name: json.loads(data) for name, data in cases.items()}
        files = {
            MARKER: json.dumps(document, indent=1).encode(),
            COVERAGE: json.dumps(covered, separators=(",", ":")).encode(),
            PAGE: html(document, covered, read).encode(),
            **({ACCEPT: accept.encode()} if accept else {}),
            **native_parts(covered, self.plan.options.report),
            **{f"cases/{name}.json": data for name, data in cases.items()},
        }
        try:
            replace_folder(Path(self.plan.options.report), files)
        except RigError as error:
            self.trouble = str(error)

    def _judge(self, covered: Mapping[str, Any]) -> int:
        """The exit code of the gate; what it says is printed below the last screen."""
        assert self.document is not None
        try:
            judgements = judged(self.document, covered)
        except RigError as error:
            self.gate.append(f"{'gate':10} could not judge: {error}")
            return pytest.ExitCode.USAGE_ERROR
        say(judgements, self.document, self.gate.append)
        return exit_code(judgements)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints the last screen."""
        if self.document is None:
            return
        terminalreporter.section("rig")
        seconds = time.monotonic() - self.began
        shown = screen(self.document, seconds, self.plan.build_seconds, packaged(), self.covered)
        for line in shown:
            terminalreporter.write_line(line)
        place = self.trouble or f"{self.plan.options.report}/{PAGE}, {MARKER}"
        terminalreporter.write_line(f"{'report':10} {place}")
        for line in self.gate:
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Takes the run's folder away."""
        shutil.rmtree(self.plan.folder, ignore_errors=True)
