"""ChaCha20 as a stream (RFC 8439 section 2.4), contract native/include/chacha20.h."""

from rig.cases import Answer, Inputs, Values
from rig.oracle import chacha20
from rig.primitives.definition import Arguments, Definition, Named, Operation, Plan, Use, octets
from rig.primitives.pairs import paired


def _answer(inputs: Inputs) -> Answer:
    key, counter, data = (octets(inputs, n) for n in ("key", "counter", "data"))
    return Answer({"output": chacha20.ctr32(key, counter, data)})


def _plan(inputs: Inputs, answer: Answer) -> Plan:
    data = octets(inputs, "data")
    arguments: Arguments = {
        "out": Named("out", expected=answer.outputs["output"]),
        "in": data,
        "len": len(data),
        "key": octets(inputs, "key"),
        "counter": octets(inputs, "counter"),
    }
    return Plan((Use("ctr32", arguments),), len(data))


def _wraps(values: Values) -> bool:
    """Whether the 32-bit block counter goes past 2^32 - 1 within the data."""
    if values.operation != "ctr32":
        return False
    start = int.from_bytes(octets(values.inputs, "counter")[:4], "little")
    return start + -(-len(octets(values.inputs, "data")) // 64) > 1 << 32


_CTR32 = Operation(_answer, _plan, ("ctr32",))
CHACHA20 = Definition(
    "chacha20",
    "chacha20.h",
    {"ctr32": _CTR32, "ctr32+ctr32": paired(_CTR32, _CTR32)},
    {"counter-wrap": _wraps},
)
