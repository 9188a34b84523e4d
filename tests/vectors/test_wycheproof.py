"""Wycheproof AEAD files: what each result gives, and what is said of a broken test."""

import json
from pathlib import Path

import pytest

from rig.vectors import Problem, wycheproof
from rig.vectors.source_file import SourceFile


def test_fields(number=1, **changes):
    fields = {
        "tcId": number,
        "comment": 'says "tcId": 7, which is no key',
        "flags": ["Ktv"],
        "key": "00112233445566778899aabbccddeeff",
        "iv": "000102030405060708090a0b",
        "aad": "aa",
        "msg": "cafe",
        "ct": "beef",
        "tag": "0102030405060708090a0b0c0d0e0f10",
        "result": "valid",
    }
    return {name: value for name, value in (fields | changes).items() if value is not None}


test_fields.__test__ = False


def document(*tests, **changes):
    group = {"type": "AeadTest", "ivSize": 96, "keySize": 128, "tagSize": 128, "tests": list(tests)}
    whole = {
        "algorithm": "AES-GCM",
        "schema": "aead_test_schema_v1.json",
        "numberOfTests": len(tests),
        "testGroups": [group],
    }
    return whole | changes


def parse(content):
    text = json.dumps(content, indent=1)
    file = SourceFile(Path("aes_gcm_test.json"), text, content)
    assert wycheproof.knows(file)
    return text.splitlines(), list(wycheproof.read(file))


def line_of(lines, number):
    return next(i for i, line in enumerate(lines, 1) if line.strip() == f'"tcId": {number},')


@pytest.mark.parametrize("result", ["valid", "acceptable"])
def test_a_valid_test_gives_a_seal_and_an_open(result):
    lines, (seal, opened) = parse(document(test_fields(3, result=result)))
    assert (seal.operation, seal.inputs["tag_len"], seal.outputs["ciphertext"]) == (
        "seal",
        16,
        b"\xbe\xef",
    )
    assert (opened.operation, opened.outputs) == ("open", {"plaintext": b"\xca\xfe"})
    assert (seal.primitive, seal.source) == ("aes_gcm", "Wycheproof")
    assert seal.name == opened.name == "aes_gcm_test tcId 3"
    assert opened.place == f"aes_gcm_test.json:{line_of(lines, 3)}"


def test_an_invalid_test_must_be_refused():
    _, (vector,) = parse(document(test_fields(result="invalid", flags=["ModifiedTag"])))
    assert (vector.operation, vector.valid, vector.outputs) == ("open", False, {})


def test_an_invalid_nonce_must_be_refused_by_seal_too():
    test = test_fields(iv="", ct="", tag="", result="invalid", flags=["InvalidNonceSize"])
    content = document(test, algorithm="CHACHA20-POLY1305")
    content["testGroups"][0]["ivSize"] = 0
    _, (opened, seal) = parse(content)
    assert (opened.operation, opened.valid, opened.inputs["tag"]) == ("open", False, b"")
    assert (seal.operation, seal.valid, seal.inputs["tag_len"]) == ("seal", False, 16)
    assert seal.primitive == "chacha20_poly1305" and seal.inputs["plaintext"] == b"\xca\xfe"


BROKEN = {
    "no key": ({"key": None}, "key is missing"),
    "number": ({"key": 5}, "key is no hexadecimal string"),
    "hex": ({"aad": "a"}, "aad is not hexadecimal"),
    "key size": ({"key": "00"}, "key has 1 bytes, but the group's keySize says 16"),
    "iv size": ({"iv": "00"}, "iv has 1 bytes, but the group's ivSize says 12"),
    "tag size": ({"tag": "00"}, "tag has 1 bytes, but the group's tagSize says 16"),
    "lengths": ({"ct": "be"}, "the plaintext has 2 bytes, the ciphertext 1"),
    "result": ({"result": "fine"}, "result 'fine' is none of valid, acceptable, invalid"),
    "flags": ({"result": "invalid", "flags": 1}, "flags is no JSON array"),
}


@pytest.mark.parametrize("changes, message", BROKEN.values(), ids=BROKEN)
def test_a_broken_test_is_a_problem_and_the_next_goes_on(changes, message):
    lines, found = parse(document(test_fields(1), test_fields(2, **changes), test_fields(3)))
    (problem,) = (p for p in found if isinstance(p, Problem))
    assert problem.place == f"aes_gcm_test.json:{line_of(lines, 2)}"
    assert problem.message.startswith("tcId 2: ") and message in problem.message
    assert found[-1].place == f"aes_gcm_test.json:{line_of(lines, 3)}"


def test_a_count_that_differs_is_a_problem():
    lines, (*vectors, problem) = parse(document(test_fields(), numberOfTests=2))
    assert len(vectors) == 2
    assert problem.message == "numberOfTests is 2, but the file holds 1"
    assert "numberOfTests" in lines[int(problem.place.rpartition(":")[2]) - 1]


@pytest.mark.parametrize("groups", [None, 5, [5], [{}], [{"tests": 5}], [{"tests": [5]}]])
def test_another_shape_is_a_problem(groups):
    _, (problem,) = parse(document(testGroups=groups, numberOfTests=1))
    assert "no JSON object" in problem.message


def test_another_algorithm_is_a_problem():
    _, (problem,) = parse(document(test_fields(), algorithm="AES-GCM-SIV"))
    assert str(problem).startswith("aes_gcm_test.json:2: Wycheproof algorithm 'AES-GCM-SIV'")
