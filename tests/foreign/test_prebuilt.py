"""Objects, archives and generated assembly as sources."""

import hashlib
import shutil
import subprocess

import pytest

from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.data import data_folder
from rig.errors import BuildError

TARGET = ("--target=x86_64-linux-gnu", "-c")
MANIFEST = """rig = 1
dispatch = "rules"
[chacha20]
symbols  = {{ ctr32 = "ChaCha20_ctr32_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "nohw", source = "{source}" }},
  {{ arch = "x86_64", name = "ssse3", source = "{source}", needs = "ssse3", shares = ["nohw"] }},
]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory, foreign):
    """chacha.o, and an archive with it and with a member that lacks its other half."""
    folder = tmp_path_factory.mktemp("shipped")
    toolchain = find_toolchain("zig")
    (folder / "half.c").write_text("int other_half(void);\nint half(void) { return other_half(); }")
    source, macros = foreign / "stitched" / "chacha-x86_64.S", foreign / "macros"
    for name, path in (("chacha.o", source), ("half.o", folder / "half.c")):
        command = (*toolchain.compiler, *TARGET, f"-I{macros}", path, "-o", folder / name)
        subprocess.run(command, check=True)
    archiver = (toolchain.linker[0], "ar", "rcs")
    subprocess.run((*archiver, "libchacha.a", "half.o", "chacha.o"), cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("name", ["chacha.o", "libchacha.a"])
def test_the_bytes_that_are_shipped(bench, folder, name):
    path = folder / f"{name}.toml"
    path.write_text(MANIFEST.format(source=name))
    project = bench.project(path)
    assert project.image.prebuilt == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
    }
    functions = {f.name: f.source for f in project.image.functions}
    assert functions["ChaCha20_ctr32_ssse3"] == functions["ChaCha20_ctr32_nohw"] == name
    assert "half" not in functions
    assert all(judged.findings == () for judged in bench.judged(project).values())


def test_equal_bytes_in_two_folders(bench, folder, tmp_path):
    """The cache holds one object for both; each image names its own file."""
    for place in (tmp_path / "first", tmp_path / "second"):
        place.mkdir()
        shutil.copy(folder / "chacha.o", place)
        (place / "rig.toml").write_text(MANIFEST.format(source="chacha.o"))
        project = bench.project(place / "rig.toml")
        assert {f.source for f in project.image.functions if "ctr32" in f.name} == {"chacha.o"}


WAY = """#include <stddef.h>
#include <stdint.h>
void *memcpy(void *, const void *, size_t);
static void quick(uint8_t *o, const uint8_t *i, size_t n, const uint32_t *k, const uint32_t *c) {
    (void)o, (void)i, (void)n, (void)k, (void)c;
}
void rig_chacha20_ctr32_generic(uint8_t *, const uint8_t *, size_t, const uint32_t *,
                                const uint32_t *);
void (*volatile ways[])(uint8_t *, const uint8_t *, size_t, const uint32_t *, const uint32_t *) = {
    quick, rig_chacha20_ctr32_generic};
