"""`rig init`: a folder of native code, and the manifest that comes out."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rig.build.toolchain import find_toolchain
from rig.capabilities.bits import LAYOUTS
from rig.data import data_folder
from rig.manifest import read

FOREIGN = Path(__file__).parents[1] / "foreign"
NATIVE = data_folder("native")
SOURCE, MACROS = FOREIGN / "stitched" / "chacha-x86_64.S", FOREIGN / "macros" / "chacha20.inc"


@pytest.fixture
def folder(tmp_path):
    """A folder with a space in its name, and one .S with two variants of ChaCha20."""
    folder = tmp_path / "my code"
    folder.mkdir()
    shutil.copy(SOURCE, folder)
    shutil.copy(MACROS, folder)
    return folder


def rows(path, arch="x86_64"):
    """What a manifest says of its variants: name, source, needs."""
    return [
        (f"{v.primitive}/{v.name}", v.sources[0].name, " ".join(sorted(v.needs.required)))
        for v in read(path).variants(arch)
    ]


def text_of(folder):
    return (folder / "rig.toml").read_text()


def test_assembly(rig, folder, checks_of):
    result = rig("init", folder)
    path = folder / "rig.toml"
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        f"{path.parent}: native files to compile and read: 1",
        f"{path}: variants of chacha20: 2 for x86_64",
        "2 of them with a guess to look at (`# ?`), 0 notes on what is not tested",
        f"next: rig run '{path}'",
    ]
    assert rows(path) == [
        ("chacha20/nohw", SOURCE.name, ""),
        ("chacha20/ssse3", SOURCE.name, "ssse3"),
    ]
    assert read(path).variants("x86_64")[1].shares == ("nohw",)
    assert "# ? ssse3: its code leads into nohw; as meant?" in text_of(folder)
    assert checks_of(path, "nohw") == set()


def test_a_planted_fault_is_found(rig, folder, checks_of):
    macros = folder / MACROS.name
    text = macros.read_text()
    assert "roll    $31, %ecx" in text
    macros.write_text(text.replace("roll    $31, %ecx", "roll    $30, %ecx"))
    assert rig("init", folder).code == 0
    assert checks_of(folder / "rig.toml", "nohw") == {"value"}


def test_the_commands_that_come_next(rig, folder, rig_cache):
    assert rig("init", folder).code == 0
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    commands = (
        ("rig", "paths", "--cache-dir", str(rig_cache)),
        ("pytest", "rig.toml", "--co", "-q", f"--rig-cache-dir={rig_cache}"),
    )
    for command in commands:
        done = subprocess.run(
            (sys.executable, "-m", *command),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "chacha20" in done.stdout


def test_c_with_intrinsics_is_compiled_with_what_it_asks_for(rig, tmp_path):
    for name in ("x86/ghash_pclmul.c", "x86/aes_aesni.c", "generic/ghash_table4.c"):
        shutil.copy(NATIVE / name, tmp_path)
    shutil.copytree(NATIVE / "include", tmp_path / "headers")
    assert rig("init", tmp_path).code == 0
    assert rows(tmp_path / "rig.toml") == [
        ("ghash/table4", "ghash_table4.c", ""),
        ("ghash/pclmul", "ghash_pclmul.c", "pclmul ssse3"),
        ("aes/aesni", "aes_aesni.c", "aes"),
    ]
    table4, *_ = (v for v in read(tmp_path / "rig.toml").variants("x86_64") if v.name == "table4")
    assert not table4.constant_time


def test_a_header_of_the_folder_is_found(rig, folder):
    (folder / "deep" / "include" / "own").mkdir(parents=True)
    (folder / MACROS.name).rename(folder / "deep" / "include" / "own" / MACROS.name)
    source = folder / SOURCE.name
    source.write_text(source.read_text().replace(f'"{MACROS.name}"', f"<own/{MACROS.name}>"))
    assert rig("init", folder).code == 0
    assert read(folder / "rig.toml").include == (folder / "deep" / "include",)


@pytest.mark.parametrize("kind", ["object", "archive"])
def test_objects_only(rig, folder, kind):
    toolchain = find_toolchain()
    output = folder / "chacha.o"
    command = (*toolchain.compiler, "--target=x86_64-linux-gnu", "-c", folder / SOURCE.name)
    subprocess.run((*command, "-o", output), check=True)
    (folder / SOURCE.name).unlink()
    if kind == "archive":
        archive = folder / "libchacha.a"
        subprocess.run((toolchain.linker[0], "ar", "rcs", archive, output), check=True)
        output.unlink()
        output = archive
    assert rig("init", folder).code == 0
    assert rows(folder / "rig.toml") == [
        ("chacha20/nohw", output.name, ""),
        ("chacha20/ssse3", output.name, "ssse3"),
    ]


@pytest.fixture
def perlasm(tmp_path):
    """The project with scripts, without its manifest; macros beside it."""
    for name in ("perlasm", "macros"):
        shutil.copytree(FOREIGN / name, tmp_path / name)
    (tmp_path / "perlasm" / "rig.toml").unlink()
    return tmp_path


def test_scripts(rig, perlasm):
    assert rig("init", perlasm).code == 0
    manifest = read(perlasm / "rig.toml")
    assert rows(manifest.path) == [
        ("chacha20/nohw", "chacha-nohw.pl", ""),
        ("chacha20/piped", "chacha-x86_64.pl", "ssse3"),
    ]
    assert manifest.vector == {"x86_64": "OWN_PREFIX_OPENSSL_ia32cap_P"}
    assert manifest.variants("x86_64")[1].shares == ("nohw",)
    assert "#   perlasm/asm/chacha-lib.pl: 4:2: error: ROUNDS is missing" in text_of(perlasm)


def test_what_several_call_is_linked_beside(rig, folder):
    source = folder / SOURCE.name
    called = "        jb      ChaCha20_ctr32_nohw"
    assert called in source.read_text()
    source.write_text(source.read_text().replace(called, f"{called}\n        call    prepare"))
    (folder / "prepare.c").write_text("int prepared;\nvoid prepare(void) { prepared = 1; }\n")
    assert rig("init", folder).code == 0
    assert read(folder / "rig.toml").link == {"x86_64": (folder / "prepare.c",)}


def test_what_nothing_defines_is_left_out_with_its_name(rig, folder):
    source = folder / SOURCE.name
    (folder / "other.S").write_text(
        source.read_text().replace("ChaCha20_ctr32", "p_ChaCha20_ctr32")
    )
    called = "        jb      ChaCha20_ctr32_nohw"
    source.write_text(source.read_text().replace(called, f"{called}\n        call    prepare"))
    assert rig("init", folder).code == 0
    note = f"#   {SOURCE.name}: nothing here defines prepare; `link` may name a file"
    assert note in text_of(folder)
    assert rows(folder / "rig.toml") == [
        ("chacha20/nohw", "other.S", ""),
        ("chacha20/ssse3", "other.S", "ssse3"),
    ]


def test_of_two_files_that_define_the_same_the_first_is_taken(rig, folder):
    shutil.copy(folder / SOURCE.name, folder / "zz.S")
    assert rig("init", folder).code == 0
    note = f"#   zz.S: ChaCha20_ctr32_nohw is defined by {SOURCE.name} too"
    assert note in text_of(folder)


def test_a_shared_library_alone(rig, folder, checks_of):
    toolchain = find_toolchain("zig")
    target = ("--target=x86_64-linux-gnu", "-c", SOURCE.name, "-o", "chacha.o")
    subprocess.run((*toolchain.compiler, *target), cwd=folder, check=True)
    link = ("-shared", "-Bsymbolic", "chacha.o", "-o", "libchacha.so")
    subprocess.run((*toolchain.linker, *link), cwd=folder, check=True)
    for name in (SOURCE.name, MACROS.name, "chacha.o"):
        (folder / name).unlink()
    assert rig("init", folder).code == 0
    assert rows(folder / "rig.toml") == [
        ("chacha20/nohw", "libchacha.so", ""),
        ("chacha20/ssse3", "libchacha.so", "ssse3"),
    ]
    assert checks_of(folder / "rig.toml", "ssse3") == set()


def test_a_manifest_that_is_there_stays(rig, folder):
    (folder / "rig.toml").write_text("rig = 1\n")
    result = rig("init", folder)
    assert result.code == 2
    assert result.err == (
        f"rig: {folder}/rig.toml exists and stays as it is; remove it, or name another folder\n"
    )
    assert text_of(folder) == "rig = 1\n"


def test_a_folder_that_cannot_be_written(rig, folder, monkeypatch):
    """Root may write anywhere, so the answer of the system is given here."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    result = rig("init", folder)
    assert result.code == 2
    assert result.err == (
        f"rig: {folder}: cannot be written; copy the sources to a folder that can\n"
    )


