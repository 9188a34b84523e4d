"""Poly1305 (RFC 8439 section 2.5), contract native/include/poly1305.h."""

from rig.cases import Answer, Inputs
from rig.oracle import poly1305
from rig.primitives.definition import Definition, Named, Operation, Plan, Use, octets, parts
from rig.primitives.pairs import paired


def _answer(inputs: Inputs) -> Answer:
    return Answer({"tag": poly1305.mac(octets(inputs, "key"), octets(inputs, "message"))})


def _plan(inputs: Inputs, answer: Answer) -> Plan:
    key, message = octets(inputs, "key"), octets(inputs, "message")
    context, whole = Named("ctx"), len(message) - len(message) % 16
    uses = [Use("init", {"ctx": context, "key": key[:16]})]
    uses += [_blocks(context, part, 1) for part in parts(inputs, message[:whole])]
    if message[whole:]:
        uses.append(_blocks(context, (message[whole:] + b"\1").ljust(16, b"\0"), 0))
    tag = Named("mac", expected=answer.outputs["tag"])
    uses.append(Use("emit", {"ctx": context, "mac": tag, "nonce": key[16:]}))
    return Plan(tuple(uses), len(message))


def _blocks(context: Named, data: bytes, padbit: int) -> Use:
    return Use("blocks", {"ctx": context, "in": data, "len": len(data), "padbit": padbit})


_MAC = Operation(_answer, _plan, ("init", "blocks", "emit"), splits="message")
POLY1305 = Definition(
    "poly1305",
    "poly1305.h",
    {"mac": _MAC, "mac+mac": paired(_MAC, _MAC)},
    forms=("poly1305_func",),
)
