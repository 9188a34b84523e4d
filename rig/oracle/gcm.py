"""AES-GCM (SP 800-38D clause 7).

Enters: an AES key, a nonce (the standard's IV), additional data, plaintext or ciphertext and
tag. Leaves: ciphertext and tag, or plaintext, or None for a tag that does not verify. Never
here: the choice of a nonce, constant time.
"""

from functools import lru_cache

from rig.oracle.aes import counter_blocks, encrypt_block, encrypt_blocks
from rig.oracle.ghash import ghash, invert, multiply
from rig.oracle.xor import xor

TAG_LENS = (4, 8, 12, 13, 14, 15, 16)
# Clause 5.2.1.1, in bytes.
MAX_TEXT_LEN = (1 << 36) - 32
MAX_AAD_LEN = (1 << 61) - 1
MAX_NONCE_LEN = (1 << 61) - 1

_ZERO = bytes(16)


def seal(
    key: bytes, nonce: bytes, aad: bytes, plaintext: bytes, tag_len: int = 16
) -> tuple[bytes, bytes]:
    """Return ciphertext and tag: GCM-AE (clause 7.1, Algorithm 4).

    ValueError for a key of other than 16, 24 or 32 bytes, an empty nonce, a tag length
    outside `TAG_LENS` (clause 5.2.1.2 and appendix C), or data beyond the limits of clause
    5.2.1.1.
    """
    _check_lengths(len(nonce), len(aad), len(plaintext), tag_len)
    h, first, stream = _keystream(key, nonce, len(plaintext))
    ciphertext = xor(plaintext, stream)
    return ciphertext, _tag(h, first, aad, ciphertext)[:tag_len]


def open_(key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes, tag: bytes) -> bytes | None:
    """Return the plaintext, or None if the tag does not verify: GCM-AD (clause 7.2, Algorithm 5).

    The tag's length counts as the tag length that was agreed on. ValueError as for `seal`.
    """
    _check_lengths(len(nonce), len(aad), len(ciphertext), len(tag))
    h, first, stream = _keystream(key, nonce, len(ciphertext))
    if tag != _tag(h, first, aad, ciphertext)[: len(tag)]:
        return None
    return xor(ciphertext, stream)


def mac(key: bytes, nonce: bytes, message: bytes, tag_len: int = 16) -> bytes:
    """Return the tag of GMAC, which is GCM-AE of no plaintext (clause 3).

    ValueError as for `seal`.
    """
    _, tag = seal(key, nonce, message, b"", tag_len)
    return tag


def counter_block(h: bytes, nonce: bytes) -> bytes:
    """Return the pre-counter block J_0 under the hash subkey h (clause 7.1, step 2)."""
    if len(nonce) == 12:
        return nonce + b"\0\0\0\1"
    return ghash(h, _pad(nonce) + bytes(8) + _bits(nonce))


def nonce_for_counter_block(key: bytes, j0: bytes) -> bytes:
    """Return the 16-byte nonce whose pre-counter block is j0.

    J_0 = (nonce * H xor L) * H with L = 0^64 || [128]_64 (clause 7.1, step 2), solved for
    nonce. ValueError for a key of other than 16, 24 or 32 bytes or a j0 of other than 16.
    """
    inverse = _inverse_subkey(key)
    lengths = bytes(8) + _bits(_ZERO)
    return multiply(xor(multiply(j0, inverse), lengths), inverse)


@lru_cache(maxsize=16)
def _inverse_subkey(key: bytes) -> bytes:
    return invert(encrypt_block(key, _ZERO))


def _keystream(key: bytes, nonce: bytes, text_len: int) -> tuple[bytes, bytes, bytes]:
    """H, CIPHER(J_0) and the keystream from inc32(J_0) on, in as few AES batches as can be."""
    count = 1 + -(-text_len // 16)
    if len(nonce) == 12:
        out = encrypt_blocks(key, _ZERO + counter_blocks(counter_block(_ZERO, nonce), count))
    else:
        h = encrypt_block(key, _ZERO)
        out = h + encrypt_blocks(key, counter_blocks(counter_block(h, nonce), count))
    return out[:16], out[16:32], out[32:]


def _tag(h: bytes, first: bytes, aad: bytes, ciphertext: bytes) -> bytes:
    """GHASH of the padded data and their lengths, enciphered (clause 7.1, steps 4 to 6)."""
    s = ghash(h, _pad(aad) + _pad(ciphertext) + _bits(aad) + _bits(ciphertext))
    return xor(s, first)


def _pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def _bits(data: bytes) -> bytes:
    """[len(data)]_64, the length in bits."""
    return (8 * len(data)).to_bytes(8, "big")


def _check_lengths(nonce_len: int, aad_len: int, text_len: int, tag_len: int) -> None:
    """Raise ValueError for lengths in bytes that clauses 5.2.1.1 and 5.2.1.2 do not allow."""
    if not 1 <= nonce_len <= MAX_NONCE_LEN:
        raise ValueError(f"a GCM nonce has 1 to 2^61-1 bytes, not {nonce_len}")
    if aad_len > MAX_AAD_LEN:
        raise ValueError(f"GCM takes at most 2^61-1 bytes of additional data, not {aad_len}")
    if text_len > MAX_TEXT_LEN:
        raise ValueError(f"GCM takes at most 2^36-32 bytes of text, not {text_len}")
    if tag_len not in TAG_LENS:
        raise ValueError(f"a GCM tag has 4, 8 or 12 to 16 bytes, not {tag_len}")
