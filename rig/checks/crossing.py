"""Where a path crossed into a function that is not its own: the script and the exact edge.

Enters: a batch's runner and the function. Leaves: a `Crossing`. Never here: whether the
crossing is allowed (see `proof`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from rig.build.image import Function
from rig.runner.client import RunFlag
from rig.runner.events import RunResult

Run = Callable[[int, int, RunFlag], RunResult]
"""Runs `count` scripts from `first` on with flags."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The first script that enters the function, and the instruction that it came from; None
    where the script's trace is too short to show it."""

    script: int
    source: int | None


def find_crossing(function: Function, size: int, base: int, run: Run) -> Crossing | None:
    """Bisects for the first of `size` scripts that enters the function, then steps through that
    one. `base` is the text's address. None if the function was not entered this time."""

    def entered(count: int) -> bool:
        offsets = run(0, count, RunFlag.COVERAGE).order
        return any(_holds(function, base + offset) for offset in offsets)

    if not entered(size):
        return None
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if entered(middle) else (middle, high)
    trace = run(low, 1, RunFlag.STEP).trace
    edges = (a for a, b in pairwise(trace) if _holds(function, b) and not _holds(function, a))
    return Crossing(low, next(edges, None))


def _holds(function: Function, address: int) -> bool:
    return function.address <= address < function.address + function.size
