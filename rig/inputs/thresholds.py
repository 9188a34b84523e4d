"""Station 4: lengths that the code itself speaks of.

Enters: the numbers in a variant's instructions, each with its place. Leaves: lengths in bytes
with the reason for each, sorted. Never here: disassembling, or cases.

A number that is compared with is a length at which the code may change its ways, or a count
of blocks: its neighbours are proposed, by a byte and by a block. What the code steps or shifts
by is a stride: a defect of a loop shows where 1, 2, 3 or 4 rounds of it end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LIMIT = 64 << 10
FAR_LIMIT = 16 << 10  # of block counts and multiples: they are many, and long messages slow
MOST = 160
BLOCKS = (16, 64)
MULTIPLES = (2, 3, 4)
SHIFTED = 4096  # a shift by more takes words apart; it divides no length
_COMPARE, _SHIFT = "compare", "shift"
_FAR = 2  # the first rank of what is not the number itself or beside it


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in the code: its use (compare, step, shift), and the place, `symbol+0x1c`."""

    use: str
    value: int
    place: str


@dataclass(frozen=True, slots=True, order=True)
class Proposal:
    """A length in bytes and why it is worth a try."""

    length: int
    reason: str


def propose(mentions: Iterable[Mention]) -> tuple[Proposal, ...]:
    """The lengths, each once with its best reason, MOST at most: what is compared with comes
    before steps and shifts, the number itself before what is derived from it."""
    best: dict[int, tuple[int, str]] = {}
    for mention in dict.fromkeys(mentions):
        for rank, length, words in _derived(mention):
            limit = LIMIT if rank < _FAR else FAR_LIMIT
            if 0 <= length <= limit and (length not in best or rank < best[length][0]):
                best[length] = (rank, f"{words}, {mention.place}")
    ranked = sorted((rank, length, reason) for length, (rank, reason) in best.items())
    return tuple(sorted(Proposal(length, reason) for _, length, reason in ranked[:MOST]))


def _derived(mention: Mention) -> Iterator[tuple[int, int, str]]:
    """Rank, length and words of everything that a number suggests."""
    value, words = mention.value, f"{mention.use} {mention.value}"
    compared = mention.use == _COMPARE
    if mention.use == _SHIFT and value > SHIFTED:
        return
    yield from _around(0 if compared else 1, value, words)
    for block in BLOCKS if compared else ():
        yield 2, value - block, f"{words} -{block}"
        yield 2, value + block, f"{words} +{block}"
        yield from _around(2, value * block, f"{words} blocks of {block}")
    for times in MULTIPLES if value >= BLOCKS[0] else ():
        yield from _around(3 if compared else 4, times * value, f"{times} times {words}")


def _around(rank: int, length: int, words: str) -> Iterator[tuple[int, int, str]]:
    yield rank, length, words
    yield rank, length - 1, f"{words} -1"
    yield rank, length + 1, f"{words} +1"
