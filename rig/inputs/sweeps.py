"""Station 4: every length once, deterministically, for each primitive.

Enters: a primitive's name. Leaves: cases without answers. Never here: the oracle. The bytes
come from a seeded generator, so the same cases come out everywhere; the guard side alternates
from case to case (the runner's second seed takes the other side), every third output lies in
place of its input.
"""

import functools
import random
from collections.abc import Callable, Iterator, Mapping

from rig.cases import Case, Inputs, Placement, Values
from rig.primitives import own_of
from rig.primitives.definition import Own
from rig.runner.scripts import Side
from rig.vectors.shapes import Size

DATA_LENGTHS = range(2101)
CHACHA20_LENGTHS = range(4 * 1024 + 1)  # sixteen lanes of 64 bytes are its widest loop
FEWER_LENGTHS = DATA_LENGTHS[:1101]  # of what is told by its parts' sweeps
AAD_LENGTHS = range(301)
CBC_LENGTHS = DATA_LENGTHS[: 16 * 35 : 16]  # one block after another has no wider loops
FEW_CASES = 200  # the fewest of an operation, where its inputs have fewer lengths
SEED = 0x5EED
AES_KEY_SIZES = (16, 24, 32)

_Bytes = Callable[[int], bytes]


def sweep(primitive: str) -> Iterator[Case]:
    """The sweep of a primitive; nothing for one that has none."""
    own = own_of(primitive)
    source = functools.partial(_by_shapes, own) if own else _SWEEPS.get(primitive)
    if source is None:
        return
    take = random.Random(SEED).randbytes
    for number, (operation, inputs) in enumerate(source(take)):
        placement = Placement(side=Side(number % 2), in_place=number % 3 == 2)
        yield Case(f"sweep {number}", Values(primitive, operation, inputs), placement)


def is_swept(primitive: str) -> bool:
    """Whether a primitive has a sweep: every one that the rig has, and every project's own."""
    return primitive in SWEPT or own_of(primitive) is not None


_Sweep = Iterator[tuple[str, Inputs]]


def _by_shapes(own: Own, take: _Bytes) -> _Sweep:
    """Every length that the first free input of an operation may have; the others take turns
    among theirs."""
    for operation, shape in own.shapes.items():
        sizes = {name: fitting(size) for name, size in shape.inputs.items()}
        free = next((name for name, lengths in sizes.items() if len(lengths) > 1), None)
        for turn in range(max(len(sizes[free]) if free else 0, FEW_CASES)):
            lengths = {name: each[turn % len(each)] for name, each in sizes.items()}
            yield (
                operation,
                {
                    name: lengths[name] if shape.inputs[name].number else take(lengths[name])
                    for name in sizes
                },
            )


def fitting(size: Size) -> tuple[int, ...]:
    """The lengths of the sweep that an input may have."""
    return tuple(n for n in DATA_LENGTHS if size.fits(n))


def _chacha20(take: _Bytes) -> _Sweep:
    for length in CHACHA20_LENGTHS:
        yield "ctr32", {"key": take(32), "counter": take(16), "data": take(length)}


def _poly1305(take: _Bytes) -> _Sweep:
    for length in DATA_LENGTHS:
        yield "mac", {"key": take(32), "message": take(length)}


def _ghash(take: _Bytes) -> _Sweep:
    for length in DATA_LENGTHS[::16]:
        for _ in range(4):
            yield "ghash", {"h": take(16), "xi": take(16), "data": take(length)}
            yield "gmult", {"h": take(16), "xi": take(16)}


def _aes(take: _Bytes) -> _Sweep:
    for length in DATA_LENGTHS[::16]:
        for size in AES_KEY_SIZES:
            yield "ctr32", {"key": take(size), "counter": take(16), "data": take(length)}
            yield "encrypt", {"key": take(size), "block": take(16)}
    for length in CBC_LENGTHS:
        for size in AES_KEY_SIZES:
            yield "decrypt", {"key": take(size), "block": take(16)}
            for operation in ("cbc_encrypt", "cbc_decrypt"):
                yield operation, {"key": take(size), "iv": take(16), "data": take(length)}


def _aes_gcm_fused(take: _Bytes) -> _Sweep:
    for length in FEWER_LENGTHS:
        for size in AES_KEY_SIZES:
            inputs = {"key": take(size), "counter": take(16), "xi": take(16)}
            yield "seal", {**inputs, "data": take(length)}


def _chacha20_poly1305_fused(take: _Bytes) -> _Sweep:
    for length in FEWER_LENGTHS:
        inputs = {"key": take(32), "nonce": take(12), "aad": take(length % 65)}
        yield "seal", {**inputs, "data": take(length), "extra": take(length % 35 * (length % 2))}
        yield "open", {**inputs, "data": take(length)}


def _aead(
    key_sizes: tuple[int, ...], nonce: int, of_data: range = DATA_LENGTHS
) -> Callable[[_Bytes], _Sweep]:
    def sweep_aead(take: _Bytes) -> _Sweep:
        lengths = [(n, 13) for n in of_data] + [(n % 50, n) for n in AAD_LENGTHS]
        for size in key_sizes:
            key = take(size)
            for data, aad in lengths:
                yield (
                    "seal",
                    {
                        "key": key,
                        "nonce": take(nonce),
                        "aad": take(aad),
                        "plaintext": take(data),
                        "tag_len": 16,
                    },
                )

    return sweep_aead


def _aes_gcm(take: _Bytes) -> _Sweep:
    """AES-GCM's lengths, and messages of GMAC of each number of blocks, with a tail and without."""
    yield from _aead(AES_KEY_SIZES, 12)(take)
    for blocks, length in enumerate(DATA_LENGTHS[::16]):
        for turn, tail in enumerate((0, 1 + blocks % 15)):
            key = take(AES_KEY_SIZES[(blocks + turn) % 3])
            message = take(length + tail)
            yield "mac", {"key": key, "nonce": take(12), "message": message, "tag_len": 16}


_SWEEPS: Mapping[str, Callable[[_Bytes], _Sweep]] = {
    "aes": _aes,
    "ghash": _ghash,
    "chacha20": _chacha20,
    "poly1305": _poly1305,
    "aes_gcm_fused": _aes_gcm_fused,
    "aes_gcm": _aes_gcm,
    "chacha20_poly1305_fused": _chacha20_poly1305_fused,
    "chacha20_poly1305": _aead((32,), 12),
    "chacha20_poly1305_old": _aead((32,), 8),
    "xchacha20_poly1305": _aead((32,), 24, FEWER_LENGTHS),
}
SWEPT = frozenset(_SWEEPS)
