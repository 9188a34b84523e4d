"""Rows as tables at 80 columns: paths by sizes, a ratio to the base in each cell.

Enters: rows. Leaves: lines. Never here: printing, or formats for other programs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rig.bench.contest import Row, Untimed
from rig.bench.spread import shown, spread_of
from rig.commands.table import WIDTH, labelled, wrapped

_CELL = 15  # 10470±12% 5.11x
_GAP = 1
_MOST = 5  # columns
_INDENT = 4
_NAME = 40


@dataclass(frozen=True, slots=True)
class View:
    """A table: its heading, the rows of its columns by these columns' heads."""

    title: str
    columns: tuple[tuple[str, tuple[Row, ...]], ...]


def lines(rows: Sequence[Row], untimed: Sequence[Untimed]) -> Iterator[str]:
    """Every table, then what was not timed."""
    for view in views(rows):
        yield from _table(view)
        yield ""
    yield from untimed_lines(untimed)


def untimed_lines(untimed: Sequence[Untimed]) -> Iterator[str]:
    """What was not timed, by reason."""
    for arch, primitive, reason, wrong in dict.fromkeys(map(_why, untimed)):
        text = f"not timed: {f'{arch} {primitive}'.strip()}: {reason}".replace(": : ", ": ")
        yield from labelled("  !" if wrong else "", text, _INDENT)
        for each in untimed:
            if each.path and _why(each) == (arch, primitive, reason, wrong):
                yield from labelled("", each.path, 2 * _INDENT)


def _why(untimed: Untimed) -> tuple[str, str, str, bool]:
    return untimed.arch, untimed.primitive, untimed.reason, untimed.wrong


def views(rows: Sequence[Row]) -> Iterator[View]:
    """The tables of rows: each thing that is done by its sizes, then Go's selection of them."""
    titles = dict.fromkeys((row.arch, row.title) for row in rows if row.action != "sign")
    for arch, title in titles:
        own = [row for row in rows if (row.arch, row.title) == (arch, title)]
        sizes = sorted({row.size for row in own if not _only_go(row, own)})
        for start in range(0, len(sizes), _MOST):
            part = sizes[start : start + _MOST]
            yield View(_heading(own), tuple((_head(n), _of(own, n)) for n in part))
    for arch, algorithm in dict.fromkeys((r.arch, r.algorithm) for r in rows if r.action == "sign"):
        own = [row for row in rows if (row.arch, row.algorithm) == (arch, algorithm)]
        columns = [(name, _of_action(own, action, size)) for name, action, size in _GO]
        found = tuple((name, part) for name, part in columns if part)
        yield View(_heading(own, f"{algorithm} as in Go's benchmarks (Sign: AAD only)"), found)


_GO = (
    *(("Seal1K", "seal", 1024), ("Open1K", "open", 1024)),
    *(("Sign8K", "sign", 8192), ("Seal8K", "seal", 8192), ("Open8K", "open", 8192)),
)


def _only_go(row: Row, own: Sequence[Row]) -> bool:
    """Whether a size stands in the other table only, where there are others beside it."""
    return row.size == _GO[0][2] and row.aad > 0 and len({r.size for r in own}) > 1


def _of(rows: Sequence[Row], size: int) -> tuple[Row, ...]:
    return tuple(row for row in rows if row.size == size)


def _of_action(rows: Sequence[Row], action: str, size: int) -> tuple[Row, ...]:
    return tuple(row for row in rows if (row.action, row.size) == (action, size))


def _head(size: int) -> str:
    return f"{size} B" if size else "one call"


def _heading(rows: Sequence[Row], title: str = "") -> str:
    row, libraries = rows[0], [each.library for each in rows if each.library]
    unit = "MB/s" if row.size else "ns"
    aad = f", {row.aad} B of AAD" if row.aad and not title else ""
    emulator = f" under {row.emulator}" if row.emulator else ""
    base = libraries[0] if libraries else "the first"
    return f"{title or row.title + aad}, {row.arch}{emulator}: {unit}, ratio to {base}"


def _table(view: View) -> Iterator[str]:
    names = dict.fromkeys((row.path, row.library) for _, rows in view.columns for row in rows)
    room = min(_NAME, WIDTH - len(view.columns) * (_CELL + _GAP))
    slots = " ".join(slot for slot, _ in _slots(next(iter(names))[0]))
    yield from wrapped(view.title, WIDTH)
    yield from _named(slots, [head for head, _ in view.columns], room)
    for path, library in names:
        found = [_find(rows, path, library) for _, rows in view.columns]
        shortened = f"  {library}" if library else " ".join(v for _, v in _slots(path))
        yield from _named(shortened, [_cell(row) for row in found], room)


def _find(rows: Sequence[Row], path: str, library: str) -> Row | None:
    return next((row for row in rows if (row.path, row.library) == (path, library)), None)


def _slots(path: str) -> list[tuple[str, str]]:
    """Pairs of slot and variant."""
    parts = [part.partition("=") for part in path.split(",")]
    return [(slot, variant) for slot, _, variant in parts]


def _named(name: str, cells: Sequence[str], room: int) -> Iterator[str]:
    """A line; of two where the name leaves no room for the cells."""
    if len(name) > room:
        yield name
        name = ""
    yield _line(name, cells, room)


def _line(name: str, cells: Sequence[str], room: int) -> str:
    return (name.ljust(room) + "".join(" " * _GAP + c.rjust(_CELL) for c in cells)).rstrip()


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    value = spread_of(row.rates if row.done else row.timing.samples)
    text = f"{shown(value.median, value.half)}±{100 * value.relative:.0f}%"
    if not row.ratios or all(ratio == 1 for ratio in row.ratios):
        return f"{text} base" if row.ratios else text
    ratio = spread_of(row.ratios)
    return f"{text} {shown(ratio.median, max(ratio.half, 0.005)):>4}x"
