"""Generated cases fit their contracts and have an answer."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rig.architectures import ARCHITECTURES
from rig.cases import Case
from rig.inputs import strategies
from rig.inputs.answers import answer, with_inverses
from rig.primitives import PRIMITIVES
from rig.runner.batches import script_of
from rig.runner.compose import Binding
from rig.runner.scripts import Address

from .forms import contract_for

QUICK = settings(
    max_examples=15,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def _binding(case: Case) -> Binding:
    contract = contract_for(PRIMITIVES[case.values.primitive], case.values.operation)
    targets = {role: Address(place) for place, role in enumerate(contract.roles)}
    return Binding(ARCHITECTURES["x86_64"], contract, targets)


def test_every_primitive_has_strategies() -> None:
    assert all(strategies.has_strategy(name) for name in PRIMITIVES)
    assert not strategies.has_strategy("md5")
    with pytest.raises(KeyError):
        strategies.cases("md5")


@pytest.mark.parametrize("primitive", sorted(PRIMITIVES))
def test_cases_compose_with_their_answers(primitive: str) -> None:
    definition = PRIMITIVES[primitive]

    @QUICK
    @given(strategies.cases(primitive))
    def check(case: Case) -> None:
        assert case.values.primitive == primitive
        found = answer(definition, case)
        for each, expected in zip(*with_inverses(definition, [case], [found]), strict=True):
            script = script_of(definition, _binding(each), each, expected)
            assert script.buffers and script.steps

    check()


@QUICK
@given(st.data())
def test_sealed_messages_are_taken_by_the_oracle(data: st.DataObject) -> None:
    primitive = data.draw(st.sampled_from(["aes_gcm", "chacha20_poly1305"]))
    case = data.draw(strategies.cases(primitive))
    assert not answer(PRIMITIVES[primitive], case).refused
