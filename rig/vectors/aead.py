"""What one published AEAD record says about seal and about open.

Enters: the fields of a record. Leaves: vectors of both operations. Never here: a file format.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rig.vectors.fields import FieldError
from rig.vectors.records import Vector


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record comes from: the fields that its vectors share."""

    primitive: str
    source: str
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """What travels, and the key: the inputs of open."""

    key: bytes
    nonce: bytes
    aad: bytes
    ciphertext: bytes
    tag: bytes


def genuine(origin: Origin, sealed: Sealed, plaintext: bytes) -> Iterator[Vector]:
    """A valid record: seal gives this ciphertext and tag, open gives the plaintext back.

    Raises FieldError when plaintext and ciphertext differ in length (none of the AEADs pads).
    """
    if len(plaintext) != len(sealed.ciphertext):
        raise FieldError(
            f"the plaintext has {len(plaintext)} bytes, the ciphertext {len(sealed.ciphertext)}"
        )
    yield _vector(
        origin,
        "seal",
        _seal_inputs(sealed, plaintext, len(sealed.tag)),
        {"ciphertext": sealed.ciphertext, "tag": sealed.tag},
    )
    yield _vector(origin, "open", _open_inputs(sealed), {"plaintext": plaintext})


def authentic(origin: Origin, sealed: Sealed) -> Iterator[Vector]:
    """A valid record without a text: GMAC gives this tag, open accepts it."""
    inputs = _seal_inputs(sealed, b"", len(sealed.tag))
    del inputs["plaintext"]
    inputs["message"] = inputs.pop("aad")
    yield _vector(origin, "mac", inputs, {"tag": sealed.tag})
    yield _vector(origin, "open", _open_inputs(sealed), {"plaintext": b""})


def forged(origin: Origin, sealed: Sealed) -> Vector:
    """A record that open must refuse."""
    return _vector(origin, "open", _open_inputs(sealed), {}, valid=False)


def unsealable(origin: Origin, sealed: Sealed, plaintext: bytes, tag_len: int) -> Vector:
    """A record whose nonce seal must refuse; `tag_len` in bytes."""
    return _vector(origin, "seal", _seal_inputs(sealed, plaintext, tag_len), {}, valid=False)


def _seal_inputs(sealed: Sealed, plaintext: bytes, tag_len: int) -> dict[str, bytes | int]:
    return {
        "key": sealed.key,
        "nonce": sealed.nonce,
        "aad": sealed.aad,
        "plaintext": plaintext,
        "tag_len": tag_len,
    }


def _open_inputs(sealed: Sealed) -> dict[str, bytes | int]:
    return {
        "key": sealed.key,
        "nonce": sealed.nonce,
        "aad": sealed.aad,
        "ciphertext": sealed.ciphertext,
        "tag": sealed.tag,
    }


def _vector(
    origin: Origin,
    operation: str,
    inputs: dict[str, bytes | int],
    outputs: dict[str, bytes],
    valid: bool = True,
) -> Vector:
    return Vector(
        primitive=origin.primitive,
        operation=operation,
        source=origin.source,
        name=origin.name,
        place=origin.place,
        inputs=inputs,
        outputs=outputs,
        valid=valid,
    )
