"""Station 4: what an AEAD must refuse: forgeries, and lengths that it has not.

Enters: a primitive's name. Leaves: cases without answers, deterministic, named by their part.
Never here: whether a case is refused (the oracle says so: GCM has nonces of every length), or
what becomes of the output then (the contract says so).
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rig.cases import Case, Inputs, Placement, Values
from rig.inputs.sweeps import AES_KEY_SIZES, SEED
from rig.oracle import chacha20_poly1305, gcm, xchacha20_poly1305
from rig.primitives.aead_parts import cut
from rig.runner.scripts import Side

MESSAGES = ((0, 0), (20, 1), (0, 40), (33, 0), (20, 300), (5, 700))  # bytes of aad, of text
PARTED = 4  # the turn of the message that is taken in parts too
TAG_LEN = 16
TAG_LENS = (*range(TAG_LEN + 2), 2 * TAG_LEN)
KEY_LENS = (0, 1, 15, 16, 17, 23, 24, 25, 31, 32, 33, 64)
_CUTS = {"aad_cuts": cut(7), "cuts": cut(20)}
_APART = (1, 2, 4, 8)  # bytes: what a sum of differences over words would let cancel

_Seal = Callable[[bytes, bytes, bytes, bytes], tuple[bytes, bytes]]
_Negatives = Iterator[tuple[str, str, Inputs]]


@dataclass(frozen=True, slots=True)
class _Aead:
    """How messages of an AEAD are sealed, and the lengths in bytes that they have."""

    seal: _Seal
    nonce_len: int
    key_sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Sealed:
    key: bytes
    nonce: bytes
    aad: bytes
    ciphertext: bytes
    tag: bytes

    def forged(self, **changed: bytes) -> dict[str, bytes | int]:
        """The inputs of an open with some of them changed."""
        return {name: changed.get(name, getattr(self, name)) for name in self.__slots__}


def negatives(primitive: str) -> Iterator[Case]:
    """The negatives of a primitive; nothing for one that authenticates nothing."""
    aead = _AEADS.get(primitive)
    if aead is None:
        return
    for number, (part, operation, inputs) in enumerate(_every(aead)):
        placement = Placement(side=Side(number % 2), in_place=number % 3 == 2)
        yield Case(f"{part} {number}", Values(primitive, operation, inputs), placement)


def _every(aead: _Aead) -> _Negatives:
    chance = random.Random(SEED + 2)
    for turn, (aad_len, text_len) in enumerate(MESSAGES):
        key = chance.randbytes(aead.key_sizes[turn % len(aead.key_sizes)])
        nonce, aad = chance.randbytes(aead.nonce_len), chance.randbytes(aad_len)
        plaintext = chance.randbytes(text_len)
        sealed = _Sealed(key, nonce, aad, *aead.seal(key, nonce, aad, plaintext))
        for name, part in _FORGERIES.items():
            for changed in part(sealed):
                yield name, "open", sealed.forged(**changed)
        whole = {"key": key, "nonce": nonce, "aad": aad, "plaintext": plaintext}
        for seal_nonce in _nonce_forms(nonce):
            yield "nonce length", "seal", {**whole, "nonce": seal_nonce, "tag_len": TAG_LEN}
        for tag_len in TAG_LENS:
            yield "tag length", "seal", {**whole, "tag_len": tag_len}
        if turn == PARTED:
            yield from _parts(whole, sealed)
        elif not aad and not plaintext:
            yield from _forged_parts(sealed, "tag bit", "short tag")
    for size in KEY_LENS:
        yield "key length", "init", {"key": chance.randbytes(size)}


def _parts(whole: dict[str, bytes], sealed: _Sealed) -> _Negatives:
    """What of these a message in parts meets in functions of its own."""
    yield from _forged_parts(sealed, "tag bit", "tag length", "short tag")
    for nonce in _nonce_forms(sealed.nonce):
        yield "nonce length, in parts", "begin", {"key": sealed.key, "nonce": nonce}
    for tag_len in TAG_LENS:
        yield "tag length, in parts", "seal_parts", {**whole, "tag_len": tag_len, **_CUTS}


def _forged_parts(sealed: _Sealed, *names: str) -> _Negatives:
    for name in names:
        for changed in _FORGERIES[name](sealed):
            yield f"{name}, in parts", "open_parts", {**sealed.forged(**changed), **_CUTS}


_Changes = Iterator[dict[str, bytes]]


def _tag_bits(sealed: _Sealed) -> _Changes:
    for bit in range(8 * TAG_LEN):
        yield {"tag": _flip(sealed.tag, bit)}


def _tag_pairs(sealed: _Sealed) -> _Changes:
    """The same bit in two bytes, the top one too: their differences cancel in a sum or xor."""
    for apart in _APART:
        for first in range(TAG_LEN - apart):
            for bit in (first % 7, 7):
                one = _flip(sealed.tag, 8 * first + bit)
                yield {"tag": _flip(one, 8 * (first + apart) + bit)}


def _bytes(sealed: _Sealed) -> _Changes:
    for name in ("key", "nonce", "aad", "ciphertext"):
        value: bytes = getattr(sealed, name)
        for at in range(len(value)):
            yield {name: _flip(value, 8 * at + at % 8)}


def _lengths(sealed: _Sealed) -> _Changes:
    """What has the bytes of the genuine message, or they zero-padded, with other lengths."""
    aad, ciphertext = sealed.aad, sealed.ciphertext
    for name in ("aad", "ciphertext"):
        value: bytes = getattr(sealed, name)
        yield {name: value + b"\0"}
        yield {name: value + bytes(-len(value) % 16 or 16)}
        if value:
            yield {name: value[:-1]}
    if ciphertext:
        yield {"aad": aad + ciphertext[:1], "ciphertext": ciphertext[1:]}
    if aad:
        yield {"aad": aad[:-1], "ciphertext": aad[-1:] + ciphertext}
    if aad != ciphertext:
        yield {"aad": ciphertext, "ciphertext": aad}


def _tag_lengths(sealed: _Sealed) -> _Changes:
    for size in TAG_LENS:
        if size != TAG_LEN:
            yield {"tag": (sealed.tag + bytes(TAG_LEN))[:size]}


def _short_tags(sealed: _Sealed) -> _Changes:
    """A bit in each byte of the tags that GCM cuts to fewer bytes (SP 800-38D clause 5.2.1.2)."""
    for size in gcm.TAG_LENS:
        for at in range(size if size != TAG_LEN else 0):
            yield {"tag": _flip(sealed.tag[:size], 8 * at + at % 8)}


def _nonce_lengths(sealed: _Sealed) -> _Changes:
    for nonce in _nonce_forms(sealed.nonce):
        yield {"nonce": nonce}


def _nonce_forms(nonce: bytes) -> Iterator[bytes]:
    """The front of a nonce, and the nonce with zeros behind and before it."""
    size = len(nonce)
    yield from (nonce[:length] for length in (0, 1, size - 4, size - 1))
    yield from (nonce + bytes(more) for more in (1, 4, 12))
    yield bytes(4) + nonce


_FORGERIES: Mapping[str, Callable[[_Sealed], _Changes]] = {
    "tag bit": _tag_bits,
    "tag pair": _tag_pairs,
    "byte": _bytes,
    "length": _lengths,
    "tag length": _tag_lengths,
    "short tag": _short_tags,
    "nonce length": _nonce_lengths,
}
_IN_PARTS = ("tag bit", "tag length", "short tag", "nonce length")
PARTS = (*_FORGERIES, "key length", *(f"{name}, in parts" for name in _IN_PARTS))


def _flip(value: bytes, bit: int) -> bytes:
    return (int.from_bytes(value, "little") ^ 1 << bit).to_bytes(len(value), "little")


_AEADS: Mapping[str, _Aead] = {
    "aes_gcm": _Aead(gcm.seal, 12, AES_KEY_SIZES),
    "chacha20_poly1305": _Aead(chacha20_poly1305.seal, 12, (32,)),
    "chacha20_poly1305_old": _Aead(chacha20_poly1305.seal_old, 8, (32,)),
    "xchacha20_poly1305": _Aead(xchacha20_poly1305.seal, 24, (32,)),
}
REFUSING = frozenset(_AEADS)
