"""Rows of a path as the cache keeps them, so that they hold in another image.

Enters: rows, or what the cache has. Leaves: an entry, or its rows in terms of an image. Never
here: files, or whether a verdict still holds but by its key.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rig.carried.places import Flow, MovedError, Places

_FLOW = ("hits", "branches", "indirect")

Row = Mapping[str, Any]


def entry(key: str, rows: Sequence[Row], places: Places) -> dict[str, Any]:
    """Flow is kept once, in the first row: of which source it came no one asks."""
    apart = ("manifest", *_FLOW)
    bare = [{k: v for k, v in row.items() if k not in apart} for row in rows]
    return {
        "key": key,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "names": places.names,
        "flow": places.named(_union(rows)),
        "rows": bare,
    }


def _union(rows: Sequence[Row]) -> Flow:
    masks: dict[int, int] = {}
    for at, mask in (pair for row in rows for pair in row["branches"]):
        masks[at] = masks.get(at, 0) | mask
    return {
        "hits": sorted({at for row in rows for at in row["hits"]}),
        "branches": sorted(masks.items()),
        "indirect": sorted({tuple(pair) for row in rows for pair in row["indirect"]}),
    }


def rows_of(kept: Mapping[str, Any], key: str, places: Places) -> list[dict[str, Any]]:
    """The rows of an entry in terms of this image; none if it proves nothing for it."""
    if not kept or kept["key"] != key:
        return []
    try:
        flow = places.found(kept["names"], kept["flow"])
    except MovedError:
        return []
    nothing: Flow = {name: [] for name in _FLOW}
    rows = [{**row, **nothing} for row in kept["rows"]]
    rows[0] |= flow
    return rows
