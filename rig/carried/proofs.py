"""Proofs of earlier runs, kept in the cache.

Enters: a lab, the rows of its workers. Leaves: in the cache what a run judged whole and found
right; for `--changed` the rows of those paths whose key is still the same. Never here:
verdicts. A path that failed is not kept: it is judged in every run until it passes.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from rig.cache import digest, write_atomically
from rig.carried.entries import Row, entry, rows_of
from rig.carried.follows import path_key
from rig.carried.places import Places
from rig.items import sources_by_path
from rig.lab import Lab
from rig.plan import Plan, write_plan
from rig.project import Project


def carry(lab: Lab) -> Lab:
    """A lab whose plan leaves out what is proven already; the rows of that are in the run's
    folder, each with the date of its run."""
    taken: set[tuple[str, str]] = set()
    for project in lab.plan.projects:
        kept, places = _read(_file(lab.plan, project)), Places(project.image)
        sources = sources_by_path(lab, project)
        for path in lab.plan.paths(project):
            proof = kept.get(path.id, {})
            found = rows_of(proof, path_key(lab, project, path, sources[path.id]), places)
            for row in found:
                lab.record(project, {**row, "carried": proof["date"]})
            if found:
                taken.add((str(project.manifest.path), path.id))
    plan = replace(lab.plan, carried=frozenset(taken))
    write_plan(plan)
    return Lab(plan, lab.worker)


def keep(lab: Lab, rows: Sequence[Row]) -> None:
    """Leaves in the cache what this run judged whole and found right: each profile its own."""
    by_path: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_path.setdefault((row["manifest"], row["path"]), []).append(row)
    for project in lab.plan.projects:
        file, places = _file(lab.plan, project), Places(project.image)
        kept, sources = _read(file), sources_by_path(lab, project)
        for path in lab.plan.paths(project):
            own = by_path.get((str(project.manifest.path), path.id), [])
            if not lab.plan.options.checks and _is_new_proof(sources[path.id], own):
                now = [{k: v for k, v in row.items() if k != "resumed"} for row in own]
                kept[path.id] = entry(path_key(lab, project, path, sources[path.id]), now, places)
        write_atomically(file, json.dumps(kept, separators=(",", ":")).encode())


def _is_new_proof(sources: Collection[str], rows: Sequence[Row]) -> bool:
    """Whether this run took every source of a path, and nothing is wrong."""
    ran = {row["source"] for row in rows if "reason" not in row}
    wrong = any("reason" in row or row["checks"] or "carried" in row for row in rows)
    return not wrong and ran.issuperset(sources)


def _file(plan: Plan, project: Project) -> FilePath:
    name = digest(str(project.manifest.path.resolve()), project.arch, plan.options.profile)
    return plan.cache / "proven" / f"{name}.json"


def _read(file: FilePath) -> dict[str, Any]:
    try:
        kept: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept
