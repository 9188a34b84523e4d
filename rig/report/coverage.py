"""coverage.json, schema 1: what was executed, per path, with the code that it was executed in.

Enters: a plan and the rows of its workers. Leaves: one JSON document from which listings,
HTML, coverage.py data and gates are made anywhere, without the image. Never here: thresholds.

An image is known by the digest of its text, so that the documents of several runs and machines
merge. All offsets count from the image's text.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rig.checks.trial import lines_of
from rig.manifest import Allowance, Manifest
from rig.plan import Plan
from rig.project import Project, decoded
from rig.trace.instructions import FunctionCode, architecture
from rig.trace.lines import Lines

SCHEMA = 1

Row = Mapping[str, Any]


def coverage(plan: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    """The document of a run. Rows go by manifest and path: two projects may have the same ids."""
    by_path: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_path.setdefault((row["manifest"], row["path"]), []).append(row)
    return {
        "schema": SCHEMA,
        "images": [_image(project) for project in plan.projects],
        "paths": [
            _path(project, path, by_path.get((str(project.manifest.path), path.id), ()))
            for project in plan.projects
            for path in plan.paths(project)
        ],
    }


def image_digest(project: Project) -> str:
    """What names the image in every document: SHA-256 of its text, 16 hex digits."""
    return hashlib.sha256(project.image.text.data).hexdigest()[:16]


def _image(project: Project) -> dict[str, Any]:
    lines = lines_of(project)
    files: dict[str, int] = {}
    functions = [
        _function(project, code, lines, files) for code in decoded(project.image).functions
    ]
    return {
        "digest": image_digest(project),
        "target": project.manifest.root.resolve().name,
        "arch": project.arch,
        "toolchain": project.image.toolchain,
        "root": shown_root(project.image.root),
        "architectures": _architectures(project.manifest),
        "allow": [_allowance(entry, project.manifest) for entry in project.manifest.allow],
        "functions": functions,
        "files": [{"path": path, "lines": _source(project.image.root / path)} for path in files],
    }


def shown_root(root: Path) -> str:
    """The project's folder as reports name it: from the folder that the run began in where it
    lies inside, so that documents hold for every checkout."""
    here, root = Path.cwd().resolve(), root.resolve()
    return (root.relative_to(here) if root.is_relative_to(here) else root).as_posix()


def _architectures(manifest: Manifest) -> list[str]:
    """Those that the manifest has variants for."""
    return sorted({v.arch for p in manifest.primitives.values() for v in p.variants})


def _allowance(entry: Allowance, manifest: Manifest) -> dict[str, Any]:
    """The entry; `place` is relative to the project's folder."""
    place = entry.place.removeprefix(f"{manifest.root}/")
    return {
        "symbol": entry.symbol,
        "file": entry.file,
        "first": entry.first,
        "last": entry.last,
        "reason": entry.reason,
        "place": place,
    }


def _function(
    project: Project, code: FunctionCode, lines: Lines, files: dict[str, int]
) -> dict[str, Any]:
    base = project.image.text.address
    known = next(f for f in project.image.functions if f.address == code.address)
    owners = sorted("/".join(owner) for owner in project.owners[code.address])
    decoder, place = architecture(project.arch), decoded(project.image).place
    return {
        "name": code.name,
        "source": known.source,
        "variants": owners,
        "offset": code.address - base,
        "size": code.size,
        "blocks": [leader - base for leader in code.leaders],
        "instructions": [
            [
                instruction.address - base,
                decoder.text(instruction, place),
                *_line(lines, instruction.address, files),
                instruction.kind.name.lower(),
                None if instruction.target is None else instruction.target - base,
            ]
            for instruction in code.instructions
        ],
    }


def _line(lines: Lines, address: int, files: dict[str, int]) -> tuple[int | None, int | None]:
    """The index of the file and the line number; a new file is added."""
    found = lines.at(address)
    if found is None:
        return None, None
    return files.setdefault(found.path, len(files)), found.line


def _source(path: Path) -> list[str] | None:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return None


def _path(project: Project, path: Any, rows: Sequence[Row]) -> dict[str, Any]:
    hits = {offset for row in rows for offset in row.get("hits", ())}
    branches: dict[int, int] = {}
    for row in rows:
        for offset, mask in row.get("branches", ()):
            branches[offset] = branches.get(offset, 0) | mask
    indirect = {tuple(pair) for row in rows for pair in row.get("indirect", ())}
    return {
        "id": path.id,
        "image": image_digest(project),
        "primitive": path.primitive,
        "variants": [f"{slot}/{name}" for slot, name in path.choice],
        "kind": path.kind,
        "arch": path.arch,
        "path": path.name,
        "masks": [str(mask) for mask in path.masks],
        "hits": sorted(hits),
        "branches": sorted(branches.items()),
        "indirect": sorted(indirect),
    }
