"""Twins: equal in all that is public, different in secrets, and at the edges that they name."""

import pytest

from rig.inputs.answers import answer
from rig.inputs.twins import LENGTHS, twins
from rig.oracle import poly1305
from rig.primitives import PRIMITIVES
from rig.primitives.definition import Named

from .forms import contract_for

NUMBERS = [(name, length) for name, lengths in LENGTHS.items() for length in lengths]


def test_every_primitive_has_twins():
    assert LENGTHS.keys() == PRIMITIVES.keys()


@pytest.mark.parametrize(("primitive", "length"), NUMBERS)
@pytest.mark.parametrize("edges", [False, True])
def test_a_group_differs_in_secrets_only(primitive, length, edges):
    definition = PRIMITIVES[primitive]
    for group in twins(primitive, length, edges=edges):
        contract = contract_for(definition, group[0].values.operation)
        assert len(group) == 2 or edges
        plans = [
            definition.operations[c.values.operation].plan(
                {**c.values.inputs, "done": length}, answer(definition, c)
            )
            for c in group
        ]
        assert len({case.values.key() for case in group}) == len(group)
        for uses in zip(*(plan.uses for plan in plans), strict=True):
            if uses[0].optional and uses[0].role not in contract.roles:
                continue
            function = contract.function(uses[0].role)
            assert {use.returns for use in uses} == {uses[0].returns}
            for argument in function.arguments:
                values = [use.arguments.get(argument.name) for use in uses]
                shapes = {len(v) if isinstance(v, bytes) else type(v) for v in values}
                assert len(shapes) == 1
                if argument.public:
                    given = [v.content if isinstance(v, Named) else v for v in values]
                    assert all(value == given[0] for value in given), argument.name


def test_without_edges_there_are_two():
    assert [len(g) for g in twins("chacha20", 10, edges=False)] == [2]
    ((first, zero, ones, other),) = twins("chacha20", 10)
    assert zero.values.inputs["key"] == bytes(32)
    assert ones.values.inputs["data"] == b"\xff" * 10
    assert first.values.inputs["counter"] == other.values.inputs["counter"]


def test_forgeries_have_their_byte():
    *_, forged, rekeyed = twins("aes_gcm", 20, edges=False)
    last, first = (case.values.inputs["tag"] for case in forged)
    assert [n for n in range(16) if last[n] != first[n]] == [0, 15]
    assert rekeyed[0].values.inputs["tag"] == rekeyed[1].values.inputs["tag"] == last
    definition = PRIMITIVES["aes_gcm"]
    assert all(answer(definition, case).refused for case in (*forged, *rekeyed))


@pytest.mark.parametrize("length", [32 + 16, LENGTHS["poly1305"][1], 16 * 7, 16 * 11 + 1])
def test_an_accumulator_ends_unreduced(length):
    """2^130 - 1 is 4 modulo p, and the tag is that and s."""
    (group,) = twins("poly1305", length)
    key, message = (group[3].values.inputs[name] for name in ("key", "message"))
    assert key[:16] == b"\1" + bytes(15)
    expected = (4 + int.from_bytes(key[16:], "little")) % (1 << 128)
    assert poly1305.mac(key, message) == expected.to_bytes(16, "little")
