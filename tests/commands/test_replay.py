"""`rig replay`: the same case, the same garbage, the same words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rig.commands.replay import read_case, replay
from rig.project import Project
from rig.runner.session import Session

from .conftest import Found, Record, Rig, failures_of, write_case


@pytest.mark.parametrize(
    ("variant", "check"),
    [
        ("wrong_tail", "value"),
        ("over_read", "memory"),
        ("over_write", "memory"),
        ("scribble", "input"),
        ("crash", "crash"),
        ("clobber", "abi"),
        ("exits", "exit"),
    ],
)
def test_fails_again(variant: str, check: str, record: Record, rig: Rig) -> None:
    found = record(variant, check)
    result = rig("replay", found.file)
    assert result.code == 1
    assert f"  check     {check}: " in result.out
    assert "chacha20=clean (direct)" in result.out
    details = " " * 12
    assert all(len(line) <= 80 for line in result.lines if not line.startswith(details))


def test_same_garbage(controls: Project, controls_session: Session, tmp_path: Path) -> None:
    """`stale` shows where two seeds differ in one bit: only the same garbage finds the same
    bytes again."""
    failures = failures_of(controls, controls_session, "stale", 20)
    assert len(failures) >= 5
    for failure in failures:
        recorded = read_case(write_case(failure, tmp_path))
        path = replace(failure.path, masks=(failure.mask,))
        findings = replay(controls, controls_session, path, recorded)
        assert replace(failure.finding, script=0) in findings


def test_files_do_not_collide(record: Record) -> None:
    """Two paths that fail alike on one case leave two files."""
    assert record("over_read", "memory").file != record("over_write", "memory").file


def test_passes_now(record: Record, rig: Rig) -> None:
    found = record("wrong_tail", "value")
    result = rig("replay", _changed(found, path={"slots": {"chacha20": "clean"}}))
    assert result.code == 0
    assert result.lines[0] == "passes now: chacha20 x86_64 chacha20=clean (direct)"
    assert "recorded  value: `out` differs" in result.out


def test_by_identifier(record: Record, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    found = record("wrong_tail", "value")
    monkeypatch.chdir(found.file.parents[2])
    assert rig("replay", found.file.stem[:8]).code == 1
    result = rig("replay", "0000")
    assert (result.code, result.out) == (2, "")
    assert "neither a file nor the ID of a case in rig-report/cases" in result.err


def test_ambiguous_identifier(record: Record, rig: Rig) -> None:
    found = record("wrong_tail", "value")
    (found.file.parent / f"{found.file.stem}x.json").write_text("{}")
    result = rig("replay", found.file.stem[:8], f"--report={found.file.parents[1]}")
    assert result.code == 2
    assert "several cases begin so" in result.err


_NOWHERE = "/nowhere/rig.toml"
_BAD: dict[str, tuple[dict[str, Any], str]] = {
    "version": ({"rig": 2}, "this rig reads version 1"),
    "kind": ({"path": {"kind": "odd"}}, "a path is one of mask, direct, forced"),
    "variant": ({"path": {"slots": {"chacha20": "gone"}}}, "no direct path chacha20=gone any more"),
    "mask": ({"path": {"mask": "0x1"}}, "no absolute mask"),
    "selected": (
        {"path": {"kind": "mask", "slots": {"chacha20": "crash"}}},
        "no mask path chacha20=crash any more",
    ),
    "operation": ({"case": {"operation": "seal"}}, "chacha20 has no operation 'seal'"),
    "side": ({"case": {"placement": {"side": "left"}}}, "lacks"),
    "seeds": ({"seeds": [1]}, "not a case file"),
    "key": ({"case": {"inputs": {"key": "00"}}}, "does not fit the contract"),
    "moved": ({"manifest": _NOWHERE}, f"its manifest {_NOWHERE} is not there"),
}


@pytest.mark.parametrize("name", _BAD)
def test_what_cannot_be_replayed(name: str, record: Record, rig: Rig) -> None:
    changes, message = _BAD[name]
    file = _changed(record("wrong_tail", "value"), **changes)
    result = rig("replay", file)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"rig: {file}: ")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_case_of_an_absent_architecture(
    record: Record, rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setenv("PATH", "")
    changes = {"arch": "aarch64", "path": {"mask": "0x0"}}
    file = _changed(record("wrong_tail", "value"), **changes)
    result = rig("replay", file)
    assert (result.code, result.out) == (2, "")
    told = "a case of aarch64: this machine is riscv64, and qemu-aarch64 is not on PATH"
    assert result.err == f"rig: {file}: {told}; `apt-get install qemu-user`\n"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"rig": 1}', '"text"'])
def test_malformed(text: str, tmp_path: Path, rig: Rig) -> None:
    file = tmp_path / "case.json"
    file.write_text(text)
    result = rig("replay", file)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"rig: {file}: not ")


def test_moved_manifest(record: Record, rig: Rig) -> None:
    found = record("wrong_tail", "value")
    file = _changed(found, manifest=_NOWHERE)
    assert rig("replay", file, found.failure.project.manifest.path).code == 1


def _changed(found: Found, **changes: Any) -> Path:
    """The case file with some of its values replaced."""
    document = json.loads(found.file.read_text())
    _merge(document, changes)
    file = found.file.with_name("changed.json")
    file.write_text(json.dumps(document))
    return file


def _merge(document: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        if isinstance(value, dict) and key != "slots":
            _merge(document[key], value)
        else:
            document[key] = value
