"""Who is timed when, and how often, by contestants with a clock of their own."""

from rig.bench.rounds import MOST_REPEATS, race

COSTS = {"a": 100, "b": 3_000, "c": 5_000_000}


def contestants(log: list[tuple[str, int]]):
    def make(name: str, cost: int):
        def call(repeats: int) -> int:
            log.append((name, repeats))
            return cost * repeats

        return call

    return [make(name, cost) for name, cost in COSTS.items()]


def test_a_round_takes_about_as_long_as_asked_and_one_call_at_least() -> None:
    timings = race(contestants([]), rounds=3, round_ns=1_000_000)
    assert [timing.repeats for timing in timings] == [10_000, 333, 1]
    assert [timing.samples for timing in timings] == [(100.0,) * 3, (3000.0,) * 3, (5e6,) * 3]


def test_rounds_go_in_turn_and_begin_with_another_each() -> None:
    log: list[tuple[str, int]] = []
    race(contestants(log), rounds=4, round_ns=1_000_000)
    assert [name for name, _ in log[-12:]] == [*"abc", *"bca", *"cab", *"abc"]


def test_what_takes_no_time_ends_all_the_same() -> None:
    asked: list[int] = []

    def nothing(repeats: int) -> int:
        asked.append(repeats)
        return 0

    (timing,) = race([nothing], rounds=2, round_ns=1_000_000)
    assert max(asked) <= MOST_REPEATS
    assert timing.samples == (0.0, 0.0)
