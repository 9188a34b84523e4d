"""Station 4: what one call leaves for the next: state carried on, contexts used again.

Enters: a primitive's name. Leaves: cases without answers, deterministic, named by their part.
Never here: how two operations become one script (see `rig.primitives.pairs`), or garbage before
the first call, which every case has.
"""

import functools
import itertools
import random
from collections.abc import Callable, Iterator, Mapping

from rig.cases import Case, Inputs, Placement, Values
from rig.inputs.sweeps import AES_KEY_SIZES, SEED
from rig.oracle import chacha20_poly1305, gcm, xchacha20_poly1305
from rig.primitives.aead_parts import PAIRS, cut
from rig.primitives.definition import octets
from rig.primitives.pairs import Order, joined
from rig.runner.scripts import Side

BLOCKS = range(34)
SECOND_BLOCKS = (0, 1, 5, 16)
SPLIT_CASES = 200
MOST_PARTS = 6
LENGTHS = (*range(0, 131, 3), 255, 256, 257, 511, 512, 513, 1025)
SECOND_LENGTHS = (1, 64, 300)
SWITCH_CASES = 80
PARTS_CASES = 120
FIRST_PARTS = 131
SECOND_PARTS = (1, 15, 17, 64, 300)
BLOCK_ENDS = (0, 1, 15, 16, 17, 64, 65)
PART_LENGTHS = (0, 0, 1, 15, 16, 17, 48, 63, 64, 65, 128, 256, 300, 515)

_Pairs = Iterator[tuple[str, Inputs]]
_Part = Callable[[random.Random], _Pairs]
_Seal = Callable[[bytes, bytes, bytes, bytes], tuple[bytes, bytes]]


def contexts(primitive: str) -> Iterator[Case]:
    """The context cases of a primitive, part by part; nothing for one that has none."""
    number = itertools.count()
    for name, part in _PARTS.get(primitive, {}).items():
        for operation, inputs in part(random.Random(f"{SEED} {primitive} {name}")):
            place = next(number)
            placement = Placement(side=Side(place % 2), in_place=place % 3 == 2)
            yield Case(f"{name} {place}", Values(primitive, operation, inputs), placement)


def _message(primitive: str, chance: random.Random, length: int) -> tuple[str, dict[str, bytes]]:
    if primitive == "ghash":
        data = chance.randbytes(length - length % 16)
        return "ghash", {"h": chance.randbytes(16), "xi": chance.randbytes(16), "data": data}
    return "mac", {"key": chance.randbytes(32), "message": chance.randbytes(length)}


def _second_call(primitive: str) -> _Part:
    """A call after a call of each number of blocks."""

    def part(chance: random.Random) -> _Pairs:
        for first, second in itertools.product(BLOCKS, SECOND_BLOCKS):
            operation, inputs = _message(primitive, chance, 16 * (first + second) + first % 16)
            yield operation, {**inputs, "splits": bytes([first])}

    return part


def _splits(primitive: str) -> _Part:
    """The message in parts at random, empty ones among them."""

    def part(chance: random.Random) -> _Pairs:
        for _ in range(SPLIT_CASES):
            counts = [chance.choice((0, 1, 2, 3, 4, 8, 9, 17)) for _ in range(MOST_PARTS - 1)]
            length = 16 * (sum(counts) + chance.randrange(6)) + chance.randrange(16)
            operation, inputs = _message(primitive, chance, length)
            yield operation, {**inputs, "splits": bytes(counts)}

    return part


def _pairs(make: Callable[[random.Random, int], tuple[str, Inputs]], order: Order) -> _Part:
    """Two messages, the first of each length."""

    def part(chance: random.Random) -> _Pairs:
        for turn, length in enumerate(LENGTHS):
            first, a = make(chance, length)
            second, b = make(chance, SECOND_LENGTHS[turn % len(SECOND_LENGTHS)])
            shared = {n: a[n] for n in ("key", "h") if order is Order.KEPT and n in a}
            yield f"{first}+{second}", joined(a, {**b, **shared}, order)

    return part


def _ghash(chance: random.Random, length: int) -> tuple[str, Inputs]:
    return _message("ghash", chance, length)


def _ghash_gmult(chance: random.Random) -> _Pairs:
    for length in LENGTHS[::4]:
        _, a = _message("ghash", chance, length)
        yield "ghash+gmult", joined(a, {"h": a["h"], "xi": chance.randbytes(16)}, Order.KEPT)


def _poly1305(chance: random.Random, length: int) -> tuple[str, Inputs]:
    return _message("poly1305", chance, length)


