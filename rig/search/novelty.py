"""The novelty loop: cases that reach something new are kept and changed further.

Enters: a way to run cases, cases to begin with, a way to change one, a budget. Leaves: the
finders, a minimal set. Never here: what a case is made of, verdicts, or files.

The loop is repeatable: which cases it runs follows from what it begins with, from the seed of
`mutate` and from the code alone. Only a budget in seconds cuts it off where the clock says.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rig.cases import Case

ROUND = 32

Feature = tuple[int, int]  # a place in the text; 0 for its execution, else a way of its jump
Features = frozenset[Feature]
Mutate = Callable[[Sequence[Case]], Case]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long the loop goes on without news: so many rounds of ROUND cases (about 40 ms each on
    a path of the bundled project), and so many seconds."""

    rounds: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Tried:
    """What some cases gave. `cases` are those that ran, inverses among them; `goes_on` is
    False where no more should be tried: a path that hangs costs its whole budget each time."""

    cases: tuple[Case, ...]
    features: Features
    goes_on: bool = True


@dataclass(frozen=True, slots=True)
class Finder:
    """A case and everything that it reaches by itself."""

    case: Case
    features: Features


class Bench(Protocol):
    """Runs cases on a path."""

    def judge(self, cases: Sequence[Case]) -> Tried:
        """Run and judge them all, those left out that the path does not take."""
        ...

    def reach(self, first: int, count: int) -> Features:
        """Tell what a range of the cases that were judged last reaches, run again."""
        ...


def explore(
    bench: Bench, start: Sequence[Case], mutate: Mutate, budget: Budget
) -> tuple[Finder, ...]:
    """Tries `start` in order, then changed cases until the budget passes without news. The
    finders that it leaves reach together all that was reached, and each something that the
    others do not."""
    pool = _Pool(bench)
    for first in range(0, len(start), ROUND):
        if not pool.take(start[first : first + ROUND]):
            return minimal(pool.finders)
    for _ in _rounds(pool, budget):
        grown = [finder.case for finder in pool.finders] or start
        if not grown or not pool.take([mutate(grown) for _ in range(ROUND)]):
            break
    return minimal(pool.finders)


def _rounds(pool: "_Pool", budget: Budget) -> Iterator[None]:
    """Lets rounds pass while there is news or budget."""
    known, dry, since = len(pool.seen), 0, time.monotonic()
    while dry < budget.rounds or time.monotonic() - since < budget.seconds:
        yield
        dry += 1
        if len(pool.seen) > known:
            known, dry, since = len(pool.seen), 0, time.monotonic()


class _Pool:
    """What has been reached, and by which cases."""

    def __init__(self, bench: Bench) -> None:
        self.seen: set[Feature] = set()
        self.finders: list[Finder] = []
        self._bench = bench

    def take(self, cases: Sequence[Case]) -> bool:
        """Runs cases and keeps those that reach something new; whether to go on."""
        tried = self._bench.judge(cases)
        if not tried.features <= self.seen:
            self._narrow(tried.cases, 0, len(tried.cases), tried.features)
            # What only shows when the cases run together has no finder, but is no news again.
            self.seen |= tried.features
        return tried.goes_on

    def _narrow(self, cases: Sequence[Case], first: int, count: int, news: Features) -> None:
        """Halves a range, which reaches `news` at least, down to the cases that do."""
        if news <= self.seen:
            return
        if count == 1:
            self._keep(cases[first], self._bench.reach(first, 1))
            return
        half = count // 2
        left = self._bench.reach(first, half)
        self._narrow(cases, first, half, left)
        self._narrow(cases, first + half, count - half, news - left)

    def _keep(self, case: Case, reached: Features) -> None:
        if not reached <= self.seen:
            self.finders.append(Finder(case, reached))
            self.seen |= reached


def minimal(finders: Sequence[Finder]) -> tuple[Finder, ...]:
    """The finders without those that the others make up for; the largest go first."""
    reached = Counter(feature for finder in finders for feature in finder.features)
    kept = list(finders)
    for finder in sorted(finders, key=lambda each: -size(each.case)):
        if all(reached[feature] > 1 for feature in finder.features):
            kept.remove(finder)
            reached.subtract(finder.features)
    return tuple(kept)


def size(case: Case) -> int:
    """The bytes of a case's inputs."""
    return sum(len(v) for v in case.values.inputs.values() if isinstance(v, bytes))
