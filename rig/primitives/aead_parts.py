"""A message of an AEAD in parts: the functions of native/include/aead.h from `begin` on.

Enters: an AEAD's seal and open as the oracle has them. Leaves: operations, whose answers are
those of the whole message. Inputs are a whole message's, and besides `aad_cuts` and `cuts`: the
lengths of the parts before the last, two little-endian bytes each. Never here: where to cut.
"""

from collections.abc import Callable, Mapping
from itertools import product

from rig.cases import Answer, Inputs
from rig.primitives.definition import Arguments, Named, Operation, Plan, Use, number, octets
from rig.primitives.pairs import paired

ROLES = frozenset(("begin", "aad", "encrypt", "decrypt", "finish", "verify"))
PAIRS = (
    *product(("seal_parts", "open_parts"), repeat=2),
    ("seal_parts", "seal"),
    ("seal", "open_parts"),
)

Seal = Callable[[bytes, bytes, bytes, bytes, int], tuple[bytes, bytes]]
Open = Callable[[bytes, bytes, bytes, bytes, bytes], bytes | None]

_CTX = Named("ctx")
_TAG_LEN = 16


def keyed(inputs: Inputs) -> Use:
    """The call that keys a context."""
    key = octets(inputs, "key")
    return Use("init", {"ctx": _CTX, "key": key, "key_len": len(key)}, returns=0)


def cut(*lengths: int) -> bytes:
    """The lengths of parts as an input."""
    return b"".join(length.to_bytes(2, "little") for length in lengths)


def pieces(message: bytes, cuts: bytes) -> list[bytes]:
    """The parts of a message; the last is what is left."""
    found = []
    for at in range(0, len(cuts), 2):
        length = int.from_bytes(cuts[at : at + 2], "little")
        found.append(message[:length])
        message = message[length:]
    return [*found, message]


def in_parts(seal: Seal, open_: Open, whole: Mapping[str, Operation]) -> dict[str, Operation]:
    """The operations of messages in parts, those among them that meet one of the `whole` ones."""

    def begin_answer(inputs: Inputs) -> Answer:
        return Answer({}, refused=not _has_nonce(seal, inputs))

    def seal_answer(inputs: Inputs) -> Answer:
        key, nonce, aad, text = (octets(inputs, n) for n in ("key", "nonce", "aad", "plaintext"))
        try:
            ciphertext, tag = seal(key, nonce, aad, text, number(inputs, "tag_len"))
        except ValueError:
            return Answer({}, refused=True)
        return Answer({"ciphertext": ciphertext, "tag": tag})

    def open_answer(inputs: Inputs) -> Answer:
        """The plaintext comes before the tag is known to be genuine."""
        key, nonce, aad, text, tag = (
            octets(inputs, n) for n in ("key", "nonce", "aad", "ciphertext", "tag")
        )
        plaintext, _ = seal(key, nonce, aad, text, _TAG_LEN)
        try:
            genuine = open_(key, nonce, aad, text, tag) is not None
        except ValueError:
            genuine = False
        return Answer({"plaintext": plaintext, "genuine": bytes([genuine])})

    operations = {
        "begin": Operation(begin_answer, _begin_plan, ("init", "begin")),
        "seal_parts": Operation(
            seal_answer, _seal_plan, ("init", "begin", "aad", "encrypt", "finish"), _opened
        ),
        "open_parts": Operation(
            open_answer, _open_plan, ("init", "begin", "aad", "decrypt", "verify")
        ),
    }
    both = {**whole, **operations}
    pairs = {f"{a}+{b}": paired(both[a], both[b]) for a, b in PAIRS}
    return operations | pairs


def _has_nonce(seal: Seal, inputs: Inputs) -> bool:
    try:
        seal(octets(inputs, "key"), octets(inputs, "nonce"), b"", b"", _TAG_LEN)
    except ValueError:
        return False
    return True


def _begin(inputs: Inputs, returns: int = 0) -> Use:
    nonce = octets(inputs, "nonce")
    return Use("begin", {"ctx": _CTX, "nonce": nonce, "nonce_len": len(nonce)}, returns)


def _begin_plan(inputs: Inputs, answer: Answer) -> Plan:
    return Plan((keyed(inputs), _begin(inputs, -1 if answer.refused else 0)))


def _begun(inputs: Inputs) -> list[Use]:
    """The calls before the text: none takes additional data where there is none and no cut."""
    aad, cuts = octets(inputs, "aad"), octets(inputs, "aad_cuts")
    parts = pieces(aad, cuts) if aad or cuts else []
    aads = [Use("aad", {"ctx": _CTX, "aad": part, "aad_len": len(part)}) for part in parts]
    return [keyed(inputs), _begin(inputs), *aads]


def _texts(role: str, cuts: bytes, given: bytes, wanted: bytes | None) -> list[Use]:
    """The calls that take the text; `wanted` None compares nothing."""
    parts = pieces(given, cuts)
    outputs = [None] * len(parts) if wanted is None else pieces(wanted, cuts)
    return [
        Use(role, {"ctx": _CTX, "out": Named(f"out {i}", expected=o), "in": p, "in_len": len(p)})
        for i, (p, o) in enumerate(zip(parts, outputs, strict=True))
    ]


def _seal_plan(inputs: Inputs, answer: Answer) -> Plan:
    """What refuses is the length of the tag: a nonce that is refused is `begin`'s."""
    plaintext, refused = octets(inputs, "plaintext"), answer.refused
    wanted = None if refused else answer.outputs["ciphertext"]
    tag = Named("tag", expected=b"" if refused else answer.outputs["tag"], refused=refused)
    arguments: Arguments = {"ctx": _CTX, "tag": tag, "tag_len": number(inputs, "tag_len")}
    uses = [*_begun(inputs), *_texts("encrypt", octets(inputs, "cuts"), plaintext, wanted)]
    finish = Use("finish", arguments, -1 if refused else 0)
    return Plan((*uses, finish), len(plaintext))


def _open_plan(inputs: Inputs, answer: Answer) -> Plan:
    ciphertext, tag = octets(inputs, "ciphertext"), octets(inputs, "tag")
    wanted, genuine = answer.outputs["plaintext"], answer.outputs["genuine"] == b"\1"
    uses = [*_begun(inputs), *_texts("decrypt", octets(inputs, "cuts"), ciphertext, wanted)]
    arguments: Arguments = {"ctx": _CTX, "tag": tag, "tag_len": len(tag)}
    verify = Use("verify", arguments, 0 if genuine else -1)
    return Plan((*uses, verify), len(ciphertext))


def _opened(inputs: Inputs, answer: Answer) -> tuple[str, Inputs, Answer]:
    kept = {name: inputs[name] for name in ("key", "nonce", "aad", "aad_cuts", "cuts")}
    whole = {"plaintext": octets(inputs, "plaintext"), "genuine": b"\1"}
    return "open_parts", kept | dict(answer.outputs), Answer(whole)