def _chacha20(chance: random.Random, length: int) -> tuple[str, Inputs]:
    counter = chance.randbytes(3) + b"\0" + chance.randbytes(12)  # far from its end
    return "ctr32", {"key": chance.randbytes(32), "counter": counter, "data": bytes(length)}


def _aes(chance: random.Random, length: int) -> tuple[str, Inputs]:
    counter = chance.randbytes(12) + b"\0" + chance.randbytes(3)
    inputs = {"key": chance.randbytes(chance.choice(AES_KEY_SIZES)), "counter": counter}
    return "ctr32", {**inputs, "data": chance.randbytes(length - length % 16)}


def _aes_block(chance: random.Random) -> _Pairs:
    for length in LENGTHS[::4]:
        _, a = _aes(chance, length)
        yield "ctr32+encrypt", joined(a, {"key": a["key"], "block": bytes(16)}, Order.KEPT)


def _aead(seal: _Seal, nonce_len: int, key_sizes: tuple[int, ...], order: Order) -> _Part:
    """Seal and open in each order, the first of two opens now and then a forgery."""

    def part(chance: random.Random) -> _Pairs:
        steps = itertools.cycle(itertools.product((_sealing, _opening, _forged), repeat=2))
        for length, (first, second) in zip((*LENGTHS, *LENGTHS), steps, strict=False):
            key = chance.randbytes(key_sizes[length % len(key_sizes)])
            other = key if order is Order.KEPT else chance.randbytes(len(key))
            a = first(seal, key, chance.randbytes(nonce_len), chance.randbytes(length), chance)
            b = second(seal, other, chance.randbytes(nonce_len), chance.randbytes(100), chance)
            yield f"{a[0]}+{b[0]}", joined(a[1], b[1], order)

    return part


def _sealing(
    seal: _Seal, key: bytes, nonce: bytes, text: bytes, chance: random.Random
) -> tuple[str, Inputs]:
    aad = chance.randbytes(len(text) % 50)
    return "seal", {"key": key, "nonce": nonce, "aad": aad, "plaintext": text, "tag_len": 16}


def _opening(
    seal: _Seal, key: bytes, nonce: bytes, text: bytes, chance: random.Random
) -> tuple[str, Inputs]:
    aad = chance.randbytes(len(text) % 50)
    ciphertext, tag = seal(key, nonce, aad, text)
    whole = {"key": key, "nonce": nonce, "aad": aad, "ciphertext": ciphertext, "tag": tag}
    return "open", whole


def _forged(
    seal: _Seal, key: bytes, nonce: bytes, text: bytes, chance: random.Random
) -> tuple[str, Inputs]:
    operation, whole = _opening(seal, key, nonce, text, chance)
    tag = whole["tag"]
    assert isinstance(tag, bytes)
    return operation, {**whole, "tag": tag[:-1] + bytes([tag[-1] ^ 1])}


