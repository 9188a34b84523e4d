"""Poly1305: RFC 8439's examples, groups against block by block, edge words."""

from random import Random

import pytest
from cryptography.hazmat.primitives.poly1305 import Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.oracle import poly1305

P = (1 << 130) - 5
ONES = "ff" * 16
EDGE_WORDS = [0, 1, 2, 3, 4, 5, 0xFF, 0xFFFFFFFF, 0xFFFFFFFF00000000]
EDGE_WORDS += [(1 << 63) - 1, 1 << 63, (1 << 63) + 1, (1 << 64) - 5, (1 << 64) - 2, (1 << 64) - 1]


def number(value: int) -> bytes:
    return value.to_bytes(16, "little")


@pytest.mark.parametrize("mac", [poly1305.mac, poly1305.mac_plain])
def test_mac_is_the_example_of_section_2_5_2(mac):
    key = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"
    tag = mac(bytes.fromhex(key), b"Cryptographic Forum Research Group")
    assert tag.hex() == "a8061dc1305136c6c22b8baf0c0127a9"


@pytest.mark.parametrize(
    ("r", "s", "message", "tag"),
    [
        (2, bytes(16), ONES, "03"),
        (2, bytes.fromhex(ONES), "02" + "00" * 15, "03"),
        (1, bytes(16), ONES + "f0" + "ff" * 15 + "11" + "00" * 15, "05"),
        (1, bytes(16), ONES + "fb" + "fe" * 15 + "01" * 16, "00"),
        (2, bytes(16), "fd" + "ff" * 15, "fa" + "ff" * 15),
    ],
    ids=["7", "8", "9", "10", "11"],
)
def test_mac_is_appendix_a_3(r, s, message, tag):
    expected = bytes.fromhex(tag).ljust(16, b"\0")
    assert poly1305.mac(number(r) + s, bytes.fromhex(message)) == expected
    assert poly1305.mac_plain(number(r) + s, bytes.fromhex(message)) == expected


def test_every_length_is_plain_and_the_independent_library():
    source = Random(1305)
    for length in range(601):
        key, message = source.randbytes(32), source.randbytes(length)
        tag = poly1305.mac(key, message)
        assert tag == poly1305.mac_plain(key, message)
        assert tag == Poly1305.generate_tag(key, message)


@pytest.mark.parametrize("blocks", [1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 64, 200])
@pytest.mark.parametrize("r", [0, 1, 2, 4, 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF])
def test_ones_carry_everywhere(r, blocks):
    key, message = number(r) + bytes.fromhex(ONES), bytes.fromhex(ONES) * blocks
    assert poly1305.mac(key, message) == poly1305.mac_plain(key, message)
    assert poly1305.mac(key, message) == Poly1305.generate_tag(key, message)


@pytest.mark.parametrize("blocks", [4, 5, 16, 17, 33])
@pytest.mark.parametrize(
    "target", [P - 1, 0, 1, 4, (1 << 128) - 5, (1 << 128) - 1, (1 << 88) - 1, (1 << 129) - 1]
)
def test_a_chosen_final_accumulator_gives_its_low_bits(target, blocks):
    """With r = 1 the accumulator is the sum of the blocks; from four on it can be anything."""
    share, more = divmod((target - (blocks << 128)) % P, blocks)
    message = number(share + 1) * more + number(share) * (blocks - more)
    expected = number(target % (1 << 128))
    assert poly1305.mac(number(1) + bytes(16), message) == expected
    assert poly1305.mac_plain(number(1) + bytes(16), message) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(EDGE_WORDS), min_size=4, max_size=4),
    st.lists(st.sampled_from(EDGE_WORDS), max_size=80),
    st.binary(max_size=15),
)
def test_edge_words_are_plain_and_the_independent_library(key_words, words, rest):
    key = b"".join(w.to_bytes(8, "little") for w in key_words)
    message = b"".join(w.to_bytes(8, "little") for w in words) + rest
    tag = poly1305.mac(key, message)
    assert tag == poly1305.mac_plain(key, message)
    assert tag == Poly1305.generate_tag(key, message)


@pytest.mark.parametrize("mac", [poly1305.mac, poly1305.mac_plain])
@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_mac_refuses_other_key_lengths(mac, length):
    with pytest.raises(ValueError, match=f"key has 32 bytes, not {length}"):
        mac(bytes(length), b"")
