"""Station 4: messages that differ in nothing but their secrets.

Enters: a primitive's name, the length of its message. Leaves: groups of cases with equal public
inputs, the first of which the others are compared with. Never here: what is public (a contract
says so, see `rig.checks.constant_time`), or answers, but for what an open must be given.

Of a long message two secrets are enough to see every block of its loops; the short one has the
edges at which code is tempted to branch: zero and all-ones keys, the first and the last bit of H,
h >= p, r = 0 and its greatest value.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from rig.cases import Case, Inputs, Values
from rig.inputs.sweeps import AES_KEY_SIZES, SEED
from rig.oracle import chacha20_poly1305, gcm, xchacha20_poly1305
from rig.primitives.aead_parts import cut
from rig.primitives.definition import octets

LONG = 0
_TAG = 16
_FIRST_PART = 37
_TOP, _LOW = b"\x80" + bytes(15), bytes(15) + b"\x01"

Group = tuple[str, tuple[Inputs, ...]]
_Groups = Iterator[Group]
_Seal = Callable[[bytes, bytes, bytes, bytes], tuple[bytes, bytes]]


def twins(primitive: str, length: int, *, edges: bool = True) -> Iterator[tuple[Case, ...]]:
    """Groups of a primitive for a message of so many bytes; nothing for one that has none.
    Without `edges` a group has two cases, whose secrets are random."""
    source = _TWINS.get(primitive)
    if source is None:
        return
    draw = _Draw(random.Random(SEED + 2), edges)
    for number, (operation, group) in enumerate(source(draw, length)):
        yield tuple(
            Case(f"secrets {number}.{twin}", Values(primitive, operation, inputs))
            for twin, inputs in enumerate(group)
        )


@dataclass(frozen=True, slots=True)
class _Draw:
    """Chance, and whether edges are drawn beside it."""

    chance: random.Random
    edges: bool

    def octets(self, size: int) -> bytes:
        """Something public."""
        return self.chance.randbytes(size)

    def vary(self, public: Inputs, sizes: Mapping[str, int], *edges: Inputs) -> tuple[Inputs, ...]:
        """Random secrets; all zero, all ones, those that are given; other random ones, last."""
        base: Inputs = {**public, **self._random(sizes)}
        constant = (
            {**base, **{n: fill * s for n, s in sizes.items()}} for fill in (b"\0", b"\xff")
        )
        edged = (*constant, *({**base, **edge} for edge in edges)) if self.edges else ()
        return (base, *edged, {**base, **self._random(sizes)})

    def _random(self, sizes: Mapping[str, int]) -> Inputs:
        return {name: self.chance.randbytes(size) for name, size in sizes.items()}


def _chacha20(draw: _Draw, length: int) -> _Groups:
    public = {"counter": b"\1\0\0\0" + draw.octets(12)}
    yield "ctr32", draw.vary(public, {"key": 32, "data": length})


def _poly1305(draw: _Draw, length: int) -> _Groups:
    ones, most = b"\xff" * length, bytes.fromhex("ffffff0f" + 3 * "fcffff0f")
    one = b"\1" + bytes(15) + b"\xff" * 16
    edges = (
        {"key": one, "message": _unreduced(length) or ones},
        {"key": most + b"\xff" * 16, "message": ones},
        {"key": bytes(32)},
    )
    yield "mac", draw.vary({}, {"key": 32, "message": length}, *edges)


def _unreduced(length: int) -> bytes:
    """With r = 1, what leaves 2^130 - 1, which is h >= p = 2^130 - 5: each block adds 2^128 and its
    number, and what goes past 2^130 comes back as 5 (RFC 8439 section 2.5.1). Nothing for lengths
    of which no such message ends in one block that is not zero and a tail."""
    blocks, rest = divmod(length, 16)
    tail = b"\xff" * rest
    number = int.from_bytes(tail + b"\1", "little") if rest else 0
    before = 5 * ((blocks - 1) // 4) + ((blocks - 1) % 4 << 128)
    last = (1 << 130) - 1 - number - (1 << 128) - before
    if not blocks or last >> 128:
        return b""
    return bytes(16 * (blocks - 1)) + last.to_bytes(16, "little") + tail


def _ghash(draw: _Draw, length: int) -> _Groups:
    edges = tuple({"h": h} for h in (_TOP, _LOW))
    yield "ghash", draw.vary({}, {"h": 16, "xi": 16, "data": length}, *edges)
    if draw.edges:
        yield "gmult", draw.vary({}, {"h": 16, "xi": 16}, *edges)


def _aes(draw: _Draw, length: int) -> _Groups:
    public = {"counter": draw.octets(12) + b"\xff\xff\xff\xfe"}
    yield "ctr32", draw.vary(public, {"key": 16, "data": length})
    for size in AES_KEY_SIZES if draw.edges else ():
        yield "encrypt", replace(draw, edges=False).vary({}, {"key": size, "block": 16})
        yield "decrypt", replace(draw, edges=False).vary({}, {"key": size, "block": 16})
    for operation in ("cbc_encrypt", "cbc_decrypt"):
        yield operation, draw.vary({"iv": draw.octets(16)}, {"key": 16, "data": length})


def _aes_gcm_fused(draw: _Draw, length: int) -> _Groups:
    public = {"counter": draw.octets(12) + b"\0\0\0\2"}
    for operation, size in (("seal", 16), ("open", 16), ("seal", 32)):
        yield operation, draw.vary(public, {"key": size, "xi": 16, "data": length})


def _chacha20_poly1305_fused(draw: _Draw, length: int) -> _Groups:
    public = {"nonce": draw.octets(12), "aad": draw.octets(13)}
    sizes = {"key": 32, "data": length}
    yield "seal", draw.vary({**public, "extra": draw.octets(21)}, sizes)
    yield "open", draw.vary(public, sizes)


def _aead(key: int, nonce: int, seal: _Seal) -> Callable[[_Draw, int], _Groups]:
    def groups(draw: _Draw, length: int) -> _Groups:
        public = {"nonce": draw.octets(nonce), "aad": draw.octets(13)}
        varied = draw.vary(public, {"key": key, "plaintext": length})
        yield "seal", tuple({**inputs, "tag_len": _TAG} for inputs in varied)
        opened = tuple(_sealed(seal, inputs) for inputs in varied)
        yield "open", opened
        last, first = (_forged(opened[0], place) for place in (_TAG - 1, 0))
        cuts = {"aad_cuts": cut(5), "cuts": cut(_FIRST_PART)}
        yield "seal_parts", tuple({**inputs, "tag_len": _TAG, **cuts} for inputs in varied)
        yield "open_parts", tuple({**inputs, **cuts} for inputs in opened)
        yield "open_parts", ({**last, **cuts}, {**first, **cuts})
        yield "open", (last, first)
        yield "open", (last, {**last, "key": opened[-1]["key"]})

    return groups


def _sealed(seal: _Seal, inputs: Inputs) -> Inputs:
    """What opens to a plaintext. The tag follows from the secrets, and is compared with theirs."""
    names = ("key", "nonce", "aad", "plaintext")
    key, nonce, aad, plaintext = (octets(inputs, name) for name in names)
    ciphertext, tag = seal(key, nonce, aad, plaintext)
    return {"key": key, "nonce": nonce, "aad": aad, "ciphertext": ciphertext, "tag": tag}


def _forged(opened: Inputs, place: int) -> Inputs:
    """The same with a tag that is wrong in one byte."""
    tag = bytearray(octets(opened, "tag"))
    tag[place] ^= 1
    return {**opened, "tag": bytes(tag)}


_TWINS: Mapping[str, Callable[[_Draw, int], _Groups]] = {
    "aes": _aes,
    "ghash": _ghash,
    "chacha20": _chacha20,
    "poly1305": _poly1305,
    "aes_gcm_fused": _aes_gcm_fused,
    "chacha20_poly1305_fused": _chacha20_poly1305_fused,
    "aes_gcm": _aead(16, 12, gcm.seal),
    "chacha20_poly1305": _aead(32, 12, chacha20_poly1305.seal),
    "chacha20_poly1305_old": _aead(32, 8, chacha20_poly1305.seal_old),
    "xchacha20_poly1305": _aead(32, 24, xchacha20_poly1305.seal),
}

LENGTHS: Mapping[str, tuple[int, ...]] = {
    "aes": (16 * 19, 16 * 3),
    "ghash": (16 * 21, 16 * 2),
    "chacha20": (64 * 17 + 5, 64 + 5),
    "poly1305": (16 * 21 + 5, 16 * 3 + 5),
    "aes_gcm_fused": (16 * 20, 128),
    "chacha20_poly1305_fused": (64 * 17 + 5, 64 + 5),
    "aes_gcm": (16 * 9 + 5,),
    "chacha20_poly1305": (64 * 2 + 5,),
    "chacha20_poly1305_old": (64 * 2 + 5,),
    "xchacha20_poly1305": (64 * 2 + 5,),
}
"""Of each primitive the long message and the short one, in bytes: a round of the widest loop that
is known, a narrower one and a tail; and what still has a block. Of a composition the long one: the
edges are its slots'."""
