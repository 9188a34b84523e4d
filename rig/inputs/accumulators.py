"""Station 4: Poly1305 keys and messages that lead the accumulator to values at which carries
and the last reduction go wrong (RFC 8439 section 2.5).

Enters: a seeded generator. Leaves: pairs of key and message. Never here: tags; the oracle judges.

The last block is solved for. With r and the blocks before it chosen at random and h the
accumulator before it, m = target / r - h makes the accumulator the target after the block, and
m = target - h makes their sum the target before the product. m is a block if it lies between 2^128
and 2^129, once in four tries. As each target ends messages of 1 to 16 blocks, lanes meet in it.
"""

import random
from collections.abc import Iterator

BLOCKS = range(1, 17)
P = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
_TOP = 1 << 128


def _limb_edges(radix: int) -> Iterator[int]:
    """At each limb's end: all ones below it, the carry out of them, and all ones but this limb."""
    for end in range(radix, 130, radix):
        yield (1 << end) - 1
        yield 1 << end
        yield (1 << 130) - (1 << end) - 6


_ENDS = (*range(6), *((1 << 130) - back for back in range(6, 12)))
_BITS = ((1 << 128) - 5, (1 << 128) - 1, 1 << 128, (1 << 129) - 1, 1 << 129, (1 << 64) - 1, 1 << 64)
TARGETS = tuple(
    dict.fromkeys((*_ENDS, *_BITS, *_limb_edges(26), *_limb_edges(32), *_limb_edges(44)))
)


def directed(chance: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Each target after the last product, for every number of blocks; the key's second half is
    in turn 0, all ones, and what makes the tag 0."""
    for number, target in enumerate(TARGETS):
        for blocks in BLOCKS[0 if target else 1 :]:  # no single block times r is 0
            s = (0, (1 << 128) - 1, -target % (1 << 128))[(number + blocks) % 3]
            yield _solved(chance, target, blocks, s, before=False)


def directed_sums(chance: random.Random) -> Iterator[tuple[bytes, bytes]]:
    """Each target as the sum that the last product multiplies."""
    for target in TARGETS:
        for blocks in BLOCKS:
            if blocks > 1 or _is_block(target):
                yield _solved(chance, target, blocks, chance.getrandbits(128), before=True)


def _solved(
    chance: random.Random, target: int, blocks: int, s: int, *, before: bool
) -> tuple[bytes, bytes]:
    while True:
        r = chance.getrandbits(128) & _CLAMP
        message = chance.randbytes(16 * (blocks - 1))
        wanted = target if before else target * pow(r, -1, P)
        last = (wanted - accumulate(r, message)) % P
        if _is_block(last):
            key = r.to_bytes(16, "little") + s.to_bytes(16, "little")
            return key, message + (last - _TOP).to_bytes(16, "little")


def _is_block(number: int) -> bool:
    return _TOP <= number < 2 * _TOP


def accumulate(r: int, message: bytes) -> int:
    """The accumulator, below P, after a message of whole blocks."""
    h = 0
    for start in range(0, len(message), 16):
        h = (h + int.from_bytes(message[start : start + 16], "little") + _TOP) * r % P
    return h
