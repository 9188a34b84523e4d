"""Medians, intervals, digits, and the test of Mann and Whitney against known values."""

from itertools import combinations
from math import comb

import pytest

from rig.bench.spread import Spread, differ, shown, spread_of


def test_median_and_interval() -> None:
    assert spread_of([3.0]) == Spread(3.0, 3.0, 3.0)
    assert spread_of([5, 1, 3]) == Spread(3, 1, 5)
    assert spread_of([4, 1, 2, 3]).median == 2.5
    assert spread_of(range(11)) == Spread(5, 1, 9)
    assert spread_of(range(15)) == Spread(7, 3, 11)


@pytest.mark.parametrize("n", range(6, 40))
def test_the_interval_holds_its_confidence_and_no_tighter_one_does(n: int) -> None:
    spread = spread_of(range(n))
    below = int(spread.low)  # values outside at one end
    miss = 2 * sum(comb(n, i) for i in range(below + 1)) / 2**n
    assert miss <= 0.05 < miss + 2 * comb(n, below + 1) / 2**n


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (4373.2, 0, "4373"),
        (4373.2, 60, "4370"),
        (4373.2, 600, "4400"),
        (10472.6, 1, "10470"),
        (12.3456, 0.004, "12.35"),
        (12.3456, 0.4, "12.3"),
        (0.98765, 0.02, "0.99"),
        (5.0, 0.3, "5.0"),
        (9.996, 0.0, "9.996"),
        (3.0, 20.0, "3e+00"),
        (0, 0, "0"),
    ],
)
def test_no_more_digits_than_the_spread_allows(value: float, half: float, text: str) -> None:
    assert shown(value, half) == text


def test_u_by_hand() -> None:
    assert differ([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / comb(6, 3))
    assert differ(range(11), range(20, 31)) == pytest.approx(2 / comb(22, 11))
    assert differ([1, 4], [2, 3]) == 1.0
    assert differ([], [1.0]) == differ([2, 2], [2, 2]) == 1.0


@pytest.mark.parametrize("first", [(1, 2, 5, 7), (2, 3, 4, 6), (1, 3, 8, 9)])
def test_u_counts_every_order(first: tuple[int, ...]) -> None:
    """Against the definition: how many of all choices of ranks lie as far from the middle."""
    second = [rank for rank in range(1, 10) if rank not in first]

    def off(ranks: tuple[int, ...]) -> float:
        u = sum(a > b for a in ranks for b in range(1, 10) if b not in ranks)
        return abs(u - 10)

    every = list(combinations(range(1, 10), 4))
    as_far = sum(off(ranks) >= off(first) for ranks in every)
    assert differ(first, second) == pytest.approx(as_far / len(every))


def test_ties_and_large_samples_go_by_the_normal_approximation() -> None:
    # as scipy 1.x has them: mannwhitneyu(..., method="asymptotic")
    assert differ([1, 2, 2, 3], [2, 3, 4, 5]) == pytest.approx(0.1366582477381475)
    first, second = list(range(0, 80, 2)), list(range(11, 91, 2))
    assert differ(first, second) == pytest.approx(0.049090804709638)
    assert differ(second, first) == differ(first, second)
