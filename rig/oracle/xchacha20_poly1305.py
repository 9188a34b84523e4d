"""XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03 section 2).

Enters: a 32-byte key, a 24-byte nonce, additional data, plaintext or ciphertext and tag. Leaves:
ciphertext and tag, or plaintext, or None for a tag that does not verify. Never here: the choice
of a nonce, constant time.
"""

from struct import pack, unpack

from rig.oracle import chacha20_poly1305
from rig.oracle.chacha20 import CONSTANTS, KEY_LEN, twenty_rounds

NONCE_LEN = 24
_HCHACHA20_NONCE_LEN = 16


def hchacha20(key: bytes, nonce: bytes) -> bytes:
    """Return the 32-byte subkey of a 16-byte nonce: the first and the last row of the ChaCha20
    state after its rounds (section 2.2).

    ValueError for another key or nonce length.
    """
    if len(key) != KEY_LEN:
        raise ValueError(f"an HChaCha20 key has {KEY_LEN} bytes, not {len(key)}")
    if len(nonce) != _HCHACHA20_NONCE_LEN:
        raise ValueError(f"an HChaCha20 nonce has 16 bytes, not {len(nonce)}")
    state = list(unpack("<16I", CONSTANTS + key + nonce))
    twenty_rounds(state)
    return pack("<8I", *state[:4], *state[12:])


def seal(key: bytes, nonce: bytes, aad: bytes, plaintext: bytes) -> tuple[bytes, bytes]:
    """Return ciphertext and 16-byte tag (sections 2 and 2.3).

    ValueError unless the key has 32 and the nonce 24 bytes, and for a text beyond the limit of
    RFC 8439 section 2.8.
    """
    return chacha20_poly1305.seal(*_derived(key, nonce), aad, plaintext)


def open_(key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes, tag: bytes) -> bytes | None:
    """Return the plaintext, or None if the tag does not verify (sections 2 and 2.3).

    ValueError as for `seal`, and for a tag that has not 16 bytes.
    """
    return chacha20_poly1305.open_(*_derived(key, nonce), aad, ciphertext, tag)


def _derived(key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """Key and nonce for the AEAD of RFC 8439 (section 2.3, steps 1 and 2)."""
    if len(nonce) != NONCE_LEN:
        raise ValueError(f"this construction's nonce has {NONCE_LEN} bytes, not {len(nonce)}")
    return hchacha20(key, nonce[:16]), bytes(4) + nonce[16:]
