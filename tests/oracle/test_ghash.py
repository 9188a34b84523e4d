"""GHASH: the GCM paper's examples, tables against the standard's text, the field's laws."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.oracle import ghash

ONE = bytes([0x80]) + bytes(15)
H = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e")
blocks = st.binary(min_size=16, max_size=16)


def xor(x: bytes, y: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(x, y, strict=True))


def test_multiply_is_the_example_of_test_case_2():
    x = bytes.fromhex("0388dace60b6a392f328c2b971b2fe78")
    assert ghash.multiply(x, H).hex() == "5e2ec746917062882c85b0685353deb7"


@pytest.mark.parametrize("hash_of", [ghash.ghash, ghash.ghash_plain])
def test_ghash_is_the_example_of_test_case_2(hash_of):
    data = "0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080"
    assert hash_of(H, bytes.fromhex(data)).hex() == "f38cbb1ad69223dcc3457ae5b6b0f885"


@settings(max_examples=40, deadline=None)
@given(blocks, blocks, blocks)
def test_multiplication_is_commutative_distributive_and_has_a_one(x, y, z):
    assert ghash.multiply(x, y) == ghash.multiply(y, x)
    assert ghash.multiply(x, ONE) == x
    assert ghash.multiply(x, xor(y, z)) == xor(ghash.multiply(x, y), ghash.multiply(x, z))


@pytest.mark.parametrize("x", [ONE, H, b"\xff" * 16, bytes(15) + b"\1"])
def test_a_block_times_its_inverse_is_one(x):
    assert ghash.multiply(x, ghash.invert(x)) == ONE


@pytest.mark.parametrize("h", [H, ONE, bytes(16), b"\xff" * 16, bytes(15) + b"\1"])
@pytest.mark.parametrize("count", [*range(9), 32, 33])
def test_one_table_is_the_plain_formulation(h, count):
    data = Random(count).randbytes(16 * count)
    assert ghash.ghash(h, data) == ghash.ghash_plain(h, data)
    assert ghash.ghash(h, data, H) == ghash.ghash_plain(h, data, H)


@pytest.mark.parametrize("h", [H, b"\xff" * 16, b"\x7f" + b"\xff" * 15])
@pytest.mark.parametrize("fill", [None, 0xFF])
@pytest.mark.parametrize("count", [199, 200, 201, 512])
def test_long_data_is_the_same_data_in_short_pieces(h, fill, count):
    """Below and above where one table for each byte position takes over."""
    data = Random(count).randbytes(16 * count) if fill is None else bytes([fill]) * 16 * count
    y = bytes(16)
    for start in range(0, len(data), 16 * 50):
        y = ghash.ghash(h, data[start : start + 16 * 50], y)
    assert ghash.ghash(h, data) == y


def test_long_data_is_the_plain_formulation():
    data = Random(64).randbytes(16 * 256)
    assert ghash.ghash(H, data) == ghash.ghash_plain(H, data)


@settings(max_examples=40, deadline=None)
@given(blocks, blocks, st.lists(blocks, max_size=4).map(b"".join))
def test_tables_and_the_plain_formulation_agree(h, initial, data):
    assert ghash.ghash(h, data, initial) == ghash.ghash_plain(h, data, initial)


@pytest.mark.parametrize("hash_of", [ghash.ghash, ghash.ghash_plain])
@pytest.mark.parametrize(
    ("h_len", "data_len", "initial_len", "message"),
    [
        (15, 16, 16, "block has 16 bytes, not 15"),
        (17, 16, 16, "block has 16 bytes, not 17"),
        (16, 15, 16, "whole blocks of 16 bytes, not 15"),
        (16, 16, 0, "block has 16 bytes, not 0"),
    ],
)
def test_other_lengths_are_refused(hash_of, h_len, data_len, initial_len, message):
    with pytest.raises(ValueError, match=message):
        hash_of(bytes(h_len), bytes(data_len), bytes(initial_len))


def test_multiply_and_invert_refuse_other_blocks():
    with pytest.raises(ValueError, match="block has 16 bytes, not 8"):
        ghash.multiply(bytes(8), bytes(16))
    with pytest.raises(ValueError, match="no inverse"):
        ghash.invert(bytes(16))
