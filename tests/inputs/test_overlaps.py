"""Outputs that begin elsewhere in the memory of their input."""

from collections import Counter

import pytest

from rig.inputs.overlaps import BEFORE, MESSAGES, REFUSED, is_overlapping, overlaps
from rig.inputs.sweeps import SWEPT

AEADS = {name for name in SWEPT if name.endswith(("_gcm", "_poly1305", "_poly1305_old"))}


def _length(case) -> int:
    names = ("data", "plaintext")
    return max(len(v) for n in names if isinstance(v := case.values.inputs.get(n), bytes))


def test_who_has_them() -> None:
    assert {name for name in SWEPT if is_overlapping(name)} == {"aes", *AEADS}
    assert list(overlaps("chacha20")) == list(overlaps("md5")) == []


def test_an_output_may_begin_before_or_stand_right_beside() -> None:
    cases = list(overlaps("aes"))
    assert cases == list(overlaps("aes"))
    assert {case.values.operation for case in cases} == {"ctr32"}
    lengths = {_length(case) for case in cases}
    assert lengths == {n for n in MESSAGES if n % 16 == 0}
    for length in lengths:
        shifts = {c.placement.shift for c in cases if _length(c) == length}
        assert shifts == {-n for n in BEFORE if n < length} | {length, -length}


@pytest.mark.parametrize("primitive", sorted(AEADS))
def test_what_is_refused_is_shifted_both_ways(primitive: str) -> None:
    cases = list(overlaps(primitive))
    assert {case.values.operation for case in cases} == {"seal"}  # what is sealed is opened too
    shifts = Counter(c.placement.shift for c in cases if _length(c) == 608)
    wanted = (*REFUSED, 607, 608)
    assert shifts == Counter([*wanted, *(-n for n in wanted)])
    assert {c.placement.shift for c in cases if _length(c) == 2} == {1, -1, 2, -2}