NOTHING = (
    "; write a rig.toml that says by `symbols` which functions are which, see docs/manifest.md\n"
)


def refused(rig, folder):
    result = rig("init", folder)
    assert result.code == 2
    assert not (folder / "rig.toml").exists()
    return result.err


def test_an_empty_folder(rig, tmp_path):
    assert refused(rig, tmp_path) == (
        f"rig: {tmp_path}: no native sources or objects (.c .S .s .pl .o .a .so) to begin with\n"
    )


def test_a_folder_that_is_none(rig, tmp_path):
    assert refused(rig, tmp_path / "no") == f"rig: {tmp_path}/no: no such folder\n"


def test_names_that_mean_nothing(rig, tmp_path):
    (tmp_path / "util.c").write_text("int add(int a, int b) { return a + b; }\n")
    assert refused(rig, tmp_path) == (
        f"rig: {tmp_path}: nothing that the rig can test in 1 file: util.c: no primitive of the "
        f"rig by the names of add{NOTHING}"
    )


def test_no_perl(rig, perlasm, monkeypatch):
    monkeypatch.setenv("PATH", str(perlasm / "nowhere"))
    for script in (perlasm / "perlasm").rglob("*.pl"):
        script.write_text(script.read_text() + "# not in the cache\n")
    said = refused(rig, perlasm)
    assert "cannot generate: perl: No such file or directory; install it, or change" in said
    assert said.count("\n") == 1


