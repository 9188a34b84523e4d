"""Long messages: one for each length, past the numbers of blocks at which counts wrap."""

import pytest

from rig.inputs.long_messages import HUGE, LONG, LONGER, huge_messages, long_messages
from rig.primitives import BUNDLED
from rig.runner.scripts import SLOT_CAPACITY

NAMES = ("data", "message", "plaintext")


def _length(inputs: object) -> int:
    assert isinstance(inputs, dict)
    return next(len(inputs[name]) for name in NAMES if name in inputs)


def test_every_primitive_has_them() -> None:
    assert set(BUNDLED) == LONGER
    assert list(long_messages("md5")) == []


@pytest.mark.parametrize("primitive", sorted(LONGER))
def test_lengths(primitive: str) -> None:
    for source, lengths in ((long_messages, LONG), (huge_messages, HUGE)):
        cases = list(source(primitive))
        assert cases == list(source(primitive))
        found = [_length(case.values.inputs) for case in cases]
        assert all(0 <= length - size < 16 for length, size in zip(lengths, found, strict=True))
        assert {case.placement.in_place for case in cases} == {False, True}


def test_huge_ones_pass_a_count_of_16_bits_and_fit_a_slot() -> None:
    assert all(length // 16 > 1 << 16 for length in HUGE)
    assert max(HUGE) < SLOT_CAPACITY
