"""Entries of `accept` that find nothing any more.

Enters: a plan, the rows of its workers, the names of each primitive's sources. Leaves: the
stale entries. Never here: verdicts on code. An entry is judged only in a run that took every
path of its symbol with every source: what was deselected proves nothing.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from rig.capabilities.paths import Path
from rig.checks.acceptance import stale, symbols_of
from rig.checks.race import CHECK as RACE
from rig.manifest import Acceptance, Manifest
from rig.options import Options
from rig.plan import Plan
from rig.project import Project

Row = Mapping[str, Any]
_NARROWING = ("cpu", "ia32cap", "armcap", "force", "primitive", "variant")


def stale_entries(
    plan: Plan, rows: Sequence[Row], sources: Callable[[str], Collection[str]]
) -> tuple[Acceptance, ...]:
    """Those of every project."""
    if _narrowed(plan.options):
        return ()
    found: list[Acceptance] = []
    for project in plan.projects:
        whole = {p.arch for p in plan.projects if p.manifest.path == project.manifest.path}
        found += _stale(project, rows, sources, _elsewhere(project.manifest, whole))
    found += stale_races(plan)
    return tuple(dict.fromkeys(found))


def stale_races(plan: Plan) -> Iterator[Acceptance]:
    """The entries about initialisers that were judged and are right wherever they run."""
    for entry in dict.fromkeys(a for p in plan.projects for a in p.manifest.accept):
        races = [race for race in plan.races if race.initialiser == entry.symbol]
        if entry.check == RACE and races and not any(r.reason or r.findings for r in races):
            yield entry


def _elsewhere(manifest: Manifest, archs: Collection[str]) -> set[str]:
    """The symbols that an architecture has which did not run."""
    variants = (v for p in manifest.primitives.values() for v in p.variants)
    return {s for v in variants if v.arch not in archs for s in v.symbols.values()}


def stale_line(entry: Acceptance) -> str:
    """`path:line: ...`, what it is and what to do."""
    return (
        f"{entry.place}: `accept` is stale: {entry.check} finds nothing in {entry.symbol}; "
        "take it out"
    )


def _narrowed(options: Options) -> bool:
    narrow = options.selection.narrowed or options.cap_matrix == "host"
    return narrow or any(getattr(options, name) for name in _NARROWING)


def _stale(
    project: Project,
    rows: Sequence[Row],
    sources: Callable[[str], Collection[str]],
    elsewhere: Collection[str],
) -> tuple[Acceptance, ...]:
    if not project.manifest.accept:
        return ()
    own = [row for row in rows if row["manifest"] == str(project.manifest.path)]
    taken = {place for row in own for _, place in row.get("accepted", ())}
    judged: set[str] = set()
    partly: set[str] = set()
    for path in (path for sweep in project.sweeps for path in sweep.paths):
        whole = _sources_run(path, own).issuperset(sources(path.primitive))
        (judged if whole else partly).update(symbols_of(project, path))
    entries = [entry for entry in project.manifest.accept if entry.place in taken]
    return stale(project.manifest.accept, entries, judged - partly - set(elsewhere))


def _sources_run(path: Path, rows: Sequence[Row]) -> set[str]:
    return {row["source"] for row in rows if row["path"] == path.id and "reason" not in row}
