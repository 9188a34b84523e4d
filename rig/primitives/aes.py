"""AES block and counter mode (FIPS 197, SP 800-38A), contract native/include/aes.h."""

from rig.cases import Answer, Inputs, Values
from rig.oracle import aes
from rig.primitives.definition import Arguments, Definition, Named, Operation, Plan, Use, octets
from rig.primitives.pairs import paired


def _expand(inputs: Inputs) -> Use:
    key = octets(inputs, "key")
    arguments: Arguments = {"key": key, "bits": 8 * len(key), "schedule": Named("schedule")}
    return Use("set_encrypt_key", arguments, returns=0)


def _convert() -> Use:
    """A schedule made from another variant's, where there is such a function."""
    arguments: Arguments = {"converted": Named("converted"), "schedule": Named("schedule")}
    return Use("convert_key", arguments, optional=True)


def _encrypt_answer(inputs: Inputs) -> Answer:
    block = aes.encrypt_block(octets(inputs, "key"), octets(inputs, "block"))
    return Answer({"block_out": block})


def _encrypt_plan(inputs: Inputs, answer: Answer) -> Plan:
    out = Named("out", expected=answer.outputs["block_out"])
    block = octets(inputs, "block")
    use = Use("encrypt", {"in": block, "out": out, "schedule": Named("schedule")})
    return Plan((_expand(inputs), use), 16)


def _ctr32_answer(inputs: Inputs) -> Answer:
    key, counter, data = (octets(inputs, n) for n in ("key", "counter", "data"))
    return Answer({"output": aes.ctr32(key, counter, data)})


def _ctr32_plan(inputs: Inputs, answer: Answer) -> Plan:
    data = octets(inputs, "data")
    arguments: Arguments = {
        "in": data,
        "out": Named("out", expected=answer.outputs["output"]),
        "blocks": len(data) // 16,
        "schedule": Named("schedule"),
        "converted": Named("converted"),
        "ivec": octets(inputs, "counter"),
    }
    use = Use("ctr32_encrypt_blocks", arguments)
    return Plan((_expand(inputs), _convert(), use), len(data))


def _wraps(values: Values) -> bool:
    """Whether the last 32 bits of the counter block go past 2^32 - 1 within the data."""
    if values.operation != "ctr32":
        return False
    start = int.from_bytes(octets(values.inputs, "counter")[12:], "big")
    return start + len(octets(values.inputs, "data")) // 16 > 1 << 32


_ENCRYPT = Operation(_encrypt_answer, _encrypt_plan, ("set_encrypt_key", "encrypt"))
_CTR32 = Operation(_ctr32_answer, _ctr32_plan, ("set_encrypt_key", "ctr32_encrypt_blocks"))
AES = Definition(
    "aes",
    "aes.h",
    {
        "encrypt": _ENCRYPT,
        "ctr32": _CTR32,
        "ctr32+ctr32": paired(_CTR32, _CTR32),
        "ctr32+encrypt": paired(_CTR32, _ENCRYPT),
    },
    {"counter-wrap": _wraps},
    ("aes_bsaes",),
)
