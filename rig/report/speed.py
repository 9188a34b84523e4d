"""The charts of a bench: for each primitive its paths by speed, a mark for each size of message.

Enters: the document of `rig bench --json`. Leaves: `Chart`s with all positions worked out, so that
the page needs no script. Never here: markup, or numbers that are not in the document.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

WIDTH, LABELS, ROW, HEAD, FOOT = 960, 330, 18, 26, 4
_RIGHT = 20
_KINDS = 5  # marks that differ

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """A measurement: where its median and its interval lie, which of the kinds it is, in words."""

    x: float
    low: float
    high: float
    kind: int
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A path, or a library in its place."""

    y: float
    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One thing that is done."""

    y: float
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """`ticks` are positions with their number of MB/s, `sizes` the kinds of marks in words."""

    title: str
    height: float
    axis: float
    ticks: tuple[tuple[float, str], ...]
    sizes: tuple[tuple[int, str], ...]
    panels: tuple[Panel, ...]


def charts(bench: Document | None) -> tuple[Chart, ...]:
    """A chart for each primitive and architecture that has rates."""
    rows = [row for row in bench["rows"] if row["done"]] if bench else []
    keys = dict.fromkeys((row["primitive"], row["arch"], row["emulator"]) for row in rows)
    return tuple(_chart([row for row in rows if _key(row) == key], key) for key in keys)


_Key = tuple[str, str, str | None]


def _key(row: Document) -> _Key:
    return row["primitive"], row["arch"], row["emulator"]


def _chart(rows: Sequence[Document], key: _Key) -> Chart:
    sizes = {name: n % _KINDS for n, name in enumerate(dict.fromkeys(map(_size, _by_size(rows))))}
    least = floor(log10(min(row["mb_per_s"]["low"] for row in rows)))
    most = max(least + 1, ceil(log10(max(row["mb_per_s"]["high"] for row in rows))))

    def x(rate: float) -> float:
        part = (log10(rate) - least) / (most - least)
        return round(LABELS + part * (WIDTH - _RIGHT - LABELS), 1)

    panels: list[Panel] = []
    y = 0.0
    for title in dict.fromkeys(map(_title, rows)):
        own = [row for row in rows if _title(row) == title]
        lines = tuple(
            Line(y + HEAD + ROW * n, library or short, _marks(_of(own, short, library), sizes, x))
            for n, (short, library) in enumerate(dict.fromkeys(map(_subject, own)))
        )
        panels.append(Panel(y + ROW, title, lines))
        y += HEAD + ROW * len(lines)
    ticks = tuple((x(10.0**n), f"{10.0**n:g}") for n in range(least, most + 1))
    name, arch, emulator = key
    where = f"{arch} under {emulator}" if emulator else arch
    legend = tuple((kind, size) for size, kind in sizes.items())
    return Chart(f"{name} {where}", y + FOOT, y, ticks, legend, tuple(panels))


def _marks(rows: Sequence[Document], sizes: Mapping[str, int], x: Any) -> tuple[Mark, ...]:
    return tuple(
        Mark(
            x(rate["median"]),
            x(rate["low"]),
            x(rate["high"]),
            sizes[_size(row)],
            f"{row['library'] or _subject(row)[0]}, {_size(row)}: {rate['median']:.4g} MB/s "
            f"({rate['low']:.4g} to {rate['high']:.4g})",
        )
        for row in rows
        for rate in (row["mb_per_s"],)
    )


def _by_size(rows: Sequence[Document]) -> list[Document]:
    return sorted(rows, key=lambda row: int(row["size"]))


def _size(row: Document) -> str:
    return f"{row['size']} B"


def _title(row: Document) -> str:
    aad = f", {row['aad']} B of AAD" if row["aad"] else ""
    return f"{row['algorithm']} {row['action']}{aad}"


def _subject(row: Document) -> tuple[str, str]:
    """The variants of the path, and the library in its place, if any."""
    short = " ".join(part.partition("=")[2] for part in row["path"].split(","))
    return short, row["library"]


def _of(rows: Sequence[Document], short: str, library: str) -> list[Document]:
    return [row for row in rows if _subject(row) == (short, library)]
