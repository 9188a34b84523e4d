"""Blocks that nothing reached, from a synthetic coverage document."""

from typing import Any

from rig.report.screen import _next
from rig.report.unreached import Line, unreached

INSTRUCTIONS = [
    [0, "cmp rdx, 0x6ff", 0, 3, "other", None],
    [7, "ja f+0x10", 0, 3, "conditional", 16],
    [9, "xor eax, eax", 0, 4, "other", None],
    [11, "ret", 0, 4, "return", None],
    [16, "mov eax, 1", 0, 5, "other", None],
    [21, "jne f+0x19", 0, 6, "conditional", 25],
    [23, "nop", None, None, "other", None],
    [25, "ret", 0, 7, "return", None],
]
SOURCE = ["", "", "  if (len > 1791)", "    return 0;", "  wide();", "  if (more)", "}"]


def _function(name: str, variants: list[str], offset: int = 100) -> dict[str, Any]:
    moved = [[at + offset, *rest] for at, *rest in INSTRUCTIONS]
    blocks = [offset + at for at in (0, 9, 16, 23, 25)]
    return {
        "name": name,
        "source": "x.c",
        "variants": variants,
        "offset": offset,
        "size": 26,
        "blocks": blocks,
        "instructions": moved,
    }


def _document(*hits: int, functions: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    image = {
        "digest": "d",
        "target": "t",
        "root": ".",
        "arch": "x86_64",
        "architectures": ["x86_64"],
        "toolchain": "zig",
        "allow": [],
        "functions": functions or [_function("f", ["ghash/wide"])],
        "files": [{"path": "x.c", "lines": SOURCE}],
    }
    path = {"image": "d", "primitive": "ghash", "variants": ["ghash/wide"]}
    return {
        "schema": 1,
        "images": [image],
        "paths": [{**path, "hits": [100 + at for at in hits], "branches": [], "indirect": []}],
    }


ALL = (0, 7, 9, 11, 16, 21, 23, 25)


def test_blocks_with_their_lines_and_disassembly() -> None:
    far, middle, last = unreached(_document(0, 7, 9, 11), "ghash/wide", "x86_64")
    assert far.instructions == ((16, "mov eax, 1"), (21, "jne f+0x19"))
    assert far.lines == (Line("x.c", 5, "wide();"), Line("x.c", 6, "if (more)"))
    assert far.place == "f+0x10 (x.c:5)"
    assert (middle.offset, str(middle.lines[0])) == (23, "x.c:6")  # the compiler's own: as before
    assert last.instructions == ((25, "ret"),)


def test_nothing_where_everything_was_reached() -> None:
    assert unreached(_document(*ALL), "ghash/wide", "x86_64") == ()


def test_what_lies_behind_a_fault_in_a_block() -> None:
    (block,) = unreached(_document(*(at for at in ALL if at != 11)), "ghash/wide", "x86_64")
    assert (block.offset, block.instructions) == (11, ((11, "ret"),))


def test_other_variants_code_is_not_told() -> None:
    assert unreached(_document(), "ghash/other", "x86_64") == ()


def test_two_names_of_one_function_count_once() -> None:
    names = [_function("f", ["ghash/wide"]), _function("g", ["ghash/wide"])]
    found = unreached(_document(0, 7, 9, 11, functions=names), "ghash/wide", "x86_64")
    assert [block.symbol for block in found] == ["f", "f", "f"]


def test_the_last_screen_names_the_first_place() -> None:
    counts = {"instructions": {"covered": 4, "total": 8}}
    variant = {"arch": "x86_64", "primitive": "ghash", "variant": "wide", "coverage": counts}
    host = {"host": {"machine": "x86_64"}}
    results = {"run": host, "paths": [], "variants": [variant]}
    lines = list(_next(results, _document(0, 7, 9, 11)))
    assert " ".join(" ".join(lines).split()) == (
        "next rig coverage ghash/wide: 4 instructions were never executed, first at f+0x10 (x.c:5)"
    )
