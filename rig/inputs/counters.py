"""Station 4: counters that wrap where it hurts, in each lane of code that does many blocks at once.

Enters: widths in bits, keys, a seeded generator. Leaves: counter values, nonces, inputs. Never
here: a primitive's operations. The oracle is asked only for what leads to a wanted counter.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rig.oracle import chacha20, gcm

LANES = 33
POWERS = (8, 16, 31, 32, 64, 128)
FEED_LANES = 16
TAIL_BLOCKS = 17  # one more than a loop of sixteen lanes
_FEED_COUNTER = 1 << 28  # a word after the rounds passes 2^32 - this once in 16 blocks


def counters(bits: int) -> Iterator[int]:
    """Counter starts for every lane offset before each power of two that a counter of so many
    bits can cross."""
    for power in POWERS:
        if power <= bits:
            yield from before(power, bits)


def before(power: int, bits: int) -> Iterator[int]:
    """The starts of `counters` at one power."""
    yield from (((1 << power) - lane) % (1 << bits) for lane in range(LANES))


def wraps_inside() -> Iterator[tuple[int, int]]:
    """Starts of 32 bits with the number of blocks from there that wrap them at each place inside:
    in each lane of each tail of code that does up to sixteen blocks at once, and behind its
    loop; of wider code in the middle and in the last lane."""
    for blocks in range(2, 2 * TAIL_BLOCKS):
        lanes = range(1, blocks) if blocks <= TAIL_BLOCKS else (blocks // 2, blocks - 1)
        yield from (((1 << 32) - lane, blocks) for lane in lanes)


def wrapping_nonces(key: bytes, power: int) -> Iterator[bytes]:
    """16-byte GCM nonces whose J0 (SP 800-38D clause 7.1, step 2) ends in a start of `before` and
    begins with 96 bits that are all set: a carry out of the counter's 32 bits shows."""
    for start in before(power, 32):
        yield gcm.nonce_for_counter_block(key, b"\xff" * 12 + start.to_bytes(4, "big"))


@dataclass(frozen=True, slots=True)
class Overflow:
    """A ChaCha20 key and counter block of which in one of FEED_LANES blocks alone the addition of
    the counter after the rounds passes 2^32 (RFC 8439 section 2.3)."""

    lane: int
    key: bytes
    counter: bytes


@cache
def feed_forward_overflows() -> tuple[Overflow, ...]:
    """An `Overflow` for each lane."""
    chance = random.Random(FEED_LANES)
    found: dict[int, Overflow] = {}
    while len(found) < FEED_LANES:
        key, nonce = chance.randbytes(32), chance.randbytes(12)
        lanes = _overflowing(key, nonce)
        if len(lanes) == 1:
            counter = _FEED_COUNTER.to_bytes(4, "little") + nonce
            found.setdefault(lanes[0], Overflow(lanes[0], key, counter))
    return tuple(found[lane] for lane in range(FEED_LANES))


def _overflowing(key: bytes, nonce: bytes) -> list[int]:
    """The blocks whose word 12 came out smaller than the counter that was added to it."""
    stream = chacha20.keystream(key, _FEED_COUNTER, nonce, FEED_LANES)
    words = [int.from_bytes(stream[at : at + 4], "little") for at in range(48, len(stream), 64)]
    return [lane for lane, word in enumerate(words) if word < _FEED_COUNTER + lane]
