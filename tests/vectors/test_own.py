"""The rig's own format: what a record gives, and what is said of a broken one."""

import json

import pytest

from rig.vectors import Problem, Vector, read

MAC = {
    "name": "one",
    "operation": "mac",
    "inputs": {"key": ["00" * 16, "11" * 16], "message": ""},
    "outputs": {"tag": "22" * 16},
}
LAST = MAC | {"name": "last"}


def write(folder, given, **header):
    content = {
        "format": "variant-rig vectors 1",
        "primitive": "poly1305",
        "source": "test",
        "records": given,
    }
    path = folder / "own.json"
    path.write_text(json.dumps(content | header, indent=1), encoding="utf-8")
    return path


def line_of(path, text):
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_rows_are_one_value(tmp_path):
    path = write(tmp_path, [MAC])
    place = f"{path}:{line_of(path, 'one')}"
    inputs = {"key": bytes(16) + b"\x11" * 16, "message": b""}
    outputs = {"tag": b"\x22" * 16}
    assert list(read(path)) == [Vector("poly1305", "mac", "test", "one", place, inputs, outputs)]


def aead(operation, **changes):
    fields = {"key": "00" * 32, "nonce": "00" * 12, "aad": "", "ciphertext": "aa", "tag": "bb"}
    record = {"name": "x", "operation": operation, "inputs": fields, "outputs": {"plaintext": "cc"}}
    return record | changes


def test_an_aead_record_is_a_seal_and_an_open(tmp_path):
    inputs = {"key": "00" * 32, "nonce": "00" * 12, "aad": "", "plaintext": "cc"}
    record = aead("aead", inputs=inputs, outputs={"ciphertext": "aa", "tag": "bb" * 4})
    seal, opened = read(write(tmp_path, [record], primitive="chacha20_poly1305"))
    assert (seal.operation, seal.inputs["tag_len"]) == ("seal", 4)
    assert (opened.operation, opened.outputs) == ("open", {"plaintext": b"\xcc"})


def test_each_half_stands_alone_and_may_be_refused(tmp_path):
    refused = {k: v for k, v in aead("open", valid=False).items() if k != "outputs"}
    inputs = {"key": "00" * 32, "nonce": "", "aad": "", "plaintext": "", "tag_len": 16}
    unsealable = {"name": "y", "operation": "seal", "inputs": inputs, "valid": False}
    records = [aead("open"), refused, unsealable]
    found = list(read(write(tmp_path, records, primitive="chacha20_poly1305")))
    assert [(v.operation, v.valid) for v in found] == [
        ("open", True),
        ("open", False),
        ("seal", False),
    ]
    assert found[2].inputs["tag_len"] == 16


def changed(**fields):
    return {"inputs": MAC["inputs"] | fields}


BROKEN = {
    "unknown member": ({"coment": ""}, "a record has no 'coment'"),
    "no operation": ({"operation": None}, "has no operation 'None'"),
    "operation": ({"operation": "mace"}, "no operation 'mace': did you mean 'mac'?"),
    "inputs": ({"inputs": []}, "inputs is no JSON object"),
    "unknown input": (changed(mesage=""), "inputs has no 'mesage': did you mean 'message'?"),
    "missing input": ({"inputs": {"message": ""}}, "inputs lacks 'key'"),
    "hex": (changed(message="0"), "message is not hexadecimal"),
    "row": (changed(message=["00", 1]), "message is no hexadecimal string"),
    "size": (changed(key="00"), "key has 1 bytes, not 32 bytes"),
    "no outputs": ({"outputs": None}, "outputs is no JSON object"),
    "valid": ({"valid": "no"}, "valid is neither true nor false"),
    "refused": ({"valid": False}, "only a seal or an open without outputs can be refused"),
}


@pytest.mark.parametrize("changes, message", BROKEN.values(), ids=BROKEN)
def test_a_broken_record_is_a_problem_and_the_next_goes_on(tmp_path, changes, message):
    path = write(tmp_path, [MAC, MAC | {"name": "two"} | changes, LAST])
    _, problem, last = read(path)
    assert isinstance(problem, Problem)
    assert problem.place == f"{path}:{line_of(path, 'two')}"
    assert message in problem.message
    assert last.place == f"{path}:{line_of(path, 'last')}"


def test_a_record_without_a_name_is_a_problem_and_moves_no_place(tmp_path):
    nameless = {name: value for name, value in MAC.items() if name != "name"}
    path = write(tmp_path, [MAC, nameless, 5, LAST])
    _, first, second, last = read(path)
    assert "a record lacks 'name'" in first.message
    assert "no JSON object" in second.message
    assert last.place == f"{path}:{line_of(path, 'last')}"


def test_unequal_lengths_are_a_problem(tmp_path):
    inputs = {"key": "00" * 32, "counter": "00" * 16, "data": "00"}
    record = {"name": "x", "operation": "ctr32", "inputs": inputs, "outputs": {"output": ""}}
    (problem,) = read(write(tmp_path, [record], primitive="chacha20"))
    assert problem.message == "data has 1 bytes and output has 0 bytes: they must be equal"


def test_part_of_a_block_is_a_problem(tmp_path):
    inputs = {"h": "00" * 16, "xi": "00" * 16, "data": "00" * 17}
    record = {"name": "x", "operation": "ghash", "inputs": inputs, "outputs": {"xi_out": ""}}
    (problem,) = read(write(tmp_path, [record], primitive="ghash"))
    assert problem.message == "data has 17 bytes, not whole blocks of 16 bytes"


HEADERS = {
    "version": ({"format": "variant-rig vectors 2"}, "format", "is not 'variant-rig vectors 1'"),
    "primitive": ({"primitive": "poly1035"}, "primitive", "did you mean 'poly1305'?"),
    "member": ({"sorce": "x"}, "sorce", "the file has no 'sorce': did you mean 'source'?"),
    "source": ({"source": 5}, "source", "source is no text"),
    "records": ({"records": {}}, "records", "records is no JSON array"),
}


@pytest.mark.parametrize("header, key, message", HEADERS.values(), ids=HEADERS)
def test_a_broken_header_is_one_problem(tmp_path, header, key, message):
    path = write(tmp_path, [MAC], **header)
    (problem,) = read(path)
    assert problem.place == f"{path}:{line_of(path, key)}"
    assert message in problem.message
