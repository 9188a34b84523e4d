"""What is read from a linked image."""

import platform
import shutil
import struct
from dataclasses import replace

import pytest

from rig.build.toolchain import find_toolchain
from rig.errors import BuildError


def test_functions_belong_to_their_sources(build, project):
    image = build()
    owned = {(f.name, f.source) for f in image.functions if f.source in ("first.c", "second.S")}
    assert {("first", "first.c"), ("inner", "second.S")} <= owned
    assert {name for name, source in owned if source == "second.S"} <= {
        "second", "second_alias", "inner",
    }  # fmt: skip
    for function in image.functions:
        assert image.function_at(function.address) == function
        assert image.function_at(function.address + function.size - 1) == function
    assert image.function_at(image.text.address - 1) is None
    first, second = (image.function_at(image.symbols[name]) for name in ("first", "second"))
    inside = [second.address + 1, first.address, first.address + first.size - 1]
    assert image.functions_at([*inside, image.text.address - 1]) == {first, second}
    assert image.functions_at([]) == frozenset()


def test_an_empty_section_owns_no_function(build, project):
    manifest = project / "rig.toml"
    manifest.write_text(
        manifest.read_text().replace("include =", 'link = ["none.c"]\ninclude =', 1)
    )
    (project / "none.c").write_text("extern int none;\n")
    image = build()
    sources = {function.name: function.source for function in image.functions}
    assert "none.c" in {each.source for each in image.objects}
    assert "none.c" not in sources.values()
    assert sources["memcpy"] == "runner/support.c"


def test_names_for_one_function(build):
    image = build()
    place = image.symbols["second"]
    assert image.symbols["second_alias"] == place
    assert len([f for f in image.functions if f.address == place]) == 1


def test_a_global_name_wins_over_a_local_one(build, project):
    with (project / "second.S").open("a") as file:
        file.write(".type first, @function\nfirst:\n ret\n.size first, .-first\n")
    image = build()
    function = image.function_at(image.symbols["first"])
    assert function is not None
    assert function.source == "first.c"


def read_word(image, address):
    for segment in image.segments:
        if segment.address <= address < segment.address + len(segment.data):
            return struct.unpack_from("<Q", segment.data, address - segment.address)[0]
    raise AssertionError(f"{address:#x} lies in no segment")


def test_relocations_are_applied(build):
    image = build()
    assert read_word(image, image.symbols["chosen"]) == image.symbols["first"]
    pointers = image.symbols["pointers"]
    words = [read_word(image, pointers + offset) for offset in (0, 8)]
    assert words == [image.symbols["words"], image.symbols["words"] + 4]
    assert [read_word(image, word) & 0xFFFFFFFF for word in words] == [7, 9]


def test_segments_stand_at_fixed_addresses(build):
    image = build()
    assert image.segments[0].address == 0x1_0000_0000
    for segment in image.segments:
        assert len(segment.data) <= segment.size
    assert image.text.executable
    assert sum(segment.executable for segment in image.segments) == 1


def test_the_vector_of_the_rig_has_ten_words(build):
    image = build()
    assert (image.vector.address, image.vector.words) == (image.symbols["OPENSSL_ia32cap_P"], 10)


def test_with_gcc(build, project):
    if not shutil.which("gcc") or platform.machine() != "x86_64":
        pytest.skip("no gcc for x86_64 on PATH: `apt install gcc` on an x86_64 machine")
    image = build("gcc")
    assert image.toolchain.startswith("gcc")
    assert {"first", "inner"} <= {f.name for f in image.functions}
    assert (build("gcc").compiled, build("zig").compiled) == (0, 4)


def test_a_toolchain_that_is_not_there(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BuildError, match=r"--cc gcc: not on PATH; `apt install gcc`"):
        find_toolchain("gcc")
    with pytest.raises(BuildError, match=r"--cc tcc: choose one of zig, gcc, clang"):
        find_toolchain("tcc")


def test_two_definitions_of_one_name(build, project):
    with (project / "first.c").open("a") as file:
        file.write("int second(void);\nint second(void) { return 0; }\n")
    with pytest.raises(BuildError, match=r"duplicate symbol: second") as caught:
        build()
    assert "second.S" in str(caught.value)
    assert "/objects/" not in str(caught.value)


def test_a_function_inside_another_ends_it(build):
    image = build()
    first = image.function_at(image.symbols["first"])
    outer = replace(first, name="outer", address=first.address, size=first.size)
    inner = replace(first, name="inner", address=first.address + 2, size=2)
    nested = replace(image, functions=(outer, inner))
    for address in range(first.address - 1, first.address + first.size + 1):
        found = nested.function_at(address)
        assert nested.functions_at([address]) == (frozenset([found]) if found else frozenset())
