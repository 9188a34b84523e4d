"""Counters stand where they are said to, by the oracle's own text."""

import pytest

from rig.inputs.counters import (
    FEED_LANES,
    LANES,
    POWERS,
    before,
    counters,
    feed_forward_overflows,
    wrapping_nonces,
)
from rig.oracle import aes, chacha20, ghash

# Inverted independently of the oracle, for the key 000102 ... 0f.
KNOWN = {
    (32, 1): "525aa994c2063e28656b7b3ad0f8111e",
    (32, 2): "1b3fe4b5bb2da3bde1bb22e4c1712dcc",
    (32, 16): "634a23796488026cddd838d0280e41b2",
    (31, 1): "a0cf675e006e12c76dafe553e057eb99",
    (8, 2): "24e270ee21e918745ef4835a66afcf16",
}


@pytest.mark.parametrize("bits", [32, 128])
def test_counters_stand_at_every_lane_before_each_power(bits: int) -> None:
    wanted = [
        ((1 << power) - lane) % (1 << bits)
        for power in POWERS
        if power <= bits
        for lane in range(LANES)
    ]
    assert list(counters(bits)) == wanted


def test_known_nonces() -> None:
    for (power, lane), nonce in KNOWN.items():
        assert list(wrapping_nonces(bytes(range(16)), power))[lane].hex() == nonce


@pytest.mark.parametrize("size", [16, 24, 32])
def test_gcm_nonces_give_the_counter_blocks_that_wrap(size: int) -> None:
    """J0 from the nonce as it stands (SP 800-38D clause 7.1, step 2)."""
    key = bytes(range(size))
    h, lengths = aes.encrypt_block(key, bytes(16)), bytes(8) + (128).to_bytes(8, "big")
    for start, nonce in zip(before(32, 32), wrapping_nonces(key, 32), strict=True):
        j0 = ghash.ghash_plain(h, nonce + lengths)
        assert j0 == b"\xff" * 12 + start.to_bytes(4, "big")


def test_one_lane_alone_passes_the_word_when_the_counter_is_added() -> None:
    """By the sum over the integers, from the block without its last addition."""
    overflows = feed_forward_overflows()
    assert [overflow.lane for overflow in overflows] == list(range(FEED_LANES))
    for overflow in overflows:
        first = int.from_bytes(overflow.counter[:4], "little")
        passing = []
        for lane in range(FEED_LANES):
            block = chacha20.block(overflow.key, first + lane, overflow.counter[4:])
            word = (int.from_bytes(block[48:52], "little") - first - lane) % (1 << 32)
            if word + first + lane >= 1 << 32:
                passing.append(lane)
        assert passing == [overflow.lane]
