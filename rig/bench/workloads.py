"""What is timed: messages of known sizes, by primitive.

Enters: the name of a primitive. Leaves: `Workload`s, whose values come from a seeded generator.
Never here: paths, or how a call is timed.

The sizes are those of the field's own benchmarks: BoringSSL's `speed` (16, 1350, 8192, 16384 bytes
with 13 of additional data), Go's crypto/cipher (Seal1K, Open1K, Sign8K, Seal8K, Open8K).
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rig.cases import Answer, Case, Inputs, Placement, Values
from rig.primitives import PRIMITIVES
from rig.runner.scripts import Side
from rig.vectors.shapes import SHAPES, Shape, Size

SIZES = (16, 1350, 8192, 16384)
AAD = 13
GO = ((1 << 10, AAD), (8 << 10, AAD))  # of message and additional data, for seal and open
SIGN = 8 << 10  # additional data only
MOST = 1 << 20  # what a slot of the runner holds several times
SEED = 0xBE7C

# Aligned, with memory behind, as an allocator's is: a masked load whose masked-out part lies on a
# PROT_NONE page takes a few hundred cycles more.
_PLACEMENT = Placement(side=Side.START)

# Calls that set up a key are made once, before the clock starts.
SETTING_UP = {
    "aes": ("set_encrypt_key", "set_decrypt_key", "convert_key"),
    "ghash": ("init",),
    "aes_gcm_fused": ("set_encrypt_key", "init"),
    "aes_gcm": ("init",),
    "chacha20_poly1305": ("init",),
    "chacha20_poly1305_old": ("init",),
    "xchacha20_poly1305": ("init",),
}


@dataclass(frozen=True, slots=True)
class Workload:
    """One thing to time. `algorithm` and `action` name it for a reader; `size` are the bytes of the
    message, of additional data where there is no message."""

    algorithm: str
    action: str
    size: int
    aad: int
    case: Case

    @property
    def primitive(self) -> str:
        """The primitive's name."""
        return self.case.values.primitive

    @property
    def title(self) -> str:
        """Everything but the size."""
        return f"{self.algorithm} {self.action}".rstrip()


@dataclass(frozen=True, slots=True)
class _Aead:
    algorithm: str
    key: int
    nonce: int
    go: bool = False


_AEADS = {
    "aes_gcm": (_Aead("AES-128-GCM", 16, 12, go=True), _Aead("AES-256-GCM", 32, 12)),
    "chacha20_poly1305": (_Aead("ChaCha20-Poly1305", 32, 12),),
    "chacha20_poly1305_old": (_Aead("ChaCha20-Poly1305-Old", 32, 8),),
    "xchacha20_poly1305": (_Aead("XChaCha20-Poly1305", 32, 24),),
}
_TAG = 16


def workloads(primitive: str, sizes: Sequence[int] = ()) -> tuple[Workload, ...]:
    """The workloads of a primitive; `sizes` in place of the usual ones. Those of a primitive that
    has no row here follow from its shapes: each operation, the first free input in each size."""
    if primitive in _AEADS:
        return tuple(w for aead in _AEADS[primitive] for w in _aead(primitive, aead, sizes))
    return tuple(_by_shapes(primitive, sizes or SIZES))


def _aead(primitive: str, aead: _Aead, sizes: Sequence[int]) -> Iterator[Workload]:
    pairs = [(size, AAD) for size in sizes or SIZES]
    if aead.go and not sizes:
        pairs = sorted({*pairs, *GO})
    for size, aad in pairs:
        yield from _both_ways(primitive, aead, size, aad)
    if not sizes:
        yield from (w for w in _both_ways(primitive, aead, 0, SIGN) if w.action == "sign")


def _both_ways(primitive: str, aead: _Aead, size: int, aad: int) -> Iterator[Workload]:
    """Sealing, and opening what has been sealed."""
    take = random.Random(f"{SEED} {aead.algorithm} {size} {aad}").randbytes
    inputs: Inputs = {
        "key": take(aead.key),
        "nonce": take(aead.nonce),
        "aad": take(aad),
        "plaintext": take(size),
        "tag_len": _TAG,
    }
    seal = PRIMITIVES[primitive].operations["seal"]
    answer = seal.answer(inputs)
    assert seal.inverse
    yield _workload(primitive, aead.algorithm, "seal" if size else "sign", inputs, answer, size)
    operation, opened, plain = seal.inverse(inputs, answer)
    yield _workload(primitive, aead.algorithm, operation, opened, plain, size)


def _workload(
    primitive: str, algorithm: str, action: str, inputs: Inputs, answer: Answer, size: int
) -> Workload:
    operation = "seal" if action == "sign" else action
    aad = inputs["aad"]
    assert isinstance(aad, bytes)
    name = f"{algorithm} {action} {size}"
    case = Case(name, Values(primitive, operation, inputs), _PLACEMENT, answer)
    return Workload(algorithm, action, size or len(aad), len(aad), case)


# Of keys that may have several sizes, these.
_KEYS = {"aes": (("AES-128", 16), ("AES-256", 32)), "aes_gcm_fused": (("AES-128-GCM fused", 16),)}
_NAMES = {"ghash": "GHASH", "chacha20": "ChaCha20", "poly1305": "Poly1305"}
_ACTIONS = {("aes", "ctr32"): "CTR", ("ghash", "ghash"): "", ("chacha20", "ctr32"): "stream"}
_LEFT_OUT = {"aes": ("encrypt", "decrypt")}  # of one block, which CTR has at 16 bytes
_MESSAGES = ("data", "message", "plaintext", "ciphertext")


def _by_shapes(primitive: str, sizes: Sequence[int]) -> Iterator[Workload]:
    definition = PRIMITIVES[primitive]
    names = _KEYS.get(primitive, ((_NAMES.get(primitive, primitive), 0),))
    for action, shape in SHAPES[primitive].items():
        if action not in definition.operations or action in _LEFT_OUT.get(primitive, ()):
            continue
        message = next((name for name in _MESSAGES if name in shape.inputs), "")
        lengths = [_nearest(shape.inputs[message], size) for size in sizes] if message else [0]
        for (name, key), size in product(names, dict.fromkeys(lengths)):
            given = {message: size} | ({"key": key} if key else {})
            inputs = dict(_inputs(shape, given, f"{SEED} {name} {action} {size}"))
            values = Values(primitive, action, inputs)
            case = Case(f"{name} {action} {size}", values, _PLACEMENT)
            yield Workload(name, _ACTIONS.get((primitive, action), action), size, 0, case)


def _nearest(field: Size, size: int) -> int:
    """The largest length up to `size` that a message may have, else the least above it."""
    below = (n for n in range(size, 0, -1) if field.fits(n))
    return next(below, 0) or next((n for n in range(size, 2 * MOST) if field.fits(n)), 0)


def _inputs(shape: Shape, given: Mapping[str, int], seed: str) -> Iterator[tuple[str, bytes | int]]:
    """Each input with the length that is given, else its least above 0."""
    take = random.Random(seed).randbytes
    for name, field in shape.inputs.items():
        length = given[name] if name in given else _nearest(field, 1)
        yield name, length if field.number else take(length)
