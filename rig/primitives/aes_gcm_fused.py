"""Fused AES-GCM kernels (counter mode and GHASH over the same bytes, SP 800-38D clause 7), which
may leave a part of a message to their caller; contract native/include/aes_gcm_fused.h."""

from rig.cases import Answer, Inputs
from rig.oracle import aes, ghash
from rig.primitives.definition import (
    DONE,
    Arguments,
    Definition,
    Named,
    Operation,
    Plan,
    Use,
    number,
    octets,
)

_BLOCK = 16


def _answer(inputs: Inputs, *, sealing: bool) -> Answer:
    """The whole output, and Xi after 0, 1, 2 ... blocks, the last one padded with zeros."""
    key, counter, data = (octets(inputs, n) for n in ("key", "counter", "data"))
    h, output = aes.encrypt_block(key, bytes(_BLOCK)), aes.ctr32(key, counter, data)
    ciphertext = output if sealing else data
    each = [octets(inputs, "xi")]
    for start in range(0, len(data), _BLOCK):
        block = ciphertext[start : start + _BLOCK].ljust(_BLOCK, b"\0")
        each.append(ghash.ghash(h, block, each[-1]))
    return Answer({"output": output, "xis": b"".join(each), "h": h})


def _seal_answer(inputs: Inputs) -> Answer:
    return _answer(inputs, sealing=True)


def _open_answer(inputs: Inputs) -> Answer:
    return _answer(inputs, sealing=False)


def _set_up(inputs: Inputs, h: bytes) -> tuple[Use, ...]:
    key = octets(inputs, "key")
    expand: Arguments = {"key": key, "bits": 8 * len(key), "schedule": Named("schedule")}
    table: Arguments = {"Htable": Named("Htable"), "H": h[7::-1] + h[:7:-1]}
    return Use("set_encrypt_key", expand, returns=0), Use("init", table)


def _plan(role: str, inputs: Inputs, answer: Answer) -> Plan:
    data, counter, done = octets(inputs, "data"), octets(inputs, "counter"), number(inputs, DONE)
    blocks = -(-done // _BLOCK)
    advanced = aes.counter_blocks(counter, blocks + 1)[-_BLOCK:]
    xis = answer.outputs["xis"]
    arguments: Arguments = {
        "in": data,
        "out": Named("out", expected=answer.outputs["output"][:done]),
        "len": len(data),
        "len_bits": 8 * len(data),
        "schedule": Named("schedule"),
        "ivec": Named("ivec", counter, advanced),
        "Htable": Named("Htable"),
        "Xi": Named("Xi", octets(inputs, "xi"), xis[_BLOCK * blocks :][:_BLOCK]),
    }
    uses = (*_set_up(inputs, answer.outputs["h"]), Use(role, arguments, returns=done))
    return Plan(uses, len(data))


def _seal_plan(inputs: Inputs, answer: Answer) -> Plan:
    return _plan("seal", inputs, answer)


def _open_plan(inputs: Inputs, answer: Answer) -> Plan:
    return _plan("open", inputs, answer)


def _opened(inputs: Inputs, answer: Answer) -> tuple[str, Inputs, Answer]:
    undone = {**answer.outputs, "output": octets(inputs, "data")}
    return "open", {**inputs, "data": answer.outputs["output"]}, Answer(undone)


AES_GCM_FUSED = Definition(
    "aes_gcm_fused",
    "aes_gcm_fused.h",
    {
        "seal": Operation(
            _seal_answer,
            _seal_plan,
            ("set_encrypt_key", "init", "seal"),
            _opened,
            part=("seal", "data"),
        ),
        "open": Operation(
            _open_answer, _open_plan, ("set_encrypt_key", "init", "open"), part=("open", "data")
        ),
    },
    forms=(
        *("aesni_gcm", "aesni_gcm_openssl"),
        *("aes_gcm_update", "aes_gcm_kernel", "aes_gcm_kernel_openssl"),
    ),
)
