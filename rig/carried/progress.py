"""How far a deep run has come: what an earlier session of it judged is not judged again.

Enters: a lab, the rows of its workers. Leaves: in the cache the sources of each path that were
judged whole and found right, until all are. Never here: what failed or was cut off; the next
session takes that again.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Any

from rig.cache import digest, write_atomically
from rig.capabilities.paths import Path
from rig.carried.entries import Row, entry, rows_of
from rig.carried.follows import path_key
from rig.carried.places import Places
from rig.items import sources_by_path
from rig.lab import Lab
from rig.plan import Plan, unrunnable, write_plan
from rig.project import Project


def resume(lab: Lab) -> Lab:
    """A lab whose plan leaves out what earlier sessions of this deep run judged; their rows are
    in the run's folder, each with the date of its session."""
    taken: set[tuple[str, str, str]] = set()
    for project in lab.plan.projects:
        kept, places = _read(_file(lab.plan, project)), Places(project.image)
        sources = sources_by_path(lab, project)
        for path in _runnable(lab, project):
            key = _key(lab, project, path, sources[path.id])
            for row in rows_of(kept.get(path.id, {}), key, places):
                lab.record(project, row)
                taken.add((str(project.manifest.path), path.id, row["source"]))
    plan = replace(lab.plan, resumed=frozenset(taken))
    write_plan(plan)
    return Lab(plan, lab.worker)


def keep_progress(lab: Lab, rows: Iterable[Row]) -> bool:
    """Leaves what was judged whole and found right; nothing once everything was judged, so that
    the next deep run begins anew. Whether that is so."""
    whole = True
    by_path: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if "reason" not in row:
            by_path.setdefault((row["manifest"], row["path"]), []).append(row)
    for project in lab.plan.projects:
        name, file = str(project.manifest.path), _file(lab.plan, project)
        kept, places, left = _read(file), Places(project.image), False
        paths, sources = list(_runnable(lab, project)), sources_by_path(lab, project)
        for path in paths:
            names = set(sources[path.id])
            judged = [r for r in by_path.get((name, path.id), ()) if r["source"] in names]
            left |= names != {row["source"] for row in judged}
            if right := [_dated(row) for row in judged if not row["checks"]]:
                kept[path.id] = entry(_key(lab, project, path, sources[path.id]), right, places)
        for path in paths if not left else ():
            kept.pop(path.id, None)
        write_atomically(file, json.dumps(kept, separators=(",", ":")).encode())
        whole &= not left
    return whole


def _dated(row: Row) -> Row:
    """The row with the date of the session that judged it."""
    return {"resumed": datetime.now(UTC).isoformat(timespec="seconds"), **row}


def _runnable(lab: Lab, project: Project) -> Iterator[Path]:
    return (path for path in lab.plan.due(project) if not unrunnable(project, path))


def _key(lab: Lab, project: Project, path: Path, sources: Sequence[str]) -> str:
    return digest(path_key(lab, project, path, sources), *sorted(lab.selection.checks))


def _file(plan: Plan, project: Project) -> FilePath:
    name = digest(str(project.manifest.path.resolve()), project.arch)
    return plan.cache / "deep" / f"{name}.json"


def _read(file: FilePath) -> dict[str, Any]:
    try:
        kept: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept
