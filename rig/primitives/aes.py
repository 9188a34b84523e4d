"""AES block and counter mode (FIPS 197, SP 800-38A), contract native/include/aes.h; decryption and
CBC, which only the form aes_block has."""

from collections.abc import Callable

from rig.cases import Answer, Inputs, Values
from rig.oracle import aes
from rig.primitives.definition import Arguments, Definition, Named, Operation, Plan, Use, octets
from rig.primitives.pairs import paired


def _expand(inputs: Inputs, role: str = "set_encrypt_key") -> Use:
    key = octets(inputs, "key")
    arguments: Arguments = {"key": key, "bits": 8 * len(key), "schedule": Named("schedule")}
    return Use(role, arguments, returns=0)


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


def _decrypt_answer(inputs: Inputs) -> Answer:
    block = aes.decrypt_block(octets(inputs, "key"), octets(inputs, "block"))
    return Answer({"block_out": block})


def _decrypt_plan(inputs: Inputs, answer: Answer) -> Plan:
    out = Named("out", expected=answer.outputs["block_out"])
    block = octets(inputs, "block")
    use = Use("decrypt", {"in": block, "out": out, "schedule": Named("schedule")})
    return Plan((_expand(inputs, "set_decrypt_key"), use), 16)


def _cbc(key_role: str, crypt: Callable[[bytes, bytes, bytes], bytes]) -> Operation:
    """CBC one way; `key_role` is the function that sets up for it."""
    enciphers = key_role == "set_encrypt_key"

    def answer(inputs: Inputs) -> Answer:
        key, iv, data = (octets(inputs, n) for n in ("key", "iv", "data"))
        return Answer({"output": crypt(key, iv, data)})

    def plan(inputs: Inputs, answer: Answer) -> Plan:
        iv, data, output = octets(inputs, "iv"), octets(inputs, "data"), answer.outputs["output"]
        ciphertext = output if enciphers else data
        arguments: Arguments = {
            "in": data,
            "out": Named("out", expected=output),
            "len": len(data),
            "schedule": Named("schedule"),
            "ivec": Named("ivec", iv, ciphertext[-16:] or iv),
            "enc": int(enciphers),
        }
        return Plan((_expand(inputs, key_role), Use("cbc_encrypt", arguments)), len(data))

    return Operation(answer, plan, (key_role, "cbc_encrypt"))


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
        "decrypt": Operation(_decrypt_answer, _decrypt_plan, ("set_decrypt_key", "decrypt")),
        "cbc_encrypt": _cbc("set_encrypt_key", aes.cbc_encrypt),
        "cbc_decrypt": _cbc("set_decrypt_key", aes.cbc_decrypt),
    },
    {"counter-wrap": _wraps},
    ("aes_bsaes", "aes_block"),
)
