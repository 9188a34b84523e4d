"""What the context cases hold, by the oracle."""

import pytest

from rig.cases import Answer, Case
from rig.inputs.answers import answer
from rig.inputs.contexts import BLOCKS, CARRYING, SECOND_BLOCKS, contexts
from rig.primitives import PRIMITIVES
from rig.primitives.pairs import Order, sides

AEADS = ("aes_gcm", "chacha20_poly1305", "chacha20_poly1305_old", "xchacha20_poly1305")
by_primitive = pytest.mark.parametrize("primitive", sorted(CARRYING))


def _answer(case: Case) -> Answer:
    return answer(PRIMITIVES[case.values.primitive], case)


@by_primitive
def test_the_same_cases_come_out_each_time(primitive: str) -> None:
    cases = list(contexts(primitive))
    assert cases == list(contexts(primitive))
    assert len({case.name for case in cases}) == len(cases)


def test_a_primitive_without_contexts_has_none() -> None:
    assert list(contexts("md5")) == []


@pytest.mark.parametrize("primitive", ["ghash", "poly1305"])
def test_a_second_call_follows_each_number_of_blocks(primitive: str) -> None:
    found = set()
    for case in contexts(primitive):
        if case.name.startswith("second call "):
            message = case.values.inputs["data" if primitive == "ghash" else "message"]
            (first,) = case.values.inputs["splits"]  # type: ignore[misc]
            found.add((first, len(message) // 16 - first))  # type: ignore[arg-type]
    assert found == {(first, second) for first in BLOCKS for second in SECOND_BLOCKS}


@pytest.mark.parametrize("primitive", ["ghash", "poly1305"])
def test_splits_give_what_one_call_gives(primitive: str) -> None:
    for case in contexts(primitive):
        if case.name.startswith("split "):
            whole = {n: v for n, v in case.values.inputs.items() if n != "splits"}
            operation = PRIMITIVES[primitive].operations[case.values.operation]
            assert operation.answer(whole) == _answer(case)


@by_primitive
def test_pairs_answer_as_each_alone(primitive: str) -> None:
    for case in contexts(primitive):
        if "order" in case.values.inputs:
            both, outputs = sides(case.values.inputs), _answer(case).outputs
            for side, name, inputs in zip(
                "ab", case.values.operation.split("+"), both, strict=True
            ):
                alone = PRIMITIVES[primitive].operations[name].answer(inputs)
                own = {n[2:]: v for n, v in outputs.items() if n.startswith(f"{side}.")}
                assert own == ({"refused": b""} if alone.refused else alone.outputs)


@pytest.mark.parametrize("primitive", AEADS)
def test_aeads_go_on_after_a_forgery(primitive: str) -> None:
    found = set()
    for case in contexts(primitive):
        outputs = _answer(case).outputs
        found.add(("a.refused" in outputs, "b.refused" in outputs, case.values.inputs["order"]))
    assert {(True, False, int(order)) for order in Order} <= found
    assert {(False, True, int(order)) for order in Order} <= found


@pytest.mark.parametrize("primitive", sorted(CARRYING - {"chacha20", "poly1305"}))
def test_what_is_kept_was_set_up_with_the_same_key(primitive: str) -> None:
    for case in contexts(primitive):
        if case.values.inputs.get("order") == Order.KEPT:
            a, b = sides(case.values.inputs)
            name = "h" if primitive == "ghash" else "key"
            assert a[name] == b[name]
