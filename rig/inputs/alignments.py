"""Station 4: each pointer of a call by itself at every distance from a multiple of 64.

Enters: a primitive's name. Leaves: cases without answers, deterministic, named by the argument.
Never here: the search, which moves all pointers at once and to where a case goes deepest.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from rig import contracts
from rig.cases import Case, Placement
from rig.data import data_folder
from rig.inputs.sweeps import SEED, is_swept, sweep
from rig.primitives import PRIMITIVES
from rig.primitives.definition import Definition
from rig.runner.scripts import Side

DISTANCES = 64
MESSAGES = (37, 608, 613)  # bytes: a tail alone, wide code without a tail and with one


def alignments(primitive: str) -> Iterator[Case]:
    """The cases of a primitive; nothing for one that has no sweep. A pointer keeps to what its
    contract asks of it."""
    if not is_swept(primitive):
        return
    definition, number = PRIMITIVES[primitive], 0
    chance = random.Random(f"{SEED} {primitive}")
    for cases in _bases(primitive).values():
        for name, align in _pointers(definition, cases[0]).items():
            for distance in range(align, DISTANCES, align):
                placement = Placement(Side.START, {name: distance}, in_place=number % 4 == 3)
                base = chance.choice(cases)
                yield replace(base, name=f"{name} {number}", placement=placement)
                number += 1


@cache
def _bases(primitive: str) -> dict[str, list[Case]]:
    """Of each operation, the first cases of the sweep whose longest input is as in MESSAGES; one
    that makes the same calls as an earlier one has none."""
    found: dict[str, list[Case]] = {}
    calling: dict[tuple[str, ...], str] = {}
    for least in (0, *MESSAGES):
        seen: set[str] = set()
        for case in sweep(primitive):
            operation = case.values.operation
            roles = PRIMITIVES[primitive].operations[operation].roles
            own = calling.setdefault(roles, operation) == operation
            if own and operation not in seen and _longest(case) >= least:
                seen.add(operation)
                found.setdefault(operation, []).append(case)
    return {operation: cases[1:] or cases for operation, cases in found.items()}


def _longest(case: Case) -> int:
    return max(len(v) for v in case.values.inputs.values() if isinstance(v, bytes))


def _pointers(definition: Definition, case: Case) -> dict[str, int]:
    """What the pointers of a case's calls are aligned to, by name. The contract of a project's own
    primitive is not at hand: placing rounds distances down to what it asks."""
    operation, inputs = definition.operations[case.values.operation], case.values.inputs
    if definition.own:
        uses = operation.plan(inputs, operation.answer(inputs)).uses
        return {n: 1 for use in uses for n, v in use.arguments.items() if not isinstance(v, int)}
    contract = contracts.read(data_folder("native") / "include" / definition.header)
    functions = (f for f in contract.functions if f.role in operation.roles)
    found: dict[str, int] = {}
    for argument in (a for f in functions for a in f.arguments if a.pointer):
        found[argument.name] = max(argument.align, found.get(argument.name, 1))
    return found
