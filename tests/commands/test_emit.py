"""`rig replay --emit`: the program is compiled by the lines in its own comment and run.

zig builds its libc on first use, which takes most of a minute. So it takes the headers only and
makes a library of C's program too, which the libc of this Python serves; the system's compiler,
if there is one, links a program as users do.
"""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import ziglang

from .conftest import Found, Record, Rig

PYTHON = shlex.quote(sys.executable)
HEADERS = ("x86-linux-gnu", "generic-glibc", "x86-linux-any", "any-linux-any")
LIBC = Path(ziglang.__file__).parent / "lib" / "libc" / "include"
INCLUDE = " ".join(f"-isystem {shlex.quote(str(LIBC / name))}" for name in HEADERS)
OPTIONS = "-shared -nostdlib -fPIC -fno-sanitize=all"
ZIG = f"{PYTHON} -m ziglang cc -target x86_64-linux-gnu {OPTIONS} {INCLUDE}"
LOADED = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).main())"
SUFFIX = {"c": "c", "python": "py"}


@pytest.mark.parametrize("language", ["c", "python"])
@pytest.mark.parametrize(
    ("variant", "check", "code", "said"),
    [
        ("wrong_tail", "value", 1, "pass 1: `out` differs from byte 62 of 63"),
        ("over_read", "memory", -11, "pass 1: control_over_read"),
        ("over_write", "memory", -11, "control_over_write"),
        ("scribble", "input", 1, "control_scribble changed `counter`"),
        ("stale", "uninitialised", 1, "`out` differs from byte 0"),
    ],
)
def test_reproduces(
    language: str, variant: str, check: str, code: int, said: str, record: Record, rig: Rig
) -> None:
    found = record(variant, check)
    done = _run(_emitted(found, language, rig))
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout


@pytest.mark.parametrize("language", ["c", "python"])
def test_clean_twin_passes(language: str, record: Record, rig: Rig) -> None:
    found = record("wrong_tail", "value")
    text = found.file.read_text().replace('"wrong_tail"', '"clean"')
    found.file.write_text(text)
    done = _run(_emitted(found, language, rig))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("no fault: the case passes here\n")


@pytest.mark.skipif(not shutil.which("cc"), reason="no cc on PATH")
@pytest.mark.parametrize("language", ["c", "python"])
def test_system_compiler(language: str, record: Record, rig: Rig) -> None:
    done = _run(_emitted(record("wrong_tail", "value"), language, rig), compiler=None)
    assert done.returncode == 1, done.stdout + done.stderr


def test_says_what_it_does_not_see(record: Record, rig: Rig) -> None:
    assert "kept registers" in _emitted(record("clobber", "abi"), "c", rig).read_text()


def _emitted(found: Found, language: str, rig: Rig) -> Path:
    result = rig("replay", found.file, "--emit", language)
    assert result.code == 0
    program = found.file.parents[2] / f"case-{found.file.stem}.{SUFFIX[language]}"
    program.write_text(result.out)
    return program


def _run(program: Path, compiler: str | None = ZIG) -> subprocess.CompletedProcess[str]:
    """The commands in the comment, one after the other; the last runs the program."""
    *made, run = _commands(program.read_text())
    lines = [line for line in made if compiler is None or not line.startswith("CC=")]
    start = f"set -e; CC={shlex.quote(compiler)}" if compiler else "set -e"
    folder = program.parent
    script = "\n".join((start, *lines))
    subprocess.run(["sh", "-c", script], cwd=folder, check=True, capture_output=True, text=True)
    words = [sys.executable if word == "python3" else word for word in shlex.split(run)]
    if compiler and program.suffix == ".c":
        words = [sys.executable, "-c", LOADED, *words]
    return subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)


def _commands(text: str) -> list[str]:
    """The indented lines behind "Compile and run"."""
    lines = iter(text.splitlines())
    for line in lines:
        if "Compile and run" in line:
            break
    found = []
    for line in lines:
        if not line.lstrip(" *"):
            break
        found.append(line.lstrip(" *"))
    return found
