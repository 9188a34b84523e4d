"""ACVP vector sets of AES-GCM, joined and in two files; the sample is calculated here."""

import json

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from rig.vectors import Problem, read

KEY, IV, AAD, PLAINTEXT = bytes(range(32)), bytes(range(12)), b"\xaa" * 20, b"\xca\xfe\xba\xbe"
SEALED = AESGCM(KEY).encrypt(IV, PLAINTEXT, AAD)
CIPHERTEXT, TAG = SEALED[:4], SEALED[4:]


def hexes(**fields):
    return {name: value.hex().upper() for name, value in fields.items()}


def group(number, direction, *tests):
    lengths = {"keyLen": 256, "ivLen": 96, "payloadLen": 32, "aadLen": 160, "tagLen": 128}
    return {"tgId": number, "testType": "AFT", "direction": direction, **lengths, "tests": tests}


def vector_set(*groups):
    header = {"vsId": 42, "algorithm": "ACVP-AES-GCM", "revision": "1.0", "isSample": True}
    return [{"acvVersion": "1.0"}, {**header, "testGroups": groups}]


INPUTS = hexes(key=KEY, iv=IV, aad=AAD)
ENCRYPT = {"tcId": 1, **INPUTS, **hexes(pt=PLAINTEXT)}
DECRYPT = {"tcId": 2, **INPUTS, **hexes(ct=CIPHERTEXT, tag=TAG)}
FORGED = {"tcId": 3, **INPUTS, **hexes(ct=CIPHERTEXT, tag=bytes(16))}
SEAL_ANSWER = hexes(ct=CIPHERTEXT, tag=TAG)

JOINED = vector_set(
    group(1, "encrypt", ENCRYPT | SEAL_ANSWER),
    group(2, "decrypt", DECRYPT | hexes(pt=PLAINTEXT), FORGED | {"testPassed": False}),
)
PROMPT = vector_set(group(1, "encrypt", ENCRYPT), group(2, "decrypt", DECRYPT, FORGED))
RESULTS = vector_set(
    {"tgId": 1, "tests": [{"tcId": 1, **SEAL_ANSWER}]},
    {"tgId": 2, "tests": [{"tcId": 2, **hexes(pt=PLAINTEXT)}, {"tcId": 3, "testPassed": False}]},
)


def write(folder, name, content):
    path = folder / name
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def facts(vectors):
    return [(v.operation, v.valid, dict(v.inputs), dict(v.outputs)) for v in vectors]


def expected():
    common = {"key": KEY, "nonce": IV, "aad": AAD}
    sealed = {"ciphertext": CIPHERTEXT, "tag": TAG}
    seal = ("seal", True, {**common, "plaintext": PLAINTEXT, "tag_len": 16}, sealed)
    opened = ("open", True, {**common, **sealed}, {"plaintext": PLAINTEXT})
    forged = ("open", False, {**common, "ciphertext": CIPHERTEXT, "tag": bytes(16)}, {})
    return [seal, opened, seal, opened, forged]


def test_a_joined_file(tmp_path):
    vectors = list(read(write(tmp_path, "internalProjection.json", JOINED)))
    assert facts(vectors) == expected()
    assert [v.name for v in vectors][::2] == [f"internalProjection tcId {i}" for i in (1, 2, 3)]
    assert {v.source for v in vectors} == {"ACVP"}


def test_a_vector_set_without_its_version(tmp_path):
    assert facts(read(write(tmp_path, "set.json", JOINED[1]))) == expected()


def test_a_prompt_with_its_results(tmp_path):
    prompt = write(tmp_path, "gcm-prompt.json", PROMPT)
    results = write(tmp_path, "gcm-expectedResults.json", RESULTS)
    vectors = list(read(prompt))
    assert facts(vectors) == expected()
    assert {v.place.rpartition(":")[0] for v in vectors} == {str(prompt)}
    assert list(read(results)) == []


def test_an_iv_made_by_the_implementation_stands_in_the_results(tmp_path):
    without = {name: value for name, value in ENCRYPT.items() if name != "iv"}
    answer = {"tcId": 1, **SEAL_ANSWER, **hexes(iv=IV)}
    prompt = write(tmp_path, "prompt.json", vector_set(group(1, "encrypt", without)))
    write(tmp_path, "expectedResults.json", vector_set({"tgId": 1, "tests": [answer]}))
    assert facts(read(prompt)) == expected()[:2]


def test_a_half_alone_is_a_problem(tmp_path):
    (problem,) = read(write(tmp_path, "prompt.json", PROMPT))
    assert "its answers are missing" in problem.message
    assert "expectedResults.json" in problem.message
    (tmp_path / "prompt.json").unlink()
    (problem,) = read(write(tmp_path, "expectedResults.json", RESULTS))
    assert problem.message == "answers without their questions: put prompt.json beside"


BROKEN = {
    "no answer": (ENCRYPT, "encrypt", "tag is missing"),
    "no plaintext": (DECRYPT, "decrypt", "pt is missing"),
    "key": (ENCRYPT | SEAL_ANSWER | {"key": "00"}, "encrypt", "the group's keyLen says 32"),
    "iv": (ENCRYPT | SEAL_ANSWER | {"iv": "00"}, "encrypt", "the group's ivLen says 12"),
    "aad": (ENCRYPT | SEAL_ANSWER | {"aad": "00"}, "encrypt", "the group's aadLen says 20"),
    "tag": (ENCRYPT | SEAL_ANSWER | {"tag": "00"}, "encrypt", "the group's tagLen says 16"),
    "ct": (ENCRYPT | SEAL_ANSWER | {"ct": "00"}, "encrypt", "the group's payloadLen says 4"),
    "pt": (ENCRYPT | SEAL_ANSWER | {"pt": "00"}, "encrypt", "the plaintext has 1 bytes"),
    "direction": (ENCRYPT | SEAL_ANSWER, "both", "direction 'both' is neither"),
    "failed": (ENCRYPT | SEAL_ANSWER | {"testPassed": False}, "encrypt", "cannot fail"),
}


@pytest.mark.parametrize("test, direction, message", BROKEN.values(), ids=BROKEN)
def test_a_broken_test_is_a_problem_and_the_next_goes_on(tmp_path, test, direction, message):
    content = vector_set(
        group(1, direction, test), group(2, "decrypt", FORGED | {"testPassed": False})
    )
    path = write(tmp_path, "set.json", content)
    problem, vector = read(path)
    assert isinstance(problem, Problem) and message in problem.message
    lines = path.read_text(encoding="utf-8").splitlines()
    assert f'"tcId": {test["tcId"]},' in lines[int(problem.place.rpartition(":")[2]) - 1]
    assert vector.name == "set tcId 3"


def test_another_algorithm_is_a_problem(tmp_path):
    content = [JOINED[0], JOINED[1] | {"algorithm": "ACVP-AES-GCM-SIV"}]
    (problem,) = read(write(tmp_path, "set.json", content))
    assert "'ACVP-AES-GCM-SIV' is not ACVP-AES-GCM" in problem.message
