"""Which bytes of a text are instructions."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.trace.architecture import DecoderMissingError, Kind, TraceError
from rig.trace.flow import Extent
from rig.trace.instructions import Decoded, FunctionCode, architecture, decode
from rig.trace.x86 import X86

SHAPES = """
.intel_syntax noprefix
.text
.macro function name
.p2align 6
.globl \\name
.type \\name, @function
\\name:
.endm
.macro finish name
.size \\name, . - \\name
.endm

function constant_inside
    vpaddd ymm0, ymm0, [rip + .Lone]
    jmp .Lafter
.p2align 5, 0xcc
.Lone: .long 1, 0xc3c3c3c3, 0, 0, 0, 0, 0, 0xc3
.Lafter: ret
finish constant_inside

.p2align 4
.Lbetween: .quad 0x9090909090909090, 0xc3

function constant_outside
    mov rax, [rip + .Lbetween]
    ret
finish constant_outside

function jump_table
    cmp edi, 2
    ja .Ldefault
    lea rax, [rip + .Ltable]
    movsxd rdx, dword ptr [rax + rdi * 4]
    add rax, rdx
    jmp rax
.p2align 2, 0xcc
.Ltable: .long .Lzero - .Ltable, .Lone_ - .Ltable, .Lzero - .Ltable
    .p2align 4
.Lzero: mov eax, 1
    jmp .Ldone
    .p2align 4
.Lone_: mov eax, 2
.Ldone: ret
.Ldefault: xor eax, eax
    ret
finish jump_table

function computed_jump
    vmovdqa xmm1, [rip + .Lmask]
    jmp rdi
.Lmask: .quad 0xc3c3c3c3c3c3c3c3, 0xc3c3c3c3c3c3c3c3
    mov eax, 3
    ret
    nop
    .byte 0x06, 0xc3
finish computed_jump

function constants_by_address
    lea rax, [rip + .Lconstants]
    vmovdqa xmm0, [rax + 16]
    jmp rdi
.Lconstants: .fill 8, 4, 0x00c30ff3
finish constants_by_address

function padding
    test edi, edi
    je .Lout
    ret
    .p2align 5
.Lout: mov eax, 1
    ret
    nop
    nop word ptr [rax + rax]
finish padding

function tail_jump
    inc edi
    jmp padding
finish tail_jump

function into_the_middle
    jmp .Lout
finish into_the_middle

function never_returns
    call padding
finish never_returns
    .byte 0x06

function avx512
    vpternlogq zmm16{k1}{z}, zmm17, [rdi], 0x96
    vpclmulqdq zmm2, zmm1, zmm0, 0x11
    vpmadd52luq zmm0, zmm1, [rsi]{1to8}
    {vex} vpmadd52luq ymm0, ymm1, ymm2
    vaesenc zmm0, zmm0, zmm1
    kmovq k1, rax
    ret
finish avx512

function dead
    ret
    mov eax, 7
    ret
finish dead

function outside
    jmp .Loutside
finish outside
.Loutside: mov eax, 9
    ret
