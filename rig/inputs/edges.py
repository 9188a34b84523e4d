"""Station 4: values at which real implementations broke (carries, counter wraps, top bits).

Enters: a primitive's name. Leaves: cases without answers, deterministic. Never here: the
oracle's judgement; it is asked only for the nonce that gives a wanted counter block.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping

from rig.cases import Case, Inputs, Placement, Values
from rig.inputs.sweeps import AES_KEY_SIZES, SEED
from rig.oracle import gcm
from rig.primitives import own_of
from rig.runner.scripts import Side

LANES = 33
_WORD_EDGES = (0, 1, 2, 3, 4, 5, 0xFF, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000, (1 << 63) - 1, 1 << 63)
WORDS = (*_WORD_EDGES, (1 << 63) + 1, (1 << 64) - 5, (1 << 64) - 2, (1 << 64) - 1)
POLY1305_CASES = 3000
GCM_WRAPS = (0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFF0, 0x7FFF_FFFF, 0x0000_00FE)

_Edges = Iterator[tuple[str, Inputs]]


def edges(primitive: str) -> Iterator[Case]:
    """The edge cases of a primitive; nothing for one that has none."""
    own = own_of(primitive)
    source = own.edges if own else _EDGES.get(primitive)
    if source is None:
        return
    chance = random.Random(SEED + 1)
    for number, (operation, inputs) in enumerate(source(chance)):
        placement = Placement(side=Side(number % 2), in_place=number % 3 == 2)
        yield Case(f"edge {number}", Values(primitive, operation, inputs), placement)


def has_edges(primitive: str) -> bool:
    """Whether a primitive has edge cases."""
    own = own_of(primitive)
    return primitive in EDGED or bool(own and own.edges)


def counters(bits: int) -> Iterator[int]:
    """Counter starts for every lane offset before each power of two that a counter of so many
    bits can cross."""
    for power in (8, 16, 31, 32, 64, 128):
        if power <= bits:
            yield from (((1 << power) - lane) % (1 << bits) for lane in range(LANES))


def _chacha20(chance: random.Random) -> _Edges:
    for start, length in itertools.product(counters(32), (64, 512, 1024 + 63)):
        counter = start.to_bytes(4, "little") + chance.randbytes(12)
        key, data = chance.randbytes(32), chance.randbytes(length)
        yield "ctr32", {"key": key, "counter": counter, "data": data}


def _aes(chance: random.Random) -> _Edges:
    for start, size, blocks in itertools.product(counters(128), AES_KEY_SIZES, (1, 8, 35)):
        inputs = {"key": chance.randbytes(size), "counter": start.to_bytes(16, "big")}
        yield "ctr32", {**inputs, "data": chance.randbytes(16 * blocks)}


def _aes_gcm_fused(chance: random.Random) -> _Edges:
    for start, size, length in itertools.product(counters(32), (16, 32), (64, 512 + 48 + 5)):
        counter = chance.randbytes(12) + start.to_bytes(4, "big")
        inputs = {"key": chance.randbytes(size), "counter": counter, "xi": chance.randbytes(16)}
        yield "seal", {**inputs, "data": chance.randbytes(length)}
        yield "open", {**inputs, "data": bytes(length)}


def _ghash(chance: random.Random) -> _Edges:
    ones, top, low = b"\xff" * 16, b"\x80" + bytes(15), bytes(15) + b"\x01"
    subkeys = (bytes(16), ones, top, low, b"\x7f" + b"\xff" * 15, b"\xff" * 15 + b"\xfe")
    for h, block, blocks in itertools.product(subkeys, (ones, top, low, bytes(16)), range(1, 18)):
        yield "ghash", {"h": h, "xi": bytes(16), "data": block * blocks}
        yield "ghash", {"h": h, "xi": ones, "data": block * blocks}
        yield "gmult", {"h": h, "xi": chance.choice((ones, top, low)) if blocks > 1 else block}


def _poly1305(chance: random.Random) -> _Edges:
    """Key and message words from the edge set: what misses a last carry once in 2^64 random
    messages is hit here in every few hundred cases."""
    for number in range(POLY1305_CASES):
        words = [chance.choice(WORDS) for _ in range(4 + 2 * (number % 17))]
        data = b"".join(word.to_bytes(8, "little") for word in words)
        yield "mac", {"key": data[:32], "message": data[32:]}
    for r, blocks in itertools.product((0, 1, 2, 4, 5), range(1, 18)):
        key = r.to_bytes(16, "little") + b"\xff" * 16
        yield "mac", {"key": key, "message": b"\xff" * (16 * blocks)}
        yield "mac", {"key": key, "message": b"\xff" * (16 * blocks - 1)}


def _aes_gcm(chance: random.Random) -> _Edges:
    for size, last, lengths in itertools.product(AES_KEY_SIZES, GCM_WRAPS, (16, 255, 512 + 33)):
        key = chance.randbytes(size)
        nonce = gcm.nonce_for_counter_block(key, b"\xff" * 12 + last.to_bytes(4, "big"))
        yield "seal", _message(chance, key, nonce, lengths, 16)
    for size, nonce_len, tag_len in itertools.product((16, 32), (1, 7, 8, 13, 16, 60), (4, 8, 12)):
        key, nonce = chance.randbytes(size), chance.randbytes(nonce_len)
        yield "seal", _message(chance, key, nonce, 40, tag_len)


def _chacha20_poly1305(nonce: int) -> Callable[[random.Random], _Edges]:
    def edges_aead(chance: random.Random) -> _Edges:
        for aad, data in itertools.product((0, 1, 15, 16, 17, 95, 96), (0, 1, 63, 64, 65, 4097)):
            message = _message(chance, chance.randbytes(32), chance.randbytes(nonce), data, 16)
            yield "seal", {**message, "aad": chance.randbytes(aad)}

    return edges_aead


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
    chance: random.Random, key: bytes, nonce: bytes, length: int, tag_len: int
) -> dict[str, bytes | int]:
    return {
        "key": key,
        "nonce": nonce,
        "aad": chance.randbytes(20),
        "plaintext": chance.randbytes(length),
        "tag_len": tag_len,
    }


_EDGES: Mapping[str, Callable[[random.Random], _Edges]] = {
    "aes": _aes,
    "ghash": _ghash,
    "chacha20": _chacha20,
    "poly1305": _poly1305,
    "aes_gcm_fused": _aes_gcm_fused,
    "aes_gcm": _aes_gcm,
    "chacha20_poly1305_fused": _chacha20_poly1305_fused,
    "chacha20_poly1305": _chacha20_poly1305(12),
    "chacha20_poly1305_old": _chacha20_poly1305(8),
}
EDGED = frozenset(_EDGES)
