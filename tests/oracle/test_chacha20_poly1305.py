"""ChaCha20-Poly1305, RFC 8439 and before: published examples, two independent libraries."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.bindings import crypto_aead_chacha20poly1305_encrypt as libsodium_old

from rig.oracle import chacha20, chacha20_poly1305, poly1305

KEY = bytes(range(0x80, 0xA0))
NONCE = bytes.fromhex("070000004041424344454647")
SEAL_OPEN = [
    (12, chacha20_poly1305.seal, chacha20_poly1305.open_),
    (8, chacha20_poly1305.seal_old, chacha20_poly1305.open_old),
]
both = pytest.mark.parametrize(("nonce_len", "seal", "open_"), SEAL_OPEN, ids=["rfc", "old"])


class TooLong(bytes):
    """Bytes that claim one byte more than RFC 8439 section 2.8 allows."""

    def __len__(self) -> int:
        return (1 << 38) - 63


def test_seal_is_the_example_of_section_2_8_2():
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
        b"the future, sunscreen would be it."
    )
    aad = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    ciphertext, tag = chacha20_poly1305.seal(KEY, NONCE, aad, text)
    assert ciphertext[:16].hex() == "d31a8d34648e60db7b86afbc53ef7ec2"
    assert tag.hex() == "1ae10b594f09e26a7e902ecbd0600691"
    assert chacha20_poly1305.open_(KEY, NONCE, aad, ciphertext, tag) == text


def test_seal_old_is_the_example_of_the_drafts_section_7():
    sealed = chacha20_poly1305.seal_old(
        bytes.fromhex("4290bcb154173531f314af57f3be3b5006da371ece272afa1b5dbdd1100a1007"),
        bytes.fromhex("cd7cf67be39c794a"),
        bytes.fromhex("87e229d4500845a079c0"),
        bytes.fromhex("86d09974840bded2a5ca"),
    )
    assert b"".join(sealed).hex() == "e3e446f7ede9a19b62a4677dabf4e3d24b876bb284753896e1d6"


def test_every_length_is_the_independent_libraries():
    source = Random(8439)
    text, aad = source.randbytes(600), source.randbytes(600)
    library = ChaCha20Poly1305(KEY)
    for length in range(601):
        part, piece = aad[: length * 7 % 67], text[:length]
        sealed = b"".join(chacha20_poly1305.seal(KEY, NONCE, part, piece))
        assert sealed == library.encrypt(NONCE, piece, part)
        sealed = b"".join(chacha20_poly1305.seal_old(KEY, NONCE[:8], part, piece))
        assert sealed == libsodium_old(piece, part, NONCE[:8], KEY)


@pytest.mark.parametrize("length", [1350, 8192, 16319, 16320, 16321, 33000])
def test_long_messages_are_the_independent_libraries(length):
    source = Random(length)
    key, text, aad = source.randbytes(32), source.randbytes(length), source.randbytes(length % 99)
    sealed = b"".join(chacha20_poly1305.seal(key, NONCE, aad, text))
    assert sealed == ChaCha20Poly1305(key).encrypt(NONCE, text, aad)
    sealed = b"".join(chacha20_poly1305.seal_old(key, NONCE[:8], aad, text))
    assert sealed == libsodium_old(text, aad, NONCE[:8], key)


def test_seal_old_is_its_plain_parts():
    """Words 12 and 13 count, words 14 and 15 are the nonce; nothing in the MAC is padded."""
    key, nonce, aad, text = KEY, NONCE[:8], b"aad", bytes(100)
    ciphertext, tag = chacha20_poly1305.seal_old(key, nonce, aad, text)
    counter_block = (1).to_bytes(8, "little") + nonce
    assert ciphertext == chacha20.ctr32_plain(key, counter_block, text)
    lengths = [len(part).to_bytes(8, "little") for part in (aad, ciphertext)]
    one_time_key = chacha20.block(key, 0, bytes(4) + nonce)[:32]
    message = aad + lengths[0] + ciphertext + lengths[1]
    assert tag == poly1305.mac_plain(one_time_key, message)


@both
@settings(max_examples=20, deadline=None)
@given(st.binary(min_size=44, max_size=44), st.binary(max_size=80), st.binary(max_size=200))
def test_open_undoes_seal_and_refuses_a_change(nonce_len, seal, open_, secret, aad, plaintext):
    key, nonce = secret[:32], secret[32 : 32 + nonce_len]
    ciphertext, tag = seal(key, nonce, aad, plaintext)
    assert open_(key, nonce, aad, ciphertext, tag) == plaintext
    assert open_(key, nonce, aad + b"\0", ciphertext, tag) is None
    assert open_(key, nonce, aad, ciphertext + b"\0", tag) is None
    assert open_(key, nonce, aad, ciphertext, tag[:-1] + bytes([tag[-1] ^ 0x80])) is None


@both
def test_every_bit_of_the_tag_counts(nonce_len, seal, open_):
    ciphertext, tag = seal(KEY, bytes(nonce_len), b"aad", b"text")
    for bit in range(128):
        wrong = (int.from_bytes(tag, "big") ^ 1 << bit).to_bytes(16, "big")
        assert open_(KEY, bytes(nonce_len), b"aad", ciphertext, wrong) is None


@both
def test_other_lengths_are_refused(nonce_len, seal, open_):
    tag = bytes(16)
    for key, nonce, text, message in [
        (bytes(31), bytes(nonce_len), b"", "key has 32 bytes, not 31"),
        (KEY, bytes(20 - nonce_len), b"", f"nonce has {nonce_len} bytes, not {20 - nonce_len}"),
        (KEY, b"", b"", f"nonce has {nonce_len} bytes, not 0"),
        (KEY, bytes(nonce_len), TooLong(), "at most 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            seal(key, nonce, b"", text)
        with pytest.raises(ValueError, match=message):
            open_(key, nonce, b"", text, tag)
    for length in (0, 15, 17):
        with pytest.raises(ValueError, match=f"tag has 16 bytes, not {length}"):
            open_(KEY, bytes(nonce_len), b"", b"", bytes(length))
