"""ChaCha20: RFC 8439's examples, rows against the RFC's text, the counter's end."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.oracle import chacha20

KEY = bytes(range(32))
NONCE = bytes.fromhex("000000090000004a00000000")
DATA = bytes(i * 7 & 0xFF for i in range(64 * 300))


def counter_block(counter: int, nonce: bytes = NONCE) -> bytes:
    return counter.to_bytes(4, "little") + nonce


def test_quarter_round_is_the_example_of_section_2_1_1():
    state = [0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567]
    chacha20.quarter_round(state, 0, 1, 2, 3)
    assert state == [0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB]


@pytest.mark.parametrize("of", [chacha20.block, lambda k, c, n: chacha20.keystream(k, c, n, 1)])
def test_block_is_the_example_of_section_2_3_2(of):
    assert of(KEY, 1, NONCE).hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


def test_ctr32_is_the_example_of_section_2_4_2():
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
        b"the future, sunscreen would be it."
    )
    out = chacha20.ctr32(KEY, counter_block(1, bytes.fromhex("000000000000004a00000000")), text)
    assert out.hex() == (
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
        "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
        "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
        "5af90bbf74a35be6b40b8eedf2785e42874d"
    )


def test_every_length_is_a_prefix_of_the_plain_formulation():
    plain = chacha20.ctr32_plain(KEY, counter_block(1), DATA[:640])
    for length in range(641):
        assert chacha20.ctr32(KEY, counter_block(1), DATA[:length]) == plain[:length]


@pytest.mark.parametrize("blocks", [16, 17, 255, 256, 257, 300])
def test_a_message_longer_than_a_batch_is_the_independent_cipher(blocks):
    data = DATA[: 64 * blocks - 3]
    cipher = Cipher(ChaCha20(KEY, counter_block(7)), mode=None)
    assert chacha20.ctr32(KEY, counter_block(7), data) == cipher.encryptor().update(data)


@pytest.mark.parametrize("before", [0, 1, 2, 3, 4, 7, 8, 9, 16, 32])
def test_the_counter_wraps_without_a_carry(before):
    """`before` blocks lie before the wrap; the words of the nonce stay what they are."""
    first = (1 << 32) - before & 0xFFFFFFFF
    blocks = [chacha20.block(KEY, (first + i) & 0xFFFFFFFF, NONCE) for i in range(before + 3)]
    stream = chacha20.ctr32(KEY, counter_block(first), bytes(64 * (before + 3)))
    assert stream == b"".join(blocks)
    assert stream == chacha20.ctr32_plain(KEY, counter_block(first), bytes(len(stream)))


def test_the_counter_wraps_between_batches():
    first = (1 << 32) - 256
    stream = chacha20.keystream(KEY, first, NONCE, 258)
    assert stream[64 * 256 :] == chacha20.keystream(KEY, 0, NONCE, 2)


@pytest.mark.parametrize("fill", [0x00, 0x7F, 0x80, 0xFF])
@pytest.mark.parametrize("counter", [0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_extreme_words_overflow_like_the_plain_formulation(fill, counter):
    key, nonce = bytes([fill]) * 32, bytes([fill]) * 12
    plain = chacha20.ctr32_plain(key, counter_block(counter, nonce), bytes(200))
    assert chacha20.ctr32(key, counter_block(counter, nonce), bytes(200)) == plain


@settings(max_examples=30, deadline=None)
@given(
    st.binary(min_size=32, max_size=32),
    st.binary(min_size=16, max_size=16),
    st.binary(max_size=700),
)
def test_rows_and_the_plain_formulation_agree(key, counter, data):
    out = chacha20.ctr32(key, counter, data)
    assert out == chacha20.ctr32_plain(key, counter, data)
    assert chacha20.ctr32(key, counter, out) == data


@pytest.mark.parametrize("data", [b"", b"x"])
@pytest.mark.parametrize(
    ("key_len", "counter_len", "message"),
    [
        (31, 16, "key has 32 bytes, not 31"),
        (33, 16, "key has 32 bytes, not 33"),
        (32, 15, "counter block has 16 bytes, not 15"),
        (32, 17, "counter block has 16 bytes, not 17"),
    ],
)
def test_ctr32_refuses_other_lengths(key_len, counter_len, message, data):
    with pytest.raises(ValueError, match=message):
        chacha20.ctr32(bytes(key_len), bytes(counter_len), data)


@pytest.mark.parametrize(
    ("counter", "nonce_len", "message"),
    [
        (0, 11, "nonce has 12 bytes, not 11"),
        (0, 13, "nonce has 12 bytes, not 13"),
        (-1, 12, "-1 does not fit"),
        (1 << 32, 12, "4294967296 does not fit"),
    ],
)
def test_block_refuses_other_nonces_and_counters(counter, nonce_len, message):
    with pytest.raises(ValueError, match=message):
        chacha20.block(KEY, counter, bytes(nonce_len))
