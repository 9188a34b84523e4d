"""The client: handshake, refusals, a runner that dies, a fresh start."""

import os
import signal
import stat
import struct

import pytest

from rig.runner.client import MAGIC, READ, VERSION, RunFlag, Runner, RunnerDiedError, RunnerError
from rig.runner.encode import encode
from rig.runner.scripts import Prologue, Script


def escaped(version=VERSION, page=4096):
    """A greeting as printf in a shell takes it."""
    hello = struct.pack("<IIQIIIIII", 0, 0, 24, MAGIC, version, 1, 8, page, 0)
    return "".join(f"\\{byte:03o}" for byte in hello)


def impostor(tmp_path, body):
    path = tmp_path / "impostor"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return [str(path)]


def test_a_missing_program_is_named(tmp_path):
    with pytest.raises(RunnerDiedError, match=r"no-runner: No such file"):
        Runner([str(tmp_path / "no-runner")]).start()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", r"died during the handshake \(exit 3\)"),
        ("printf 'hello, this is a login banner, not a runner.....'; sleep 1", "greeting"),
        (f"printf '{escaped(version=99)}'", "version 99"),
        (f"printf '{escaped(page=65536)}'", "page 65536"),
    ],
)
def test_what_is_no_runner_is_refused(tmp_path, body, words):
    with pytest.raises(RunnerDiedError, match=words):
        Runner(impostor(tmp_path, body)).start()


def test_refusals_leave_the_runner_usable(runner, image):
    with pytest.raises(RunnerError, match="outside every mapping"):
        runner.read(0x1234, 1)
    with pytest.raises(RunnerError, match="outside every mapping"):
        runner.write(image.text[0] + (1 << 30), b"x")
    with pytest.raises(RunnerError, match="MAP: File exists"):
        runner.map(0x2000_0000_1000, 4096, READ)
    batch = runner.batch(encode([]))
    with pytest.raises(RunnerError, match="does not exist"):
        runner.run(batch, Prologue(), first=1, count=1)
    runner.drop(batch)
    assert runner.cpuid(0)[0] >= 1


def test_read_only_memory_can_be_written_by_the_client_only(program):
    with Runner([str(program)]) as runner:
        runner.map(0x1_0000_0000, 8192, READ)
        runner.write(0x1_0000_0FFC, b"12345678")
        assert runner.read(0x1_0000_0FFC, 8) == b"12345678"
        assert runner.arch.name == "x86_64"


def test_a_dead_runner_is_told_and_starts_again(program):
    with Runner([str(program)]) as runner:
        assert runner._process
        os.kill(runner._process.pid, signal.SIGKILL)
        with pytest.raises(RunnerDiedError, match="SIGKILL"):
            runner.cpuid(0)
        with pytest.raises(RunnerDiedError, match="not started"):
            runner.cpuid(0)
        runner.start()
        assert runner.batch(encode([])) == 0


def test_the_watchdog_names_what_was_running(program, image, load):
    with Runner([str(program)]) as runner:
        load(runner, image)
        batch = runner.batch(encode([Script((), (image.call("forever"),))]))
        with pytest.raises(RunnerDiedError, match="RUN of scripts 0 to 0 of batch 0, seed 4"):
            runner.run(batch, Prologue(), seed=4, wall_seconds=0.2)


def test_an_interrupt_leaves_no_stale_answer(program, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with Runner([str(program)]) as runner:
        with monkeypatch.context() as patch:
            patch.setattr(runner, "_answer", interrupted)
            with pytest.raises(KeyboardInterrupt):
                runner.cpuid(0)
        with pytest.raises(RunnerDiedError, match="not started"):
            runner.cpuid(1)


def test_coverage_needs_traps(program):
    with Runner([str(program)]) as runner:
        batch = runner.batch(encode([]))
        with pytest.raises(RunnerError, match=r"RUN .*: coverage or steps without traps"):
            runner.run(batch, Prologue(), flags=RunFlag.COVERAGE)


def test_the_runner_ends_when_its_input_does(program):
    runner = Runner([str(program)])
    runner.start()
    process = runner._process
    runner.close()
    assert process and process.returncode == 0
