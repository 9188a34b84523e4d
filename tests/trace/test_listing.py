"""Annotated disassembly, and addresses in words."""

import pytest

from rig.trace.lines import Lines, line_table
from rig.trace.listing import FunctionCoverage, annotate, cover, describe, one_way

SOURCE = """.intel_syntax noprefix
#define LONG function_with_a_long_name_that_holds_a_table_of_its_own
.macro mix
    vpternlogq zmm16{k1}{z}, zmm17, [rip + LONG + 64], 0x96
.endm
.globl dispatch
.type dispatch, @function
dispatch:
    test edi, edi
    je .Lnone
    mix # a comment so long that the line which it stands on does not fit into the listing
    lea rax, [rip + .Ltable]
    movsxd rdx, dword ptr [rax + rdi * 4]
    add rax, rdx
    jmp rax
.Ltable: .long .Lnone - .Ltable, .Lone - .Ltable
.Lone: call LONG
    jmp .Lnone
.Lnone: ret
.size dispatch, . - dispatch
.globl LONG
.type LONG, @function
.p2align 6
LONG:
    ret
    .zero 63
    .zero 64
.size LONG, . - LONG
"""

GOLD = """\
dispatch: 5 of 10 instructions executed (50.0%)
  (an indirect jump: what only it reaches was found by decoding the rest)

src/dispatch.S
     9 | test edi, edi
+ +0x00  test edi, edi
    10 | je .Lnone
+ +0x02  je +0x2e

    11 | mix # a comment so long that the line which it stands on does not fi...
- +0x04  vpternlogq zmm16{k1}{z}, zmm17,
           [function_with_a_long_name_that_holds_a_table_of_its_own+0x40], 0x96
    12 | lea rax, [rip + .Ltable]
+ +0x0f  lea rax, [dispatch+0x1f]
    13 | movsxd rdx, dword ptr [rax + rdi * 4]
- +0x16  movsxd rdx, [rax+rdi*4]
    14 | add rax, rdx
+ +0x1a  add rax, rdx
    15 | jmp rax
- +0x1d  jmp rax

. +0x1f  (8 bytes that no flow reaches)

    17 | .Lone: call LONG
+ +0x27  call function_with_a_long_name_that_holds_a_table_of_its_own
    18 | jmp .Lnone
- +0x2c  jmp +0x2e

    19 | .Lnone: ret
- +0x2e  ret
"""


@pytest.fixture(scope="module")
def image(link):
    return link({"src/dispatch.S": SOURCE})


@pytest.fixture(scope="module")
def decoded(image):
    return image.decode()


@pytest.fixture(scope="module")
def lines(image):
    return line_table(image.path, image.root)


def test_gold(image, decoded, lines):
    function = decoded.functions[0]
    executed = [0, 1, 3, 5, 7]
    hits = {function.instructions[index].address for index in executed}
    listing = list(annotate(decoded, function, hits, lines, image.root))
    assert "\n".join(listing) + "\n" == GOLD
    assert max(map(len, listing)) <= 80


def test_source_text_is_shortened_and_instructions_are_wrapped(image, decoded, lines):
    function = decoded.functions[0]
    listing = list(annotate(decoded, function, set(), lines, image.root, width=40))
    assert "    13 | movsxd rdx, dword ptr [rax +..." in listing
    at = listing.index("- +0x04  vpternlogq zmm16{k1}{z}, zmm17,")
    assert "".join(map(str.strip, listing[at + 1 : at + 3])) == (
        "[function_with_a_long_name_that_holds_a_table_of_its_own+0x40],0x96"
    )


def test_an_unreadable_source_leaves_the_line_number(decoded, lines, tmp_path):
    listing = list(annotate(decoded, decoded.functions[0], set(), lines, tmp_path))
    assert "     9 |" in listing


def test_code_without_lines_is_said_to_have_none(image, decoded):
    listing = list(annotate(decoded, decoded.functions[0], set(), Lines((), ()), image.root))
    assert listing.count("     ? | (no source line)") == 1


def test_counts(decoded):
    function = decoded.functions[0]
    half = {row.address for row in function.instructions[:5]}
    assert cover(function, half | {0}) == FunctionCoverage("dispatch", 5, 10)


@pytest.mark.parametrize(
    ("mask", "mark", "remark"),
    [(1, "~", "  ; never falls through"), (2, "~", "  ; never taken"), (3, "+", ""), (0, "+", "")],
)
def test_directions_of_jumps(image, decoded, lines, mask, mark, remark):
    function = decoded.functions[0]
    jump = function.instructions[1].address
    hits = {row.address for row in function.instructions}
    listing = list(annotate(decoded, function, hits, lines, image.root, gone={jump: mask}))
    head = "dispatch: 10 of 10 instructions executed (100.0%)"
    assert listing[0] == f"{head}, {mask.bit_count()} of 2 jump directions"
    assert f"{mark} +0x02  je +0x2e{remark}" in listing
    assert set(one_way(function, {jump: mask})) == ({jump} if remark else set())


@pytest.mark.parametrize(
    ("executed", "total", "percent"),
    [(9999, 10000, 99.9), (3, 3, 100.0), (0, 7, 0.0), (0, 0, 100.0)],
)
def test_percent_is_rounded_down(executed, total, percent):
    assert FunctionCoverage("f", executed, total).percent == percent


def test_describe(decoded, lines):
    at = decoded.functions[0].address
    assert describe(decoded, lines, at + 2).startswith("dispatch+0x2: je dispatch+0x")
    assert describe(decoded, lines, at + 2).endswith(" (src/dispatch.S:10)")
    assert describe(decoded, lines, at) == "dispatch: test edi, edi (src/dispatch.S:9)"
    assert describe(decoded, lines, at + 1) == (
        "dispatch+0x1: no instruction begins here (src/dispatch.S:9)"
    )
    assert describe(decoded, lines, 5) == "0x5 (outside every function)"
