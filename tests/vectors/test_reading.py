"""Files and folders as a user gives them: recognised, or said to be not."""

import shutil

import pytest

from rig.data import data_folder
from rig.vectors import Problem, read, read_folder

UNKNOWN = {
    "notes.txt": "what is this",
    "README": "no ending",
    "numbers.json": "[1, 2]",
    "null.json": "null",
    "object.json": '{"testGroups": []}',
    "ECBGFSbox128.rsp": "[ENCRYPT]\n\nCOUNT = 0\nKEY = 00\n",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_file_is_a_problem(tmp_path, name):
    path = tmp_path / name
    path.write_text(UNKNOWN[name], encoding="utf-8")
    (problem,) = read(path)
    assert problem.place == f"{path}:1"
    assert problem.message.startswith("no reader knows this file")


def test_broken_json_has_a_line(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{\n "records": [\n  {]\n', encoding="utf-8")
    (problem,) = read(path)
    assert str(problem).startswith(f"{path}:3: not JSON: ")


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"9" * 5000])
def test_what_cannot_be_read_is_a_problem(tmp_path, content):
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    (problem,) = read(path)
    assert isinstance(problem, Problem) and problem.place == f"{path}:1"


def test_a_missing_file_is_a_problem(tmp_path):
    (problem,) = read(tmp_path / "gone.json")
    assert "cannot be read" in problem.message


EMPTY = {
    "own.json": '{"format": "variant-rig vectors 1", "primitive": "aes", "source": "x",'
    ' "records": []}',
    "wycheproof.json": '{"algorithm": "AES-GCM", "numberOfTests": 0, "testGroups": []}',
    "acvp.json": '{"vsId": 1, "testGroups": []}',
    "gcm.rsp": "[Keylen = 128]\n[IVlen = 96]\n[PTlen = 0]\n[AADlen = 0]\n[Taglen = 32]\n",
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_file_without_records_is_a_problem(tmp_path, name):
    path = tmp_path / name
    path.write_text(EMPTY[name], encoding="utf-8")
    assert [str(problem) for problem in read(path)] == [f"{path}:1: holds no records"]


def test_line_ends_of_other_systems(tmp_path):
    source = next(data_folder("vectors").glob("aes/fips197.json"))
    path = tmp_path / "crlf.json"
    path.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    places = [[v.place.rpartition(":")[2] for v in read(p)] for p in (source, path)]
    assert places[0] == places[1]


def test_a_folder_gives_every_file_in_order_and_goes_on_after_a_problem(tmp_path):
    folder = tmp_path / "a user's folder"
    shutil.copytree(data_folder("vectors"), folder)
    (folder / "aes" / "notes.txt").write_text("hello", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("", encoding="utf-8")
    found = list(read_folder(folder))
    (problem,) = (record for record in found if isinstance(record, Problem))
    assert problem.place == f"{folder / 'aes' / 'notes.txt'}:1"
    assert len(found) == 142 + 1
    files = [record.place.rpartition(":")[0] for record in found]
    assert files == sorted(files)


def test_a_folder_without_files_is_a_problem(tmp_path):
    (problem,) = read_folder(tmp_path)
    assert problem.message == "holds no vector files"
    (problem,) = read_folder(tmp_path / "gone")
    assert problem.message == "is no folder"
