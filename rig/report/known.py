"""Findings of a run as a project burns them down: new, accepted, stale.

Enters: a plan, the rows of its workers, the stale entries of `accept`. Leaves: the rows of
results.json about them, and the text of `accept.toml`, which would take the new ones in. Never
here: a reason; those are the project's own.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rig.capabilities.paths import Path, chosen_variants
from rig.checks.acceptance import symbols_of
from rig.checks.race import CHECK as RACE
from rig.checks.race import Race
from rig.manifest import Acceptance
from rig.plan import Plan
from rig.project import Project

Row = Mapping[str, Any]
_HEAD = """\
# Findings of this run that the manifest does not know. What is to be lived with for now goes
# into `accept` in {manifest}, each with the reason why. A run fails on a new finding, and on an
# entry that no longer finds anything.
accept = [
"""


def known(plan: Plan, rows: Sequence[Row], stale: Collection[Acceptance]) -> list[dict[str, Any]]:
    """A row for each new finding and for each entry of `accept`, with the paths that it is on.
    An entry has one for each architecture that it was taken on, else one."""
    found: list[dict[str, Any]] = []
    for project in plan.projects:
        own = [row for row in rows if row["manifest"] == str(project.manifest.path)]
        ids = {path.id for path in plan.paths(project)}
        found += _new(plan, project, [row for row in own if row["path"] in ids])
        first = next(p for p in plan.projects if p.manifest.path == project.manifest.path)
        found += _raced(plan, project)
        found += _entries(plan, project, own, ids, stale, alone=project is first)
    return found


def _new(plan: Plan, project: Project, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """One row for a check and a symbol. A finding about no function is given to the last
    function of its path's contract that the variant has; on a composed path to what is
    proposed already, if that would take it."""
    proposed: dict[tuple[str, str], list[str]] = {}
    paths = {path.id: path for path in plan.paths(project)}
    pairs = [
        (paths[r["path"]], check, symbol) for r in rows for check, symbol in r.get("about", ())
    ]
    for path, check, symbol in sorted(pairs, key=lambda found: len(found[0].choice)):
        name = symbol or _stand_in(project, path, check, proposed)
        proposed.setdefault((check, name), []).append(path.id)
    for (check, symbol), on in proposed.items():
        yield _row(project, "new", check, symbol, on)


def _stand_in(
    project: Project, path: Path, check: str, proposed: Collection[tuple[str, str]]
) -> str:
    symbols = symbols_of(project, path)
    primitive = project.manifest.primitives[path.primitive]
    own = primitive.symbols
    if not primitive.composed:
        (variant,) = chosen_variants(project.manifest, primitive, project.arch, path.choice)
        own = variant.symbols
    return next((s for c, s in proposed if c == check and s in symbols), list(own.values())[-1])


def _raced(plan: Plan, project: Project) -> Iterator[dict[str, Any]]:
    """A row for an initialiser that is not safe to call, with its item in a path's place."""
    for race in _races(plan, project):
        if race.findings:
            on = f"{race.initialiser}/{race.arch}/{RACE}"
            yield _row(project, "new", RACE, race.initialiser, [on])


def _races(plan: Plan, project: Project) -> list[Race]:
    named = (str(project.manifest.path), project.arch)
    return [race for race in plan.races if (race.manifest, race.arch) == named]


def _entries(
    plan: Plan,
    project: Project,
    rows: Sequence[Row],
    ids: Collection[str],
    stale: Collection[Acceptance],
    alone: bool,
) -> Iterator[dict[str, Any]]:
    """Those taken on this project's paths; where `alone`, those taken nowhere too."""
    for entry in project.manifest.accept:
        taken = [r["path"] for r in rows if [entry.check, entry.place] in r.get("accepted", ())]
        on = [path for path in taken if path in ids]
        raced = [race for race in plan.races if race.accepted == entry.place]
        taken += [race.initialiser for race in raced]
        on += [f"{r.initialiser}/{r.arch}/{RACE}" for r in raced if r in _races(plan, project)]
        if not on and (taken or not alone):
            continue
        state = "accepted" if on else "stale" if entry in stale else "not-judged"
        row = _row(project, state, entry.check, entry.symbol, on)
        yield row | {"reason": entry.reason, "place": entry.place}


def _row(
    project: Project, state: str, check: str, symbol: str, paths: Sequence[str]
) -> dict[str, Any]:
    return {
        "state": state,
        "manifest": str(project.manifest.path),
        "arch": project.arch,
        "check": check,
        "symbol": symbol,
        "reason": "",
        "place": "",
        "paths": list(dict.fromkeys(paths)),
    }


def accept_text(rows: Sequence[Row]) -> str:
    """`accept` with the new findings, by manifest; empty where there are none."""
    new = [row for row in rows if row["state"] == "new"]
    blocks = []
    for manifest in dict.fromkeys(row["manifest"] for row in new):
        own = [row for row in new if row["manifest"] == manifest]
        lines = dict.fromkeys(map(_line, own))
        blocks.append(_HEAD.format(manifest=manifest) + "".join(lines) + "]\n")
    return "\n".join(blocks)


def _line(row: Row) -> str:
    check, symbol = json.dumps(row["check"]), json.dumps(row["symbol"])
    first, *more = row["paths"]
    others = f" and {len(more)} more" if more else ""
    return f'  {{ check = {check}, symbol = {symbol}, reason = "" }},  # {first}{others}\n'
