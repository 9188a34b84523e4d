"""ChaCha20-Poly1305: the AEAD of RFC 8439 section 2.8, and the construction before it.

Enters: a 32-byte key, a nonce, additional data, plaintext or ciphertext and tag. Leaves:
ciphertext and tag, or plaintext, or None for a tag that does not verify. Never here: the
choice of a nonce, constant time.

The old construction (draft-agl-tls-chacha20poly1305-04 section 5) has an 8-byte nonce, a
64-bit block counter, and a MAC input without padding.
"""

from collections.abc import Callable

from rig.oracle.chacha20 import BLOCK_LEN, keystream
from rig.oracle.poly1305 import TAG_LEN, mac
from rig.oracle.xor import xor

NONCE_LEN = 12
OLD_NONCE_LEN = 8
# RFC 8439 section 2.8: block 0 gives the key of the MAC, 2^32-1 blocks remain. (The limit of
# 2^64-1 bytes of additional data is beyond what Python can hold.)
MAX_TEXT_LEN = ((1 << 32) - 1) * BLOCK_LEN


def seal(key: bytes, nonce: bytes, aad: bytes, plaintext: bytes) -> tuple[bytes, bytes]:
    """Return ciphertext and 16-byte tag (RFC 8439 section 2.8).

    ValueError unless the key has 32 and the nonce 12 bytes, and for a text beyond the limit
    of section 2.8.
    """
    _check(nonce, NONCE_LEN, plaintext)
    return _seal(key, nonce, aad, plaintext, _mac_data)


def open_(key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes, tag: bytes) -> bytes | None:
    """Return the plaintext, or None if the tag does not verify (RFC 8439 section 2.8).

    ValueError as for `seal`, and for a tag that has not 16 bytes.
    """
    _check(nonce, NONCE_LEN, ciphertext)
    return _open(key, nonce, aad, ciphertext, tag, _mac_data)


def tag(key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes) -> bytes:
    """Return the 16-byte tag of a ciphertext (RFC 8439 section 2.8). ValueError as for `seal`."""
    _check(nonce, NONCE_LEN, ciphertext)
    one_time_key, _ = _keystream(key, nonce, 0)
    return mac(one_time_key, _mac_data(aad, ciphertext))


def seal_old(key: bytes, nonce: bytes, aad: bytes, plaintext: bytes) -> tuple[bytes, bytes]:
    """Return ciphertext and 16-byte tag of the old construction (draft-agl-04 section 5).

    ValueError as for `seal`, with a nonce of 8 bytes. Its counter has 64 bits; below the
    limit of RFC 8439, which is kept here, the upper 32 stay zero.
    """
    _check(nonce, OLD_NONCE_LEN, plaintext)
    return _seal(key, bytes(4) + nonce, aad, plaintext, _old_mac_data)


def open_old(key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes, tag: bytes) -> bytes | None:
    """Return the plaintext, or None if the tag does not verify (draft-agl-04 section 5).

    ValueError as for `open_`, with a nonce of 8 bytes.
    """
    _check(nonce, OLD_NONCE_LEN, ciphertext)
    return _open(key, bytes(4) + nonce, aad, ciphertext, tag, _old_mac_data)


_MacData = Callable[[bytes, bytes], bytes]


def _mac_data(aad: bytes, ciphertext: bytes) -> bytes:
    """RFC 8439 section 2.8: both padded to 16 bytes, then both lengths."""
    padded = aad + bytes(-len(aad) % 16) + ciphertext + bytes(-len(ciphertext) % 16)
    return padded + _length(aad) + _length(ciphertext)


def _old_mac_data(aad: bytes, ciphertext: bytes) -> bytes:
    """draft-agl-04 section 5: each followed by its length, no padding."""
    return aad + _length(aad) + ciphertext + _length(ciphertext)


def _length(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little")


def _seal(
    key: bytes, nonce: bytes, aad: bytes, plaintext: bytes, mac_data: _MacData
) -> tuple[bytes, bytes]:
    one_time_key, stream = _keystream(key, nonce, len(plaintext))
    ciphertext = xor(plaintext, stream)
    return ciphertext, mac(one_time_key, mac_data(aad, ciphertext))


def _open(
    key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes, tag: bytes, mac_data: _MacData
) -> bytes | None:
    _check_tag(tag)
    one_time_key, stream = _keystream(key, nonce, len(ciphertext))
    if tag != mac(one_time_key, mac_data(aad, ciphertext)):
        return None
    return xor(ciphertext, stream)


def _keystream(key: bytes, nonce: bytes, text_len: int) -> tuple[bytes, bytes]:
    """The one-time key, from block 0 (section 2.6), and the keystream from block 1 on."""
    stream = keystream(key, 0, nonce, 1 + -(-text_len // BLOCK_LEN))
    return stream[:32], stream[BLOCK_LEN:]


def _check(nonce: bytes, nonce_len: int, text: bytes) -> None:
    if len(nonce) != nonce_len:
        raise ValueError(f"this construction's nonce has {nonce_len} bytes, not {len(nonce)}")
    if len(text) > MAX_TEXT_LEN:
        raise ValueError(f"ChaCha20-Poly1305 takes at most 2^38-64 bytes, not {len(text)}")


def _check_tag(tag: bytes) -> None:
    if len(tag) != TAG_LEN:
        raise ValueError(f"a ChaCha20-Poly1305 tag has {TAG_LEN} bytes, not {len(tag)}")
