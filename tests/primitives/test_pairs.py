"""Two operations in one script: the order of calls, and which buffers they share."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.cases import Placement
from rig.contracts import read
from rig.data import data_folder
from rig.primitives import PRIMITIVES
from rig.primitives.pairs import Order, joined
from rig.runner.compose import Binding, compose
from rig.runner.scripts import Call, Pointer, Script, TableEntry

GHASH = PRIMITIVES["ghash"].operations["ghash+ghash"]
ROLES = ("init", "gmult", "ghash")
A = {"h": bytes(range(16)), "xi": bytes(16), "data": bytes(32)}
B = {"h": bytes(range(1, 17)), "xi": b"\1" * 16, "data": b"\2" * 48}


def _script(b: dict[str, bytes], order: Order, *, in_place: bool = False) -> Script:
    inputs = joined(A, b, order)
    contract = read(data_folder("native") / "include" / "ghash.h")
    targets = {role: TableEntry(index) for index, role in enumerate(ROLES)}
    binding = Binding(ARCHITECTURES["x86_64"], contract, targets)
    plan = GHASH.plan(inputs, GHASH.answer(inputs))
    return compose(plan, Placement(in_place=in_place), binding)


def _calls(script: Script) -> list[tuple[str, tuple[int, ...]]]:
    """Each call's role, and the buffers that it is given."""
    found = []
    for step in script.steps:
        assert isinstance(step, Call)
        assert isinstance(step.target, TableEntry)
        buffers = tuple(a.buffer for a in step.arguments if isinstance(a, Pointer))
        found.append((ROLES[step.target.index], buffers))
    return found


def _tables(script: Script) -> list[int]:
    return [buffers[0 if role == "init" else 1] for role, buffers in _calls(script)]


@pytest.mark.parametrize(
    ("b", "order", "roles", "tables"),
    [
        (B, Order.AGAIN, ["init", "ghash", "init", "ghash"], 1),
        (B, Order.WOVEN, ["init", "init", "ghash", "ghash"], 2),
        (B, Order.KEPT, ["init", "ghash", "init", "ghash"], 1),
        ({**B, "h": A["h"]}, Order.KEPT, ["init", "ghash", "ghash"], 1),
    ],
)
def test_calls_and_contexts(
    b: dict[str, bytes], order: Order, roles: list[str], tables: int
) -> None:
    script = _script(b, order)
    assert [role for role, _ in _calls(script)] == roles
    assert len(set(_tables(script))) == tables


@pytest.mark.parametrize("order", Order)
def test_each_has_its_own_values(order: Order) -> None:
    script = _script(B, order)
    states = [buffers[0] for role, buffers in _calls(script) if role == "ghash"]
    assert len(set(states)) == 2
    expected = [script.buffers[index].expected for index in states]
    alone = PRIMITIVES["ghash"].operations["ghash"]
    assert expected == [alone.answer(inputs).outputs["xi_out"] for inputs in (A, B)]


def test_a_part_that_is_refused_is_told_apart() -> None:
    pair = PRIMITIVES["chacha20_poly1305"].operations["open+seal"]
    both = {"key": bytes(32), "nonce": bytes(12), "aad": b""}
    forged = {**both, "ciphertext": b"a", "tag": bytes(16)}
    inputs = joined(forged, {**both, "plaintext": b"b", "tag_len": 16}, Order.KEPT)
    answer = pair.answer(inputs)
    assert not answer.refused
    assert answer.outputs["a.refused"] == b""
    assert "b.tag" in answer.outputs
    returned = [use.returns for use in pair.plan(inputs, answer).uses]
    assert returned == [0, -1, 0]
