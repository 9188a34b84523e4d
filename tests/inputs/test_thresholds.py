"""Lengths that numbers in the code suggest."""

import pytest

from rig.inputs.thresholds import FAR_LIMIT, LIMIT, MOST, Mention, Proposal, propose


def _lengths(use: str, *values: int) -> list[int]:
    return [p.length for p in propose(Mention(use, value, "f") for value in values)]


def test_a_number_that_is_compared_with() -> None:
    blocks = [1791 - 64, 1791 - 16, 1791 + 16, 1791 + 64]
    multiples = [times * 1791 + around for times in (2, 3, 4) for around in (-1, 0, 1)]
    assert _lengths("compare", 1791) == sorted([1790, 1791, 1792, *blocks, *multiples])


def test_a_count_of_blocks() -> None:
    lengths = _lengths("compare", 8)
    assert {127, 128, 129, 511, 512, 513} <= set(lengths)
    assert lengths[:4] == [7, 8, 9, 24]  # 8 - 16 is none, and 2 times 8 bytes is no round


@pytest.mark.parametrize("use", ["step", "shift"])
def test_a_stride(use: str) -> None:
    rounds = [times * 512 + around for times in (1, 2, 3, 4) for around in (-1, 0, 1)]
    assert _lengths(use, 512) == rounds


def test_what_takes_words_apart_is_no_stride() -> None:
    assert _lengths("shift", 1 << 16) == []
    assert 1 << 16 in _lengths("step", 1 << 16)


def test_limits() -> None:
    near, far = _lengths("compare", LIMIT), _lengths("compare", 5000)
    assert near == [LIMIT - 64, LIMIT - 16, LIMIT - 1, LIMIT][2:]
    assert max(far) == 15001 < FAR_LIMIT
    assert _lengths("compare", LIMIT + 2, 1 << 40) == []


def test_at_most_so_many_and_comparisons_first() -> None:
    steps = [Mention("step", 100 * n, "loop") for n in range(1, 200)]
    found = propose([*steps, Mention("compare", 30001, "f+0x3")])
    assert len(found) == MOST
    assert Proposal(30001, "compare 30001, f+0x3") in found
    assert list(found) == sorted(found)


def test_each_length_has_its_best_reason() -> None:
    mentions = [Mention("step", 64, "loop+0x8"), Mention("compare", 63, "f+0x10")]
    reasons = {p.length: p.reason for p in propose(mentions)}
    assert reasons[63] == "compare 63, f+0x10"
    assert reasons[64] == "compare 63 +1, f+0x10"
    assert reasons[65] == "step 64 +1, loop+0x8"
    assert reasons[128] == "2 times step 64, loop+0x8"
    assert reasons[63 * 16] == "compare 63 blocks of 16, f+0x10"


def test_nothing_of_nothing() -> None:
    assert propose([]) == ()
