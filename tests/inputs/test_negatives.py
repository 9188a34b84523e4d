"""The negatives are near misses: each differs little from what the oracle opens, and is refused."""

import functools
from collections import Counter
from collections.abc import Iterator

import pytest

from rig.cases import Answer, Case
from rig.inputs.answers import answer
from rig.inputs.negatives import KEY_LENS, MESSAGES, PARTS, REFUSING, TAG_LENS, negatives
from rig.primitives import PRIMITIVES

NONCE_LENS = {
    "aes_gcm": 12,
    "chacha20_poly1305": 12,
    "chacha20_poly1305_old": 8,
    "xchacha20_poly1305": 24,
}
SEALED = ("key", "nonce", "aad", "ciphertext", "tag")
by_primitive = pytest.mark.parametrize("primitive", sorted(REFUSING))


def _octets(case: Case, name: str) -> bytes:
    value = case.values.inputs[name]
    assert isinstance(value, bytes)
    return value


def _part(case: Case) -> str:
    return case.name.rpartition(" ")[0]


@functools.cache
def _cases(primitive: str) -> tuple[Case, ...]:
    return tuple(negatives(primitive))


def _of(primitive: str, part: str, operation: str = "open") -> Iterator[Case]:
    return (
        case
        for case in _cases(primitive)
        if (_part(case), case.values.operation) == (part, operation)
    )


def _answer(case: Case) -> Answer:
    return answer(PRIMITIVES[case.values.primitive], case)


def _genuine(primitive: str) -> list[dict[str, bytes]]:
    """The messages behind the forgeries: of each, what most of its flipped tags have in common."""
    found: dict[tuple[bytes, bytes], list[Case]] = {}
    for case in _of(primitive, "tag bit"):
        found.setdefault((_octets(case, "aad"), _octets(case, "ciphertext")), []).append(case)
    return [_common(cases) for cases in found.values()]


def _common(cases: list[Case]) -> dict[str, bytes]:
    tags = (int.from_bytes(_octets(case, "tag"), "little") for case in cases)
    bits = Counter(bit for tag in tags for bit in range(128) if tag >> bit & 1)
    tag = sum(1 << bit for bit, count in bits.items() if 2 * count > len(cases))
    first = {name: _octets(cases[0], name) for name in SEALED}
    return {**first, "tag": tag.to_bytes(16, "little")}


def test_aeads_alone_have_negatives() -> None:
    assert set(NONCE_LENS) == REFUSING
    assert list(negatives("chacha20")) == []


@by_primitive
def test_the_same_cases_come_out_each_time(primitive: str) -> None:
    assert tuple(negatives(primitive)) == _cases(primitive)
    names = [case.name for case in _cases(primitive)]
    assert len(set(names)) == len(names)
    assert {_part(case) for case in _cases(primitive)} == set(PARTS)


@by_primitive
def test_messages_behind_the_forgeries_are_genuine(primitive: str) -> None:
    """So that a forgery is refused for what was changed, and for nothing else."""
    messages = _genuine(primitive)
    assert [(len(m["aad"]), len(m["ciphertext"])) for m in messages] == list(MESSAGES)
    for message in messages:
        opened = PRIMITIVES[primitive].operations["open"].answer(message)
        assert len(opened.outputs["plaintext"]) == len(message["ciphertext"])


@by_primitive
@pytest.mark.parametrize("part", ["tag bit", "tag pair", "byte", "length", "short tag"])
def test_forgeries_are_refused(primitive: str, part: str) -> None:
    assert all(_answer(case).refused for case in _of(primitive, part))


@by_primitive
def test_each_bit_of_a_tag_and_each_byte_of_the_rest_is_flipped(primitive: str) -> None:
    for message in _genuine(primitive):
        changed: Counter[tuple[str, int]] = Counter()
        for case in (*_of(primitive, "tag bit"), *_of(primitive, "byte")):
            changed.update(_single_flip(message, case))
        tag = [("tag", bit) for bit in range(128)]
        assert {key for key in changed if key[0] == "tag"} == set(tag)
        for name in SEALED[:4]:
            touched = {bit // 8 for key, bit in changed if key == name}
            assert touched == set(range(len(message[name])))


def _single_flip(message: dict[str, bytes], case: Case) -> list[tuple[str, int]]:
    """The one bit in which a case differs from a message; none if it is another message's."""
    differ = [name for name in SEALED if _octets(case, name) != message[name]]
    if len(differ) != 1 or len(_octets(case, differ[0])) != len(message[differ[0]]):
        return []
    values = (int.from_bytes(v, "little") for v in (_octets(case, differ[0]), message[differ[0]]))
    one, other = values
    return [(differ[0], (one ^ other).bit_length() - 1)] if (one ^ other).bit_count() == 1 else []


@by_primitive
def test_pairs_cancel_in_a_sum_of_differences(primitive: str) -> None:
    for message in _genuine(primitive):
        for case in _of(primitive, "tag pair"):
            if all(_octets(case, name) == message[name] for name in SEALED[:4]):
                pairs = zip(_octets(case, "tag"), message["tag"], strict=True)
                differ = [a ^ b for a, b in pairs if a != b]
                assert len(differ) == 2
                assert differ[0] == differ[1]


@by_primitive
def test_lengths_of_tags_nonces_and_keys(primitive: str) -> None:
    opened = {len(_octets(case, "tag")) for case in _of(primitive, "tag length")}
    assert opened == set(TAG_LENS) - {16}
    sealed = {case.values.inputs["tag_len"] for case in _of(primitive, "tag length", "seal")}
    assert sealed == set(TAG_LENS)
    size = NONCE_LENS[primitive]
    for operation in ("open", "seal"):
        nonces = {len(_octets(c, "nonce")) for c in _of(primitive, "nonce length", operation)}
        assert {0, 1, size - 1, size + 1} <= nonces
    assert [len(_octets(c, "key")) for c in _of(primitive, "key length", "init")] == list(KEY_LENS)
    assert any(not _answer(c).refused for c in _of(primitive, "key length", "init"))


@by_primitive
def test_other_nonces_are_refused_with_a_genuine_tag(primitive: str) -> None:
    """GCM has nonces of each length but zero, so its own refuse by the tag."""
    assert all(_answer(case).refused for case in _of(primitive, "nonce length"))
    sealed = [_answer(case).refused for case in _of(primitive, "nonce length", "seal")]
    assert all(sealed) == (primitive != "aes_gcm")
    assert any(sealed)
