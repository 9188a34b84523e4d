"""AES-GCM: the GCM paper's examples, an independent library, chosen counter blocks."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.oracle import aes, gcm, ghash

KEY = bytes(range(16))
PAPER_KEY = "feffe9928665731c6d6a8f9467308308"
PAPER_TEXT = (
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
)
PAPER_AAD = "feedfacedeadbeeffeedfacedeadbeefabaddad2"


class Claims(bytes):
    """Bytes that claim a length which no test can hold."""

    length = 0

    def __len__(self) -> int:
        return self.length


def claims(length: int) -> Claims:
    data = Claims()
    data.length = length
    return data


@pytest.mark.parametrize(
    ("key", "nonce", "aad", "plaintext", "ciphertext", "tag"),
    [
        ("00" * 16, "00" * 12, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (
            "00" * 16,
            "00" * 12,
            "",
            "00" * 16,
            "0388dace60b6a392f328c2b971b2fe78",
            "ab6e47d42cec13bdf53a67b21257bddf",
        ),
        (
            PAPER_KEY,
            "cafebabefacedbaddecaf888",
            PAPER_AAD,
            PAPER_TEXT,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ),
        (
            PAPER_KEY,
            "cafebabefacedbad",
            PAPER_AAD,
            PAPER_TEXT,
            "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c7423"
            "73806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598",
            "3612d2e79e3b0785561be14aaca2fccb",
        ),
    ],
    ids=["1", "2", "4", "5"],
)
def test_seal_and_open_are_the_papers_test_cases(key, nonce, aad, plaintext, ciphertext, tag):
    key, nonce, aad, plaintext = map(bytes.fromhex, (key, nonce, aad, plaintext))
    sealed = gcm.seal(key, nonce, aad, plaintext)
    assert [part.hex() for part in sealed] == [ciphertext, tag]
    assert gcm.open_(key, nonce, aad, *sealed) == plaintext


def test_every_length_is_the_independent_library():
    source = Random(38)
    text, aad, nonce = source.randbytes(600), source.randbytes(600), source.randbytes(12)
    library = AESGCM(KEY)
    for length in range(601):
        part = aad[: length * 7 % 67]
        sealed = b"".join(gcm.seal(KEY, nonce, part, text[:length]))
        assert sealed == library.encrypt(nonce, text[:length], part)


@pytest.mark.parametrize("key_len", [16, 24, 32])
@pytest.mark.parametrize("length", [3167, 3168, 3169, 4064, 4065, 9000])
def test_long_messages_are_the_independent_library(key_len, length):
    source = Random(length)
    key, nonce = source.randbytes(key_len), source.randbytes(12)
    text, aad = source.randbytes(length), source.randbytes(length % 50)
    sealed = b"".join(gcm.seal(key, nonce, aad, text))
    assert sealed == AESGCM(key).encrypt(nonce, text, aad)


@pytest.mark.parametrize("length", [*range(8, 34), 60, 128])
def test_nonces_of_other_lengths_are_the_independent_library(length):
    nonce = Random(length).randbytes(length)
    sealed = b"".join(gcm.seal(KEY, nonce, b"aad", bytes(40)))
    assert sealed == AESGCM(KEY).encrypt(nonce, bytes(40), b"aad")


@pytest.mark.parametrize("length", range(1, 8))
def test_nonces_too_short_for_the_library_follow_clause_7_1(length):
    """Step 2 by hand, then the library's AES in counter mode."""
    nonce = Random(length).randbytes(length)
    h = aes.encrypt_block(KEY, bytes(16))
    padded = nonce.ljust(16, b"\0") + (8 * length).to_bytes(16, "big")
    j0 = ghash.ghash_plain(h, padded)
    ciphertext, tag = gcm.seal(KEY, nonce, b"", bytes(40))
    assert ciphertext == aes.ctr32(KEY, j0, bytes(56))[16:]
    assert gcm.open_(KEY, nonce, b"", ciphertext, tag) == bytes(40)


@pytest.mark.parametrize(
    ("low", "nonce"),
    [
        ("ffffffff", "525aa994c2063e28656b7b3ad0f8111e"),
        ("fffffffe", "1b3fe4b5bb2da3bde1bb22e4c1712dcc"),
        ("fffffff0", "634a23796488026cddd838d0280e41b2"),
        ("7fffffff", "a0cf675e006e12c76dafe553e057eb99"),
        ("000000fe", "24e270ee21e918745ef4835a66afcf16"),
    ],
)
def test_a_chosen_counter_block_has_its_nonce(low, nonce):
    j0 = b"\xff" * 12 + bytes.fromhex(low)
    assert gcm.nonce_for_counter_block(KEY, j0).hex() == nonce
    assert gcm.counter_block(aes.encrypt_block(KEY, bytes(16)), bytes.fromhex(nonce)) == j0