int calls;
void ChaCha20_ctr32_way(uint8_t *o, const uint8_t *i, size_t n, const uint32_t *k,
                        const uint32_t *c) {
    uint32_t key[8];
    memcpy(key, k, 32);
    calls++;
    ways[1](o, i, n, key, c);
}
"""
SHARED = """rig = 1
dispatch = "rules"
[chacha20]
symbols  = { ctr32 = "ChaCha20_ctr32_{name}" }
variants = [
  { arch = "x86_64", name = "way", source = "lib x86_64.so" },
]
"""


@pytest.mark.parametrize("stripped", [False, True], ids=["whole", "stripped"])
def test_a_shared_library_as_it_ships(bench, tmp_path, stripped):
    """With a table of pointers, a call of its own function by a symbol, a counter in .bss and an
    import: the bytes that ship are run, but for the words that a loader would fill."""
    library = tmp_path / "lib x86_64.so"
    share(library, stripped)
    (tmp_path / "rig.toml").write_text(SHARED)
    project = bench.project(tmp_path / "rig.toml")
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    assert project.image.prebuilt == {library.name: digest}
    assert {f.source for f in project.image.functions if "ctr32" in f.name} == {library.name}
    assert all(judged.findings == () for judged in bench.judged(project).values())


def share(library, stripped, code=WAY):
    native = data_folder("native")
    (library.parent / "way.c").write_text(code)
    toolchain = find_toolchain("zig")
    sources = (native / "generic" / "chacha20_generic.c", library.parent / "way.c")
    flags = ("-O2", "-fPIC", "-ffreestanding", f"-I{native / 'include'}", "-c")
    objects = [library.parent / f"{number}.o" for number in range(len(sources))]
    for source, made in zip(sources, objects, strict=True):
        command = (*toolchain.targeting(ARCHITECTURES["x86_64"]), *flags, source, "-o", made)
        subprocess.run(command, check=True)
    strip = ("--strip-all",) if stripped else ()
    command = (*toolchain.linker, "-shared", *strip, *objects, "-o", library)
    subprocess.run(command, check=True)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("int absent(void); int ChaCha20_ctr32_way(void) { return absent(); }", "absent"),
        ("static __thread int t; int ChaCha20_ctr32_way(int x) { return t += x; }", "a loader"),
    ],
)
def test_what_a_library_lacks_or_only_a_loader_can_do(bench, tmp_path, code, words):
    share(tmp_path / "lib x86_64.so", False, code)
    (tmp_path / "rig.toml").write_text(SHARED)
    with pytest.raises(BuildError, match=words):
        bench.project(tmp_path / "rig.toml")


def test_another_file_that_is_called_so(bench, tmp_path):
    (tmp_path / "lib x86_64.so").write_text("INPUT(libother.so)")
    (tmp_path / "rig.toml").write_text(SHARED)
    with pytest.raises(BuildError, match=r"lib x86_64\.so: not a shared library of x86_64"):
        bench.project(tmp_path / "rig.toml")


@pytest.fixture
def generated(tmp_path, foreign):
    """A copy of the project whose sources are scripts."""
    for name in ("generated", "macros"):
        shutil.copytree(foreign / name, tmp_path / name)
    return tmp_path / "generated"


def source_of(bench, generated, name="chacha-x86_64.gen"):
    image = bench.project(generated / "rig.toml").image
    return image, {f.source for f in image.functions if f.name.startswith("ChaCha20")}


def test_scripts_are_run_once_and_named_as_the_source(bench, generated):
    image, sources = source_of(bench, generated)
    assert sources == {"asm/chacha-x86_64.gen", "asm/printed.gen"}
    again, _ = source_of(bench, generated)
    assert (again.compiled, again.path) == (0, image.path)


@pytest.mark.parametrize("name", ["chacha-x86_64.gen", "translate.gen"])
def test_a_changed_script_is_run_again(bench, generated, name):
    """Its translator too, which only its text names."""
    first, _ = source_of(bench, generated)
    script = generated / "asm" / name
    if name == "translate.gen":
        head = 'echo "GLOBAL_FUNCTION $1"'
        script.write_text(script.read_text().replace(head, f'echo "        nop"; {head}'))
    else:
        script.write_text(script.read_text().replace("SCALAR incl", "SCALAR incq"))
    second, _ = source_of(bench, generated)
    assert second.path != first.path
    assert second.compiled > 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"elf"',
            '"macosx"',
            "cannot generate: sh ./chacha-x86_64.gen macosx {out} ended with 3\n"
            "translate: no flavour macosx",
        ),
        (
            '"sh {in} {flavour} {out}"',
            '"no-such-tool {in}"',
            "cannot generate: no-such-tool: No such file or directory; install it, or change "
            "`generate` in the manifest",
        ),
        ('"sh {in} {flavour} {out}"', '"true {in}"', "cannot generate: true ./chacha-x86_64.gen"),
    ],
)
def test_a_script_that_fails_speaks_for_itself(bench, generated, old, new, message):
    path = generated / "rig.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(BuildError) as caught:
        bench.project(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: asm/chacha-x86_64.gen: cannot generate: ")
    before, _, after = message.partition("{out}")
    assert before in said
    assert after in said
