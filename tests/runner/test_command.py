"""What stands before a runner's program: nothing, an emulator, the user's prefix."""

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from rig.architectures import ARCHITECTURES, host_architecture
from rig.build.project import build_runner
from rig.build.toolchain import find_toolchain
from rig.errors import RigError
from rig.runner.command import AbsentError, find_command, parse_prefixes

HOST = ARCHITECTURES[host_architecture() or "x86_64"]
EMULATED = replace(HOST, emulator="qemu-toy")


@pytest.fixture(scope="module")
def program(rig_cache: Path) -> Path:
    return build_runner(HOST.name, find_toolchain(), rig_cache)


def script(folder: Path, name: str, body: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def elsewhere(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """As on a machine of another kind with nothing but `path` to find programs in."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")


def test_options_are_split_as_a_shell_does() -> None:
    given = ['aarch64=ssh -p 22 "my board"', "arm=qemu-arm -cpu max"]
    assert parse_prefixes(given) == {
        "aarch64": ("ssh", "-p", "22", "my board"),
        "arm": ("qemu-arm", "-cpu", "max"),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("arm64=ssh", "--runner arm64=ssh: unknown architecture"),
        ("arm", "--runner arm: expected ARCH=PREFIX"),
        ("arm=", "--runner arm=: expected ARCH=PREFIX"),
        ("arm=ssh 'board", "No closing quotation"),
    ],
)
def test_wrong_options_are_told(text: str, words: str) -> None:
    with pytest.raises(RigError, match=words):
        parse_prefixes([text])


def test_a_wrapper_gets_the_program_and_what_stands_before_it(
    program: Path, tmp_path: Path
) -> None:
    wrapper = script(tmp_path, "wrapper", f'echo "$@" > {tmp_path}/seen; shift; exec "$@"')
    words = find_command(HOST, program, (wrapper, "an argument"))
    assert words == (wrapper, "an argument", str(program))
    assert (tmp_path / "seen").read_text() == f"an argument {program}\n"


def test_nothing_stands_before_it_on_the_machine_itself(program: Path) -> None:
    assert find_command(HOST, program) == (str(program),)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 255", r"died during the handshake \(exit 255\)"),
        ("echo Welcome to board. The time is now a quarter past; sleep 1", "no greeting"),
    ],
)
def test_a_prefix_that_does_not_work_is_told_in_one_line(
    program: Path, tmp_path: Path, body: str, words: str
) -> None:
    with pytest.raises(RigError, match=f"the prefix for {HOST.name} .*{words}") as caught:
        find_command(HOST, program, (script(tmp_path, "board", body),))
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, AbsentError)


def test_a_prefix_that_is_not_there_is_told(program: Path) -> None:
    with pytest.raises(RigError, match=r"no-such .*: No such file"):
        find_command(HOST, program, ("no-such",))


def test_a_program_of_another_architecture_is_told(program: Path) -> None:
    other = next(arch for arch in ARCHITECTURES.values() if arch is not HOST)
    with pytest.raises(RigError, match=f"speaks for {HOST.name}, not {other.name}"):
        find_command(other, program, ("/usr/bin/env",))


def test_an_emulator_is_found_on_another_machine(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "qemu-toy", 'exec "$@"')
    elsewhere(monkeypatch, tmp_path)
    words = find_command(EMULATED, program)
    assert words == ("qemu-toy", str(program))


def test_without_an_emulator_reason_and_fix_are_told(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(monkeypatch, tmp_path)
    with pytest.raises(AbsentError) as caught:
        find_command(EMULATED, program)
    assert caught.value.reason == "this machine is riscv64, and qemu-toy is not on PATH"
    assert caught.value.fix == "`apt-get install qemu-user`"


def test_an_emulator_that_fails_is_an_absence(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "qemu-toy", "exit 3")
    elsewhere(monkeypatch, tmp_path)
    with pytest.raises(AbsentError, match=f"exit 3.*--runner {HOST.name}=PREFIX"):
        find_command(EMULATED, program)
