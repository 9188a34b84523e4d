"""The sweeps: every length once, the same bytes everywhere."""

import hashlib

import pytest

from rig.inputs.sweeps import AES_KEY_SIZES, SWEPT, sweep
from rig.primitives import PRIMITIVES
from rig.runner.scripts import Side

BLOCKS = range(0, 2101, 16)
BYTES = range(2101)
AAD = range(301)
MESSAGES = {
    "chacha20": ("ctr32", "data", range(4097)),
    "poly1305": ("mac", "message", BYTES),
    "ghash": ("ghash", "data", BLOCKS),
    "aes": ("ctr32", "data", BLOCKS),
    "aes_gcm_fused": ("seal", "data", range(1101)),
    "chacha20_poly1305_fused": ("open", "data", range(1101)),
    "aes_gcm": ("seal", "plaintext", BYTES),
    "chacha20_poly1305": ("seal", "plaintext", BYTES),
    "chacha20_poly1305_old": ("seal", "plaintext", BYTES),
    "xchacha20_poly1305": ("seal", "plaintext", range(1101)),
}
COUNTS = {
    "chacha20": 4097,
    "poly1305": 2101,
    "ghash": 132 * 8,
    "aes": 132 * 6 + 35 * 9,
    "aes_gcm_fused": 3 * 1101,
    "chacha20_poly1305_fused": 2 * 1101,
    "aes_gcm": 3 * 2402 + 2 * 132,
    "chacha20_poly1305": 2402,
    "chacha20_poly1305_old": 2402,
    "xchacha20_poly1305": 1402,
}


def _digest(primitive: str) -> str:
    total = hashlib.sha256()
    for case in sweep(primitive):
        total.update(case.values.key())
        total.update(repr(case.placement).encode())
    return total.hexdigest()


def test_every_primitive_is_swept() -> None:
    assert set(PRIMITIVES) == SWEPT == set(MESSAGES)
    assert list(sweep("md5")) == []


@pytest.mark.parametrize("primitive", sorted(SWEPT))
def test_the_same_cases_come_out_each_time(primitive: str) -> None:
    assert _digest(primitive) == _digest(primitive)


@pytest.mark.parametrize("primitive", sorted(SWEPT))
def test_counts(primitive: str) -> None:
    assert sum(1 for _ in sweep(primitive)) == COUNTS[primitive]


@pytest.mark.parametrize("primitive", sorted(SWEPT))
def test_every_length_is_there(primitive: str) -> None:
    operation, name, lengths = MESSAGES[primitive]
    found = {
        len(case.values.inputs[name])  # type: ignore[arg-type]
        for case in sweep(primitive)
        if case.values.operation == operation
    }
    assert found == set(lengths)


AEADS = ["aes_gcm", "chacha20_poly1305", "chacha20_poly1305_old", "xchacha20_poly1305"]


@pytest.mark.parametrize("primitive", AEADS)
def test_every_aad_length_is_there(primitive: str) -> None:
    found = {len(case.values.inputs.get("aad", b"")) for case in sweep(primitive)}  # type: ignore
    assert set(AAD) <= found


def test_gmac_has_each_number_of_blocks_with_a_tail_and_without() -> None:
    macs = [c.values.inputs for c in sweep("aes_gcm") if c.values.operation == "mac"]
    lengths = [len(inputs["message"]) for inputs in macs]  # type: ignore[arg-type]
    assert lengths[::2] == list(BLOCKS)
    assert [length // 16 for length in lengths[1::2]] == list(range(len(BLOCKS)))
    assert {length % 16 for length in lengths} == set(range(16))


@pytest.mark.parametrize(("primitive", "operation"), [("aes", "ctr32"), ("aes_gcm", "seal")])
def test_every_key_size_has_every_length(primitive: str, operation: str) -> None:
    _, name, lengths = MESSAGES[primitive]
    found: dict[int, set[int]] = {}
    for case in sweep(primitive):
        if case.values.operation == operation:
            key, data = case.values.inputs["key"], case.values.inputs[name]
            assert isinstance(key, bytes) and isinstance(data, bytes)
            found.setdefault(len(key), set()).add(len(data))
    assert found == {size: set(lengths) for size in AES_KEY_SIZES}


@pytest.mark.parametrize("primitive", sorted(SWEPT))
def test_guard_sides_alternate_and_every_third_lies_in_place(primitive: str) -> None:
    for number, case in enumerate(sweep(primitive)):
        assert case.placement.side is Side(number % 2)
        assert case.placement.in_place == (number % 3 == 2)


@pytest.mark.parametrize("primitive", sorted(SWEPT))
def test_names_and_values_are_distinct(primitive: str) -> None:
    cases = list(sweep(primitive))
    assert len({case.name for case in cases}) == len(cases)
    assert len({case.values.key() for case in cases}) == len(cases)
