"""What has changed since an earlier bench.

Enters: the rows of both. Leaves: pairs with the change and how likely chance alone makes it, and
lines. Never here: measuring. The two were not timed in turn, so only a change that the test finds
is shown as one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rig.bench.contest import Row
from rig.bench.document import Old
from rig.bench.spread import Spread, differ, shown, spread_of
from rig.commands.table import WIDTH, table, wrapped

ALPHA = 0.05

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A row and the one of the earlier bench that did the same; `p` is by Mann and Whitney."""

    old: Row
    new: Row
    p: float

    @property
    def delta(self) -> float:
        """By which part the speed has grown: of the medians, -0.1 for a tenth less."""
        return spread_of(self.old.timing.samples).median / _median(self.new) - 1

    @property
    def significant(self) -> bool:
        """Whether chance alone would make such a difference less often than ALPHA."""
        return self.p < ALPHA


def _median(row: Row) -> float:
    return spread_of(row.timing.samples).median


def changes(old: Sequence[Row], new: Sequence[Row]) -> tuple[Change, ...]:
    """The pairs, in the order of the new rows."""
    known = {_key(row): row for row in old}
    pairs = ((known[key], row) for row in new if (key := _key(row)) in known)
    return tuple(Change(a, b, differ(a.timing.samples, b.timing.samples)) for a, b in pairs)


def _key(row: Row) -> Key:
    numbers = (str(row.size), str(row.aad), str(row.done))
    return (row.arch, row.primitive, row.algorithm, row.action, row.name, row.mask, *numbers)


def lines(old: Old, cpu: str, rows: Sequence[Row]) -> Iterator[str]:
    """A table for each thing that is done, then what has no partner."""
    if old.cpu != cpu:
        yield from wrapped(f"{old.path} is of another CPU: {old.cpu}; this is {cpu}", WIDTH)
        yield ""
    found = changes(old.rows, rows)
    for arch, title in dict.fromkeys((c.new.arch, c.new.title) for c in found):
        yield f"{title}, {arch}"
        own = [c for c in found if (c.new.arch, c.new.title) == (arch, title)]
        yield from table([_head(own[0]), *(_cells(change) for change in own)])
        yield ""
    for count, where in (
        (len(rows) - len(found), f"not in {old.path}"),
        (len(old.rows) - len(found), f"only in {old.path}"),
    ):
        if count:
            yield f"{count} {'row' if count == 1 else 'rows'} {where}"


def _head(change: Change) -> tuple[str, ...]:
    unit = "MB/s" if change.new.done else "ns"
    return "path", "size", f"old {unit}", f"new {unit}", "delta", "p"


def _cells(change: Change) -> tuple[str, ...]:
    path = " ".join(part.rpartition("=")[2] for part in change.new.path.split(","))
    path += f" ({change.new.library})" if change.new.library else ""
    size = f"{change.new.size} B" if change.new.size else ""
    old, new = (_spread(row) for row in (change.old, change.new))
    doubt = 100 * (1 + change.delta) * (old.relative + new.relative)
    delta = f"{'+' if change.delta > 0 else ''}{shown(100 * change.delta, max(doubt, 0.1))}%"
    values = (f"{shown(s.median, s.half)}±{100 * s.relative:.0f}%" for s in (old, new))
    return path, size, *values, delta if change.significant else "~", f"{change.p:.3f}"


def _spread(row: Row) -> Spread:
    return spread_of(row.rates if row.done else row.timing.samples)


def document(old: Old, rows: Sequence[Row]) -> dict[str, Any]:
    """The same for programs."""
    found = changes(old.rows, rows)
    return {
        "old": str(old.path),
        "cpu": old.cpu,
        "rows": [
            {
                "arch": change.new.arch,
                "primitive": change.new.primitive,
                "algorithm": change.new.algorithm,
                "action": change.new.action,
                "size": change.new.size,
                "aad": change.new.aad,
                "path": change.new.path,
                "mask": change.new.mask,
                "old_ns": float(f"{_median(change.old):.6g}"),
                "new_ns": float(f"{_median(change.new):.6g}"),
                "delta": round(change.delta, 4),
                "p": round(change.p, 6),
                "significant": change.significant,
            }
            for change in found
        ],
        "without_partner": len(rows) + len(old.rows) - 2 * len(found),
    }
