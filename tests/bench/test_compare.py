"""Old, new, delta."""

from pathlib import Path

import pytest

from rig.bench.compare import changes, document, lines
from rig.bench.document import Old

FIVE = (1000.0, 1001.0, 1002.0, 1003.0, 1004.0)
HALF = tuple(ns / 2 for ns in FIVE)
OLD = Path("old.json")


def test_a_change_that_chance_does_not_make(row) -> None:
    (change,) = changes([row(samples=FIVE)], [row(samples=HALF)])
    assert change.significant and change.p == pytest.approx(2 / 252)
    assert change.delta == pytest.approx(1.0)
    (same,) = changes([row(samples=FIVE)], [row(samples=FIVE)])
    assert not same.significant and same.delta == 0
    (few,) = changes([row(samples=FIVE[:2])], [row(samples=HALF[:2])])
    assert not few.significant


def test_only_what_did_the_same_is_compared(row) -> None:
    old = [row(), row(size=16, done=16), row(mask="0x2"), row(path="ghash=ct64")]
    assert [change.old for change in changes(old, [row(), row(arch="arm"), row(done=16)])] == [
        old[0]
    ]


def test_the_table(row) -> None:
    old = Old(OLD, "a CPU", (row(samples=FIVE), row(path="ghash=ct64", samples=FIVE), row(aad=1)))
    new = [row(samples=HALF), row(path="ghash=ct64", samples=FIVE), row(size=16)]
    assert list(lines(old, "a CPU", new)) == [
        "GHASH, x86_64",
        "path    size    old MB/s  new MB/s  delta    p",
        "pclmul  8192 B  8180±0%   16350±0%  +100.0%  0.008",
        "ct64    8192 B  8180±0%   8180±0%   ~        1.000",
        "",
        "1 row not in old.json",
        "1 row only in old.json",
    ]


def test_another_cpu_is_told(row) -> None:
    first, *_ = lines(Old(OLD, "a CPU", (row(),)), "another", [row()])
    assert first == "old.json is of another CPU: a CPU; this is another"


def test_for_programs(row) -> None:
    found = document(Old(OLD, "a CPU", (row(samples=FIVE), row(aad=1))), [row(samples=HALF)])
    assert (found["old"], found["cpu"], found["without_partner"]) == ("old.json", "a CPU", 1)
    (one,) = found["rows"]
    assert (one["old_ns"], one["new_ns"], one["delta"]) == (1002.0, 501.0, 1.0)
    assert one["significant"] is True and one["p"] == pytest.approx(2 / 252, abs=1e-6)
