"""AES: FIPS 197's and SP 800-38A's examples, planes against the standard's text."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR, ECB
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.oracle import aes

KEY_LENS = [16, 24, 32]
SP800_38A_KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
keys = st.sampled_from(KEY_LENS).flatmap(lambda n: st.binary(min_size=n, max_size=n))


def independent(key: bytes, blocks: bytes) -> bytes:
    return Cipher(AES(key), ECB()).encryptor().update(blocks)


def test_the_s_box_is_a_permutation_with_the_example_of_clause_5_1_1():
    assert sorted(aes.SBOX) == list(range(256))
    assert (aes.SBOX[0x00], aes.SBOX[0x01], aes.SBOX[0x53]) == (0x63, 0x7C, 0xED)


@pytest.mark.parametrize(
    ("key", "last_word"),
    [
        ("2b7e151628aed2a6abf7158809cf4f3c", "b6630ca6"),
        ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "01002202"),
        ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "706c631e"),
    ],
)
def test_key_expansion_ends_as_in_appendix_a(key, last_word):
    schedule = aes.key_expansion(bytes.fromhex(key))
    assert len(schedule) == 16 * (len(key) // 8 + 7)
    assert schedule[-4:].hex() == last_word


@pytest.mark.parametrize("encrypt", [aes.encrypt_block, aes.encrypt_block_plain])
@pytest.mark.parametrize(
    ("key_len", "expected"),
    [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ],
)
def test_encrypt_block_is_the_example_of_appendix_c(encrypt, key_len, expected):
    block = bytes.fromhex("00112233445566778899aabbccddeeff")
    assert encrypt(bytes(range(key_len)), block).hex() == expected


@pytest.mark.parametrize("key_len", KEY_LENS)
def test_decrypt_block_undoes_encrypt_block_and_the_example_of_appendix_c(key_len):
    key, block = bytes(range(key_len)), bytes.fromhex("00112233445566778899aabbccddeeff")
    assert aes.decrypt_block(key, aes.encrypt_block(key, block)) == block
    source = Random(key_len)
    for _ in range(50):
        key, block = source.randbytes(key_len), source.randbytes(16)
        expected = Cipher(AES(key), ECB()).decryptor().update(block)
        assert aes.decrypt_block(key, block) == expected


@pytest.mark.parametrize("key_len", KEY_LENS)
@pytest.mark.parametrize("blocks", [0, 1, 2, 9])
def test_cbc_is_the_independent_mode(blocks, key_len):
    source = Random(blocks)
    key, iv, data = (source.randbytes(n) for n in (key_len, 16, 16 * blocks))
    independent_mode = Cipher(AES(key), CBC(iv))
    assert aes.cbc_encrypt(key, iv, data) == independent_mode.encryptor().update(data)
    assert aes.cbc_decrypt(key, iv, data) == independent_mode.decryptor().update(data)


@pytest.mark.parametrize("crypt", [aes.cbc_encrypt, aes.cbc_decrypt])
def test_cbc_takes_whole_blocks_and_a_block_of_iv(crypt):
    with pytest.raises(ValueError, match="whole blocks of 16 bytes, not 17"):
        crypt(bytes(16), bytes(16), bytes(17))
    with pytest.raises(ValueError, match="an AES block has 16 bytes, not 15"):
        crypt(bytes(16), bytes(15), bytes(16))


@pytest.mark.parametrize("ctr32", [aes.ctr32, aes.ctr32_plain])
def test_ctr32_is_the_example_of_sp_800_38a_f_5_1(ctr32):
    text = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    out = ctr32(SP800_38A_KEY, bytes(range(0xF0, 0x100)), bytes.fromhex(text))
    assert out.hex() == "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"


@pytest.mark.parametrize("key_len", KEY_LENS)
@pytest.mark.parametrize("blocks", [*range(20), 33, 255, 256, 257, 513])
def test_any_number_of_blocks_is_the_independent_cipher(blocks, key_len):
    source = Random(blocks)
    key, data = source.randbytes(key_len), source.randbytes(16 * blocks)
    assert aes.encrypt_blocks(key, data) == independent(key, data)


def test_every_length_is_a_prefix_of_the_plain_formulation():
    source = Random(197)
    key, first, data = source.randbytes(16), source.randbytes(16), source.randbytes(600)
    plain = aes.ctr32_plain(key, first, data)
    for length in range(601):
        assert aes.ctr32(key, first, data[:length]) == plain[:length]


@pytest.mark.parametrize("before", [0, 1, 2, 3, 4, 7, 8, 9, 16, 32])
def test_the_counter_wraps_without_a_carry(before):
    """`before` blocks lie before the wrap; the first 96 bits stay what they are."""
    fixed = b"\xff" * 12
    low = [(-before + i) % (1 << 32) for i in range(before + 3)]
    counters = b"".join(fixed + value.to_bytes(4, "big") for value in low)
    assert aes.counter_blocks(counters[:16], before + 3) == counters
    stream = aes.ctr32(SP800_38A_KEY, counters[:16], bytes(len(counters)))
    assert stream == independent(SP800_38A_KEY, counters)
    assert stream == aes.ctr32_plain(SP800_38A_KEY, counters[:16], bytes(len(counters)))


def test_counter_mode_away_from_the_wrap_is_the_independent_mode():
    first, data = bytes(range(16)), Random(38).randbytes(5000)
    mode = Cipher(AES(SP800_38A_KEY), CTR(first)).encryptor()
    assert aes.ctr32(SP800_38A_KEY, first, data) == mode.update(data)


@settings(max_examples=40, deadline=None)
@given(keys, st.binary(min_size=16, max_size=16))
def test_planes_plain_and_the_independent_cipher_agree(key, block):
    expected = independent(key, block)
    assert aes.encrypt_block(key, block) == expected
    assert aes.encrypt_block_plain(key, block) == expected


@pytest.mark.parametrize("length", [0, 15, 17, 23, 31, 33])
def test_other_key_lengths_are_refused(length):
    for call in (
        lambda: aes.encrypt_block(bytes(length), bytes(16)),
        lambda: aes.encrypt_block_plain(bytes(length), bytes(16)),
        lambda: aes.ctr32(bytes(length), bytes(16), b""),
    ):
        with pytest.raises(ValueError, match=f"16, 24 or 32 bytes, not {length}"):
            call()


@pytest.mark.parametrize("length", [0, 15, 17, 32])
def test_other_block_lengths_are_refused(length):
    for call in (
        lambda: aes.encrypt_block(bytes(16), bytes(length)),
        lambda: aes.encrypt_block_plain(bytes(16), bytes(length)),
        lambda: aes.ctr32(bytes(16), bytes(length), b""),
    ):
        with pytest.raises(ValueError, match=f"block has 16 bytes, not {length}"):
            call()
    with pytest.raises(ValueError, match="whole blocks"):
        aes.encrypt_blocks(bytes(16), bytes(length + 1 if length % 16 == 0 else length))