def _in_parts(seal: _Seal, nonce_len: int, key_sizes: tuple[int, ...]) -> Mapping[str, _Part]:
    """Messages in parts: a part after one of each length, additional data and text that end in
    each place of a block or are empty, parts at random, and two messages."""

    def after(chance: random.Random) -> _Pairs:
        for first, second in zip(range(FIRST_PARTS), itertools.cycle(SECOND_PARTS), strict=False):
            key = chance.randbytes(key_sizes[first % len(key_sizes)])
            cuts = {"aad_cuts": cut(first % 17), "cuts": cut(first)}
            yield (
                "seal_parts",
                {**_text(chance, key, nonce_len, first % 40, first + second), **cuts},
            )

    def ends(chance: random.Random) -> _Pairs:
        for aad, text in itertools.product(BLOCK_ENDS, repeat=2):
            key = chance.randbytes(key_sizes[aad % len(key_sizes)])
            cuts = {"aad_cuts": cut(aad // 2), "cuts": cut(text // 2)}
            yield "seal_parts", {**_text(chance, key, nonce_len, aad, text), **cuts}

    def at_random(chance: random.Random) -> _Pairs:
        for turn in range(PARTS_CASES):
            key = chance.randbytes(key_sizes[turn % len(key_sizes)])
            aads = [chance.choice((0, 1, 15, 16, 17, 33)) for _ in range(3)]
            texts = [chance.choice(PART_LENGTHS) for _ in range(4)]
            cuts = {"aad_cuts": cut(*aads[:-1]), "cuts": cut(*texts[:-1])}
            yield "seal_parts", {**_text(chance, key, nonce_len, sum(aads), sum(texts)), **cuts}

    orders = {
        f"parts {name}": _two_in_parts(seal, nonce_len, key_sizes, order)
        for name, order in _ORDERS.items()
    }
    return {"part after part": after, "block end": ends, "random parts": at_random, **orders}


def _two_in_parts(seal: _Seal, nonce_len: int, key_sizes: tuple[int, ...], order: Order) -> _Part:
    """Two messages, the first of each length in two parts, now and then a forgery or one whole."""

    def part(chance: random.Random) -> _Pairs:
        every = enumerate((*LENGTHS, *LENGTHS))
        for (first, second), (turn, length) in zip(itertools.cycle(PAIRS), every, strict=False):
            key = chance.randbytes(key_sizes[length % len(key_sizes)])
            other = key if order is Order.KEPT else chance.randbytes(len(key))
            # A script has SLOT_COUNT buffers: of two messages no more than one has three parts.
            whole = turn // len(PAIRS) % 2
            aad, at = (1 + length % 20, ()) if whole else (0, (length // 3,))
            a = _text(chance, key, nonce_len, aad, length)
            b = _text(chance, other, nonce_len, 0, 100)
            forged = length % 4 == 1
            both = _as(first, seal, a, at, forged=forged), _as(second, seal, b, (37,), forged=False)
            yield f"{first}+{second}", joined(*both, order)

    return part


def _text(
    chance: random.Random, key: bytes, nonce_len: int, aad: int, length: int
) -> dict[str, bytes | int]:
    """A message to seal."""
    nonce, text = chance.randbytes(nonce_len), chance.randbytes(length)
    common = {"key": key, "nonce": nonce, "aad": chance.randbytes(aad)}
    return {**common, "plaintext": text, "tag_len": 16}


def _as(
    operation: str, seal: _Seal, message: Inputs, lengths: tuple[int, ...], *, forged: bool
) -> Inputs:
    """The inputs of an operation on a message; of one in parts these are the lengths."""
    cuts = {"aad_cuts": b"", "cuts": cut(*lengths)} if operation.endswith("_parts") else {}
    if operation.startswith("seal"):
        return {**message, **cuts}
    key, nonce, aad, text = (octets(message, n) for n in ("key", "nonce", "aad", "plaintext"))
    ciphertext, tag = seal(key, nonce, aad, text)
    tag = tag[:-1] + bytes([tag[-1] ^ forged])
    opened = {"key": key, "nonce": nonce, "aad": aad, "ciphertext": ciphertext, "tag": tag}
    return {**opened, **cuts}


def _aeads(seal: _Seal, nonce_len: int, key_sizes: tuple[int, ...]) -> Mapping[str, _Part]:
    return {name: _aead(seal, nonce_len, key_sizes, order) for name, order in _ORDERS.items()}


_ORDERS: Mapping[str, Order] = {
    "set up again": Order.AGAIN,
    "in turn": Order.WOVEN,
    "kept": Order.KEPT,
}
_PARTS: Mapping[str, Mapping[str, _Part]] = {
    "aes": {
        **{name: _pairs(_aes, order) for name, order in _ORDERS.items()},
        "block": _aes_block,
    },
    "ghash": {
        "second call": _second_call("ghash"),
        "split": _splits("ghash"),
        **{name: _pairs(_ghash, order) for name, order in _ORDERS.items()},
        "gmult": _ghash_gmult,
    },
    "chacha20": {"second call": _pairs(_chacha20, Order.AGAIN)},
    "poly1305": {
        "second call": _second_call("poly1305"),
        "split": _splits("poly1305"),
        "set up again": _pairs(_poly1305, Order.AGAIN),
        "in turn": _pairs(_poly1305, Order.WOVEN),
    },
    "aes_gcm": {
        **_aeads(gcm.seal, 12, AES_KEY_SIZES),
        **_in_parts(gcm.seal, 12, AES_KEY_SIZES),
    },
    "chacha20_poly1305": {
        **_aeads(chacha20_poly1305.seal, 12, (32,)),
        **_in_parts(chacha20_poly1305.seal, 12, (32,)),
    },
    "chacha20_poly1305_old": _aeads(chacha20_poly1305.seal_old, 8, (32,)),
    "xchacha20_poly1305": _aeads(xchacha20_poly1305.seal, 24, (32,)),
}
CARRYING = frozenset(_PARTS)
_SWITCHED: Mapping[str, str] = {
    "aes": "kept",
    "ghash": "split",
    "poly1305": "split",
    "aes_gcm": "random parts",
    "chacha20_poly1305": "random parts",
}


@functools.cache
def switches(primitive: str) -> tuple[Case, ...]:
    """The cases with several calls on one context, whose masks may change between them; none for a
    primitive whose calls share none."""
    name = _SWITCHED.get(primitive)
    found = (c for c in contexts(primitive) if c.name.rpartition(" ")[0] == name)
    return tuple(itertools.islice(found, SWITCH_CASES))
