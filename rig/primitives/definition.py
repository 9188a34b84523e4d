"""What a primitive brings in Python: its operations as calls of its contract, and the oracle.

Enters: values. Leaves: `Plan`s (calls by role with named buffers) and oracle answers. Never
here: addresses, placement, or which variant runs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random

from rig.cases import Answer, Case, Inputs, Values
from rig.vectors.shapes import Shape


@dataclass(frozen=True, slots=True)
class Named:
    """A buffer that calls share or that is compared: its size comes from the contract.

    `content` None is garbage before the first call; `expected` None is not compared. Where
    `expected` is shorter than the buffer, what lies behind must stay as it was if the argument
    is `out`, and is free if it is `inout`. With `refused` the call refuses: where the contract
    says what becomes of the buffer then, that is expected instead. `points` are bytes whose
    address stands in the content, by the address's offset.
    """

    name: str
    content: bytes | None = None
    expected: bytes | None = None
    refused: bool = False
    points: Mapping[int, bytes] = field(default_factory=dict)


Arguments = Mapping[str, bytes | int | Named]


@dataclass(frozen=True, slots=True)
class Use:
    """One call: a role of the contract with its arguments, and what it must return where it
    returns something. `arguments` are those of every form of the contract; each takes its own.
    An `optional` call is left out where the variant has no such function. Buffers that lie in
    the memory of others do so among the calls of one `group`."""

    role: str
    arguments: Arguments
    returns: int | None = None
    optional: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The calls of one case; `length` is what a dispatcher that looks at lengths is told."""

    uses: tuple[Use, ...]
    length: int = 0


DONE = "done"

Inverse = Callable[[Inputs, Answer], tuple[str, Inputs, Answer]]
Undefined = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class Operation:
    """`answer` asks the oracle, `plan` says how the contract computes the same by calls of
    `roles`. `inverse` gives the operation, inputs and answer that undo it: what is sealed is
    opened too. `splits` names the message that the plan takes in two calls where the inputs
    have a number `split` besides: the bytes, whole blocks, of the first call. `part` names a role
    that may do only a part of a message, and that message: the plan finds the bytes that the
    variant's function does among its inputs, as the number DONE."""

    answer: Callable[[Inputs], Answer]
    plan: Callable[[Inputs, Answer], Plan]
    roles: tuple[str, ...]
    inverse: Inverse | None = None
    splits: str = ""
    part: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Own:
    """What a project's own primitive brings beside its operations (see `rig.define`): the module
    and its text, the shapes by operation, edges by a seeded generator, published cases."""

    module: Path
    text: bytes
    shapes: Mapping[str, Shape]
    edges: Callable[[Random], Iterator[tuple[str, Inputs]]] | None
    vectors: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A primitive: the header of its contract in native/include, and its operations. `forms`
    name the headers in native/include/field whose arguments its plans fill as well.

    `undefined` are the behaviours that a manifest may declare undefined for its variants, each
    with whether values call for it, `optional` the roles that a composition may leave out.
    """

    name: str
    header: str
    operations: Mapping[str, Operation]
    undefined: Mapping[str, Undefined] = field(default_factory=dict)
    forms: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()
    own: Own | None = None


def parts(inputs: Inputs, message: bytes) -> tuple[bytes, ...]:
    """The message of each call: in two where the inputs say so by the number `split`, in more by
    the bytes `splits`, each the blocks of 16 bytes of a call before the last."""
    counts = inputs.get("splits")
    if isinstance(counts, bytes):
        ends = [16 * end for end in accumulate(counts, initial=0)]
        return tuple(message[a:b] for a, b in pairwise((*ends, len(message))))
    at = inputs.get("split")
    return (message[:at], message[at:]) if isinstance(at, int) else (message,)


def octets(inputs: Inputs, name: str) -> bytes:
    """The input of that name as bytes."""
    value = inputs[name]
    assert isinstance(value, bytes), name
    return value


def number(inputs: Inputs, name: str) -> int:
    """The input of that name as a number."""
    value = inputs[name]
    assert isinstance(value, int), name
    return value
