"""Expected texts, in tests/gold; with RIG_GOLD=write they are written anew, to be looked at."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

GOLD = Path(__file__).parents[1] / "gold"


@pytest.fixture
def gold() -> Callable[[str, Iterable[str]], None]:
    """Compares lines with the file of that name."""

    def compare(name: str, lines: Iterable[str]) -> None:
        lines = list(lines)
        if os.environ.get("RIG_GOLD") == "write":
            (GOLD / name).write_text("".join(f"{line}\n" for line in lines))
        assert lines == (GOLD / name).read_text().splitlines()

    return compare
