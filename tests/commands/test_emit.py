"""`rig replay --emit`: the program is compiled by the lines in its own comment and run.

zig builds its libc on first use, which takes most of a minute. So it takes the headers only and
makes a library of C's program too, which the libc of this Python serves; the system's compiler,
if there is one, links a program as users do.
"""

import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import ziglang

from rig.capabilities.paths import Path as RigPath
from rig.capabilities.paths import direct_paths
from rig.cases import Case, Values
from rig.checks.findings import Finding
from rig.inputs.answers import answer
from rig.inputs.sources import sources
from rig.inputs.sweeps import sweep
from rig.primitives import PRIMITIVES
from rig.project import Project, enumerate_paths
from rig.report.failures import Failure

from .conftest import NATIVE, SEEDS, Found, Record, Rig, built, write_case

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


@pytest.mark.parametrize("language", ["c", "python"])
def test_composition(language: str, rig_cache: Path, rig: Rig, tmp_path: Path) -> None:
    """The table of slots is filled, and each source has its own features."""
    project = built(NATIVE / "rig.toml", rig_cache)
    primitive = project.manifest.primitives["aes_gcm"]
    with project.session() as session:
        paths = enumerate_paths(project, session, primitive).paths
    path = next(p for p in paths if p.name == "fused=-,aes=ssse3,ghash=ssse3")
    failure = failure_of(project, path, sources("aes_gcm", None)[0].load()[0])
    found = Found(write_case(failure, tmp_path), failure)
    done = _run(_emitted(found, language, rig))
    assert done.returncode == 0, done.stdout + done.stderr


UNION = """
rig = 1
include = ["{native}/include"]
[chacha20_poly1305_fused]
symbols = {{ seal = "chacha20_poly1305_seal" }}
variants = [{{ arch = "x86_64", name = "nohw", source = "{source}" }}]
[aes_gcm_fused]
contract = "aes_gcm_kernel_openssl"
symbols = {{ set_encrypt_key = "kernel_set_encrypt_key", init = "kernel_init", seal = "ossl_enc_kernel" }}
variants = [{{ arch = "x86_64", name = "ossl", source = "{kernel}" }}]
"""  # noqa: E501


@pytest.mark.parametrize("primitive", ["chacha20_poly1305_fused", "aes_gcm_fused"])
@pytest.mark.parametrize("language", ["c", "python"])
def test_buffers_in_the_front_of_others_and_addresses_in_buffers(
    language: str, primitive: str, rig_cache: Path, rig: Rig, tmp_path: Path
) -> None:
    folder = NATIVE.parent / "tests" / "foreign" / "cryptogams"
    sources = {"source": folder / "chacha20_poly1305.c", "kernel": folder / "aes_gcm_kernel.c"}
    (tmp_path / "rig.toml").write_text(UNION.format(native=NATIVE, **sources))
    project = built(tmp_path / "rig.toml", rig_cache)
    (path,) = direct_paths(project.manifest.primitives[primitive], "x86_64")
    case = next(c for c in sweep(primitive) if len(c.values.inputs["data"]) == 48)  # type: ignore[arg-type]
    inputs = {**case.values.inputs, "extra": b"more"} if "extra" in case.values.inputs else {}
    values = replace(case.values, inputs=inputs or case.values.inputs)
    failure = failure_of(project, path, replace(case, values=values))
    program = _emitted(Found(write_case(failure, tmp_path), failure), language, rig)
    done = _run(program)
    assert done.returncode == 0, done.stdout + done.stderr
    tag = failure.answer.outputs.get("tag") if failure.answer else None
    if tag and language == "python":
        program.write_text(program.read_text().replace(tag.hex(), bytes(16).hex()))
        assert "`data` differs from byte 0 of 16" in _run(program).stdout


def test_an_init_that_chooses_is_not_emitted(rig_cache: Path, rig: Rig, tmp_path: Path) -> None:
    folder = NATIVE.parent / "tests" / "foreign" / "cryptogams"
    text = (folder / "rig.toml").read_text().partition("[poly1305]")[2].partition("\n[")[0]
    (tmp_path / "rig.toml").write_text(
        f'rig = 1\ninclude = ["{NATIVE}/include"]\n[poly1305]\ndir = "{folder}"\n' + text
    )
    project = built(tmp_path / "rig.toml", rig_cache)
    path, _ = direct_paths(project.manifest.primitives["poly1305"], "x86_64")
    failure = failure_of(project, path, sources("poly1305", None)[0].load()[0])
    result = rig("replay", write_case(failure, tmp_path), "--emit", "c")
    assert result.code == 2
    assert "what this contract's init puts into a table" in result.err


KEEPS = """
#include <stdint.h>
void init_x(void *Htable, const uint64_t H[2]) { (void)Htable; (void)H; }
void gmult_x(uint8_t Xi[16], const void *Htable) { (void)Xi; ++*(volatile uint8_t *)Htable; }
"""


@pytest.mark.parametrize("language", ["c", "python"])
def test_buffer_that_a_call_may_only_read(
    language: str, rig_cache: Path, rig: Rig, tmp_path: Path
) -> None:
    (tmp_path / "x.c").write_text(KEEPS)
    (tmp_path / "rig.toml").write_text(
        'rig = 1\n[ghash]\nsymbols = { init = "init_{name}", gmult = "gmult_{name}" }\n'
        'variants = [{ arch = "x86_64", name = "x", source = "x.c" }]\n'
    )
    project = built(tmp_path / "rig.toml", rig_cache)
    (path,) = direct_paths(project.manifest.primitives["ghash"], "x86_64")
    values = Values("ghash", "gmult", {"h": bytes(16), "xi": bytes(16)})
    failure = failure_of(project, path, Case("zero", values))
    done = _run(_emitted(Found(write_case(failure, tmp_path), failure), language, rig))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pass 1: gmult_x changed `Htable`" in done.stdout


def failure_of(project: Project, path: RigPath, case: Case) -> Failure:
    finding = Finding("input", 0, "as the test says")
    expected = answer(PRIMITIVES[path.primitive], case)
    return Failure(project, path, path.masks[0], SEEDS, finding, case, expected)


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
    folder = program.parent
    start = f"set -e; CC={_wrapper(folder, compiler)}" if compiler else "set -e"
    script = "\n".join((start, *lines))
    subprocess.run(["sh", "-c", script], cwd=folder, check=True, capture_output=True, text=True)
    words = [sys.executable if word == "python3" else word for word in shlex.split(run)]
    if compiler and program.suffix == ".c":
        words = [sys.executable, "-c", LOADED, *words]
    return subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)


def _wrapper(folder: Path, compiler: str) -> str:
    """A command of one word: the shell splits what is in $CC, and this Python's path may hold a
    space."""
    script = folder / "compile"
    script.write_text(f'#!/bin/sh\nexec {compiler} "$@"\n')
    script.chmod(0o755)
    return "./compile"


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
