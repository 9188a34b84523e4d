"""Source lines from DWARF."""

from pathlib import Path

import pytest

from rig.trace import lines as module
from rig.trace.lines import Lines, SourceLine, function_lines, kept_line_table, line_table

HEADER = """static inline unsigned twist(unsigned x)
{
    return x * 0x9e3779b1u;
}
"""
FIRST = """#include "twist.h"
unsigned first(unsigned x)
{
    return twist(x) + 5;
}
"""
SECOND = """.intel_syntax noprefix
.globl second
.type second, @function
second:
    xor eax, eax

    inc eax
    ret
.size second, . - second
"""
SOURCES = {"src/first.c": FIRST, "src/second.S": SECOND}


@pytest.fixture(scope="module", params=[("-gdwarf-4",), ("-gdwarf-5",)], ids=["dwarf4", "dwarf5"])
def image(request, link):
    return link({"src/twist.h": HEADER, **SOURCES}, *request.param)


def line_of(image, text: str) -> list[tuple[str, int]]:
    lines = line_table(image.path, image.root)
    found = next(each for each in image.decode().functions if each.name == text)
    at = [lines.at(row.address) for row in found.instructions]
    return [(each.path, each.line) for each in at if each]


def test_assembly(image):
    assert line_of(image, "second") == [("src/second.S", line) for line in (5, 7, 8)]


def test_inlined_code_belongs_to_the_inner_function(image):
    rows = line_of(image, "first")
    assert ("src/twist.h", 3) in rows
    assert ("src/first.c", 4) in rows


def test_a_kept_table_is_the_same(image, monkeypatch):
    read = line_table(image.path, image.root)
    assert None in read.rows
    assert kept_line_table(image.path, image.root) == read
    monkeypatch.setattr(module, "line_table", None)
    assert kept_line_table(image.path, image.root) == read


def test_every_instruction_has_a_line_of_its_function(image):
    files = {"first": {"src/first.c", "src/twist.h"}, "second": {"src/second.S"}}
    for name, paths in files.items():
        assert {path for path, _ in line_of(image, name)} == paths


def test_nothing_is_known_outside_of_the_code(image):
    lines = line_table(image.path, image.root)
    assert lines.at(image.address - 1) is None
    assert lines.at(image.address + len(image.code) + 0x1000) is None


def test_relative_paths_are_taken_from_the_root(link):
    image = link({"src/one.c": "int one(void)\n{\n    return 1;\n}\n"}, "-fdebug-compilation-dir=.")
    elsewhere = line_table(image.path, Path("/elsewhere"))
    assert elsewhere.at(image.address) == SourceLine("src/one.c", 3)


def test_a_file_outside_the_root_keeps_its_whole_path(image):
    lines = line_table(image.path, image.root / "elsewhere")
    at = lines.at(image.address)
    assert at is not None and Path(at.path).is_relative_to(image.root / "src")


def test_no_debug_information_gives_an_empty_table(link):
    image = link({"plain.S": SECOND}, "-g0")
    assert line_table(image.path, image.root) == Lines((), ())


def test_addresses_are_grouped_by_line():
    first, second = SourceLine("b.c", 2), SourceLine("a.c", 9)
    lines = Lines((16, 20, 24, 28), (first, second, first, None))
    assert function_lines(lines, [16, 18, 20, 24, 28]) == {second: [20], first: [16, 18, 24]}
    assert list(function_lines(lines, [16, 20])) == [second, first]
