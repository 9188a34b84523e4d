"""Columns at 80."""

import pytest

from rig.commands.table import labelled, table

LONG = "avx512f avx512bw avx512vl vaes vpclmul " * 2


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([("a", "b"), ("long", "x")], ["a     b", "long  x"]),
        ([("a", "b"), ("", "")], ["a  b", ""]),
        ([("a", "w" * 90)], ["a  " + "w" * 90]),
    ],
)
def test_lines(rows: list[tuple[str, str]], lines: list[str]) -> None:
    assert list(table(rows)) == lines


def test_wide_cells_wrap() -> None:
    lines = list(table([("name", "needs", "source"), ("x", LONG, "word " * 12), ("y", "-", "z")]))
    assert all(len(line) <= 80 for line in lines)
    assert "".join(lines).count("vpclmul") == 2
    assert lines[-1].split() == ["y", "-", "z"]


def test_label() -> None:
    assert labelled("ok", "word " * 20, 6)[1].startswith("      word")
