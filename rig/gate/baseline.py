"""rig-baseline.json: what a project's runs have reached, committed beside the manifest.

Enters: the file, or a measured run. Leaves: a `Baseline`, its text (sorted, an entry a line, so
that a diff reads), and what a run has lost against it. Never here: exit codes.

What is not reached is known by function, file and the text of its line, not by number: a line
that moves is the same line.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig.errors import RigError
from rig.gate.measured import UNAVAILABLE, Measured, Scope
from rig.report.reach import NOT_EXECUTED, Gap, Image

BASELINE_FILE = "rig-baseline.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Known:
    """One architecture: `unreached` has, by variant, counts by key of what was not reached."""

    toolchain: str
    branches: bool
    paths: tuple[str, ...]
    skipped: tuple[str, ...]
    unreached: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """By architecture; `text` is the file's."""

    archs: Mapping[str, Known] = field(default_factory=dict)
    text: str = ""

    def line(self, entry: str) -> int:
        """The line of the file on which an entry stands."""
        lines = self.text.splitlines()
        return next((n for n, line in enumerate(lines, 1) if json.dumps(entry) in line), 1)


def read_baseline(path: Path) -> Baseline | None:
    """The baseline; None if there is no file, RigError if it cannot be used."""
    try:
        text = path.read_text()
        document = json.loads(text)
        if document.pop("rig-baseline") != VERSION:
            raise RigError(f"{path}: not a baseline of version {VERSION}; write it with --update")
        return Baseline({arch: _known(row) for arch, row in document.items()}, text)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RigError(f"{path}: cannot read the baseline: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RigError(f"{path}: not a baseline ({error}); write it anew with --update") from error


def _known(row: Mapping[str, Any]) -> Known:
    return Known(
        toolchain=row["toolchain"],
        branches=row["branches"],
        paths=tuple(row["paths"]),
        skipped=tuple(row["skipped"]),
        unreached={name: dict(found) for name, found in row["unreached"].items()},
    )


def key(image: Image, gap: Gap) -> str:
    """What a gap is known by."""
    suffix = "" if gap.what == NOT_EXECUTED else f" [{gap.what}]"
    return f"{gap.symbol} {gap.file}: {image.text(gap.file, gap.line)}{suffix}"


def is_branch(entry: str) -> bool:
    """Whether a key is of a jump's way."""
    return entry.endswith("taken]")


def lost(measured: Measured, known: Known) -> tuple[Gap, ...]:
    """What the baseline reached and this run did not. With another toolchain only new keys
    count, as it makes another number of instructions of a line."""
    then = known.unreached.get(measured.variant)
    if then is None:
        return ()
    now = _counts(measured)
    same = known.toolchain == measured.image.toolchain
    worse = {entry for entry, n in now.items() if n > (then.get(entry, 0) if same else 0)}
    worse -= set() if same else set(then)
    both = known.branches and measured.branches is not None
    return tuple(
        gap
        for gap in measured.gaps
        if (entry := key(measured.image, gap)) in worse and (both or not is_branch(entry))
    )


def _counts(measured: Measured) -> Counter[str]:
    counts: Counter[str] = Counter()
    for gap in measured.gaps:
        counts[key(measured.image, gap)] += gap.count
    return counts


def updated(old: Baseline | None, scope: Scope) -> Baseline:
    """The baseline of a run; what this machine could not run stays as it was."""
    _check_single(scope)
    archs = dict(old.archs) if old else {}
    archs = {arch: known for arch, known in archs.items() if arch in scope.wanted}
    for image in scope.images:
        archs[image.arch] = _of_image(image, scope, archs.get(image.arch))
    return Baseline(archs, _text(archs))


def _check_single(scope: Scope) -> None:
    archs = [image.arch for image in scope.images]
    for arch in archs:
        if archs.count(arch) > 1:
            raise RigError(f"{scope.target}: built for {arch} by two toolchains; update from one")


def _of_image(image: Image, scope: Scope, old: Known | None) -> Known:
    rows = [row for row in scope.paths if row["arch"] == image.arch]
    ran = {row["id"] for row in rows if row["verdict"] != "skipped"}
    skipped = {row["id"]: row["reason"]["code"] for row in rows if row["id"] not in ran}
    kept = {id for id, code in skipped.items() if code in UNAVAILABLE}
    own = [m for m in scope.variants if m.image is image]
    before = old.unreached if old else {}
    return Known(
        toolchain=image.toolchain,
        branches=any(m.branches is not None for m in own),
        paths=tuple(sorted(ran | (kept & set(old.paths if old else ())))),
        skipped=tuple(sorted(set(skipped) - kept)),
        unreached={m.variant: _unreached(m, before) for m in own if _is_kept(m, before)},
    )


def _is_kept(measured: Measured, before: Mapping[str, Any]) -> bool:
    return not measured.unavailable or measured.variant in before


def _unreached(measured: Measured, before: Mapping[str, Mapping[str, int]]) -> Mapping[str, int]:
    return before[measured.variant] if measured.unavailable else _counts(measured)


def _text(archs: Mapping[str, Known]) -> str:
    document: dict[str, Any] = {"rig-baseline": VERSION}
    for arch in sorted(archs):
        known = archs[arch]
        document[arch] = {
            "toolchain": known.toolchain,
            "branches": known.branches,
            "paths": list(known.paths),
            "skipped": list(known.skipped),
            "unreached": _sorted(known.unreached.items()),
        }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _sorted(rows: Iterable[tuple[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    return {name: dict(sorted(found.items())) for name, found in sorted(rows)}
