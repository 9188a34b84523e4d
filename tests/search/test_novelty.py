"""The loop on a bench of arithmetic: what it keeps, and when it ends."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from rig.cases import Case, Values
from rig.search import novelty
from rig.search.novelty import ROUND, Budget, Features, Finder, Tried, explore, minimal


def _case(number: int, size: int = 1) -> Case:
    return Case(str(number), Values("p", "o", {"n": number, "pad": bytes(size)}))


def _number(case: Case) -> int:
    number = case.values.inputs["n"]
    assert isinstance(number, int)
    return number


@dataclass
class Steps:
    """A bench on which case n reaches every depth up to the last of `depths` that n has got to."""

    depths: Sequence[int]
    hangs_at: int | None = None
    judged: list[int] = field(default_factory=list)
    runs: int = 0
    last: tuple[Case, ...] = ()

    def judge(self, cases: Sequence[Case]) -> Tried:
        self.last = tuple(cases)
        self.judged += map(_number, cases)
        hung = self.hangs_at is not None and any(_number(c) >= self.hangs_at for c in cases)
        return Tried(self.last, self._of(cases), goes_on=not hung)

    def reach(self, first: int, count: int) -> Features:
        self.runs += 1
        return self._of(self.last[first : first + count])

    def _of(self, cases: Sequence[Case]) -> Features:
        return frozenset((d, 0) for d in self.depths for c in cases if _number(c) >= d)


def _next(cases: Sequence[Case]) -> Case:
    return _case(_number(cases[-1]) + 1)


def test_each_finder_leads_to_the_next() -> None:
    bench = Steps(range(200))
    finders = explore(bench, [_case(0)], _next, Budget(2))
    assert [_number(f.case) for f in finders] == [199]  # it alone reaches everything
    assert finders[0].features == {(depth, 0) for depth in range(200)}


def test_ends_after_rounds_without_news() -> None:
    bench = Steps([0])
    explore(bench, [_case(0)], _next, Budget(5))
    assert len(bench.judged) == 1 + 5 * ROUND


def test_ends_after_seconds_without_news(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    monkeypatch.setattr(novelty.time, "monotonic", lambda: float(next(clock)))  # a second a look
    bench = Steps([0])
    explore(bench, [_case(0)], _next, Budget(2, seconds=30.0))
    rounds = (len(bench.judged) - 1) / ROUND
    assert rounds == 2 + 29


def test_repeats_itself() -> None:
    first, second = Steps([0, 3, 70]), Steps([0, 3, 70])
    assert explore(first, [_case(0)], _next, Budget(2)) == explore(
        second, [_case(0)], _next, Budget(2)
    )
    assert first.judged == second.judged


def test_a_hang_ends_it_at_once() -> None:
    bench = Steps([0], hangs_at=ROUND + 1)
    explore(bench, [_case(n) for n in range(4 * ROUND)], _next, Budget(5))
    assert len(bench.judged) == 2 * ROUND


def test_nothing_to_begin_with() -> None:
    assert explore(Steps([]), [], _next, Budget(3)) == ()


def test_finds_the_newcomer_in_a_few_runs() -> None:
    bench = Steps([0, 20])
    cases = [_case(0)] * 20 + [_case(20)] + [_case(0)] * (ROUND - 21)
    finders = explore(bench, cases, lambda _: _case(0), Budget(0))
    assert [_number(f.case) for f in finders] == [20]
    assert bench.runs <= 12


def _finder(size: int, *features: int) -> Finder:
    return Finder(_case(size, size), frozenset((f, 0) for f in features))


def test_minimal_drops_what_others_make_up_for_largest_first() -> None:
    small, middle, large = _finder(1, 1, 2), _finder(5, 2, 3), _finder(9, 1, 2, 3)
    assert minimal([large, small, middle]) == (small, middle)
    assert minimal([small, large]) == (large,)
    assert minimal([]) == ()
