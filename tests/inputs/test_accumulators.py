"""The accumulator reaches what it is led to, for each number of blocks."""

import random
from collections import Counter

from rig.inputs.accumulators import BLOCKS, TARGETS, P, accumulate, directed, directed_sums
from rig.oracle import poly1305

_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def _r(key: bytes) -> int:
    return int.from_bytes(key[:16], "little") & _CLAMP


def test_targets_are_the_ends_of_the_field_and_of_each_limb() -> None:
    """2^130 - 5 is p, so 0 to 4 are what code that has not yet subtracted holds as p to p + 4."""
    assert {0, 1, 2, 3, 4, 5, P - 1, P - 2, (1 << 128) - 1, (1 << 129) - 1} <= set(TARGETS)
    for radix in (26, 32, 44):
        for end in range(radix, 130, radix):
            assert {(1 << end) - 1, 1 << end} <= set(TARGETS)
    assert all(0 <= target < P for target in TARGETS)


def test_each_target_ends_messages_of_each_number_of_blocks() -> None:
    found = Counter()
    for key, message in directed(random.Random(1)):
        found[accumulate(_r(key), message), len(message) // 16] += 1
    wanted = {(target, blocks) for target in TARGETS for blocks in BLOCKS} - {(0, 1)}
    assert set(found) == wanted


def test_each_target_is_a_sum_before_the_last_product() -> None:
    found = set()
    for key, message in directed_sums(random.Random(1)):
        head, last = message[:-16], int.from_bytes(message[-16:], "little") + (1 << 128)
        found.add(((accumulate(_r(key), head) + last) % P, len(message) // 16))
    assert {(target, blocks) for target in TARGETS for blocks in BLOCKS[1:]} <= found
    assert ((1 << 129) - 1, 1) in found


def test_some_tags_carry_from_end_to_end() -> None:
    tags = [poly1305.mac(key, message) for key, message in directed(random.Random(1))]
    assert tags.count(bytes(16)) >= len(TARGETS)


def test_the_accumulator_is_the_oracles() -> None:
    chance = random.Random(2)
    key, message = chance.randbytes(16) + bytes(16), chance.randbytes(160)
    tag = accumulate(_r(key), message) % (1 << 128)
    assert tag.to_bytes(16, "little") == poly1305.mac(key, message)
