"""The edges hit what they are named for; the oracle says so."""

import functools
import itertools
from collections.abc import Iterator

import pytest

from rig.cases import Case
from rig.inputs.counters import LANES
from rig.inputs.edges import EDGED, edges
from rig.oracle import aes, gcm
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


@pytest.mark.parametrize(
    ("primitive", "operation", "block"),
    [
        ("aes", "ctr32", 16),
        ("aes_gcm_fused", "seal", 16),
        ("aes_gcm_fused", "open", 16),
        ("chacha20", "ctr32", 64),
    ],
)
def test_counters_wrap_in_each_lane_of_each_tail(
    primitive: str, operation: str, block: int
) -> None:
    found = set()
    for case in _of(primitive, operation):
        if case.name.startswith("tail "):
            counter, blocks = _octets(case, "counter"), -(-len(_octets(case, "data")) // block)
            first = counter[:4][::-1] if primitive == "chacha20" else counter[12:]
            found.add(((1 << 32) - int.from_bytes(first, "big"), blocks))
    wanted = {(lane, blocks) for blocks in range(2, 18) for lane in range(1, blocks)}
    assert wanted | {(16, 33), (32, 33)} <= found
    assert all(lane < blocks for lane, blocks in found)


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
    assert {1 << bit for bit in range(128)} <= {int.from_bytes(h, "big") for h in subkeys}


@pytest.mark.parametrize("primitive", ["aes_gcm", "aes_gcm_fused"])
def test_gcm_has_subkeys_with_each_end_both_ways(primitive: str) -> None:
    found = set()
    for case in _edges(primitive):
        if case.name.startswith("subkey "):
            key = _octets(case, "key")
            h = aes.encrypt_block(key, bytes(16))
            found.add((len(key), h[0] >> 7, h[15] & 1))
    assert found == set(itertools.product((16, 24, 32), (0, 1), (0, 1)))


@pytest.mark.parametrize("primitive", sorted(EDGED))
def test_cases_are_named_by_their_part_and_number(primitive: str) -> None:
    names = [case.name.rpartition(" ") for case in _edges(primitive)]
    assert [int(number) for _, _, number in names] == list(range(len(names)))
    assert "" not in {part for part, _, _ in names}
