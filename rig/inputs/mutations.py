"""Station 4: a case changed a little, which still fits its contract.

Enters: a case, lengths worth trying, a seeded generator. Leaves: another case without an
answer. Never here: which cases are worth changing (see `rig.search`), or the oracle.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rig.cases import Case, Placement
from rig.inputs.edges import WORDS
from rig.inputs.thresholds import LIMIT
from rig.primitives import PRIMITIVES
from rig.runner.scripts import Side
from rig.vectors.shapes import SHAPES, Size

_NEAR = (1, 15, 16, 17, 63, 64)
_FREE = (0, 16, 32, 48)  # an input that may have these lengths may have others
_CHANGES = (1, 1, 2, 3)
SKEWS = 64
_TAGS = range(18)


@dataclass(frozen=True, slots=True)
class Field:
    """What changes go by: `lengths` in bytes that the code speaks of; `aligns`, by the name of
    a pointer argument, what its buffer's address must stay a multiple of."""

    lengths: tuple[int, ...]
    aligns: Mapping[str, int]


Change = Callable[[Case, Field, random.Random], Case]


def mutate(case: Case, field: Field, chance: random.Random) -> Case:
    """The case with one to three changes: lengths, edge words, fresh bytes, placement, the
    split of a message into two calls."""
    changed = replace(case, expected=None)
    for _ in range(chance.choice(_CHANGES)):
        changed = chance.choice(_EVERY)(changed, field, chance)
    return changed


def resized(case: Case, name: str, length: int, chance: random.Random) -> Case:
    """The case with an input of at least this length, the least that its operation allows: cut
    short or made longer by fresh bytes."""
    size = _sizes(case)[name]
    length = next(n for n in range(length, length + LIMIT) if size.fits(n))
    old = case.values.inputs[name]
    assert isinstance(old, bytes)
    return _with(case, name, old[:length] + chance.randbytes(max(0, length - len(old))))


def free_inputs(case: Case) -> tuple[str, ...]:
    """The inputs whose length the operation leaves free."""
    sizes = _sizes(case)
    return tuple(
        name
        for name, value in case.values.inputs.items()
        if isinstance(value, bytes) and name in sizes and all(map(sizes[name].fits, _FREE))
    )


def _sizes(case: Case) -> Mapping[str, Size]:
    """Sizes of the inputs by name; none for an operation of fixed sizes alone."""
    shape = SHAPES[case.values.primitive].get(case.values.operation)
    return {} if shape is None else shape.inputs


def _with(case: Case, name: str, value: bytes | int) -> Case:
    inputs = {**case.values.inputs, name: value}
    return replace(case, values=replace(case.values, inputs=inputs))


def _resize(case: Case, field: Field, chance: random.Random) -> Case:
    names = free_inputs(case)
    if not names:
        return case
    name = chance.choice(names)
    old = case.values.inputs[name]
    assert isinstance(old, bytes)
    return resized(case, name, _length(len(old), field, chance), chance)


def _length(old: int, field: Field, chance: random.Random) -> int:
    """A length that the code speaks of, one near the old one, twice or half of it, or any;
    short ones are the likelier, since they cost least."""
    near = old + chance.choice((-1, 1)) * chance.choice(_NEAR)
    scaled = chance.choice((2 * old, old // 2)) + chance.randrange(-1, 2)
    other = chance.randrange(1 << chance.randrange(1, 14))
    lengths = field.lengths or (other,)
    spoken = min(chance.choice(lengths), chance.choice(lengths))
    return max(0, min(chance.choice((spoken, near, scaled, other)), LIMIT))


def _rewrite(case: Case, field: Field, chance: random.Random) -> Case:
    """An edge word in one place of an input, everywhere in it, or fresh bytes."""
    inputs = case.values.inputs
    names = [n for n, v in inputs.items() if isinstance(v, bytes) and v]
    name = chance.choice(names)
    old = inputs[name]
    assert isinstance(old, bytes)
    word = chance.choice(WORDS).to_bytes(8, chance.choice(("little", "big")))
    place = 8 * chance.randrange(-(-len(old) // 8))
    changed = (
        old[:place] + word + old[place + 8 :],
        word * (len(old) // 8 + 1),
        chance.randbytes(len(old)),
    )
    return _with(case, name, chance.choice(changed)[: len(old)])


def _renumber(case: Case, field: Field, chance: random.Random) -> Case:
    names = [name for name, size in _sizes(case).items() if size.number]
    return _with(case, chance.choice(names), chance.choice(_TAGS)) if names else case


def _move(case: Case, field: Field, chance: random.Random) -> Case:
    """One buffer off its guard page, as far as its alignment allows."""
    name = chance.choice(sorted(field.aligns))
    skew = chance.randrange(0, SKEWS, field.aligns[name])
    return _placed(case, replace(case.placement, skews={**case.placement.skews, name: skew}))


def _turn(case: Case, field: Field, chance: random.Random) -> Case:
    """The other guard page, in place or not, NULL for no bytes or not."""
    side, in_place, null = chance.choice(list(Side)), chance.random() < 0.5, chance.random() < 0.5
    return _placed(case, replace(case.placement, side=side, in_place=in_place, null=null))


def _placed(case: Case, placement: Placement) -> Case:
    return replace(case, placement=placement)


def _split(case: Case, field: Field, chance: random.Random) -> Case:
    """Whole blocks of the message in a first call, what is left in a second."""
    name = PRIMITIVES[case.values.primitive].operations[case.values.operation].splits
    if not name:
        return case
    message = case.values.inputs[name]
    assert isinstance(message, bytes)
    return _with(case, "split", 16 * chance.randrange(len(message) // 16 + 1))


_EVERY: tuple[Change, ...] = (_resize, _resize, _rewrite, _rewrite, _renumber, _move, _turn, _split)