@pytest.mark.parametrize("key_len", [16, 32])
@pytest.mark.parametrize("before", [0, 1, 2, 4, 8, 16])
def test_messages_across_the_counters_end_are_the_independent_library(before, key_len):
    """J0 is `before` blocks before the last counter, under each of several message lengths."""
    key = bytes(range(key_len))
    nonce = gcm.nonce_for_counter_block(key, b"\xff" * 12 + (2**32 - 1 - before).to_bytes(4, "big"))
    for length in (0, 1, 16, 17, 16 * before, 16 * before + 16, 16 * before + 35, 400):
        sealed = b"".join(gcm.seal(key, nonce, b"aad", bytes(length)))
        assert sealed == AESGCM(key).encrypt(nonce, bytes(length), b"aad")


@settings(max_examples=20, deadline=None)
@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_any_counter_block_has_a_nonce(key, j0):
    nonce = gcm.nonce_for_counter_block(key, j0)
    assert gcm.counter_block(aes.encrypt_block(key, bytes(16)), nonce) == j0


@settings(max_examples=30, deadline=None)
@given(
    st.binary(min_size=32, max_size=32),
    st.binary(min_size=1, max_size=40),
    st.binary(max_size=80),
    st.binary(max_size=200),
    st.sampled_from(gcm.TAG_LENS),
)
def test_open_undoes_seal_and_refuses_a_changed_bit(key, nonce, aad, plaintext, tag_len):
    ciphertext, tag = gcm.seal(key, nonce, aad, plaintext, tag_len)
    assert tag == gcm.seal(key, nonce, aad, plaintext)[1][:tag_len]
    assert gcm.open_(key, nonce, aad, ciphertext, tag) == plaintext
    assert gcm.open_(key, nonce, aad + b"\0", ciphertext, tag) is None
    assert gcm.open_(key, nonce, aad, ciphertext + b"\0", tag) is None
    assert gcm.open_(key, nonce, aad, ciphertext, tag[:-1] + bytes([tag[-1] ^ 1])) is None


def test_every_bit_of_the_tag_counts():
    ciphertext, tag = gcm.seal(KEY, bytes(12), b"aad", b"text")
    for bit in range(128):
        wrong = (int.from_bytes(tag, "big") ^ 1 << bit).to_bytes(16, "big")
        assert gcm.open_(KEY, bytes(12), b"aad", ciphertext, wrong) is None


@pytest.mark.parametrize("tag_len", [4, 8, 12, 13, 14, 15, 16])
def test_a_shorter_tag_is_the_librarys(tag_len):
    encryptor = Cipher(AES(KEY), GCM(bytes(12), min_tag_length=4)).encryptor()
    encryptor.authenticate_additional_data(b"aad")
    ciphertext = encryptor.update(b"text") + encryptor.finalize()
    assert gcm.seal(KEY, bytes(12), b"aad", b"text", tag_len) == (
        ciphertext,
        encryptor.tag[:tag_len],
    )


@pytest.mark.parametrize(
    ("key", "nonce", "aad", "text", "tag_len", "message"),
    [
        (bytes(15), bytes(12), b"", b"", 16, "16, 24 or 32 bytes, not 15"),
        (KEY, b"", b"", b"", 16, "nonce has 1 to"),
        (KEY, claims(1 << 61), b"", b"", 16, "nonce has 1 to"),
        (KEY, bytes(12), claims(1 << 61), b"", 16, "additional data, not 2305843009213693952"),
        (KEY, bytes(12), b"", claims((1 << 36) - 31), 16, "bytes of text, not 68719476705"),
        *((KEY, bytes(12), b"", b"", n, f"12 to 16 bytes, not {n}") for n in (0, 1, 5, 7, 11, 17)),
    ],
)
def test_other_lengths_are_refused(key, nonce, aad, text, tag_len, message):
    with pytest.raises(ValueError, match=message):
        gcm.seal(key, nonce, aad, text, tag_len)
    with pytest.raises(ValueError, match=message):
        gcm.open_(key, nonce, aad, text, bytes(tag_len))


def test_a_chosen_counter_block_has_16_bytes():
    with pytest.raises(ValueError, match="16 bytes, not 12"):
        gcm.nonce_for_counter_block(KEY, bytes(12))
