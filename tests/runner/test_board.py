"""The script of docs/architectures.md that brings a runner to a board, with a stand-in for ssh."""

import re
from pathlib import Path

import pytest

from rig.build.project import build_runner
from rig.build.toolchain import find_toolchain
from rig.runner.client import Runner

PAGE = Path(__file__).parents[2] / "docs" / "architectures.md"
SSH = """#!/bin/sh
# ssh [-T] HOST COMMAND: here the board is this machine.
while [ "$1" != board ]; do shift; done
shift
echo "$*" >> {log}
exec sh -c "$*"
"""


def _script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_runner_goes_to_the_board_once(
    tmp_path: Path, rig_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = re.search(r"```sh\n(#!.*?)```", PAGE.read_text(), re.DOTALL)
    assert found
    board = tmp_path / "board"
    board.mkdir()
    script = _script(tmp_path / "on-board", found[1].replace("/tmp/", f"{board}/"))
    _script(tmp_path / "ssh", SSH.format(log=tmp_path / "log"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program = build_runner("x86_64", find_toolchain(), rig_cache)
    for _ in range(2):
        with Runner((str(script), str(program))) as runner:
            assert runner.cpuid(0, 0)
    copied = [line for line in (tmp_path / "log").read_text().splitlines() if "cat" in line]
    assert (len(copied), len(list(board.iterdir()))) == (1, 1)
