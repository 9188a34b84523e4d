"""Perl scripts as they are used by the libraries of the field."""

import os
import shutil

import pytest

from rig.build.generated import Generator, generate
from rig.build.toolchain import find_toolchain
from rig.errors import BuildError

COMMAND = ("perl", "{in}", "{flavour}", "{out}")


@pytest.fixture
def perlasm(tmp_path, foreign):
    """A copy of the project, in a folder with a space in its name."""
    for name in ("perlasm", "macros"):
        shutil.copytree(foreign / name, tmp_path / "a b" / name)
    return tmp_path / "a b" / "perlasm"


@pytest.fixture
def made(perlasm, tmp_path):
    """Generates one script of the project; gives the path of the assembly."""

    def make(script, flavour="elf", compiler=None):
        compiler = compiler or find_toolchain("zig").compiler
        path = perlasm / script
        return generate(path, script, Generator(COMMAND, flavour, compiler, ""), tmp_path / "c d")

    return make


def test_what_belongs_to_no_variant_is_owned_by_none(bench):
    project = bench.project("perlasm/rig.toml")
    shared = {f.name: project.owners[f.address] for f in project.image.functions}
    assert shared["wipe_registers"] == frozenset()
    assert shared["lib_core"] == {("chacha20", "lib")}


def test_a_flavour_may_be_several_words(made):
    assert b"vector code is in" not in made("asm/chacha-lib.pl").read_bytes()
    with_option = made("asm/chacha-lib.pl", "elf -fPIC -DIA32_SSE2")
    assert b"vector code is in" in with_option.read_bytes()


def test_a_script_that_asks_for_a_compiler_finds_one(made):
    """Without one this script leaves its vector code out, as those of the field do."""
    whole = made("asm/chacha-x86_64.pl").read_bytes()
    less = made("asm/chacha-x86_64.pl", compiler=("false",)).read_bytes()
    assert b"CHACHA20_SSSE3" in whole
    assert b"CHACHA20_SSSE3" not in less


@pytest.mark.parametrize(
    ("script", "changed", "edit"),
    [
        # named behind a variable; its folder named, then its file; named at run time only
        ("asm/chacha-x86_64.pl", "perlasm/xlate.pl", (".section", " .section")),
        ("asm/chacha-lib.pl", "perlasm/asm.pl", ('print "        ', 'print "    ')),
        ("asm/chacha-lib.pl", "perlasm/asm-elf.pl", ("        .text", "    .text")),
    ],
)
def test_a_change_of_what_a_script_reads(perlasm, made, script, changed, edit):
    first = made(script)
    path = perlasm / changed
    path.write_text(path.read_text().replace(*edit))
    assert made(script) != first


def test_a_script_that_gives_the_same_again_gives_the_same_file(perlasm, made):
    first = made("asm/chacha-lib.pl")
    path = perlasm / "perlasm" / "asm.pl"
    path.write_text(path.read_text() + "# a comment\n")
    assert made("asm/chacha-lib.pl") == first


def test_another_script_of_the_folder_counts_but_costs_no_compile(bench, perlasm):
    bench.project(perlasm / "rig.toml")
    other = perlasm / "asm" / "chacha-nohw.pl"
    other.write_text(other.read_text().replace("p2align 4", "p2align 5"))
    image = bench.project(perlasm / "rig.toml").image
    assert image.compiled == 1


def test_no_perl(bench, perlasm, monkeypatch):
    folder = perlasm / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to(shutil.which("sh"))
    monkeypatch.setenv("PATH", str(folder))
    script = perlasm / "asm" / "chacha-nohw.pl"
    script.write_text(script.read_text() + "# not in the cache\n")
    with pytest.raises(BuildError) as caught:
        bench.project(perlasm / "rig.toml")
    said = str(caught.value)
    assert said.startswith(f"{perlasm}/rig.toml: ")
    assert said.endswith(
        ": cannot generate: perl: No such file or directory; install it, or change `generate` in "
        "the manifest"
    )
    assert os.linesep not in said


@pytest.mark.parametrize(
    ("script", "edit", "words"),
    [
        ("asm/chacha-x86_64.pl", ("../perlasm", "../perl"), "cannot find xlate.pl at ./chacha-"),
        ("asm/chacha-lib.pl", ('"asm.pl"', '"asmlib.pl"'), "Can't locate asmlib.pl in @INC"),
        ("perlasm/asm.pl", ("sub asm_init {", "sub asm_init ("), "line 4"),
    ],
)
def test_a_script_that_fails_is_named_with_its_own_words(bench, perlasm, script, edit, words):
    path = perlasm / script
    path.write_text(path.read_text().replace(*edit))
    with pytest.raises(BuildError) as caught:
        bench.project(perlasm / "rig.toml")
    named = "asm/chacha-lib.pl" if script.startswith("perlasm/") else script
    assert f"{perlasm}/rig.toml: {named}: cannot generate: perl ./" in str(caught.value)
    assert words in str(caught.value)


def test_a_header_that_is_not_found(bench, perlasm):
    path = perlasm / "rig.toml"
    path.write_text(path.read_text().replace('["include", ', "["))
    with pytest.raises(BuildError) as caught:
        bench.project(path)
    assert "fatal error: 'own/prefix_symbols_asm.h' file not found" in str(caught.value)
    advice = 'name the folder of own/prefix_symbols_asm.h under `include` (it is in "include")'
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("edit", "advice"),
    [
        (
            ('"support/x86_64-wipe.pl", ', ""),
            "undefined: wipe_registers (wanted by asm/chacha-lib.pl); name the file that defines "
            "it as a further `source` of the variant, or under `link` if it belongs to no variant",
        ),
        (
            ('vector   = { x86_64 = "own_OPENSSL_ia32cap_P" }', ""),
            "undefined: own_OPENSSL_ia32cap_P (wanted by asm/chacha-x86_64.pl); if it is the "
            'capability vector: `vector = { x86_64 = "own_OPENSSL_ia32cap_P" }`',
        ),
    ],
)
def test_a_symbol_that_nothing_defines(bench, perlasm, edit, advice):
    path = perlasm / "rig.toml"
    assert edit[0] in path.read_text()
    path.write_text(path.read_text().replace(*edit))
    with pytest.raises(BuildError) as caught:
        bench.project(path)
    assert str(caught.value).endswith(advice)
