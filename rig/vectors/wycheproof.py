"""Wycheproof AEAD files: AES-GCM, ChaCha20-Poly1305 and XChaCha20-Poly1305.

Enters: a JSON document of schema aead_test_schema (v0, v1). Leaves: vectors and problems. Never
here: the other Wycheproof algorithms. Source: C2SP/wycheproof, doc/types.md (AeadTestGroup,
AeadTestVector). A result "acceptable" is a legitimate record that a library may decline to
support; the rig's contracts decline none, so it is read as valid.
"""

from collections.abc import Iterator, Mapping

from rig.vectors import aead
from rig.vectors.fields import FieldError, demand_size, octets, size_of_bits, table, whole
from rig.vectors.groups import Test, tests
from rig.vectors.records import Problem, Vector
from rig.vectors.source_file import SourceFile

SOURCE = "Wycheproof"
PRIMITIVES = {
    "AES-GCM": "aes_gcm",
    "CHACHA20-POLY1305": "chacha20_poly1305",
    "XCHACHA20-POLY1305": "xchacha20_poly1305",
}

# Records with these flags state a nonce that no key may be used with: seal refuses it too.
_NONCE_FLAGS = {"ZeroLengthIv", "InvalidNonceSize"}


def knows(file: SourceFile) -> bool:
    """Whether this is a Wycheproof file, of whatever algorithm."""
    document = file.document
    return isinstance(document, dict) and {"numberOfTests", "testGroups"} <= document.keys()


def read(file: SourceFile) -> Iterator[Vector | Problem]:
    """The tests in the order of the file, then a Problem if its own count of them differs."""
    document = table(file.document, "the file")
    algorithm = str(document.get("algorithm"))
    if algorithm not in PRIMITIVES:
        message = f"Wycheproof algorithm {algorithm!r} is none of {', '.join(PRIMITIVES)}"
        yield Problem(file.place(next(file.lines_of_key("algorithm"), 1)), message)
        return
    count = 0
    for test in tests(file, document):
        count += 1
        yield from _judged(file, PRIMITIVES[algorithm], test)
    if count != document["numberOfTests"]:
        message = f"numberOfTests is {document['numberOfTests']}, but the file holds {count}"
        yield Problem(file.place(next(file.lines_of_key("numberOfTests"))), message)


def _judged(file: SourceFile, primitive: str, test: Test | Problem) -> Iterator[Vector | Problem]:
    if isinstance(test, Problem):
        yield test
        return
    origin = aead.Origin(primitive, SOURCE, f"{file.path.stem} {test.name}", test.place)
    try:
        yield from _vectors(origin, test)
    except FieldError as error:
        yield Problem(test.place, f"{test.name}: {error}")


def _vectors(origin: aead.Origin, test: Test) -> Iterator[Vector]:
    result = test.fields.get("result")
    if result not in ("valid", "acceptable", "invalid"):
        raise FieldError(f"result {result!r} is none of valid, acceptable, invalid")
    key, nonce = _sized(test, "key", "keySize"), _sized(test, "iv", "ivSize")
    aad, plaintext, ciphertext = (_octets(test.fields, name) for name in ("aad", "msg", "ct"))
    if result == "invalid":
        tag = _octets(test.fields, "tag")
        yield aead.forged(origin, aead.Sealed(key, nonce, aad, ciphertext, tag))
        if _NONCE_FLAGS.intersection(_flags(test)):
            sealed = aead.Sealed(key, nonce, aad, b"", b"")
            yield aead.unsealable(origin, sealed, plaintext, _size(test.group, "tagSize"))
    else:
        tag = _sized(test, "tag", "tagSize")
        yield from aead.genuine(origin, aead.Sealed(key, nonce, aad, ciphertext, tag), plaintext)


def _flags(test: Test) -> list[str]:
    flags = test.fields.get("flags", [])
    if not isinstance(flags, list):
        raise FieldError("flags is no JSON array")
    return [str(flag) for flag in flags]


def _octets(fields: Mapping[str, object], name: str) -> bytes:
    return octets(fields.get(name), name)


def _size(group: Mapping[str, object], name: str) -> int:
    return size_of_bits(whole(group.get(name), f"the group's {name}"), name)


def _sized(test: Test, name: str, size: str) -> bytes:
    value = _octets(test.fields, name)
    demand_size(value, _size(test.group, size), name, f"the group's {size}")
    return value
