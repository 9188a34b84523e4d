"""`rig paths`: what each mask selects, asked of the project's dispatcher.

Enters: parsed arguments. Leaves: text or JSON; exit code 1 where the dispatcher disagrees with
the manifest. Never here: running a path.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rig import manifest as manifests
from rig.build.toolchain import find_toolchain
from rig.cache import cache_folder
from rig.capabilities.paths import Path, Sweep
from rig.capabilities.vector import Vector
from rig.cli import manifest_paths
from rig.commands.table import WIDTH, labelled, wrapped
from rig.errors import ManifestError, RigError
from rig.manifest import Length
from rig.options import gather
from rig.plan import Absence, open_projects, unrunnable
from rig.project import Project, enumerate_paths
from rig.toml_table import nearest

SHOWN = 12
_INDENT = 4

Document = Mapping[str, Any]


def main(parsed: argparse.Namespace) -> int:
    """Prints every path of the manifests; 1 if there is a mismatch."""
    projects, absences = _projects(parsed)
    _check_names(projects, parsed.primitive or (), parsed.variant or ())
    rows = [row for project in projects for row in _rows(project, parsed)]
    if parsed.json:
        absent = [{"arch": a.arch, "reason": a.reason, "fix": a.fix} for a in absences]
        print(json.dumps({"primitives": rows, "absent": absent}, indent=1))
    else:
        print("\n".join((*_absence_lines(absences), *_lines(rows))))
    return 1 if any(row["mismatches"] for row in rows) else 0


def _projects(parsed: argparse.Namespace) -> tuple[list[Project], tuple[Absence, ...]]:
    """Every manifest on every architecture that was asked for and runs here; RigError where
    none does."""
    options = gather(vars(parsed))
    read = [manifests.read(path) for path in manifest_paths(parsed.manifests)]
    toolchain, cache = find_toolchain(options.cc), cache_folder(options.cache_dir)
    projects, absences = open_projects(read, options, toolchain, cache)
    if not projects:
        raise RigError("; ".join(f"{a.arch}: {a.reason}; {a.fix}" for a in absences))
    return projects, absences


def _check_names(
    projects: Sequence[Project], primitives: Sequence[str], variants: Sequence[str]
) -> None:
    known = {name for p in projects for name in p.manifest.primitives}
    for name in primitives:
        if name not in known:
            raise ManifestError(f"--primitive {name}: unknown{nearest(name, sorted(known))}")
    names = {v.name for p in projects for v in p.manifest.variants(p.arch)}
    for name in variants:
        if name not in names:
            raise ManifestError(f"--variant {name}: unknown{nearest(name, sorted(names))}")


def _rows(project: Project, parsed: argparse.Namespace) -> Iterator[dict[str, Any]]:
    with project.session() as session:
        for primitive in project.manifest.primitives.values():
            if not parsed.primitive or primitive.name in parsed.primitive:
                sweep = enumerate_paths(project, session, primitive)
                paths = [p for p in sweep.paths if _wanted(p, parsed.variant or ())]
                if paths:
                    yield _row(project, sweep, paths)


def _wanted(path: Path, variants: Sequence[str]) -> bool:
    return not variants or any(name in variants for _, name in path.choice)


def _row(project: Project, sweep: Sweep, paths: Sequence[Path]) -> dict[str, Any]:
    return {
        "primitive": sweep.primitive,
        "arch": sweep.arch,
        "tested": sweep.dispatched,
        "masks": sweep.masks,
        "probes": sweep.probes,
        "paths": [_path(project, path) for path in paths],
        "mismatches": list(sweep.mismatches),
    }


def _path(project: Project, path: Path) -> dict[str, Any]:
    text = unrunnable(project, path)
    return {
        "path": path.name,
        "kind": path.kind,
        "variants": dict(path.choice),
        "masks": [str(mask) for mask in path.masks],
        "needs": [_names(mask) for mask in path.masks],
        "lengths": [_length(domain) for domain in path.lengths],
        "reason": {"code": "cpu", "text": text} if text else None,
    }


def _names(mask: Vector) -> list[str]:
    """The capabilities of a mask beside the base, by name."""
    return list((mask - Vector.base(mask.arch)).names)


def _length(domain: Length) -> dict[str, Any]:
    """A domain as JSON: min <= n <= max, a multiple of `step`, of none of `apart`."""
    whole = {"min": domain.min, "max": domain.max, "step": domain.step}
    return whole | {"apart": list(domain.apart)}


def _absence_lines(absences: Sequence[Absence]) -> Iterator[str]:
    for absence in absences:
        yield from labelled(absence.arch, f"not here: {absence.reason}; {absence.fix}", 8)
    yield from ("",) if absences else ()


def _lines(rows: Sequence[Document]) -> Iterator[str]:
    for row in rows:
        yield from _head(row)
        for path in row["paths"]:
            yield from _path_lines(path)
        yield from _mismatch_lines(row["mismatches"])
        yield ""
    yield from wrapped(_totals(rows), WIDTH)


def _head(row: Document) -> list[str]:
    asked = (
        f"{row['masks']:,} masks asked, {row['probes']:,} undeclared bits flipped"
        if row["tested"]
        else "dispatch not tested, paths by the manifest's rule"
    )
    text = f"{row['primitive']} {row['arch']}: {asked}, {len(row['mismatches'])} mismatches"
    first, *rest = wrapped(text, WIDTH - _INDENT)
    return [first, *(" " * _INDENT + line for line in rest)]


def _path_lines(path: Document) -> Iterator[str]:
    yield from labelled("", f"{path['path']} ({path['kind']}){_limits(path)}", _INDENT // 2)
    for mask, names in zip(path["masks"], path["needs"], strict=True):
        yield from labelled("", f"{' '.join(names) or 'base only'}  {mask}", _INDENT)
    if path["reason"]:
        yield from labelled("", f"cannot run here: {path['reason']['text']}", _INDENT)


def _limits(path: Document) -> str:
    domains = [_domain(domain) for domain in path["lengths"]]
    shown = [text for text in domains if text]
    return f", lengths {' or '.join(shown)}" if shown else ""


def _domain(domain: Document) -> str:
    least, most, step = domain["min"], domain["max"], domain["step"]
    if (least, most, step, domain["apart"]) == (0, None, 1, []):
        return ""
    every = f", multiples of {step}" if step != 1 else ""
    apart = "".join(f", no multiples of {other}" for other in domain["apart"])
    return f"{least} to {'any' if most is None else most}{every}{apart}"


def _mismatch_lines(mismatches: Sequence[str]) -> Iterator[str]:
    for mismatch in mismatches[:SHOWN]:
        yield from labelled("  !", mismatch, _INDENT)
    if len(mismatches) > SHOWN:
        yield f"  ! and {len(mismatches) - SHOWN} more (all in --json)"


def _totals(rows: Sequence[Document]) -> str:
    paths = [path for row in rows for path in row["paths"]]
    runnable = sum(path["reason"] is None for path in paths)
    mismatches = sum(len(row["mismatches"]) for row in rows)
    return f"{len(paths)} paths, {runnable} can run here, {mismatches} mismatches"
