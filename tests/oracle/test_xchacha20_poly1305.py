"""XChaCha20-Poly1305: the draft's examples, an independent library."""

from random import Random

import pytest
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as libsodium

from rig.oracle import chacha20_poly1305
from rig.oracle.xchacha20_poly1305 import hchacha20, open_, seal

KEY = bytes(range(0x80, 0xA0))
NONCE = bytes(range(0x40, 0x58))
DHOLE = (
    b'The dhole (pronounced "dole") is also known as the Asiatic wild dog, red dog, and whistling '
    b"dog."
)


def test_hchacha20_is_the_example_of_section_2_2_1():
    nonce = bytes.fromhex("000000090000004a0000000031415927")
    subkey = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"
    assert hchacha20(bytes(range(32)), nonce).hex() == subkey


def test_seal_is_the_example_of_appendix_a_1():
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
        b"the future, sunscreen would be it."
    )
    aad = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    ciphertext, tag = seal(KEY, NONCE, aad, text)
    assert ciphertext[:16].hex() == "bd6d179d3e83d43b9576579493c0e939"
    assert tag.hex() == "c0875924c1c7987947deafd8780acf49"
    assert open_(KEY, NONCE, aad, ciphertext, tag) == text


def test_a_text_is_enciphered_as_in_appendix_a_2_2():
    """The stream cipher from block 1 on."""
    ciphertext, _ = seal(KEY, NONCE[:-1] + b"\x58", b"", DHOLE)
    assert ciphertext[:32].hex() == (
        "7d0a2e6b7f7c65a236542630294e063b7ab9b555a5d5149aa21e4ae1e4fbce87"
    )


def test_every_length_is_the_independent_librarys():
    source = Random(24)
    text, aad = source.randbytes(300), source.randbytes(300)
    for length in range(301):
        nonce, part, piece = source.randbytes(24), aad[: length * 7 % 67], text[:length]
        assert b"".join(seal(KEY, nonce, part, piece)) == libsodium(piece, part, nonce, KEY)


def test_every_byte_of_the_nonce_counts():
    sealed = seal(KEY, NONCE, b"aad", b"text")
    for at in range(24):
        other = NONCE[:at] + bytes([NONCE[at] ^ 0x10]) + NONCE[at + 1 :]
        assert seal(KEY, other, b"aad", b"text") != sealed
        assert open_(KEY, other, b"aad", *sealed) is None


@pytest.mark.parametrize(
    ("key", "nonce", "message"),
    [
        (KEY[:31], NONCE, "key has 32 bytes, not 31"),
        (KEY, b"", "nonce has 24 bytes, not 0"),
        (KEY, NONCE[:12], "nonce has 24 bytes, not 12"),
        (KEY, NONCE + b"\0", "nonce has 24 bytes, not 25"),
    ],
)
def test_other_lengths_are_refused(key, nonce, message):
    with pytest.raises(ValueError, match=message):
        seal(key, nonce, b"", b"")
    with pytest.raises(ValueError, match=message):
        open_(key, nonce, b"", b"", bytes(16))


@pytest.mark.parametrize("length", [0, 15, 17])
def test_other_tags_are_refused(length):
    with pytest.raises(ValueError, match=f"tag has 16 bytes, not {length}"):
        open_(KEY, NONCE, b"", b"", bytes(length))


def test_hchacha20_refuses_other_nonces():
    with pytest.raises(ValueError, match="nonce has 16 bytes, not 24"):
        hchacha20(KEY, NONCE)


def test_it_is_the_aead_of_rfc8439_under_the_subkey():
    subkey, nonce = hchacha20(KEY, NONCE[:16]), bytes(4) + NONCE[16:]
    assert seal(KEY, NONCE, b"aad", DHOLE) == chacha20_poly1305.seal(subkey, nonce, b"aad", DHOLE)