def test_functions_without_a_size(rig, tmp_path):
    shutil.copy(FOREIGN / "broken" / "untyped.S", tmp_path)
    assert refused(rig, tmp_path) == (
        f"rig: {tmp_path}: nothing that the rig can test in 1 file: untyped.S: "
        "ChaCha20_ctr32_nohw is not marked as a function; add `.type ChaCha20_ctr32_nohw, "
        f"@function` and `.size ChaCha20_ctr32_nohw, .-ChaCha20_ctr32_nohw`{NOTHING}"
    )


def test_of_the_bundled_sources_needs_come_out_as_the_bundled_manifest_has_them(rig, tmp_path):
    """For each architecture: what is guessed is what is known, but for what is in its base."""
    names = ("x86/ghash_*", "arm/ghash_*", "include")
    for path in (path for name in names for path in NATIVE.glob(name)):
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, tmp_path / path.name)
    result = rig("init", tmp_path)
    assert result.code == 0, result.err
    for arch in ("x86_64", "i386", "aarch64", "arm"):
        guessed, known = (needs_of_ghash(path, arch) for path in (tmp_path, NATIVE))
        assert len(guessed) >= 2
        assert guessed == {name: known[name] for name in guessed}


def needs_of_ghash(folder, arch):
    """By variant, beside the base."""
    base = LAYOUTS[arch].base
    variants = read(folder / "rig.toml").primitives["ghash"].variants
    return {v.name: v.needs.required.difference(base) for v in variants if v.arch == arch}
