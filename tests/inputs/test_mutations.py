"""Changed cases fit their contracts, are the same each time and change everything in turn."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from rig.architectures import ARCHITECTURES
from rig.cases import Case
from rig.contracts import read
from rig.data import data_folder
from rig.inputs.answers import answer
from rig.inputs.mutations import Field, free_inputs, mutate, resized
from rig.inputs.sweeps import sweep
from rig.primitives import PRIMITIVES
from rig.runner.batches import script_of
from rig.runner.compose import Binding
from rig.runner.placement import addresses
from rig.runner.scripts import Address

FIELD = Field((700, 1792), {"in": 1, "key": 4})


def _changed(primitive: str, count: int = 150, seed: int = 1) -> Iterator[Case]:
    chance = random.Random(seed)
    cases = list(islice(sweep(primitive), 12))
    for _ in range(count):
        cases.append(mutate(chance.choice(cases), FIELD, chance))
        yield cases[-1]


def _binding(primitive: str) -> Binding:
    contract = read(data_folder("native") / "include" / PRIMITIVES[primitive].header)
    targets = {role: Address(place) for place, role in enumerate(contract.roles)}
    return Binding(ARCHITECTURES["x86_64"], contract, targets)


@pytest.mark.parametrize("primitive", sorted(PRIMITIVES))
def test_changed_cases_fit_their_contract(primitive: str) -> None:
    definition, binding = PRIMITIVES[primitive], _binding(primitive)
    for case in _changed(primitive):
        assert case.expected is None
        assert script_of(definition, binding, case, answer(definition, case)).steps


@pytest.mark.parametrize("primitive", sorted(PRIMITIVES))
def test_the_same_seed_gives_the_same_cases(primitive: str) -> None:
    first, second, other = (list(_changed(primitive, 40, seed)) for seed in (1, 1, 2))
    assert first == second != other


def test_everything_changes() -> None:
    cases = list(_changed("poly1305", 400))
    lengths = [len(case.values.inputs["message"]) for case in cases]  # type: ignore[arg-type]
    assert {700, 1792} <= set(lengths)
    assert any("split" in case.values.inputs for case in cases)
    assert any(case.placement.skews for case in cases)
    assert {case.placement.side for case in cases} == {0, 1}
    assert {case.placement.in_place for case in cases} == {False, True}
    keys = [case.values.inputs["key"] for case in cases]
    assert any(isinstance(key, bytes) and key == 4 * key[:8] for key in keys)


def test_lengths_of_an_aead() -> None:
    cases = list(_changed("aes_gcm", 400))
    for name in ("nonce", "aad", "plaintext"):
        assert len({len(case.values.inputs[name]) for case in cases}) > 10  # type: ignore[arg-type]
    assert {case.values.inputs["tag_len"] for case in cases} > {0, 16, 17}
    assert {len(case.values.inputs["key"]) for case in cases} <= {16, 24, 32}  # type: ignore[arg-type]


def test_buffers_keep_their_alignment() -> None:
    definition, binding = PRIMITIVES["chacha20"], _binding("chacha20")
    residues = set()
    for case in _changed("chacha20", 200):
        script = script_of(definition, binding, case, answer(definition, case))
        places = zip(script.buffers, addresses(script, ARCHITECTURES["x86_64"].places), strict=True)
        (key,) = (at for buffer, at in places if buffer.name == "key")
        assert key % 4 == 0
        residues.add(key % 64)
    assert len(residues) > 8


def test_resized_to_whole_blocks() -> None:
    case = next(c for c in sweep("ghash") if c.values.operation == "ghash")
    assert free_inputs(case) == ("data",)
    data = resized(case, "data", 33, random.Random(0)).values.inputs["data"]
    assert isinstance(data, bytes) and len(data) == 48


def test_what_has_fixed_sizes_has_no_free_input() -> None:
    case = next(c for c in sweep("ghash") if c.values.operation == "gmult")
    assert free_inputs(case) == ()
    assert {n: len(v) for n, v in mutate(case, FIELD, random.Random(3)).values.inputs.items()} == {  # type: ignore[arg-type]
        "h": 16,
        "xi": 16,
    }
