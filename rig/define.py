"""The interface for primitives that the rig does not know: what a module beside a manifest is
written with (docs/own-primitive.md).

Enters: nothing. Leaves: the records and functions of a definition, in one place. Never here:
loading of modules (see `rig.primitives.own`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

from rig.cases import Answer, Inputs, Outputs, Values
from rig.primitives.definition import (
    DONE,
    Arguments,
    Named,
    Operation,
    Plan,
    Undefined,
    Use,
    number,
    octets,
    parts,
)
from rig.vectors.shapes import ANY, Shape, Size, exactly, multiple_of

__all__ = [
    "ANY",
    "DONE",
    "Answer",
    "Arguments",
    "Inputs",
    "Named",
    "Operation",
    "Outputs",
    "Plan",
    "Primitive",
    "Shape",
    "Size",
    "Use",
    "Values",
    "Vector",
    "exactly",
    "multiple_of",
    "number",
    "octets",
    "parts",
]


@dataclass(frozen=True, slots=True)
class Vector:
    """A published record: its source and name, an operation with its inputs, and what must come
    out: every output that the operation's answer has."""

    name: str
    operation: str
    inputs: Inputs
    outputs: Outputs


@dataclass(frozen=True, slots=True)
class Primitive:
    """What a module assigns to `PRIMITIVE`.

    `operations`: by name, the oracle's answer and the plan of calls. `shapes`: by the same names,
    of which sizes inputs and outputs are; from these the rig makes its sweep, its generated
    inputs and its search, so the input whose length matters is called `data`. `edges`: given a
    seeded generator, pairs of an operation and inputs at which implementations break. `vectors`:
    published records. `undefined`: behaviours that a manifest may leave open for its variants,
    each with whether values call for it.
    """

    operations: Mapping[str, Operation]
    shapes: Mapping[str, Shape]
    edges: Callable[[Random], Iterable[tuple[str, Inputs]]] | None = None
    vectors: tuple[Vector, ...] = ()
    undefined: Mapping[str, Undefined] = field(default_factory=dict)
