"""Several runs as one: of several machines, architectures, shards.

Enters: report folders. Leaves: one results document, one coverage document and the case files;
RigError, one line, where the runs cannot be of one project. Never here: verdicts of its own.

The same build (target, architecture, toolchain) must have the same digest everywhere: then hits
are united. Different architectures, toolchains and emulators stand side by side.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.errors import RigError
from rig.report.folder import COVERAGE, MARKER
from rig.report.reach import Function, Image, branch_count, images, instruction_count, reached

SCHEMA = 1
_WORST = ("fail", "accepted", "pass", "skipped")

Document = Mapping[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """What a run left; `name` is what the user called it, `cases` holds files by name."""

    name: str
    results: Document
    coverage: Document
    cases: Mapping[str, bytes]


def read_run(named: str) -> Run:
    """The run of a report folder, or of the results.json in it; RigError where there is none."""
    path = Path(named)
    folder = path if path.is_dir() else path.parent
    results = _read(folder / MARKER if path.is_dir() else path, named)
    coverage = _read(folder / COVERAGE, named)
    cases = {f.name: f.read_bytes() for f in sorted((folder / "cases").glob("*.json"))}
    return Run(named, results, coverage, cases)


def _read(path: Path, named: str) -> Document:
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        what = f"{error.strerror}; name the folder that `rig run` left"
        raise RigError(f"{named}: no report: {path}: {what}") from error
    except ValueError as error:
        raise RigError(f"{path}: not JSON: {error}; run `rig run` again") from error
    known = isinstance(document, dict) and document.get("schema") == SCHEMA
    if not known or not isinstance(document.get("paths"), list):
        raise RigError(f"{path}: not a report of schema {SCHEMA}; run `rig run` again")
    if path.name == COVERAGE and not all("root" in image for image in document["images"]):
        raise RigError(f"{path}: written by an older rig; run `rig run` again")
    return dict(document)


def merge(runs: Sequence[Run]) -> Run:
    """One run of them all; a single one comes back as it is."""
    if len(runs) == 1:
        return runs[0]
    _check_builds(runs)
    coverage = _coverage(runs)
    return Run(
        name=", ".join(run.name for run in runs),
        results=_results(runs, coverage),
        coverage=coverage,
        cases={name: data for run in runs for name, data in run.cases.items()},
    )


def _build(row: Document) -> tuple[str, str, str]:
    return row["target"], row["arch"], row["toolchain"]


def _check_builds(runs: Sequence[Run]) -> None:
    """RigError where one build has two digests: the sources differed."""
    seen: dict[tuple[str, str, str], tuple[str, str]] = {}
    for run in runs:
        for image in run.coverage["images"]:
            name, digest = seen.setdefault(_build(image), (run.name, image["digest"]))
            if digest != image["digest"]:
                raise RigError(
                    f"{name} and {run.name}: {' '.join(_build(image))} was built from different "
                    f"sources (code {digest} and {image['digest']}); run both on one commit"
                )


def _coverage(runs: Sequence[Run]) -> Row:
    builds = {i["digest"]: i for run in runs for i in run.coverage["images"]}
    rows = (row for run in runs for row in run.coverage["paths"])
    paths = _grouped(rows, lambda row: (row["image"], row["id"]))
    return {
        "schema": SCHEMA,
        "images": list(builds.values()),
        "paths": [_united(same) for same in paths],
    }


def _grouped(rows: Iterable[Document], key: Callable[[Document], Any]) -> list[list[Document]]:
    groups: dict[Any, list[Document]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())


def _united(same: Sequence[Document]) -> Row:
    """One path of the coverage document from those of several machines."""
    branches: dict[int, int] = {}
    for offset, mask in (pair for row in same for pair in row["branches"]):
        branches[offset] = branches.get(offset, 0) | mask
    return {
        **same[0],
        "masks": _once(same, "masks"),
        "hits": sorted({offset for row in same for offset in row["hits"]}),
        "branches": [list(pair) for pair in sorted(branches.items())],
        "indirect": sorted({tuple(pair) for row in same for pair in row["indirect"]}),
    }


def _once(rows: Iterable[Document], key: str) -> list[Any]:
    return list(dict.fromkeys(value for row in rows for value in row[key]))


def _results(runs: Sequence[Run], coverage: Document) -> Row:
    rows = [row for run in runs for row in run.results["paths"]]
    built = {(i.target, i.arch, i.toolchain): i for i in images(coverage)}
    same = _grouped(rows, lambda row: (*_build(row), row["emulator"], row["id"]))
    paths = [_path(rows, built, coverage) for rows in same]
    dispatch, races = _dispatch(runs), _races(runs)
    run = _run(runs, {row["arch"] for row in paths})
    mismatches = sum(len(row["mismatches"]) for row in dispatch)
    raced = sum(len(row["findings"]) for row in races)
    return {
        "schema": SCHEMA,
        "run": run,
        "runs": [{"from": run.name, **run.results["run"]} for run in runs],
        "totals": {
            "cases": sum(n for path in paths for n in path["cases"].values()),
            "carried": sum(path["earlier"] for path in paths),
            "failed": sum(path["failed"] for path in paths) + mismatches + raced,
            "skipped": sum(p["verdict"] == "skipped" for p in paths) + len(run["absent"]),
        },
        "controls": list(_controls(runs)),
        "dispatch": dispatch,
        "races": races,
        "variants": list(_variants(runs, tuple(built.values()), coverage)),
        "paths": paths,
        "stale": list(dict.fromkeys(line for run in runs for line in run.results["stale"])),
        "known": [row for run in runs for row in run.results["known"]],
    }


def _run(runs: Sequence[Run], archs: set[str]) -> Row:
    """The first run, with the architectures that none of them could run."""
    absent = {row["arch"]: row for run in runs for row in run.results["run"]["absent"]}
    left = [row for arch, row in absent.items() if arch not in archs]
    manifests = list(dict.fromkeys(m for run in runs for m in run.results["run"]["manifests"]))
    built = [row for run in runs for row in run.results["run"]["prebuilt"]]
    return {
        **runs[0].results["run"],
        "manifests": manifests,
        "prebuilt": list({(row["path"], row["sha256"]): row for row in built}.values()),
        "absent": left,
        "left_out": _left_out(runs),
    }


def _left_out(runs: Sequence[Run]) -> list[Document]:
    """What some run left out."""
    found: list[Document] = []
    for row in (row for run in runs for row in run.results["run"]["left_out"]):
        if row not in found:
            found.append(row)
    return found


def _controls(runs: Sequence[Run]) -> Iterator[Document]:
    rows = (row for run in runs for row in run.results["controls"])
    return (
        same[0]
        for same in _grouped(rows, lambda r: (r["arch"], r["fault"], r["held"], *r["fired"]))
    )


def _dispatch(runs: Sequence[Run]) -> list[Row]:
    rows = (row for run in runs for row in run.results["dispatch"])
    return [
        {**same[0], "mismatches": _once(same, "mismatches")}
        for same in _grouped(rows, lambda row: (row["arch"], row["primitive"]))
    ]


def _races(runs: Sequence[Run]) -> list[Row]:
    """Each initialiser once: where one machine judged it, that it was not elsewhere is void."""
    rows = [row for run in runs for row in run.results["races"]]
    return [
        {
            **(next((r for r in same if not r["reason"]), same[0])),
            "findings": _once(same, "findings"),
        }
        for same in _grouped(rows, lambda row: (row["target"], row["arch"]))
    ]


def _path(
    same: Sequence[Document], built: Mapping[tuple[str, str, str], Image], coverage: Document
) -> Row:
    """One path of the results: where one machine ran it, that it was skipped elsewhere is void."""
    ran = [row for row in same if row["verdict"] != "skipped"] or list(same)
    verdict = next(v for v in _WORST if any(row["verdict"] == v for row in ran))
    cases: dict[str, int] = {}
    for source, count in (pair for row in ran for pair in row["cases"].items()):
        cases[source] = cases.get(source, 0) + count
    merged = {
        **ran[0],
        "masks": _once(ran, "masks"),
        "carried": min((row["carried"] for row in ran if row["carried"]), default=None),
        "earlier": sum(row["earlier"] for row in ran),
        "verdict": verdict,
        "reason": next((row["reason"] for row in ran if row["reason"]), None),
        "cases": cases,
        "failed": sum(row["failed"] for row in ran),
        "abandoned": sum(row["abandoned"] for row in ran),
        "checks": _checks(ran),
        "findings": [finding for row in ran for finding in row["findings"]],
    }
    own = built.get(_build(ran[0]))
    return merged if own is None else merged | {"coverage": _of_path(own, merged, coverage)}


def _checks(rows: Sequence[Document]) -> dict[str, str]:
    names = _once(rows, "checks")
    return {
        name: next(v for v in _WORST if any(row["checks"].get(name) == v for row in rows))
        for name in names
    }


def _of_path(image: Image, path: Document, coverage: Document) -> Row:
    rows = [p for p in coverage["paths"] if (p["image"], p["id"]) == (image.digest, path["id"])]
    names = {f"{slot}/{name}" for slot, name in path["variants"].items()}
    names |= {f"{path['primitive']}/{name}" for name in path["variants"].values()}
    own = [f for f in image.functions if names.intersection(f.variants)]
    return _coverage_row(own, image, {**coverage, "paths": rows})


def _coverage_row(
    functions: Sequence[Function], image: Image, coverage: Document, variant: str | None = None
) -> Row:
    """The `coverage` of a row, branches only where they were recorded."""
    seen = reached(coverage, image, variant)
    counts = {
        "instructions": instruction_count(functions, seen),
        "branches": branch_count(functions, seen),
    }
    return {
        name: {"covered": count.covered, "total": count.total}
        for name, count in counts.items()
        if count is not None
    }


def _variants(runs: Sequence[Run], built: Sequence[Image], coverage: Document) -> Iterator[Row]:
    """A row per variant and architecture; of several toolchains the first build is counted."""
    rows = (row for run in runs for row in run.results["variants"])
    for same in _grouped(rows, lambda r: (r["arch"], r["primitive"], r["variant"], r["source"])):
        merged = {**same[0], "paths": _once(same, "paths")}
        name = f"{merged['primitive']}/{merged['variant']}"
        own = (i for i in built if i.arch == merged["arch"] and name in i.variants)
        if image := next(own, None):
            merged["coverage"] = _coverage_row(image.of(name), image, coverage, name)
        yield merged
