"""Answers are asked once per set of values, and inverses follow what can be undone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rig.cases import Answer, Case, Inputs, Placement, Values
from rig.inputs.answers import answer, answers, with_inverses
from rig.primitives import PRIMITIVES
from rig.primitives.definition import Definition
from rig.runner.scripts import Side

STREAM: Inputs = {"key": bytes(32), "counter": bytes(16), "data": b"abc"}
SEALED: Inputs = {
    "key": bytes(32),
    "nonce": bytes(12),
    "aad": b"a",
    "plaintext": b"message",
    "tag_len": 16,
}


def _case(inputs: Inputs, primitive: str, operation: str) -> Case:
    return Case("a case", Values(primitive, operation, inputs))


def _stream(data: bytes = b"abc") -> Case:
    return _case({**STREAM, "data": data}, "chacha20", "ctr32")


def _counting() -> tuple[Definition, list[int]]:
    """ChaCha20 whose oracle counts how often it is asked."""
    definition, asked = PRIMITIVES["chacha20"], [0]
    operation = definition.operations["ctr32"]
    oracle: Callable[..., Answer] = operation.answer

    def counted(inputs: object) -> Answer:
        asked[0] += 1
        return oracle(inputs)

    return replace(definition, operations={"ctr32": replace(operation, answer=counted)}), asked


def test_a_second_time_nothing_is_asked(tmp_path: Path) -> None:
    definition, asked = _counting()
    cases = [_stream(bytes(n)) for n in range(5)]
    first = answers(definition, cases, tmp_path)
    assert asked == [5]
    assert answers(definition, cases, tmp_path) == first
    assert asked == [5]


def test_placement_is_not_in_the_key(tmp_path: Path) -> None:
    definition, asked = _counting()
    answers(definition, [_stream()], tmp_path)
    answers(
        definition, [replace(_stream(), placement=Placement(Side.START, {"in": 1}, True))], tmp_path
    )
    assert asked == [1]


@pytest.mark.parametrize("name", ["key", "counter", "data"])
def test_every_value_is_in_the_key(tmp_path: Path, name: str) -> None:
    definition, asked = _counting()
    answers(definition, [_stream()], tmp_path)
    before = STREAM[name]
    assert isinstance(before, bytes)
    changed = {**STREAM, name: b"\1" + before[1:]}
    answers(definition, [_case(changed, "chacha20", "ctr32")], tmp_path)
    assert asked == [2]


def test_a_broken_cache_file_is_asked_for_again(tmp_path: Path) -> None:
    definition, asked = _counting()
    first = answers(definition, [_stream()], tmp_path)
    (file,) = (tmp_path / "answers").iterdir()
    file.write_text('[{"output": "zz')
    assert answers(definition, [_stream()], tmp_path) == first
    assert asked == [2]


def test_a_published_answer_is_never_asked_for(tmp_path: Path) -> None:
    definition, asked = _counting()
    published = Answer({"output": b"xyz"})
    cases = [_stream(), replace(_stream(), expected=published), _stream(b"d")]
    found = answers(definition, cases, tmp_path)
    assert found[1] == published
    assert found[0] == answer(PRIMITIVES["chacha20"], _stream())
    assert asked == [2]


def test_refusals_come_back_from_the_cache(tmp_path: Path) -> None:
    definition = PRIMITIVES["chacha20_poly1305"]
    case = _case({**SEALED, "tag_len": 15}, "chacha20_poly1305", "seal")
    first = answers(definition, [case], tmp_path)
    assert first[0].refused
    assert answers(definition, [case], tmp_path) == first


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": b"1", "b": b"2"}, {"a": b"12", "b": b""}),
        ({"a": b"#1"}, {"a": 1}),
        ({"a": b"x;b=1:y"}, {"a": b"x", "b": b"y"}),
        ({"a": b""}, {}),
    ],
)
def test_values_that_differ_have_different_keys(
    one: dict[str, bytes | int], other: dict[str, bytes | int]
) -> None:
    assert Values("p", "o", one).key() != Values("p", "o", other).key()


def test_what_is_sealed_is_opened() -> None:
    definition = PRIMITIVES["chacha20_poly1305"]
    case = _case(SEALED, "chacha20_poly1305", "seal")
    found = answer(definition, case)
    cases, expected = with_inverses(definition, [case], [found])
    assert [c.values.operation for c in cases] == ["seal", "open"]
    assert cases[1].values.inputs["ciphertext"] == found.outputs["ciphertext"]
    assert cases[1].values.inputs["tag"] == found.outputs["tag"]
    assert cases[1].placement == case.placement
    assert expected[1] == Answer({"plaintext": b"message"})
    assert answer(definition, replace(cases[1], expected=None)) == expected[1]


def test_what_has_no_inverse_has_none() -> None:
    refused = _case({**SEALED, "tag_len": 15}, "chacha20_poly1305", "seal")
    definition = PRIMITIVES["chacha20_poly1305"]
    found = answer(definition, refused)
    assert with_inverses(definition, [refused], [found]) == ((refused,), (found,))
    stream = _stream()
    known = answer(PRIMITIVES["chacha20"], stream)
    assert with_inverses(PRIMITIVES["chacha20"], [stream], [known]) == ((stream,), (known,))
    published = replace(_case(SEALED, "chacha20_poly1305", "seal"), expected=found)
    assert with_inverses(definition, [published], [found]) == ((published,), (found,))
