"""Station 4: single messages longer than any that is published, in one call.

Enters: a primitive's name. Leaves: cases without answers, deterministic. Never here: the oracle.
A defect that begins at a number of bytes or blocks (a 16-bit count of blocks, a table of powers
refilled, a chunk of a composition) shows in one call only, never in many short ones.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping

from rig.cases import Case, Inputs, Placement, Values
from rig.inputs.sweeps import SEED, fitting
from rig.primitives import own_of
from rig.runner.scripts import Side
from rig.vectors.shapes import Shape

KIB = 1 << 10
LONG = (4 * KIB, 4 * KIB + 17, 24 * KIB, 24 * KIB + 65)
HUGE = (1024 * KIB + 16 * 3 + 5, 1536 * KIB + 16)  # past 2^16 blocks of 16 bytes

_Message = Callable[[random.Random, int], tuple[str, Inputs]]


def long_messages(primitive: str) -> Iterator[Case]:
    """Messages of the lengths in LONG; nothing for a primitive that has no messages. Of a
    project's own each input that may have these lengths is one."""
    own = own_of(primitive)
    if own is None:
        yield from _messages(primitive, LONG)
        return
    for operation, shape in own.shapes.items():
        for name, size in shape.inputs.items():
            yield from _own_messages(primitive, operation, shape, name, filter(size.fits, LONG))


def huge_messages(primitive: str) -> Iterator[Case]:
    """Messages of the lengths in HUGE; nothing for a primitive that has no messages, or for a
    project's own, whose oracle may be slow."""
    return _messages(primitive, HUGE)


def _messages(primitive: str, lengths: tuple[int, ...]) -> Iterator[Case]:
    message = _MESSAGES.get(primitive)
    if message is None:
        return
    for number, length in enumerate(lengths):
        chance = random.Random(f"{SEED} {primitive} {length}")
        operation, inputs = message(chance, length)
        placement = Placement(side=Side(number % 2), in_place=number % 2 == 1)
        yield Case(f"{length} bytes", Values(primitive, operation, inputs), placement)


def _own_messages(
    primitive: str, operation: str, shape: Shape, name: str, lengths: Iterable[int]
) -> Iterator[Case]:
    for number, length in enumerate(() if shape.inputs[name].number else lengths):
        chance = random.Random(f"{SEED} {primitive} {operation} {length}")
        sizes = {other: fitting(size)[0] for other, size in shape.inputs.items()} | {name: length}
        inputs = {
            other: sizes[other] if size.number else chance.randbytes(sizes[other])
            for other, size in shape.inputs.items()
        }
        placement = Placement(side=Side(number % 2), in_place=number % 2 == 1)
        values = Values(primitive, operation, inputs)
        yield Case(f"{operation} {name} {length}", values, placement)


def is_long(primitive: str) -> bool:
    """Whether a primitive has messages of any length, as far as is known before they are made."""
    return primitive in LONGER or own_of(primitive) is not None


def _blocks(length: int) -> int:
    return length - length % 16


def _chacha20(chance: random.Random, length: int) -> tuple[str, Inputs]:
    inputs = {"key": chance.randbytes(32), "counter": chance.randbytes(16)}
    return "ctr32", {**inputs, "data": chance.randbytes(length)}


def _aes(chance: random.Random, length: int) -> tuple[str, Inputs]:
    inputs = {"key": chance.randbytes(_aes_key_size(length)), "counter": chance.randbytes(16)}
    return "ctr32", {**inputs, "data": chance.randbytes(_blocks(length))}


def _aes_gcm_fused(chance: random.Random, length: int) -> tuple[str, Inputs]:
    inputs = {"key": chance.randbytes(_aes_key_size(length)), "counter": chance.randbytes(16)}
    return "seal", {**inputs, "xi": chance.randbytes(16), "data": chance.randbytes(length)}


def _aes_key_size(length: int) -> int:
    return (16, 32)[length % 2]


def _ghash(chance: random.Random, length: int) -> tuple[str, Inputs]:
    inputs = {"h": chance.randbytes(16), "xi": chance.randbytes(16)}
    return "ghash", {**inputs, "data": chance.randbytes(_blocks(length))}


def _poly1305(chance: random.Random, length: int) -> tuple[str, Inputs]:
    return "mac", {"key": chance.randbytes(32), "message": chance.randbytes(length)}


def _aead(key_len: int, nonce_len: int) -> _Message:
    def message(chance: random.Random, length: int) -> tuple[str, Inputs]:
        """Long data and long additional data beside it, which is a fourth of it."""
        return "seal", {
            "key": chance.randbytes(key_len),
            "nonce": chance.randbytes(nonce_len),
            "aad": chance.randbytes(length // 4),
            "plaintext": chance.randbytes(length),
            "tag_len": 16,
        }

    return message


def _chacha20_poly1305_fused(chance: random.Random, length: int) -> tuple[str, Inputs]:
    sizes = {"key": 32, "nonce": 12, "aad": length // 4, "data": length, "extra": 16}
    return "seal", {name: chance.randbytes(size) for name, size in sizes.items()}


_MESSAGES: Mapping[str, _Message] = {
    "aes": _aes,
    "ghash": _ghash,
    "chacha20": _chacha20,
    "poly1305": _poly1305,
    "aes_gcm_fused": _aes_gcm_fused,
    "aes_gcm": _aead(32, 12),
    "chacha20_poly1305_fused": _chacha20_poly1305_fused,
    "chacha20_poly1305": _aead(32, 12),
    "chacha20_poly1305_old": _aead(32, 8),
    "xchacha20_poly1305": _aead(32, 24),
}
LONGER = frozenset(_MESSAGES)
