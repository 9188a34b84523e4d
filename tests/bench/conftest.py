"""Rows without a clock."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rig.bench.contest import Row
from rig.bench.rounds import Timing

ROW = Row(
    arch="x86_64",
    primitive="ghash",
    algorithm="GHASH",
    action="",
    size=8192,
    aad=0,
    path="ghash=pclmul",
    kind="direct",
    mask="0x1",
    emulator=None,
    done=8192,
    timing=Timing(100, (2000.0, 2010.0, 1990.0)),
    ratios=(1.0, 1.0, 1.0),
)

Rows = Callable[..., Row]


@pytest.fixture
def row() -> Rows:
    """A row of three rounds; what is given differs."""

    def make(**given: object) -> Row:
        samples = given.pop("samples", None)
        timing = ROW.timing if samples is None else Timing(100, tuple(samples))  # type: ignore[arg-type]
        return replace(ROW, timing=timing, **given)  # type: ignore[arg-type]

    return make
