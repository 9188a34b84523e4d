"""Several that do the same, timed in turn.

Enters: contestants, each of which can repeat its call so often and say what that took. Leaves: for
each what one call took, round by round. Never here: what they are, or what the numbers say.

Rounds go through all of them before the next begins, and begin with another one each time: what
slows the machine for a while slows all alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 15
ROUND_NS = 1_000_000
MOST_REPEATS = 1 << 22
_TRIES = 4

Contestant = Callable[[int], int]
"""Makes the call so often; nanoseconds of CPU time, without those of as many empty calls."""


@dataclass(frozen=True, slots=True)
class Timing:
    """`samples` are nanoseconds of a call, one of each round, each over `repeats` calls."""

    repeats: int
    samples: tuple[float, ...]


def race(contestants: Sequence[Contestant], rounds: int, round_ns: int) -> list[Timing]:
    """Times all of them; a round of one takes about `round_ns`, or its call once."""
    repeats = [_repeats(contestant, round_ns) for contestant in contestants]
    samples: list[list[float]] = [[] for _ in contestants]
    for number in range(rounds):
        for turn in range(len(contestants)):
            at = (number + turn) % len(contestants)
            samples[at].append(contestants[at](repeats[at]) / repeats[at])
    return [Timing(r, tuple(each)) for r, each in zip(repeats, samples, strict=True)]


def _repeats(contestant: Contestant, round_ns: int) -> int:
    """How many calls take so long: tried with ever more until they take a fourth of it."""
    repeats = 1
    for _ in range(_TRIES):
        took = max(1, contestant(repeats))
        if 4 * took >= round_ns:
            break
        repeats = min(MOST_REPEATS, max(1, repeats * round_ns // (2 * took)))
    return min(MOST_REPEATS, max(1, repeats * round_ns // took))
