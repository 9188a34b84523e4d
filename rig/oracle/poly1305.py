"""Poly1305 (RFC 8439 section 2.5).

Enters: a 32-byte one-time key and a message. Leaves: the 16-byte tag. Never here: where the
key comes from, padding of an AEAD's input.

`mac_plain` is the RFC's pseudocode. `mac` evaluates the same polynomial with 16 blocks
between two reductions.
"""

from operator import mul
from struct import unpack

KEY_LEN = 32
TAG_LEN = 16

_P = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
_GROUP = 16


def mac_plain(key: bytes, message: bytes) -> bytes:
    """As `mac`, block by block (section 2.5.1)."""
    r, s = _split(key)
    acc = 0
    for start in range(0, len(message), 16):
        block = message[start : start + 16]
        acc = (acc + int.from_bytes(block + b"\1", "little")) * r % _P
    return _tag(acc, s)


def mac(key: bytes, message: bytes) -> bytes:
    """Return the tag of a message of any length (section 2.5). ValueError unless 32 key bytes."""
    r, s = _split(key)
    terms = _terms(message)
    head = len(terms) % _GROUP
    acc = 0
    for term in terms[:head]:
        acc = (acc + term) * r % _P
    if head < len(terms):
        acc = _absorb_groups(acc, r, terms[head:])
    return _tag(acc, s)


def _terms(message: bytes) -> list[int]:
    """The blocks as numbers, each with a bit beyond its last octet (section 2.5.1)."""
    whole = len(message) // 16
    blocks = unpack("16s" * whole, message[: 16 * whole])
    terms = [int.from_bytes(block, "little") | 1 << 128 for block in blocks]
    if rest := message[16 * whole :]:
        terms.append(int.from_bytes(rest + b"\1", "little"))
    return terms


def _absorb_groups(acc: int, r: int, terms: list[int]) -> int:
    """acc * r^16 + t_0 * r^16 + t_1 * r^15 + ... + t_15 * r for each group of 16 terms."""
    powers = [r]
    while len(powers) < _GROUP:
        powers.append(powers[-1] * r % _P)
    powers.reverse()
    for start in range(0, len(terms), _GROUP):
        group = terms[start : start + _GROUP]
        group[0] += acc
        acc = sum(map(mul, group, powers)) % _P
    return acc


def _split(key: bytes) -> tuple[int, int]:
    if len(key) != KEY_LEN:
        raise ValueError(f"a Poly1305 key has {KEY_LEN} bytes, not {len(key)}")
    r = int.from_bytes(key[:16], "little") & _CLAMP
    return r, int.from_bytes(key[16:], "little")


def _tag(acc: int, s: int) -> bytes:
    return (acc + s & (1 << 128) - 1).to_bytes(TAG_LEN, "little")
