"""Station 4: values at which real implementations broke (carries, counter wraps, top bits).

Enters: a primitive's name. Leaves: cases without answers, deterministic, named by their part.
Never here: the oracle's judgement, or how a value at the edge is found (see `counters`,
`accumulators`).
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping

from rig.cases import Case, Inputs, Placement, Values
from rig.inputs.accumulators import directed, directed_sums
from rig.inputs.counters import (
    FEED_LANES,
    counters,
    feed_forward_overflows,
    wrapping_nonces,
    wraps_inside,
)
from rig.inputs.sweeps import AES_KEY_SIZES, SEED
from rig.oracle import aes, gcm
from rig.primitives import own_of
from rig.runner.scripts import Side

_WORD_EDGES = (0, 1, 2, 3, 4, 5, 0xFF, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000, (1 << 63) - 1, 1 << 63)
WORDS = (*_WORD_EDGES, (1 << 63) + 1, (1 << 64) - 5, (1 << 64) - 2, (1 << 64) - 1)
POLY1305_CASES = 3000
_BYTES = (b"\0", b"\1", b"\x7f", b"\x80", b"\xff")
_GCM_LENGTHS = {8: (545,), 16: (545,), 31: (545,), 32: (16, 255, 545, 1057)}  # by power of two

_Edges = Iterator[tuple[str, Inputs]]
_Part = Callable[[random.Random], _Edges]


def edges(primitive: str) -> Iterator[Case]:
    """The edge cases of a primitive, part by part; nothing for one that has none."""
    number = itertools.count()
    for name, part in _parts(primitive).items():
        for operation, inputs in part(random.Random(f"{SEED} {primitive} {name}")):
            place = next(number)
            placement = Placement(side=Side(place % 2), in_place=place % 3 == 2)
            yield Case(f"{name} {place}", Values(primitive, operation, inputs), placement)


def has_edges(primitive: str) -> bool:
    """Whether a primitive has edge cases."""
    return bool(_parts(primitive))


def _parts(primitive: str) -> Mapping[str, _Part]:
    own = own_of(primitive)
    if own:
        return {"edge": own.edges} if own.edges else {}
    return _EDGES.get(primitive, {})


def _chacha20_counters(chance: random.Random) -> _Edges:
    for start, length in itertools.product(counters(32), (64, 512, 1024 + 63, 34 * 64 + 37)):
        counter = start.to_bytes(4, "little") + chance.randbytes(12)
        key, data = chance.randbytes(32), chance.randbytes(length)
        yield "ctr32", {"key": key, "counter": counter, "data": data}


def _chacha20_tails(chance: random.Random) -> _Edges:
    for start, blocks in wraps_inside():
        counter = start.to_bytes(4, "little") + chance.randbytes(12)
        data = chance.randbytes(64 * blocks - blocks % 3)
        yield "ctr32", {"key": chance.randbytes(32), "counter": counter, "data": data}


def _chacha20_feed_forward(chance: random.Random) -> _Edges:
    for overflow in feed_forward_overflows():
        for length in (64 * overflow.lane + 64, 64 * FEED_LANES, 64 * FEED_LANES + 1):
            inputs = {"key": overflow.key, "counter": overflow.counter}
            yield "ctr32", {**inputs, "data": chance.randbytes(length)}


def _aes_counters(chance: random.Random) -> _Edges:
    for start, size, blocks in itertools.product(counters(128), AES_KEY_SIZES, (1, 8, 35)):
        inputs = {"key": chance.randbytes(size), "counter": start.to_bytes(16, "big")}
        yield "ctr32", {**inputs, "data": chance.randbytes(16 * blocks)}


def _aes_tails(chance: random.Random) -> _Edges:
    for turn, (start, blocks) in enumerate(wraps_inside()):
        key = chance.randbytes(AES_KEY_SIZES[turn % len(AES_KEY_SIZES)])
        counter = b"\xff" * 12 + start.to_bytes(4, "big")
        yield "ctr32", {"key": key, "counter": counter, "data": chance.randbytes(16 * blocks)}


def _aes_uniform(chance: random.Random) -> _Edges:
    """Keys and blocks of one byte over and over."""
    for size, key, block in itertools.product(AES_KEY_SIZES, _BYTES, _BYTES):
        yield "encrypt", {"key": key * size, "block": block * 16}
        yield "decrypt", {"key": key * size, "block": block * 16}


def _aes_gcm_fused_counters(chance: random.Random) -> _Edges:
    for start, size, length in itertools.product(counters(32), (16, 32), (64, 512 + 48 + 5)):
        counter = chance.randbytes(12) + start.to_bytes(4, "big")
        inputs = {"key": chance.randbytes(size), "counter": counter, "xi": chance.randbytes(16)}
        yield "seal", {**inputs, "data": chance.randbytes(length)}
        yield "open", {**inputs, "data": bytes(length)}


def _aes_gcm_fused_tails(chance: random.Random) -> _Edges:
    for turn, (start, blocks) in enumerate(wraps_inside()):
        size = AES_KEY_SIZES[turn % len(AES_KEY_SIZES)]
        counter = b"\xff" * 12 + start.to_bytes(4, "big")
        inputs = {"key": chance.randbytes(size), "counter": counter, "xi": chance.randbytes(16)}
        for operation in ("seal", "open"):
            yield operation, {**inputs, "data": chance.randbytes(16 * blocks)}


def _ghash_subkeys(chance: random.Random) -> _Edges:
    ones, top, low = b"\xff" * 16, b"\x80" + bytes(15), bytes(15) + b"\x01"
    subkeys = (bytes(16), ones, top, low, b"\x7f" + b"\xff" * 15, b"\xff" * 15 + b"\xfe")
    for h, block, blocks in itertools.product(subkeys, (ones, top, low, bytes(16)), range(1, 18)):
        yield "ghash", {"h": h, "xi": bytes(16), "data": block * blocks}
        yield "ghash", {"h": h, "xi": ones, "data": block * blocks}
        yield "gmult", {"h": h, "xi": chance.choice((ones, top, low)) if blocks > 1 else block}


def _ghash_bits(_: random.Random) -> _Edges:
    """Each bit of H and of a block alone: the products of powers of x."""
    for at in range(128):
        bit, other = ((1 << place).to_bytes(16, "big") for place in (at, (at * 37 + 5) % 128))
        yield "ghash", {"h": bit, "xi": bytes(16), "data": other + bytes(16)}
        yield "gmult", {"h": bit, "xi": other}


def _poly1305_words(chance: random.Random) -> _Edges:
    """Key and message words from the edge set: what misses a last carry once in 2^64 random
    messages is hit here in every few hundred cases."""
    for number in range(POLY1305_CASES):
        words = [chance.choice(WORDS) for _ in range(4 + 2 * (number % 17))]
        data = b"".join(word.to_bytes(8, "little") for word in words)
        yield "mac", {"key": data[:32], "message": data[32:]}


def _poly1305_small_r(_: random.Random) -> _Edges:
    for r, blocks in itertools.product((0, 1, 2, 4, 5), range(1, 18)):
        key = r.to_bytes(16, "little") + b"\xff" * 16
        yield "mac", {"key": key, "message": b"\xff" * (16 * blocks)}
        yield "mac", {"key": key, "message": b"\xff" * (16 * blocks - 1)}


def _macs(pairs: Callable[[random.Random], Iterator[tuple[bytes, bytes]]]) -> _Part:
    def part(chance: random.Random) -> _Edges:
        for key, message in pairs(chance):
            yield "mac", {"key": key, "message": message}

    return part


def _aes_gcm_counters(chance: random.Random) -> _Edges:
    for size in AES_KEY_SIZES:
        key = chance.randbytes(size)
        for power, lengths in _GCM_LENGTHS.items():
            for nonce, length in itertools.product(wrapping_nonces(key, power), lengths):
                yield "seal", _message(chance, key, nonce, length)


def _aes_gcm_nonces(chance: random.Random) -> _Edges:
    for length in (*range(1, 66), 95, 96, 97, 127, 128, 129, 255, 256, 1000):
        yield "seal", _message(chance, chance.randbytes(16), chance.randbytes(length), 40)


def _aes_gcm_tags(chance: random.Random) -> _Edges:
    for size, nonce, tag in itertools.product((16, 32), (12, 13), gcm.TAG_LENS):
        key = chance.randbytes(size)
        yield "seal", {**_message(chance, key, chance.randbytes(nonce), 40), "tag_len": tag}


def _aes_gcm_macs(chance: random.Random) -> _Edges:
    """GMAC with each tag length, under nonces whose J0 is hashed too."""
    for size, nonce, tag in itertools.product(AES_KEY_SIZES, (12, 1, 16, 60), gcm.TAG_LENS):
        for length in (0, 16, 20):
            inputs = {"key": chance.randbytes(size), "nonce": chance.randbytes(nonce)}
            yield "mac", {**inputs, "message": chance.randbytes(length), "tag_len": tag}


def _aes_gcm_subkeys(chance: random.Random) -> _Edges:
    """The first and the last bit of H clear and set, in all four ways."""
    for key, length in itertools.product(_subkey_keys(chance), (16, 128 + 5, 512 + 33)):
        message = _message(chance, key, chance.randbytes(12), length)
        yield "seal", message
        yield "seal", {**message, "aad": b"\xff" * 100, "plaintext": b"\xff" * length}


def _aes_gcm_fused_subkeys(chance: random.Random) -> _Edges:
    for key, length in itertools.product(_subkey_keys(chance), (128, 512 + 48)):
        inputs = {"key": key, "counter": chance.randbytes(16), "xi": b"\xff" * 16}
        yield "open", {**inputs, "data": b"\xff" * length}
        yield "seal", {**inputs, "data": chance.randbytes(length)}


def _subkey_keys(chance: random.Random) -> Iterator[bytes]:
    for size, ends in itertools.product(AES_KEY_SIZES, itertools.product((0, 1), (0, 1))):
        keys = (chance.randbytes(size) for _ in itertools.count())
        yield next(key for key in keys if _ends(aes.encrypt_block(key, bytes(16))) == ends)


def _ends(block: bytes) -> tuple[int, int]:
    return block[0] >> 7, block[15] & 1


def _chacha20_poly1305_lengths(nonce: int) -> _Part:
    def part(chance: random.Random) -> _Edges:
        for aad, data in itertools.product((0, 1, 15, 16, 17, 95, 96), (0, 1, 63, 64, 65, 4097)):
            message = _message(chance, chance.randbytes(32), chance.randbytes(nonce), data)
            yield "seal", {**message, "aad": chance.randbytes(aad)}

    return part


def _chacha20_poly1305_fused(chance: random.Random) -> _Edges:
    lengths = ((0, 1, 13, 16, 17, 96), (0, 1, 63, 64, 129, 1025, 4097), (0, 1, 16, 63))
    for aad, data, extra in itertools.product(*lengths):
        inputs = {
            name: chance.randbytes(n)
            for name, n in (("key", 32), ("nonce", 12), ("aad", aad), ("data", data))
        }
        yield "seal", {**inputs, "extra": chance.randbytes(extra)}
        yield "open", inputs


def _message(
    chance: random.Random, key: bytes, nonce: bytes, length: int
) -> dict[str, bytes | int]:
    return {
        "key": key,
        "nonce": nonce,
        "aad": chance.randbytes(20),
        "plaintext": chance.randbytes(length),
        "tag_len": 16,
    }


_EDGES: Mapping[str, Mapping[str, _Part]] = {
    "aes": {"counter": _aes_counters, "tail": _aes_tails, "uniform": _aes_uniform},
    "ghash": {"subkey": _ghash_subkeys, "bit": _ghash_bits},
    "chacha20": {
        "counter": _chacha20_counters,
        "tail": _chacha20_tails,
        "feed-forward": _chacha20_feed_forward,
    },
    "poly1305": {
        "word": _poly1305_words,
        "small r": _poly1305_small_r,
        "accumulator": _macs(directed),
        "sum": _macs(directed_sums),
    },
    "aes_gcm_fused": {
        "counter": _aes_gcm_fused_counters,
        "subkey": _aes_gcm_fused_subkeys,
        "tail": _aes_gcm_fused_tails,
    },
    "aes_gcm": {
        "counter": _aes_gcm_counters,
        "nonce": _aes_gcm_nonces,
        "tag": _aes_gcm_tags,
        "mac": _aes_gcm_macs,
        "subkey": _aes_gcm_subkeys,
    },
    "chacha20_poly1305_fused": {"length": _chacha20_poly1305_fused},
    "chacha20_poly1305": {"length": _chacha20_poly1305_lengths(12)},
    "chacha20_poly1305_old": {"length": _chacha20_poly1305_lengths(8)},
    "xchacha20_poly1305": {"length": _chacha20_poly1305_lengths(24)},
}
EDGED = frozenset(_EDGES)
