"""`rig gate RESULTS...`: exit code 1 where a run breaks its project's rules or lost something.

Enters: parsed arguments. Leaves: breaches with file and line, or JSON; with --update the
baseline, and its diff. Never here: running; the documents of a run are enough.
"""

import argparse
import difflib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig.cache import write_atomically
from rig.errors import RigError
from rig.gate.baseline import updated
from rig.gate.judge import Judgement, failures, judge
from rig.gate.verdict import exit_code, judged, say
from rig.gate.words import document
from rig.options import Options
from rig.report.merge import merge, read_run


def main(parsed: argparse.Namespace) -> int:
    """Judges, or updates the baseline of every project in the results."""
    run = merge([read_run(name) for name in parsed.results or [Options().report]])
    baseline = Path(parsed.baseline) if parsed.baseline else None
    if parsed.update:
        return _update(judge(run.results, run.coverage, baseline))
    judgements = judged(run.results, run.coverage, baseline)
    if parsed.json:
        print(json.dumps(document(judgements), indent=1))
    else:
        say(judgements, run.results, print)
    return exit_code(judgements)


def _update(judgements: Sequence[Judgement]) -> int:
    for judgement in judgements:
        broken = [breach.subject for breach in failures(judgement.scope)]
        if broken:
            raise RigError(f"no baseline is made of a run that failed: {', '.join(broken)}")
    for judgement in judgements:
        print("\n".join(_written(judgement)))
    return 0


def _written(judgement: Judgement) -> Iterator[str]:
    """Writes a baseline; the lines of its diff."""
    path, old = judgement.baseline_path, judgement.baseline
    before, new = old.text if old else "", updated(old, judgement.scope)
    if new.text == before:
        yield f"{path}: unchanged"
        return
    write_atomically(path, new.text.encode())
    yield f"{path}: written"
    yield from difflib.unified_diff(
        before.splitlines(), new.text.splitlines(), "before", "now", lineterm="", n=1
    )
