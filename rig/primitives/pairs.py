"""Two operations of a primitive in one script, so that what one leaves behind meets the other.

Enters: two operations. Leaves: one, whose inputs and outputs are those of both with `a.` and `b.`
before their names, and the number `order` besides. Never here: which pairs are worth trying.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum
from itertools import takewhile, zip_longest

from rig.cases import Answer, Inputs, Outputs
from rig.primitives.definition import Named, Operation, Plan, Use, number

_SIDES = ("a.", "b.")
_REFUSED = "refused"


class Order(IntEnum):
    """AGAIN: all of b after all of a, on the contexts of a, which b sets up anew. WOVEN: the calls
    of both in turn, each on contexts of its own. KEPT: as AGAIN, but b goes on with what a has set
    up where both set up alike."""

    AGAIN = 0
    WOVEN = 1
    KEPT = 2


def joined(a: Inputs, b: Inputs, order: Order) -> Inputs:
    """The inputs of a pair."""
    both = {
        side + name: v for side, of in zip(_SIDES, (a, b), strict=True) for name, v in of.items()
    }
    return {**both, "order": int(order)}


def sides(inputs: Inputs) -> tuple[Inputs, ...]:
    """The inputs of each of a pair; of anything else the inputs themselves."""
    if "order" not in inputs:
        return (inputs,)
    return tuple(
        {n.removeprefix(side): v for n, v in inputs.items() if n.startswith(side)}
        for side in _SIDES
    )


def paired(a: Operation, b: Operation) -> Operation:
    """The operation that does both."""

    def answer(inputs: Inputs) -> Answer:
        answers = [of.answer(own) for of, own in zip((a, b), sides(inputs), strict=True)]
        return Answer(
            {s + n: v for s, of in zip(_SIDES, answers, strict=True) for n, v in _said(of)}
        )

    def plan(inputs: Inputs, result: Answer) -> Plan:
        answers = [_answer_of(result.outputs, side) for side in _SIDES]
        both = zip((a, b), sides(inputs), answers, strict=True)
        first, second = (of.plan(own, known) for of, own, known in both)
        uses = _ordered(first, second, Order(number(inputs, "order")))
        return Plan(tuple(uses), max(first.length, second.length))

    return Operation(answer, plan, tuple(dict.fromkeys((*a.roles, *b.roles))))


def _said(answer: Answer) -> Iterator[tuple[str, bytes]]:
    yield from ((_REFUSED, b""),) if answer.refused else answer.outputs.items()


def _answer_of(outputs: Outputs, side: str) -> Answer:
    own = {n.removeprefix(side): v for n, v in outputs.items() if n.startswith(side)}
    return Answer({}, refused=True) if _REFUSED in own else Answer(own)


def _ordered(a: Plan, b: Plan, order: Order) -> Iterator[Use]:
    if order is Order.WOVEN:
        seconds = (_moved(use, contexts=True) for use in b.uses)
        yield from (use for pair in zip_longest(a.uses, seconds) for use in pair if use)
        return
    alike = _alike(a, b) if order is Order.KEPT else 0
    yield from a.uses
    yield from (_moved(use, contexts=False) for use in b.uses[alike:])


def _alike(a: Plan, b: Plan) -> int:
    """How many calls both begin with, but for their last ones."""
    pairs = zip(a.uses[:-1], b.uses[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _moved(use: Use, *, contexts: bool) -> Use:
    """The call on buffers of b's own; contexts are those that nobody compares or fills."""

    def own(value: bytes | int | Named) -> bytes | int | Named:
        if not isinstance(value, Named):
            return value
        context = value.content is None and value.expected is None
        return replace(value, name=f"b.{value.name}") if contexts or not context else value

    return replace(use, arguments={n: own(v) for n, v in use.arguments.items()}, group="b.")
