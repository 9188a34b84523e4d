"""A judgement in words: for a terminal, as JSON, as GitHub's annotations, as Markdown.

Enters: judgements. Leaves: lines or plain values. Never here: judging, writing files.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rig.commands.table import labelled
from rig.gate.judge import Breach, Judgement
from rig.report.markdown import code, percent
from rig.report.reach import Count

SHOWN = 5
_LABEL = 10


def lines(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Breaches with their places, notes, and a line for each project."""
    for judgement in judgements:
        for breach in judgement.breaches:
            yield f"{'FAIL':{_LABEL}} {breach.subject}: {breach.text} ({breach.rule})"
            for place in breach.places[:SHOWN]:
                yield f"{'':{_LABEL}} {place}{f'  {place.text}' if place.text else ''}"
            if len(breach.places) > SHOWN:
                yield f"{'':{_LABEL}} and {len(breach.places) - SHOWN} more lines"
        for note in judgement.notes:
            yield from labelled("note", note, _LABEL + 1)
        yield f"{'gate':{_LABEL}} {_summary(judgement)}"


def _summary(judgement: Judgement) -> str:
    scope = judgement.scope
    ran = sum(row["verdict"] != "skipped" for row in scope.paths)
    instructions, branches = _totals(judgement)
    counted = (
        f"{percent(instructions.covered, instructions.total)} of {instructions.total} instructions"
    )
    if branches is not None:
        counted += (
            f", {percent(branches.covered, branches.total)} of {branches.total} branch directions"
        )
    found = len(judgement.breaches)
    verdict = f"{found} failure{'s' * (found != 1)}" if found else "passed"
    archs = " ".join(sorted(scope.archs))
    return f"{scope.target} {archs}: {verdict}; {ran} of {len(scope.paths)} paths ran, {counted}"


def _totals(judgement: Judgement) -> tuple[Count, Count | None]:
    variants = judgement.scope.variants
    branches = [m.branches for m in variants if m.branches is not None]
    return _sum([m.instructions for m in variants]), _sum(branches) if branches else None


def _sum(counts: Sequence[Count]) -> Count:
    return Count(sum(c.covered for c in counts), sum(c.total for c in counts))


def document(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "passed": not any(judgement.breaches for judgement in judgements),
        "targets": [_target(judgement) for judgement in judgements],
    }


def _target(judgement: Judgement) -> dict[str, Any]:
    return {
        "target": judgement.scope.target,
        "baseline": str(judgement.baseline_path) if judgement.baseline else None,
        "breaches": [_breach(breach) for breach in judgement.breaches],
        "notes": list(judgement.notes),
        "variants": [
            {
                "variant": m.variant,
                "arch": m.image.arch,
                "toolchain": m.image.toolchain,
                "instructions": _count(m.instructions),
                "branches": _count(m.branches) if m.branches else None,
                "allowed": m.allowed,
            }
            for m in judgement.scope.variants
        ],
    }


def _breach(breach: Breach) -> dict[str, Any]:
    places = [{"file": p.file, "line": p.line, "text": p.text} for p in breach.places]
    return {"rule": breach.rule, "subject": breach.subject, "text": breach.text, "places": places}


def _count(count: Count) -> dict[str, int]:
    return {"covered": count.covered, "total": count.total}


def annotations(judgements: Sequence[Judgement]) -> Iterator[str]:
    """GitHub's workflow commands, one per breach, at its first line."""
    for breach in (breach for judgement in judgements for breach in judgement.breaches):
        place = breach.places[0] if breach.places else None
        where = f"file={_property(place.file)},line={place.line}," if place else ""
        more = f" ({place.text})" if place and place.text else ""
        text = _data(f"{breach.subject}: {breach.text}{more}")
        yield f"::error {where}title={_property(f'rig gate: {breach.rule}')}::{text}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(judgements: Sequence[Judgement]) -> Iterator[str]:
    """The part of a job summary that says why it failed."""
    for judgement in judgements:
        verdict = "failed" if judgement.breaches else "passed"
        yield f"### Gate {verdict}: {code(judgement.scope.target)}"
        yield ""
        for breach in judgement.breaches:
            place = f", {code(str(breach.places[0]))}" if breach.places else ""
            yield f"- **{breach.rule}** {code(breach.subject)}: {code(breach.text)}{place}"
        yield from (f"- {code(note)}" for note in judgement.notes)
        yield ""
