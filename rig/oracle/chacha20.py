"""ChaCha20 (RFC 8439 sections 2.1 to 2.4).

Enters: a 32-byte key, a counter and nonce, data. Leaves: keystream, or data xor keystream.
Never here: authentication, a choice of the initial counter.

Two formulations. `quarter_round`, `block` and `ctr32_plain` are the RFC's text. `keystream`
and `ctr32` do the same on whole rows of the state matrix: a row of four words for n blocks
is one integer of 4n lanes, words in order, each word's n blocks side by side.

Contract at the counter's end, where implementations disagree: the block counter is word 12
alone; past 2^32-1 it wraps to 0 and carries nowhere.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from struct import unpack

from rig.oracle.xor import xor

KEY_LEN = 32
NONCE_LEN = 12
BLOCK_LEN = 64

CONSTANTS = b"expand 32-byte k"
_WORD = 0xFFFFFFFF

# Rows a and c are never reduced: 40 additions keep a word below 41 * 2^32, hence 40-bit lanes.
_LANE_LEN = 5
_BATCH = 256


def _rotate_left(word: int, count: int) -> int:
    return (word << count | word >> (32 - count)) & _WORD


def quarter_round(state: list[int], i: int, j: int, k: int, m: int) -> None:
    """QUARTERROUND(i, j, k, m) on 16 words of 32 bits, in place (sections 2.1 and 2.2)."""
    a, b, c, d = state[i], state[j], state[k], state[m]
    a = (a + b) & _WORD
    d = _rotate_left(d ^ a, 16)
    c = (c + d) & _WORD
    b = _rotate_left(b ^ c, 12)
    a = (a + b) & _WORD
    d = _rotate_left(d ^ a, 8)
    c = (c + d) & _WORD
    b = _rotate_left(b ^ c, 7)
    state[i], state[j], state[k], state[m] = a, b, c, d


def twenty_rounds(state: list[int]) -> None:
    """Ten times column and diagonal rounds on 16 words of 32 bits, in place (section 2.3)."""
    for _ in range(10):
        quarter_round(state, 0, 4, 8, 12)
        quarter_round(state, 1, 5, 9, 13)
        quarter_round(state, 2, 6, 10, 14)
        quarter_round(state, 3, 7, 11, 15)
        quarter_round(state, 0, 5, 10, 15)
        quarter_round(state, 1, 6, 11, 12)
        quarter_round(state, 2, 7, 8, 13)
        quarter_round(state, 3, 4, 9, 14)


def block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """Return the 64-byte ChaCha20 block of a 32-bit counter and a 12-byte nonce (section 2.3).

    ValueError for another key or nonce length, or a counter outside 0..2^32-1.
    """
    _check(key, counter, nonce)
    initial = unpack("<16I", CONSTANTS + key + counter.to_bytes(4, "little") + nonce)
    state = list(initial)
    twenty_rounds(state)
    words = ((w + i) & _WORD for w, i in zip(state, initial, strict=True))
    return b"".join(w.to_bytes(4, "little") for w in words)


def ctr32_plain(key: bytes, counter_block: bytes, data: bytes) -> bytes:
    """As `ctr32`, one block at a time (section 2.4.1)."""
    counter, nonce = _split(counter_block)
    out = bytearray()
    for start in range(0, len(data), BLOCK_LEN):
        stream = block(key, (counter + start // BLOCK_LEN) & _WORD, nonce)
        piece = data[start : start + BLOCK_LEN]
        out += bytes(d ^ s for d, s in zip(piece, stream, strict=False))
    return bytes(out)


def ctr32(key: bytes, counter_block: bytes, data: bytes) -> bytes:
    """Return data xor keystream (section 2.4).

    `counter_block` is words 12 to 15 of the state: the block counter as 4 little-endian
    bytes, then the 12-byte nonce. The counter wraps modulo 2^32 without a carry. ValueError
    for another key or counter block length.
    """
    counter, nonce = _split(counter_block)
    stream = keystream(key, counter, nonce, -(-len(data) // BLOCK_LEN))
    return xor(data, stream)


def keystream(key: bytes, counter: int, nonce: bytes, blocks: int) -> bytes:
    """Return `blocks` keystream blocks of 64 bytes from `counter` on (section 2.4.1).

    ValueError as for `block`.
    """
    _check(key, counter, nonce)
    return b"".join(
        [
            _batch(key, (counter + done) & _WORD, nonce, min(_BATCH, blocks - done))
            for done in range(0, blocks, _BATCH)
        ]
    )


@dataclass(frozen=True, slots=True)
class _Lanes:
    """Constants for rows of n blocks."""

    ones: int  # 1 in each of n lanes
    ramp: int  # 0, 1, ... n-1 in n lanes
    full: int  # every bit of 4n lanes
    low: tuple[int, ...]  # the low 7, 8, 12, 16, 20, 24, 25 bits of each of 4n lanes


@lru_cache(maxsize=64)
def _lanes(n: int) -> _Lanes:
    def lanes(words: Sequence[int]) -> int:
        return int.from_bytes(b"".join(w.to_bytes(_LANE_LEN, "little") for w in words), "little")

    low = tuple(lanes([(1 << bits) - 1] * (4 * n)) for bits in (7, 8, 12, 16, 20, 24, 25))
    return _Lanes(lanes([1] * n), lanes(range(n)), (1 << 32 * _LANE_LEN * n) - 1, low)


def _row(words: bytes, n: int, ones: int) -> int:
    """Four little-endian words, each repeated in n lanes."""
    w: tuple[int, ...] = unpack("<4I", words)
    one = 8 * _LANE_LEN * n
    return w[0] * ones | w[1] * ones << one | w[2] * ones << 2 * one | w[3] * ones << 3 * one


def _batch(key: bytes, counter: int, nonce: bytes, n: int) -> bytes:
    lanes = _lanes(n)
    ones, full = lanes.ones, lanes.full
    a0 = _row(CONSTANTS, n, ones)
    b0 = _row(key[:16], n, ones)
    c0 = _row(key[16:], n, ones)
    # Bits above 31 of a counter lane never reach a result: this is the wrap modulo 2^32.
    d0 = _row(bytes(4) + nonce, n, ones) + counter * ones + lanes.ramp
    a, b, c, d = _rounds(a0, b0, c0, d0, n, lanes)
    length = 4 * n * _LANE_LEN
    rows = [(row & full).to_bytes(length, "little") for row in (a + a0, b + b0, c + c0, d + d0)]
    return _serialize(b"".join(rows), n)


def _rounds(a: int, b: int, c: int, d: int, n: int, lanes: _Lanes) -> tuple[int, int, int, int]:
    """Ten column rounds and ten diagonal rounds in turn on rows a, b, c, d (section 2.3).

    The four quarter rounds of a round are one on rows. For a diagonal round, row b is
    turned left by one word, c by two, d by three; after it, back. Only the low 32 bits of
    each lane of the results count.
    """
    full = lanes.full
    low7, low8, low12, low16, low20, low24, low25 = lanes.low
    one = 8 * _LANE_LEN * n
    two, three = 2 * one, 3 * one
    for left, right in ((one, three), (three, one)) * 10:
        a += b
        d ^= a
        d = (d & low16) << 16 | d >> 16 & low16
        c += d
        b ^= c
        b = (b & low20) << 12 | b >> 20 & low12
        a += b
        d ^= a
        d = (d & low24) << 8 | d >> 24 & low8
        c += d
        b ^= c
        b = (b & low25) << 7 | b >> 25 & low7
        b = (b >> left | b << right) & full
        c = (c >> two | c << two) & full
        d = (d >> right | d << left) & full
    return a, b, c, d


def _serialize(lanes: bytes, n: int) -> bytes:
    """16n lanes, words in order, to n blocks of 16 words of 32 bits."""
    packed = bytearray(BLOCK_LEN * n)
    for i in range(4):
        packed[i::4] = lanes[i::_LANE_LEN]
    words = array("I", bytes(packed))
    return b"".join([words[i::n].tobytes() for i in range(n)])


def _split(counter_block: bytes) -> tuple[int, bytes]:
    if len(counter_block) != 16:
        raise ValueError(f"a ChaCha20 counter block has 16 bytes, not {len(counter_block)}")
    return int.from_bytes(counter_block[:4], "little"), counter_block[4:]


def _check(key: bytes, counter: int, nonce: bytes) -> None:
    if len(key) != KEY_LEN:
        raise ValueError(f"a ChaCha20 key has {KEY_LEN} bytes, not {len(key)}")
    if len(nonce) != NONCE_LEN:
        raise ValueError(f"a ChaCha20 nonce has {NONCE_LEN} bytes, not {len(nonce)}")
    if not 0 <= counter <= _WORD:
        raise ValueError(f"a ChaCha20 block counter has 32 bits: {counter} does not fit")
