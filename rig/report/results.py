"""results.json, schema 1: what ran, on which paths, with which verdicts.

Enters: a plan and the rows of its workers. Leaves: one JSON document, documented in
docs/results.md. Never here: printing.
"""

import platform
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path as FilePath
from typing import Any

from rig import __version__
from rig.capabilities.paths import Path, chosen_variants
from rig.checks.findings import CHECKS
from rig.checks.unwind import CHECK as UNWIND
from rig.manifest import Variant
from rig.plan import Plan, unrunnable
from rig.profiles import left_out
from rig.project import Project, decoded, functions_of
from rig.report.variants import describe_variant
from rig.trace.architecture import Kind
from rig.trace.branches import NOT_TAKEN, TAKEN

SCHEMA = 1
_NO_CASES = {"code": "no-cases", "text": "no source has a case that this path is defined for"}
_RAN = ("cases", "abandoned", "checks", "accepted")  # what a row that says something has
ERROR = "error"  # the code of a reason that is the rig's own failure, never a skip

Row = Mapping[str, Any]
Key = tuple[str, str]  # a manifest's path, a path's id: two manifests may have the same ids
Hits = Mapping[Key, "Seen"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What rows say was executed: text offsets, and jumps with a way that they went."""

    hits: frozenset[int] = frozenset()
    ways: frozenset[tuple[int, int]] = frozenset()

    def __or__(self, other: "Seen") -> "Seen":
        return Seen(self.hits | other.hits, self.ways | other.ways)


def results(plan: Plan, rows: Sequence[Row], unreached: Row) -> dict[str, Any]:
    """The document of a run; `unreached` is the reason of a path that has no row at all."""
    by_path: dict[Key, list[Row]] = {}
    for row in rows:
        by_path.setdefault((row["manifest"], row["path"]), []).append(row)
    hits = {key: _hits(found) for key, found in by_path.items()}
    pairs = [(project, path) for project in plan.projects for path in plan.paths(project)]
    none = [{"reason": unreached}]
    paths = [_path(plan, p, path, by_path.get(_key(p, path), none), hits) for p, path in pairs]
    return {
        "schema": SCHEMA,
        "run": _run(plan),
        "totals": _totals(paths, plan),
        "controls": [
            {
                "arch": c.arch,
                "fault": c.fault,
                "expected": c.expected,
                "fired": list(c.fired),
                "held": c.held,
            }
            for c in plan.controls
        ],
        "dispatch": [_dispatch(project, s) for project in plan.projects for s in project.sweeps],
        "races": [
            {
                "target": FilePath(r.manifest).parent.name,
                "arch": r.arch,
                "initialiser": r.initialiser,
                "schedules": r.schedules,
                "findings": [finding.summary for finding in r.findings],
                "reason": r.reason or None,
                "accepted": r.accepted or None,
            }
            for r in plan.races
        ],
        "variants": [
            _variant(project, v, hits, plan)
            for project in plan.projects
            for v in project.manifest.variants(project.arch)
        ],
        "paths": paths,
        "stale": [],
        "known": [],
    }


def _key(project: Project, path: Path) -> Key:
    return str(project.manifest.path), path.id


def _run(plan: Plan) -> dict[str, Any]:
    return {
        "rig": __version__,
        "python": platform.python_version(),
        "toolchain": plan.toolchain,
        "host": {
            "machine": platform.machine(),
            "system": platform.system(),
            "kernel": platform.release(),
            "capabilities": {p.arch: str(p.host) for p in plan.projects},
        },
        "command": sys.argv[1:],
        "seed": plan.options.seed,
        "progress": None,
        "profile": plan.options.profile,
        "checks": [name for name in CHECKS if name in plan.options.selection.checks],
        "left_out": list(left_out(plan.options.selection, plan.options.cap_matrix)),
        "cap_matrix": plan.options.cap_matrix,
        "manifests": list(dict.fromkeys(str(p.manifest.path) for p in plan.projects)),
        "prebuilt": [
            {"path": path, "sha256": digest}
            for path, digest in dict.fromkeys(
                item for p in plan.projects for item in sorted(p.image.prebuilt.items())
            )
        ],
        "compiled": sum(p.image.compiled for p in plan.projects),
        "reused": sum(p.image.reused for p in plan.projects),
        "absent": [{"arch": a.arch, "reason": a.reason, "fix": a.fix} for a in plan.absences],
    }


def _totals(paths: Sequence[Row], plan: Plan) -> dict[str, int]:
    mismatches = sum(len(s.mismatches) for p in plan.projects for s in p.sweeps)
    raced = sum(len(race.findings) for race in plan.races)
    return {
        "cases": sum(n for path in paths for n in path["cases"].values()),
        "carried": sum(path["earlier"] for path in paths),
        "failed": sum(path["failed"] for path in paths) + mismatches + raced,
        "skipped": sum(path["verdict"] == "skipped" for path in paths) + len(plan.absences),
    }


def _dispatch(project: Project, sweep: Any) -> dict[str, Any]:
    return {
        "primitive": sweep.primitive,
        "arch": project.arch,
        "tested": sweep.dispatched,
        "masks": sweep.masks,
        "probes": sweep.probes,
        "mismatches": list(sweep.mismatches),
    }


def _path(
    plan: Plan, project: Project, path: Path, rows: Sequence[Row], hits: Hits
) -> dict[str, Any]:
    taken = [row for row in rows if "reason" not in row]
    ran = [r for r in taken if r["source"] == UNWIND or any(r.get(key) for key in _RAN)]
    known = {check for row in ran for check, _ in row.get("accepted", ())}
    reasons = [row["reason"] for row in rows if "reason" in row]
    reasons += [_NO_CASES] if taken and not ran else []
    text = unrunnable(project, path)
    reason = {"code": "cpu", "text": text} if text else next(iter(reasons), None)
    errors = sum(reason["code"] == ERROR for reason in reasons)
    failed = sum(row["failed"] for row in ran) + errors
    wrong = errors or any(row["checks"] for row in ran)
    verdict = "fail" if wrong else "accepted" if known else "pass" if ran else "skipped"
    fired = {check for row in ran for check in row["checks"]}
    primitive = project.manifest.primitives[path.primitive]
    variants = chosen_variants(project.manifest, primitive, project.arch, path.choice)
    seen = hits.get(_key(project, path), Seen())
    return {
        "id": path.id,
        "target": project.manifest.root.name,
        "arch": path.arch,
        "toolchain": plan.toolchain,
        "opt": "-O2",
        "emulator": project.emulator,
        "primitive": path.primitive,
        "path": path.name,
        "kind": path.kind,
        "variants": dict(path.choice),
        "masks": [str(mask) for mask in path.masks],
        "carried": next((row["carried"] for row in rows if "carried" in row), None),
        "earlier": sum(row["cases"] for row in rows if "resumed" in row or "carried" in row),
        "verdict": verdict,
        "reason": reason,
        "cases": _counts(ran),
        "failed": failed,
        "abandoned": sum(row["abandoned"] for row in ran),
        "checks": {
            c: "fail" if c in fired else "accepted" if c in known else "pass"
            for c in _checks(plan, ran, fired | known)
        },
        "findings": [finding for row in ran for finding in row["findings"]],
        "coverage": _coverage(project, variants, seen),
    }


def _checks(plan: Plan, rows: Sequence[Row], fired: Collection[str]) -> Iterable[str]:
    """The checks that were made: without a case those alone that found something in the code."""
    judged = {row["source"] for row in rows if row["cases"] or row["abandoned"]}
    judged |= {row["source"] for row in rows if row["source"] == UNWIND}
    made = {check for source in judged for check in plan.options.selection.made_by(source)}
    return (name for name in CHECKS if name in fired or name in made)


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["source"]] += row["cases"]
    return dict(counts)


def _hits(rows: Sequence[Row]) -> Seen:
    return Seen(
        frozenset(offset for row in rows for offset in row.get("hits", ())),
        frozenset(
            (offset, way)
            for row in rows
            for offset, mask in row.get("branches", ())
            for way in (TAKEN, NOT_TAKEN)
            if mask & way
        ),
    )


def _coverage(
    project: Project, variants: Sequence[Variant], seen: Seen
) -> dict[str, dict[str, int]]:
    """Instructions and directions of conditional jumps in the variants' functions: executed
    and in all."""
    addresses = {f.address for v in variants for f in functions_of(project, v)}
    base = project.image.text.address
    instructions = [
        instruction
        for function in decoded(project.image).functions
        if function.address in addresses
        for instruction in function.instructions
    ]
    starts = {i.address - base for i in instructions}
    jumps = {i.address - base for i in instructions if i.kind is Kind.CONDITIONAL}
    gone = sum(offset in jumps for offset, _ in seen.ways)
    return {
        "instructions": {"covered": len(starts & seen.hits), "total": len(starts)},
        "branches": {"covered": gone, "total": 2 * len(jumps)},
    }


def _variant(project: Project, variant: Variant, hits: Hits, plan: Plan) -> dict[str, Any]:
    """A variant over every path that runs it: verdicts are on the paths."""
    paths = [p for p in plan.paths(project) if (variant.primitive, variant.name) in p.choice]
    union = reduce(or_, (hits.get(_key(project, p), Seen()) for p in paths), Seen())
    return {
        **describe_variant(project.manifest, variant),
        "paths": [p.id for p in paths],
        "coverage": _coverage(project, (variant,), union),
    }
