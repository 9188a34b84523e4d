"""Fused ChaCha20-Poly1305 (RFC 8439 section 2.8), whose caller compares the tag; contract
native/include/chacha20_poly1305_fused.h."""

from rig.cases import Answer, Inputs
from rig.oracle import chacha20, chacha20_poly1305
from rig.primitives.definition import Arguments, Definition, Named, Operation, Plan, Use, octets

_EXTRA_AT = 48


def _seal_answer(inputs: Inputs) -> Answer:
    """The ciphertext of the message; the tag covers `extra`, ciphertext too, behind it."""
    output = _crypt(inputs)
    return Answer({"output": output, "tag": _tag(inputs, output + octets(inputs, "extra"))})


def _open_answer(inputs: Inputs) -> Answer:
    return Answer({"output": _crypt(inputs), "tag": _tag(inputs, octets(inputs, "data"))})


def _crypt(inputs: Inputs) -> bytes:
    first = (1).to_bytes(4, "little") + octets(inputs, "nonce")
    return chacha20.ctr32(octets(inputs, "key"), first, octets(inputs, "data"))


def _tag(inputs: Inputs, ciphertext: bytes) -> bytes:
    key, nonce, aad = (octets(inputs, n) for n in ("key", "nonce", "aad"))
    return chacha20_poly1305.tag(key, nonce, aad, ciphertext)


def _plan(role: str, inputs: Inputs, answer: Answer, state: Named) -> Plan:
    data, aad = octets(inputs, "data"), octets(inputs, "aad")
    arguments: Arguments = {
        "out": Named("out", expected=answer.outputs["output"]),
        "in": data,
        "len": len(data),
        "ad": aad,
        "ad_len": len(aad),
        "data": state,
    }
    return Plan((Use(role, arguments),), len(data))


def _seal_plan(inputs: Inputs, answer: Answer) -> Plan:
    key, nonce, extra = (octets(inputs, n) for n in ("key", "nonce", "extra"))
    content = key + bytes(4) + nonce + bytes(8) + len(extra).to_bytes(8, "little")
    state = Named("data", content, answer.outputs["tag"], points={_EXTRA_AT: extra})
    return _plan("seal", inputs, answer, state)


def _open_plan(inputs: Inputs, answer: Answer) -> Plan:
    content = octets(inputs, "key") + bytes(4) + octets(inputs, "nonce")
    return _plan("open", inputs, answer, Named("data", content, answer.outputs["tag"]))


CHACHA20_POLY1305_FUSED = Definition(
    "chacha20_poly1305_fused",
    "chacha20_poly1305_fused.h",
    {
        "seal": Operation(_seal_answer, _seal_plan, ("seal",)),
        "open": Operation(_open_answer, _open_plan, ("open",)),
    },
)
