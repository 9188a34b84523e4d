"""The edges hit what they are named for; the oracle says so."""

import functools
from collections.abc import Iterator

import pytest

from rig.cases import Case
from rig.inputs.edges import EDGED, GCM_WRAPS, LANES, counters, edges
from rig.oracle import aes, gcm, ghash
from rig.primitives import PRIMITIVES


def _octets(case: Case, name: str) -> bytes:
    value = case.values.inputs[name]
    assert isinstance(value, bytes)
    return value


@functools.cache
def _edges(primitive: str) -> tuple[Case, ...]:
    return tuple(edges(primitive))


def _of(primitive: str, operation: str) -> Iterator[Case]:
    return (case for case in _edges(primitive) if case.values.operation == operation)


def test_every_primitive_has_edges() -> None:
    assert set(PRIMITIVES) == EDGED
    assert list(edges("md5")) == []


@pytest.mark.parametrize("primitive", sorted(EDGED))
def test_the_same_cases_come_out_each_time(primitive: str) -> None:
    assert tuple(edges(primitive)) == _edges(primitive)


@pytest.mark.parametrize(
    ("bits", "powers"), [(32, (8, 16, 31, 32)), (128, (8, 16, 31, 32, 64, 128))]
)
def test_counters_stand_at_every_lane_before_each_power(bits: int, powers: tuple[int, ...]) -> None:
    wanted = [((1 << power) - lane) % (1 << bits) for power in powers for lane in range(LANES)]
    assert list(counters(bits)) == wanted


def test_chacha20_starts_at_every_lane_before_its_counter_wraps() -> None:
    starts = {int.from_bytes(_octets(c, "counter")[:4], "little") for c in _edges("chacha20")}
    assert {(-lane) % (1 << 32) for lane in range(LANES)} <= starts
    assert {(1 << 31) - lane for lane in range(LANES)} <= starts


def test_aes_counts_over_each_width_with_each_key_size() -> None:
    found = {
        (int.from_bytes(_octets(c, "counter"), "big"), len(_octets(c, "key")))
        for c in _of("aes", "ctr32")
    }
    starts = [(1 << power) - lane for power in (32, 64) for lane in range(LANES)]
    starts += [(-lane) % (1 << 128) for lane in range(LANES)]
    assert {(start, size) for start in starts for size in (16, 24, 32)} <= found


def _counter_block(key: bytes, nonce: bytes) -> bytes:
    """J0 (SP 800-38D clause 7.1, step 2) from the nonce as it stands."""
    if len(nonce) == 12:
        return nonce + b"\0\0\0\1"
    h = aes.encrypt_block(key, bytes(16))
    padded = nonce + bytes(-len(nonce) % 16) + bytes(8) + (8 * len(nonce)).to_bytes(8, "big")
    return ghash.ghash(h, padded, bytes(16))


def test_gcm_nonces_give_the_counter_blocks_that_wrap() -> None:
    blocks = {
        (len(_octets(c, "key")), _counter_block(_octets(c, "key"), _octets(c, "nonce")))
        for c in _of("aes_gcm", "seal")
        if len(_octets(c, "nonce")) and len(_octets(c, "key")) in (16, 24, 32)
    }
    for last in GCM_WRAPS:
        for size in (16, 24, 32):
            assert (size, b"\xff" * 12 + last.to_bytes(4, "big")) in blocks


def test_a_wrapping_counter_differs_from_one_that_carries() -> None:
    """The edge is worth something: inc32 (clause 6.2) leaves the upper 96 bits alone."""
    key, block = bytes(16), b"\xff" * 16
    nonce = gcm.nonce_for_counter_block(key, block)
    ciphertext, _ = gcm.seal(key, nonce, b"", bytes(16))
    assert ciphertext == aes.encrypt_block(key, b"\xff" * 12 + bytes(4))
    assert ciphertext != aes.encrypt_block(key, bytes(16))


def test_poly1305_has_words_at_the_edge_in_key_and_message() -> None:
    keys = {_octets(c, "key")[:16] for c in _edges("poly1305")}
    assert {r.to_bytes(16, "little") for r in (0, 1, 2, 4, 5)} <= keys
    assert any(_octets(c, "message") == b"\xff" * 256 for c in _edges("poly1305"))


def test_ghash_has_the_subkeys_at_the_edge() -> None:
    subkeys = {_octets(c, "h") for c in _edges("ghash")}
    assert {bytes(16), b"\xff" * 16, b"\x80" + bytes(15), bytes(15) + b"\1"} <= subkeys
    assert {len(_octets(c, "data")) for c in _of("ghash", "ghash")} == set(range(16, 273, 16))
