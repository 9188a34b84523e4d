"""Tables of plain text at 80 columns.

Enters: a header and rows of words. Leaves: lines without trailing blanks. Never here: what a
row means, printing.
"""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

WIDTH = 80
GAP = 2


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows in columns; the first is the header. Cells wrap between words so that a line
    has at most WIDTH columns; a word that is wider than its column is never cut."""
    widths = _widths(rows)
    for row in rows:
        cells = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for line in zip_longest(*cells, fillvalue=""):
            padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
            yield (" " * GAP).join(padded).rstrip()


def wrapped(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` columns, words whole; one empty line for none."""
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return lines or [""]


def labelled(label: str, text: str, indent: int) -> list[str]:
    """The text behind a label, wrapped at WIDTH, `indent` columns from the left."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"{label:{indent - 1}} ",
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Each column's widest cell, the widest columns narrowed to their longest word at most."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [
        max((len(w) for cell in column for w in cell.split()), default=0) for column in columns
    ]
    room = WIDTH - GAP * (len(columns) - 1)
    while sum(widths) > room:
        spare, widest = max((w - least[i], i) for i, w in enumerate(widths))
        if spare <= 0:
            break
        widths[widest] -= 1
    return widths
