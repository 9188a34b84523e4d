"""The gate's verdict on a run, said where it is read: terminal, GitHub's annotations and summary.

Enters: the documents of a run. Leaves: an exit code and lines. Never here: the rules themselves.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rig.gate.judge import Judgement, check_asked, judge
from rig.gate.words import annotations, lines, markdown
from rig.report.markdown import markdown as run_markdown

Document = Mapping[str, Any]


def judged(
    results: Document, coverage: Document, baseline: Path | None = None
) -> tuple[Judgement, ...]:
    """A judgement per project; RigError where there is nothing to judge one by."""
    judgements = judge(results, coverage, baseline)
    for judgement in judgements:
        check_asked(judgement)
    return judgements


def exit_code(judgements: Sequence[Judgement]) -> int:
    """1 if anything is broken."""
    return int(any(judgement.breaches for judgement in judgements))


def say(judgements: Sequence[Judgement], results: Document, write: Callable[[str], None]) -> None:
    """The lines for people; on GitHub the annotations too, and the summary of the job."""
    for line in lines(judgements):
        write(line)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotations(judgements):
            write(line)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a") as file:
            file.write("\n".join([*markdown(judgements), *run_markdown(results)]) + "\n")
