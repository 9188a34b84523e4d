"""Asks the oracle, once per set of values: the answers lie in memory, then on disk.

Enters: cases. Leaves: an answer for each. Never here: placement; only values and the
oracle's own sources are in the key.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rig.cache import digest, write_atomically
from rig.cases import Answer, Case
from rig.primitives.definition import Definition

_ORACLE = ("oracle", "primitives")


def answer(definition: Definition, case: Case) -> Answer:
    """The answer that a case brings, else the oracle's."""
    if case.expected is not None:
        return case.expected
    return definition.operations[case.values.operation].answer(case.values.inputs)


def answers(definition: Definition, cases: Sequence[Case], cache: Path) -> tuple[Answer, ...]:
    """The answers to cases, in order; those of the oracle come from the cache if they can."""
    asked = [case for case in cases if case.expected is None]
    found = iter(_asked(definition, asked, cache) if asked else ())
    return tuple(case.expected or next(found) for case in cases)


def _asked(definition: Definition, cases: Sequence[Case], cache: Path) -> list[Answer]:
    own = definition.own.text if definition.own else b""
    key = digest(_oracle_digest(), own, *(case.values.key() for case in cases))
    path = cache / "answers" / f"{key}.json"
    try:
        return [_decode(record) for record in json.loads(path.read_text())]
    except (OSError, ValueError):
        computed = [answer(definition, case) for case in cases]
        write_atomically(path, json.dumps([_encode(a) for a in computed]).encode())
        return computed


def _encode(item: Answer) -> dict[str, str] | None:
    return None if item.refused else {name: data.hex() for name, data in item.outputs.items()}


def _decode(record: dict[str, str] | None) -> Answer:
    if record is None:
        return Answer({}, refused=True)
    return Answer({name: bytes.fromhex(text) for name, text in record.items()})


@functools.cache
def _oracle_digest() -> str:
    package = Path(__file__).parent.parent
    files = [path for name in _ORACLE for path in sorted((package / name).glob("*.py"))]
    return digest(*(path.read_bytes() for path in files))


def with_inverses(
    definition: Definition, cases: Sequence[Case], found: Sequence[Answer]
) -> tuple[tuple[Case, ...], tuple[Answer, ...]]:
    """The cases and answers, each followed by its inverse where the operation has one."""
    pairs: list[tuple[Case, Answer]] = []
    for case, result in zip(cases, found, strict=True):
        pairs.append((case, result))
        inverse = definition.operations[case.values.operation].inverse
        if inverse is not None and not result.refused and case.expected is None:
            pairs.append(_inverse(definition, case, result))
    return tuple(case for case, _ in pairs), tuple(result for _, result in pairs)


def _inverse(definition: Definition, case: Case, result: Answer) -> tuple[Case, Answer]:
    inverse = definition.operations[case.values.operation].inverse
    assert inverse is not None
    operation, inputs, undone = inverse(case.values.inputs, result)
    values = replace(case.values, operation=operation, inputs=inputs)
    return replace(case, name=f"{case.name}, {operation}", values=values, expected=undone), undone
