"""What the context cases hold, by the oracle."""

from dataclasses import replace

import pytest

from rig import contracts
from rig.architectures import ARCHITECTURES
from rig.cases import Answer, Case
from rig.data import data_folder
from rig.inputs.answers import answer
from rig.inputs.contexts import (
    BLOCK_ENDS,
    BLOCKS,
    CARRYING,
    FIRST_PARTS,
    PARTS_CASES,
    SECOND_BLOCKS,
    contexts,
)
from rig.primitives import PRIMITIVES
from rig.primitives.aead_parts import PAIRS, pieces
from rig.primitives.pairs import Order, sides
from rig.runner.batches import script_of
from rig.runner.compose import Binding
from rig.runner.scripts import SLOT_COUNT, TableEntry, Target

AEADS = ("aes_gcm", "chacha20_poly1305", "chacha20_poly1305_old", "xchacha20_poly1305")
WHOLE = {f"{a}+{b}" for a in ("seal", "open") for b in ("seal", "open")}
IN_PARTS = ("aes_gcm", "chacha20_poly1305")
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
    for case in (c for c in contexts(primitive) if c.values.operation in WHOLE):
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


@pytest.mark.parametrize("primitive", IN_PARTS)
def test_parts_give_what_the_whole_message_gives(primitive: str) -> None:
    operations = PRIMITIVES[primitive].operations
    found = 0
    for case in contexts(primitive):
        if case.values.operation == "seal_parts":
            whole = {n: v for n, v in case.values.inputs.items() if not n.endswith("cuts")}
            assert operations["seal"].answer(whole) == _answer(case)
            found += 1
    assert found == FIRST_PARTS + len(BLOCK_ENDS) ** 2 + PARTS_CASES


@pytest.mark.parametrize("primitive", IN_PARTS)
def test_a_part_follows_one_of_each_length_and_empty_ones_are_among_them(primitive: str) -> None:
    first, parts = set(), []
    for case in contexts(primitive):
        if case.values.operation == "seal_parts":
            inputs = case.values.inputs
            lengths = [len(piece) for piece in pieces(inputs["plaintext"], inputs["cuts"])]  # type: ignore[arg-type]
            parts += lengths
            if case.name.startswith("part after part"):
                first.add(lengths[0])
    assert first == set(range(FIRST_PARTS))
    assert {0, 1, 15, 16, 17, 63, 64, 65, 256, 515} <= set(parts)


@pytest.mark.parametrize("primitive", IN_PARTS)
def test_every_case_fits_a_script_apart_and_in_place(primitive: str) -> None:
    definition = PRIMITIVES[primitive]
    contract = contracts.read(data_folder("native") / "include" / definition.header)
    targets: dict[str, Target] = {role: TableEntry(i) for i, role in enumerate(contract.roles)}
    binding = Binding(ARCHITECTURES["x86_64"], contract, targets)
    for case in contexts(primitive):
        for in_place in (False, True):
            placed = replace(case, placement=replace(case.placement, in_place=in_place))
            script = script_of(definition, binding, placed, _answer(case))
            assert len(script.buffers) <= SLOT_COUNT, case.name


@pytest.mark.parametrize("primitive", IN_PARTS)
def test_two_messages_in_parts_meet_in_every_order_and_after_a_forgery(primitive: str) -> None:
    found, forged = set(), set()
    for case in contexts(primitive):
        if "_parts" in case.values.operation and "order" in case.values.inputs:
            order = case.values.inputs["order"]
            found.add((case.values.operation, order))
            if _answer(case).outputs.get("a.genuine") == b"\0":
                forged.add(order)
    assert found == {(f"{a}+{b}", int(order)) for a, b in PAIRS for order in Order}
    assert forged == set(map(int, Order))
