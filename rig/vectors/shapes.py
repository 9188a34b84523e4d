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


def exactly(*sizes: int) -> Size:
    """One of these numbers of bytes."""
    *most, last = map(str, sizes)
    return Size(f"{', '.join(most)}{' or ' if most else ''}{last} bytes", lambda n: n in sizes)


def multiple_of(unit: int) -> Size:
    """Whole units of so many bytes, none included."""
    return Size(f"whole blocks of {unit} bytes", lambda size: size % unit == 0)


ANY = Size("any number of bytes", lambda size: True)
_LENGTH = Size("a length in bytes", lambda size: True, number=True)
_BLOCK, _BLOCKS = exactly(16), multiple_of(16)
_AES_KEY, _KEY = exactly(16, 24, 32), exactly(32)


def _ctr32(key: Size, data: Size) -> Shape:
    inputs = {"key": key, "counter": _BLOCK, "data": data}
    return Shape(inputs, {"output": data}, ("data", "output"))


def _cbc() -> Shape:
    inputs = {"key": _AES_KEY, "iv": _BLOCK, "data": _BLOCKS}
    return Shape(inputs, {"output": _BLOCKS}, ("data", "output"))


def _aead(key: Size) -> dict[str, Shape]:
    both = {"key": key, "nonce": ANY, "aad": ANY}
    plain, sealed = {"plaintext": ANY}, {"ciphertext": ANY, "tag": ANY}
    equal = ("plaintext", "ciphertext")
    return {
        "aead": Shape(both | plain, sealed, equal),
        "seal": Shape(both | plain | {"tag_len": _LENGTH}, sealed, equal),
        "open": Shape(both | sealed, plain, equal),
    }


def _gmac() -> Shape:
    inputs = {"key": _AES_KEY, "nonce": ANY, "message": ANY, "tag_len": _LENGTH}
    return Shape(inputs, {"tag": ANY})


def _fused() -> Shape:
    """`xis` is Xi after each number of blocks, from none on."""
    inputs = {"key": _AES_KEY, "counter": _BLOCK, "xi": _BLOCK, "data": ANY}
    outputs = {"output": ANY, "xis": _BLOCKS, "h": _BLOCK}
    return Shape(inputs, outputs, ("data", "output"))


def _chacha20_poly1305_fused() -> dict[str, Shape]:
    nonce = exactly(12)
    opened = {"key": _KEY, "nonce": nonce, "aad": ANY, "data": ANY}
    outputs, equal = {"output": ANY, "tag": _BLOCK}, ("data", "output")
    return {
        "seal": Shape({**opened, "extra": ANY}, outputs, equal),
        "open": Shape(opened, outputs, equal),
    }


SHAPES: dict[str, Mapping[str, Shape]] = {
    "aes": {
        "encrypt": Shape({"key": _AES_KEY, "block": _BLOCK}, {"block_out": _BLOCK}),
        "ctr32": _ctr32(_AES_KEY, _BLOCKS),
        "decrypt": Shape({"key": _AES_KEY, "block": _BLOCK}, {"block_out": _BLOCK}),
        **{name: _cbc() for name in ("cbc_encrypt", "cbc_decrypt")},
    },
    "ghash": {"ghash": Shape({"h": _BLOCK, "xi": _BLOCK, "data": _BLOCKS}, {"xi_out": _BLOCK})},
    "chacha20": {"ctr32": _ctr32(_KEY, ANY)},
    "poly1305": {"mac": Shape({"key": _KEY, "message": ANY}, {"tag": _BLOCK})},
    "aes_gcm_fused": {name: _fused() for name in ("seal", "open")},
    "chacha20_poly1305_fused": _chacha20_poly1305_fused(),
    "aes_gcm": {**_aead(_AES_KEY), "mac": _gmac()},
    "chacha20_poly1305": _aead(_KEY),
    "chacha20_poly1305_old": _aead(_KEY),
    "xchacha20_poly1305": _aead(_KEY),
}
