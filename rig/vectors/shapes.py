"""Which fields a record of each operation has, and of which sizes.

Enters: nothing. Leaves: the table `SHAPES`. Never here: parsing. A new primitive adds one entry.
Sizes that a record may legitimately break, to be refused for it (nonce, tag), are free.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Which lengths in bytes a field may have. A `number` is no bytes but a length itself."""

    words: str
    fits: Callable[[int], bool]
    number: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """An operation's fields by name; `equal` names two that have one length."""

    inputs: Mapping[str, Size]
    outputs: Mapping[str, Size]
    equal: tuple[str, ...] = ()


_ANY = Size("any number of bytes", lambda size: True)
_LENGTH = Size("a length in bytes", lambda size: True, number=True)
_BLOCK = Size("16 bytes", lambda size: size == 16)
_BLOCKS = Size("whole blocks of 16 bytes", lambda size: size % 16 == 0)
_AES_KEY = Size("16, 24 or 32 bytes", lambda size: size in (16, 24, 32))
_KEY = Size("32 bytes", lambda size: size == 32)


def _ctr32(key: Size, data: Size) -> Shape:
    inputs = {"key": key, "counter": _BLOCK, "data": data}
    return Shape(inputs, {"output": data}, ("data", "output"))


def _aead(key: Size) -> dict[str, Shape]:
    both = {"key": key, "nonce": _ANY, "aad": _ANY}
    plain, sealed = {"plaintext": _ANY}, {"ciphertext": _ANY, "tag": _ANY}
    equal = ("plaintext", "ciphertext")
    return {
        "aead": Shape(both | plain, sealed, equal),
        "seal": Shape(both | plain | {"tag_len": _LENGTH}, sealed, equal),
        "open": Shape(both | sealed, plain, equal),
    }


def _fused() -> Shape:
    """`xis` is Xi after each number of blocks, from none on."""
    inputs = {"key": _AES_KEY, "counter": _BLOCK, "xi": _BLOCK, "data": _ANY}
    outputs = {"output": _ANY, "xis": _BLOCKS, "h": _BLOCK}
    return Shape(inputs, outputs, ("data", "output"))


def _chacha20_poly1305_fused() -> dict[str, Shape]:
    nonce = Size("12 bytes", lambda size: size == 12)
    opened = {"key": _KEY, "nonce": nonce, "aad": _ANY, "data": _ANY}
    outputs, equal = {"output": _ANY, "tag": _BLOCK}, ("data", "output")
    return {
        "seal": Shape({**opened, "extra": _ANY}, outputs, equal),
        "open": Shape(opened, outputs, equal),
    }


SHAPES: Mapping[str, Mapping[str, Shape]] = {
    "aes": {
        "encrypt": Shape({"key": _AES_KEY, "block": _BLOCK}, {"block_out": _BLOCK}),
        "ctr32": _ctr32(_AES_KEY, _BLOCKS),
    },
    "ghash": {"ghash": Shape({"h": _BLOCK, "xi": _BLOCK, "data": _BLOCKS}, {"xi_out": _BLOCK})},
    "chacha20": {"ctr32": _ctr32(_KEY, _ANY)},
    "poly1305": {"mac": Shape({"key": _KEY, "message": _ANY}, {"tag": _BLOCK})},
    "aes_gcm_fused": {name: _fused() for name in ("seal", "open")},
    "chacha20_poly1305_fused": _chacha20_poly1305_fused(),
    "aes_gcm": _aead(_AES_KEY),
    "chacha20_poly1305": _aead(_KEY),
    "chacha20_poly1305_old": _aead(_KEY),
}
