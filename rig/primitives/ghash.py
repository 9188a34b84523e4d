"""GHASH (SP 800-38D clause 6.4), contract native/include/ghash.h."""

from rig.cases import Answer, Inputs
from rig.oracle import ghash
from rig.primitives.definition import Definition, Named, Operation, Plan, Use, octets, parts
from rig.primitives.pairs import paired


def _init(inputs: Inputs) -> Use:
    h = octets(inputs, "h")
    return Use("init", {"Htable": Named("Htable"), "H": h[7::-1] + h[:7:-1]})


def _ghash_answer(inputs: Inputs) -> Answer:
    h, xi, data = (octets(inputs, n) for n in ("h", "xi", "data"))
    return Answer({"xi_out": ghash.ghash(h, data, xi)})


def _ghash_plan(inputs: Inputs, answer: Answer) -> Plan:
    data = octets(inputs, "data")
    xi = Named("Xi", octets(inputs, "xi"), answer.outputs["xi_out"])
    table = Named("Htable")
    uses = [
        Use("ghash", {"Xi": xi, "Htable": table, "in": part, "len": len(part)})
        for part in parts(inputs, data)
    ]
    return Plan((_init(inputs), *uses), len(data))


def _gmult_answer(inputs: Inputs) -> Answer:
    return Answer({"xi_out": ghash.multiply(octets(inputs, "xi"), octets(inputs, "h"))})


def _gmult_plan(inputs: Inputs, answer: Answer) -> Plan:
    xi = Named("Xi", octets(inputs, "xi"), answer.outputs["xi_out"])
    return Plan((_init(inputs), Use("gmult", {"Xi": xi, "Htable": Named("Htable")})), 16)


_GHASH = Operation(_ghash_answer, _ghash_plan, ("init", "ghash"), splits="data")
_GMULT = Operation(_gmult_answer, _gmult_plan, ("init", "gmult"))
GHASH = Definition(
    "ghash",
    "ghash.h",
    {
        "ghash": _GHASH,
        "gmult": _GMULT,
        "ghash+ghash": paired(_GHASH, _GHASH),
        "ghash+gmult": paired(_GHASH, _GMULT),
    },
)
