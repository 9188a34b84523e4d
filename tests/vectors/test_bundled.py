"""The bundled folder: its provenance, its shape, and which records it holds."""

import hashlib
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from rig import data
from rig.data import data_folder
from rig.errors import RigError
from rig.vectors import Problem, bundled
from rig.vectors.shapes import SHAPES

FOLDER = data_folder("vectors")
# A kernel that is a part of an AEAD has no records: those are of whole messages.
RECORDED = sorted(name for name in SHAPES if not name.endswith("_fused"))
LISTED = tomllib.loads((FOLDER / "SOURCES.toml").read_text(encoding="utf-8"))["file"]


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: entry["path"])
def test_source_is_whole_and_the_file_unchanged(entry):
    assert set(entry) == {"path", "origin", "section", "date", "licence", "sha256"}
    assert all(entry.values())
    digest = hashlib.sha256((FOLDER / entry["path"]).read_bytes()).hexdigest()
    assert digest == entry["sha256"], f"sha256 of {entry['path']} is {digest}"


def test_every_file_is_listed_once_and_every_primitive_has_one():
    files = [file for file in FOLDER.rglob("*") if file.is_file()]
    found = sorted(file.relative_to(FOLDER).as_posix() for file in files)
    assert sorted([entry["path"] for entry in LISTED] + ["SOURCES.toml"]) == found
    assert {entry["path"].split("/")[0] for entry in LISTED} == set(RECORDED)


COUNTS = {
    "aes": {"encrypt": 16, "decrypt": 12, "cbc_encrypt": 3, "cbc_decrypt": 3, "ctr32": 6},
    "ghash": {"ghash": 24},
    "chacha20": {"ctr32": 14},
    "poly1305": {"mac": 12},
    "aes_gcm": {"seal": 18, "open": 18, "mac": 8},
    "chacha20_poly1305": {"seal": 2, "open": 2},
    "chacha20_poly1305_old": {"seal": 1, "open": 1},
    "xchacha20_poly1305": {"seal": 1, "open": 1},
}


@pytest.mark.parametrize("primitive", RECORDED)
def test_counts(primitive):
    vectors = list(bundled(primitive))
    assert [str(v) for v in vectors if isinstance(v, Problem)] == []
    assert Counter(v.operation for v in vectors) == COUNTS[primitive]
    assert {v.primitive for v in vectors} == {primitive}


def names(primitive):
    return [vector.name for vector in bundled(primitive)]


def test_appendix_a_of_rfc8439_is_whole():
    assert {f"A.1 #{i}" for i in range(1, 6)} <= set(names("chacha20"))
    assert {f"A.2 #{i}" for i in range(1, 4)} <= set(names("chacha20"))
    assert {f"A.3 #{i}" for i in range(1, 12)} <= set(names("poly1305"))
    assert {f"A.4 #{i}" for i in range(1, 4)} <= set(names("chacha20"))
    assert "A.5" in names("chacha20_poly1305")


def test_gcm_cases_cover_keys_and_nonces():
    opened = [v for v in bundled("aes_gcm") if v.operation == "open"]
    assert [v.name for v in opened] == [f"test case {i}" for i in range(1, 19)]
    kinds = Counter((len(v.inputs["key"]), len(v.inputs["nonce"])) for v in opened)
    assert kinds == {
        (key, nonce): n for key in (16, 24, 32) for nonce, n in ((12, 4), (8, 1), (60, 1))
    }


def test_a_place_is_the_line_of_the_name():
    for vector in bundled("chacha20"):
        path, _, line = vector.place.rpartition(":")
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        assert f'"name": "{vector.name}"' in lines[int(line) - 1]


def test_a_primitive_without_vectors_is_a_problem():
    (problem,) = bundled("salsa20")
    assert "no published vectors of salsa20" in str(problem)


def test_packaged_data_goes_before_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "__file__", str(tmp_path / "rig" / "data.py"))
    with pytest.raises(RigError, match="reinstall variant-rig"):
        data_folder("vectors")
    (tmp_path / "vectors").mkdir()
    assert data_folder("vectors") == tmp_path / "vectors"
    (tmp_path / "rig" / "_data" / "vectors").mkdir(parents=True)
    assert data_folder("vectors") == tmp_path / "rig" / "_data" / "vectors"
