"""What was timed as JSON, and back.

Enters: rows, or a document that an earlier run wrote. Leaves: the other. Never here: printing.
"""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rig import __version__
from rig.bench.contest import Row, Untimed
from rig.bench.rounds import Timing
from rig.bench.spread import Spread, spread_of
from rig.errors import RigError

SCHEMA = 1

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Old:
    """An earlier bench as it was written."""

    path: Path
    cpu: str
    rows: tuple[Row, ...]


def document(rows: Sequence[Row], untimed: Sequence[Untimed], extra: Document) -> dict[str, Any]:
    """The document: `rows` with every sample (nanoseconds of a call), `untimed`, and `extra`."""
    return {
        "schema": SCHEMA,
        "run": {
            "rig": __version__,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": platform.machine(),
            "cpu": cpu_name(),
            "clock": "CPU time of the thread (CLOCK_THREAD_CPUTIME_ID)",
        },
        "rows": [_row(row) for row in rows],
        "untimed": [asdict(each) for each in untimed],
        **extra,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "arch": row.arch,
        "emulator": row.emulator,
        "primitive": row.primitive,
        "algorithm": row.algorithm,
        "action": row.action,
        "size": row.size,
        "aad": row.aad,
        "path": row.path,
        "kind": row.kind,
        "library": row.library,
        "mask": row.mask,
        "done": row.done,
        "repeats": row.timing.repeats,
        "samples": [round(ns, 3) for ns in row.timing.samples],
        "ns": _spread(spread_of(row.timing.samples)),
        "mb_per_s": _spread(spread_of(row.rates)),
        "ratio": _spread(spread_of(row.ratios)) if row.ratios else None,
    }


def _spread(spread: Spread) -> dict[str, float]:
    each = {"median": spread.median, "low": spread.low, "high": spread.high}
    return {name: float(f"{value:.6g}") for name, value in each.items()}


def cpu_name() -> str:
    """The CPU's name as the kernel has it; empty where it has none."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "odel name" in line]
    return names[0] if names else ""


def read(path: Path) -> Old:
    """A document; RigError where it is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RigError(f"{path}: {error.strerror}; `rig bench --json > FILE` writes one") from error
    except ValueError as error:
        raise RigError(f"{path}: not JSON ({error}); `rig bench --json` writes it") from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA or not isinstance(found.get("rows"), list):
        raise RigError(f"{path}: not of `rig bench --json` (schema {schema}, needed is {SCHEMA})")
    try:
        return Old(path, str(found["run"]["cpu"]), tuple(map(_read_row, found["rows"])))
    except (KeyError, TypeError, ValueError) as error:
        raise RigError(f"{path}: no row of `rig bench --json`: {error!r}") from error


def _read_row(row: Document) -> Row:
    timing = Timing(int(row["repeats"]), tuple(float(ns) for ns in row["samples"]))
    if not timing.samples or min(timing.samples) <= 0:
        raise ValueError("samples must be above 0")
    names = (
        "arch",
        "primitive",
        "algorithm",
        "action",
        "path",
        "kind",
        "library",
        "mask",
        "emulator",
    )
    return Row(
        **{name: row[name] for name in names},
        size=int(row["size"]),
        aad=int(row["aad"]),
        done=int(row["done"]),
        timing=timing,
    )
