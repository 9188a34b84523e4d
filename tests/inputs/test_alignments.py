"""Each pointer stands at each distance that its contract allows, alone."""

import pytest

from rig import contracts
from rig.data import data_folder
from rig.inputs.alignments import DISTANCES, alignments
from rig.inputs.sweeps import SWEPT
from rig.primitives import PRIMITIVES
from rig.runner.scripts import Side


def test_what_has_no_sweep_has_none() -> None:
    assert list(alignments("md5")) == []


@pytest.mark.parametrize("primitive", sorted(SWEPT))
def test_each_distance_of_each_pointer(primitive: str) -> None:
    cases = list(alignments(primitive))
    assert cases == list(alignments(primitive))
    contract = contracts.read(data_folder("native") / "include" / PRIMITIVES[primitive].header)
    aligns = {a.name: a.align for f in contract.functions for a in f.arguments}
    found: dict[str, set[int]] = {}
    for case in cases:
        ((name, distance),) = case.placement.skews.items()
        assert case.placement.side is Side.START
        found.setdefault(name, set()).add(distance)
    for name, distances in found.items():
        assert distances == set(range(aligns[name], DISTANCES, aligns[name])), name


@pytest.mark.parametrize("primitive", ["chacha20", "aes_gcm"])
def test_data_is_moved_with_long_and_short_messages_in_place_and_not(primitive: str) -> None:
    moved = [c for c in alignments(primitive) if set(c.placement.skews) & {"in", "out"}]
    lengths = {max(len(v) for v in c.values.inputs.values() if isinstance(v, bytes)) for c in moved}
    assert lengths == {37, 608, 613}
    assert {c.placement.in_place for c in moved} == {False, True}
