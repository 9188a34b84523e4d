"""The AEADs over one contract, native/include/aead.h: AES-GCM and GMAC (SP 800-38D),
ChaCha20-Poly1305 (RFC 8439 section 2.8), its pre-RFC form (draft-agl-tls-chacha20poly1305-04) and
XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03 section 2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from rig.cases import Answer, Inputs
from rig.oracle import chacha20_poly1305, gcm, xchacha20_poly1305
from rig.primitives.aead_parts import ROLES, Open, Seal, in_parts, keyed
from rig.primitives.definition import Definition, Named, Operation, Plan, Use, number, octets
from rig.primitives.pairs import paired


def _message(inputs: Inputs, name: str) -> dict[str, bytes | int | Named]:
    nonce, aad, data = octets(inputs, "nonce"), octets(inputs, "aad"), octets(inputs, name)
    return {
        "ctx": Named("ctx"),
        "nonce": nonce,
        "nonce_len": len(nonce),
        "aad": aad,
        "aad_len": len(aad),
        "in": data,
        "in_len": len(data),
    }


def _init_answer(inputs: Inputs, key_lens: Sequence[int]) -> Answer:
    return Answer({}, refused=len(octets(inputs, "key")) not in key_lens)


def _init_plan(inputs: Inputs, answer: Answer) -> Plan:
    if not answer.refused:
        return Plan((keyed(inputs),))
    refusing = keyed(inputs)
    arguments = {**refusing.arguments, "ctx": Named("ctx", expected=b"", refused=True)}
    return Plan((replace(refusing, arguments=arguments, returns=-1),))


def _seal_plan(inputs: Inputs, answer: Answer) -> Plan:
    arguments = _message(inputs, "plaintext")
    if answer.refused:
        out, tag = (Named(name, expected=b"", refused=True) for name in ("out", "tag"))
    else:
        out = Named("out", expected=answer.outputs["ciphertext"])
        tag = Named("tag", expected=answer.outputs["tag"])
    arguments |= {"out": out, "tag": tag, "tag_len": number(inputs, "tag_len")}
    use = Use("seal", arguments, returns=-1 if answer.refused else 0)
    return Plan((keyed(inputs), use), len(octets(inputs, "plaintext")))


def _open_plan(inputs: Inputs, answer: Answer) -> Plan:
    arguments = _message(inputs, "ciphertext")
    tag, size = octets(inputs, "tag"), len(octets(inputs, "ciphertext"))
    plaintext = bytes(size) if answer.refused else answer.outputs["plaintext"]
    out = Named("out", expected=plaintext, refused=answer.refused)
    arguments |= {"out": out, "tag": tag, "tag_len": len(tag)}
    use = Use("open", arguments, returns=-1 if answer.refused else 0)
    return Plan((keyed(inputs), use), size)


def _opened(inputs: Inputs, answer: Answer) -> tuple[str, Inputs, Answer]:
    taken = {name: inputs[name] for name in ("key", "nonce", "aad")}
    return "open", taken | dict(answer.outputs), Answer({"plaintext": octets(inputs, "plaintext")})


def _definition(
    name: str,
    seal: Seal,
    open_: Open,
    key_lens: Sequence[int],
    more: Mapping[str, Operation] | None = None,
) -> Definition:
    def seal_answer(inputs: Inputs) -> Answer:
        key, nonce, aad, plaintext = (
            octets(inputs, n) for n in ("key", "nonce", "aad", "plaintext")
        )
        try:
            ciphertext, tag = seal(key, nonce, aad, plaintext, number(inputs, "tag_len"))
        except ValueError:
            return Answer({}, refused=True)
        return Answer({"ciphertext": ciphertext, "tag": tag})

    def open_answer(inputs: Inputs) -> Answer:
        key, nonce, aad, ciphertext, tag = (
            octets(inputs, n) for n in ("key", "nonce", "aad", "ciphertext", "tag")
        )
        try:
            plaintext = open_(key, nonce, aad, ciphertext, tag)
        except ValueError:
            plaintext = None
        return Answer({}, refused=True) if plaintext is None else Answer({"plaintext": plaintext})

    operations = {
        "init": Operation(partial(_init_answer, key_lens=key_lens), _init_plan, ("init",)),
        "seal": Operation(seal_answer, _seal_plan, ("init", "seal"), _opened),
        "open": Operation(open_answer, _open_plan, ("init", "open")),
    }
    for first, second in product(("seal", "open"), repeat=2):
        pair = paired(operations[first], operations[second])
        operations[f"{first}+{second}"] = pair
    operations |= in_parts(seal, open_, operations)
    return Definition(name, "aead.h", operations | dict(more or {}), optional=ROLES)


def _whole_tag(seal: Callable[[bytes, bytes, bytes, bytes], tuple[bytes, bytes]]) -> Seal:
    def sealed(
        key: bytes, nonce: bytes, aad: bytes, plaintext: bytes, tag_len: int
    ) -> tuple[bytes, bytes]:
        if tag_len != 16:
            raise ValueError("tags have 16 bytes")
        return seal(key, nonce, aad, plaintext)

    return sealed


def _mac_answer(inputs: Inputs) -> Answer:
    key, nonce, message = (octets(inputs, n) for n in ("key", "nonce", "message"))
    try:
        return Answer({"tag": gcm.mac(key, nonce, message, number(inputs, "tag_len"))})
    except ValueError:
        return Answer({}, refused=True)


def _as_sealed(inputs: Inputs) -> Inputs:
    """The inputs of the seal that a GMAC is: its message is additional data."""
    names = ("key", "nonce", "tag_len")
    aad = octets(inputs, "message")
    return {**{name: inputs[name] for name in names}, "aad": aad, "plaintext": b""}


def _mac_plan(inputs: Inputs, answer: Answer) -> Plan:
    sealed = {} if answer.refused else {"ciphertext": b"", **answer.outputs}
    return _seal_plan(_as_sealed(inputs), Answer(sealed, answer.refused))


def _mac_opened(inputs: Inputs, answer: Answer) -> tuple[str, Inputs, Answer]:
    sealed = Answer({"ciphertext": b"", **answer.outputs})
    return _opened(_as_sealed(inputs), sealed)


_GMAC = Operation(_mac_answer, _mac_plan, ("init", "seal"), _mac_opened)

AES_GCM = _definition("aes_gcm", gcm.seal, gcm.open_, (16, 24, 32), {"mac": _GMAC})
CHACHA20_POLY1305 = _definition(
    "chacha20_poly1305", _whole_tag(chacha20_poly1305.seal), chacha20_poly1305.open_, (32,)
)
CHACHA20_POLY1305_OLD = _definition(
    "chacha20_poly1305_old",
    _whole_tag(chacha20_poly1305.seal_old),
    chacha20_poly1305.open_old,
    (32,),
)
XCHACHA20_POLY1305 = _definition(
    "xchacha20_poly1305", _whole_tag(xchacha20_poly1305.seal), xchacha20_poly1305.open_, (32,)
)
