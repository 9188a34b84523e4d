"""What a source, or a search, gave on a path, added up; and the row that says so.

Enters: outcomes, or findings that need no case. Leaves: rows for the part files. Never here:
failures in words (see `rig.verdicts`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rig.capabilities.paths import Path
from rig.checks.findings import Finding
from rig.checks.trial import Flow, Outcome
from rig.manifest import Acceptance

SHOWN = 3


@dataclass(slots=True)
class Tally:
    """Sums over outcomes; cases are counted once for each mask. `findings` are the first few,
    `about` says of all of them which check and which function."""

    cases: int = 0
    failed: int = 0
    abandoned: int = 0
    about: set[tuple[str, str]] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    accepted: set[Acceptance] = field(default_factory=set)
    flow: Flow = field(default_factory=Flow)

    def add(self, outcome: Outcome) -> None:
        """Counts one batch under one mask."""
        self.cases += outcome.cases
        self.failed += outcome.failed
        self.abandoned += outcome.abandoned
        self.found(outcome.findings)
        self.accepted.update(outcome.accepted)
        self.flow |= outcome.flow

    @property
    def checks(self) -> set[str]:
        """The checks that found something."""
        return {check for check, _ in self.about}

    def found(self, findings: Iterable[Finding]) -> None:
        """Takes findings in."""
        for finding in findings:
            self.about.add((finding.check, finding.symbol))
            if len(self.findings) < SHOWN:
                self.findings.append(finding)


def tally_row(
    path: Path, source: str, tally: Tally, base: int, published: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """The row of a source on a path; offsets count from `base`, `published` counts cases by
    the document that they stand in."""
    return {
        "path": path.id,
        "source": source,
        "published": dict(published or {}),
        "cases": tally.cases,
        "failed": tally.failed,
        "abandoned": tally.abandoned,
        "checks": sorted(tally.checks),
        "about": sorted(list(pair) for pair in tally.about),
        "accepted": sorted([entry.check, entry.place] for entry in tally.accepted),
        "findings": [_finding_row(finding) for finding in tally.findings],
        **flow_row(tally.flow, base),
    }


def skipped_row(path: Path, source: str, code: str, text: str) -> dict[str, Any]:
    """The row of what could not run."""
    return {"path": path.id, "source": source, "reason": {"code": code, "text": text}}


def flow_row(flow: Flow, base: int) -> dict[str, list[Any]]:
    """What was executed as a row has it: offsets, jumps with a mask of the ways they went."""
    masks: Counter[int] = Counter()
    for address, way in flow.ways:
        masks[address - base] |= way
    return {
        "hits": sorted(address - base for address in flow.hits),
        "branches": sorted([offset, mask] for offset, mask in masks.items()),
        "indirect": sorted([source - base, target - base] for source, target in flow.indirect),
    }


def added_up(outcomes: Iterable[Outcome]) -> Tally:
    """The tally of some outcomes."""
    tally = Tally()
    for outcome in outcomes:
        tally.add(outcome)
    return tally


def _finding_row(finding: Finding) -> dict[str, str]:
    return {"check": finding.check, "summary": finding.summary, "symbol": finding.symbol}
