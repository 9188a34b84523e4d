"""What several measurements of one thing say: median, interval, digits, and whether two differ.

Enters: numbers. Leaves: numbers, and a number as text. Never here: what was measured.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, erfc, floor, log10, sqrt
from statistics import median

CONFIDENCE = 0.95
EXACT = 50  # of both samples together, without ties: the distribution of U is counted out
MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Spread:
    """The median, and between which order statistics the median of all lies with CONFIDENCE; of
    fewer than six measurements the smallest and the largest, which is less."""

    median: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """The larger of its distances from the median."""
        return max(self.high - self.median, self.median - self.low)

    @property
    def relative(self) -> float:
        """`half` as a part of the median; 0 for a median of 0."""
        return self.half / abs(self.median) if self.median else 0.0


def spread_of(values: Sequence[float]) -> Spread:
    """The spread of at least one measurement."""
    ordered = sorted(values)
    k = _rank(len(ordered))
    return Spread(median(ordered), ordered[k - 1], ordered[-k])


@cache
def _rank(n: int) -> int:
    """The k for which the k-th smallest and the k-th largest of n hold the median between them
    (the number below it is binomial with 1/2), as large as CONFIDENCE lets it be."""
    outside, k = 2 * 0.5**n, 1
    while k < (n + 1) // 2 and outside + 2 * comb(n, k) * 0.5**n <= 1 - CONFIDENCE:
        outside += 2 * comb(n, k) * 0.5**n
        k += 1
    return k


def shown(value: float, half: float) -> str:
    """A number without digits that a deviation of `half` makes worthless, MOST_DIGITS at most."""
    if not value:
        return "0"
    finest = floor(log10(abs(value))) - MOST_DIGITS + 1
    place = max(finest, floor(log10(half))) if half > 0 else finest
    text = f"{round(value, -place):.{max(0, -place)}f}"
    return text if float(text) else f"{value:.0e}"


def differ(first: Sequence[float], second: Sequence[float]) -> float:
    """The probability of a difference in rank at least as large by chance alone (the two-sided
    test of Mann and Whitney, 1947): exact where there are no ties and not too many measurements,
    else by the normal approximation with corrections for ties and continuity. 1 where a sample is
    empty or all values are equal."""
    m, n = len(first), len(second)
    if not m or not n:
        return 1.0
    u = sum((a > b) + 0.5 * (a == b) for a in first for b in second)
    u = min(u, m * n - u)
    ties = Counter((*first, *second)).values()
    if max(ties) == 1 and m + n <= EXACT:
        ways = _ways(m, n)
        return min(1.0, 2 * sum(ways[: int(u) + 1]) / comb(m + n, n))
    size = m + n
    tied = sum(t**3 - t for t in ties) / (size * (size - 1))
    deviation = sqrt(m * n / 12 * (size + 1 - tied))
    return 1.0 if not deviation else min(1.0, erfc((m * n / 2 - u - 0.5) / deviation / sqrt(2)))


@cache
def _ways(m: int, n: int) -> tuple[int, ...]:
    """In how many orders of m and n values U is 0, 1, 2 ... m*n: where the largest is of the
    first, it adds n."""
    if not m or not n:
        return (1,)
    found = [0] * (m * n + 1)
    for add, part in ((n, _ways(m - 1, n)), (0, _ways(m, n - 1))):
        for u, ways in enumerate(part):
            found[u + add] += ways
    return tuple(found)