"""


@pytest.fixture(scope="module")
def decoded(link) -> Decoded:
    return link({"shapes.S": SHAPES}).decode()


def function(decoded: Decoded, name: str) -> FunctionCode:
    return next(each for each in decoded.functions if each.name == name)


def texts(decoded: Decoded, name: str) -> list[str]:
    encoding = architecture(decoded.arch)
    rows = function(decoded, name).instructions
    return [encoding.text(instruction, decoded.place) for instruction in rows]


EXPECTED = {
    "constant_inside": [
        "vpaddd ymm0, ymm0, [constant_inside+0x20]",
        "jmp constant_inside+0x40",
        "ret",
    ],
    "jump_table": [
        "cmp edi, 2",
        "ja jump_table+0x46",
        "lea rax, [jump_table+0x18]",
        "movsxd rdx, [rax+rdi*4]",
        "add rax, rdx",
        "jmp rax",
        "mov eax, 1",
        "jmp jump_table+0x45",
        "mov eax, 2",
        "ret",
        "xor eax, eax",
        "ret",
    ],
    "computed_jump": ["vmovdqa xmm1, [computed_jump+0xa]", "jmp rdi", "mov eax, 3", "ret"],
    "constants_by_address": [
        "lea rax, [constants_by_address+0xe]",
        "vmovdqa xmm0, [rax+0x10]",
        "jmp rdi",
    ],
    "padding": ["test edi, edi", "je padding+0x20", "ret", "mov eax, 1", "ret"],
    "tail_jump": ["inc edi", "jmp padding"],
    "into_the_middle": ["jmp padding+0x20"],
    "never_returns": ["call padding"],
    "avx512": [
        "vpternlogq zmm16{k1}{z}, zmm17, [rdi], 0x96",
        "vpclmulqdq zmm2, zmm1, zmm0, 0x11",
        "vpmadd52luq zmm0, zmm1, [rsi]{1to8}",
        "vpmadd52luq ymm0, ymm1, ymm2",
        "vaesenc zmm0, zmm0, zmm1",
        "kmovq k1, rax",
        "ret",
    ],
    "dead": ["ret"],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_instructions_of_each_shape(decoded, name):
    assert texts(decoded, name) == EXPECTED[name]


@pytest.mark.parametrize(
    ("name", "spans"),
    [
        ("constant_inside", [(0x20, 32)]),
        ("constant_outside", []),
        ("jump_table", [(0x18, 24)]),
        ("computed_jump", [(0xA, 16), (0x21, 2)]),
        ("constants_by_address", [(0xE, 32)]),
        ("padding", []),
        ("dead", [(0x1, 6)]),
    ],
)
def test_what_no_flow_reaches(decoded, name, spans):
    found = function(decoded, name)
    assert [(span.address - found.address, span.size) for span in found.data] == spans


def test_a_constant_between_functions_is_named_by_its_address(decoded):
    load, back = texts(decoded, "constant_outside")
    assert load.startswith("mov rax, [0x1000") and back == "ret"


def test_only_functions_with_an_indirect_jump_are_swept(decoded):
    swept = {each.name for each in decoded.functions if each.swept}
    assert swept == {"jump_table", "computed_jump", "constants_by_address"}


def test_basic_blocks(decoded):
    found = function(decoded, "jump_table")
    offsets = [leader - found.address for leader in found.leaders]
    assert offsets == [0, 5, 0x30, 0x40, 0x45, 0x46]


def test_a_call_ends_no_block(decoded):
    assert len(function(decoded, "never_returns").leaders) == 1


def test_kinds_and_targets(decoded):
    rows = function(decoded, "jump_table").instructions
    kinds = [row.kind for row in rows if row.kind is not Kind.OTHER]
    assert kinds == [
        Kind.CONDITIONAL,
        Kind.INDIRECT_JUMP,
        Kind.JUMP,
        Kind.RETURN,
        Kind.RETURN,
    ]
    assert (
        function(decoded, "tail_jump").instructions[1].target
        == function(decoded, "padding").address
    )


def test_flow_outside_of_every_function_is_told(decoded):
    assert [stray.kind for stray in decoded.stray] == [Kind.OTHER, Kind.RETURN]


def test_features(decoded):
    x86 = architecture("x86_64")
    assert isinstance(x86, X86)
    needs = [x86.features(row) for row in function(decoded, "avx512").instructions]
    assert needs[1] == {"AVX512F", "VPCLMULQDQ"}
    assert needs[2] == {"AVX512_IFMA"}
    assert needs[3] == {"AVX_IFMA"}
    assert needs[5] == {"AVX512BW"}


def test_lookups(decoded):
    found = function(decoded, "jump_table")
    second = found.instructions[1]
    assert decoded.function_at(found.end - 1) is found
    assert decoded.instruction_at(second.address) is second
    assert decoded.instruction_at(second.address + 1) is None
    assert decoded.instruction_at(0) is None
    assert decoded.instruction_at(decoded.stray[1].address) is decoded.stray[1]


def test_a_function_of_size_0_is_refused_by_name(link):
    image = link({"bare.S": ".globl bare\n.type bare, @function\nbare: ret\n"})
    with pytest.raises(TraceError, match=r"bare: .*size 0.*\.type bare, @function.*\.size bare"):
        image.decode()


TEXT = 0x1000
REFUSED = {
    "undecodable": ("90 06 c3", "f\\+0x1: .*no instruction.*06 c3"),
    "runs off the end": ("90 90", "f\\+0x1: flow runs off the end"),
    "jump into an instruction": ("75 01 b8 c3 00 00 00 c3", "f\\+0x3: .*inside .* f\\+0x2"),
    "reads what it executes": ("8b 05 00 00 00 00 90 90 90 90 c3", "f\\+0x0: reads .* f\\+0x6"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_unsound_code_is_refused_with_its_place(case):
    code, message = REFUSED[case]
    code = bytes.fromhex(code)
    with pytest.raises(TraceError, match=message):
        decode("x86_64", code, TEXT, [Extent("f", TEXT, len(code))])


def test_an_extent_outside_the_text_is_refused():
    with pytest.raises(TraceError, match=r"f: 0x1000\.\.0x1002 is not inside the text"):
        decode("x86_64", b"\xc3", TEXT, [Extent("f", TEXT, 2)])


def test_an_unknown_architecture_is_refused():
    with pytest.raises(TraceError, match=r"vax: .*x86_64"):
        decode("vax", b"\xc3", TEXT, [Extent("f", TEXT, 1)])


def test_a_missing_decoder_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "iced_x86", None)
    with pytest.raises(DecoderMissingError, match="pip install iced-x86"):
        X86(64)


def test_aliases_and_nested_functions_share_instructions():
    extents = [Extent("a", TEXT, 3), Extent("b", TEXT, 3), Extent("inner", TEXT + 1, 2)]
    decoded = decode("x86_64", b"\x90\x90\xc3", TEXT, extents)
    assert [len(each.instructions) for each in decoded.functions] == [3, 3, 2]
    assert decoded.place(TEXT + 2) == "inner+0x1"


def test_swept_code_that_refers_to_swept_bytes_makes_them_data():
    """The first gap would pass for code, were it not that the second reads it."""
    code = bytes.fromhex("ffe7 90 31c0c3 cc 8b05f6ffffff c3")
    spared = decode("x86_64", code, TEXT, [Extent("f", TEXT, len(code))])
    starts = [row.address - TEXT for row in spared.functions[0].instructions]
    assert starts == [0, 7, 13]


@given(st.binary(max_size=64), st.integers(2, 63))
def test_whatever_stands_behind_an_indirect_jump_no_trap_is_unsound(tail, displacement):
    """Traps stand on no byte that code reads, and never inside another instruction."""
    code = b"\x8b\x05" + displacement.to_bytes(4, "little") + b"\xff\xe7" + tail
    decoded = decode("x86_64", code, TEXT, [Extent("f", TEXT, len(code))])
    rows = decoded.functions[0].instructions
    assert all(first.end <= second.address for first, second in pairwise(rows))
    read = range(TEXT + 6 + displacement, TEXT + 10 + displacement)
    assert not any(row.address < read.stop and row.end > read.start for row in rows)
    assert not decoded.stray
