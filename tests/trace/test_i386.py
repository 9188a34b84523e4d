"""Which bytes of a 32-bit x86 text are instructions: what code learns from where it is, absolute
addresses, tables and constants in the text."""

import pytest

from rig.trace.architecture import Constant, Kind, Use
from rig.trace.instructions import Decoded, FunctionCode, architecture
from rig.trace.isa import allowed, demand

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

function popped
    call .Lhere
.Lhere: pop ebp
    lea ebp, [ebp + to_ones]
    mov eax, [ebp + 4]
    mov ecx, [ebp + eax * 4]
    mov ebp, eax
    mov edx, [ebp]
    jmp eax
.Lones: .long 0xc3c3c3c3, 0xc3c3c3c3
    xor eax, eax
    ret
.set to_ones, .Lones - .Lhere
finish popped

function thunk
    mov ebx, [esp]
    ret
finish thunk

function by_thunk
    call thunk
.Lafter: add ebx, 0x1000
    call popped
    mov eax, [ebx + to_word]
    ret
.Lword: .long 0xc3c3c3c3
.set to_word, .Lword - .Lafter - 0x1000
finish by_thunk

function absolute_table
    cmp eax, 2
    ja .Ldefault
    jmp dword ptr [.Ltable + eax * 4]
.p2align 2, 0xcc
.Ltable: .long .Lzero, .Lone, .Lzero
.Lzero: mov eax, 1
    jmp .Ldone
.Lone: mov eax, 2
.Ldone: ret
.Ldefault: xor eax, eax
    ret
finish absolute_table

function relative_table
    call .Lpic
.Lpic: pop edx
    lea ecx, [edx + to_distances]
    mov eax, [ecx + eax * 4]
    add eax, ecx
    jmp eax
.Ldistances: .long .Lfirst - .Ldistances, .Lsecond - .Ldistances
.Lfirst: mov eax, 1
    ret
.Lsecond: mov eax, 2
    ret
.set to_distances, .Ldistances - .Lpic
finish relative_table

function absolute_constant
    paddd xmm0, [.Lvector]
    mov eax, offset .Lvector
    jmp ecx
.p2align 4, 0xcc
.Lvector: .long 0xc3c3c3c3, 0xc3c3c3c3, 0x90909090, 0xc3c3c3c3
    .long 0xc3909090
finish absolute_constant

function computed
    jmp eax
    inc eax
    ret
finish computed
"""

EXPECTED = {
    "popped": [
        "call popped+0x5",
        "pop ebp",
        "lea ebp, [ebp+0x15]",
        "mov eax, [ebp+4]",
        "mov ecx, [ebp+eax*4]",
        "mov ebp, eax",
        "mov edx, [ebp]",
        "jmp eax",
    ],
    "by_thunk": [
        "call thunk",
        "add ebx, 0x1000",
        "call popped",
        "mov eax, [ebx-0xfee]",
        "ret",
    ],
    "absolute_table": [
        "cmp eax, 2",
        "ja absolute_table+0x25",
        "jmp dword ptr [eax*4+absolute_table+0xc]",
        "mov eax, 1",
        "jmp absolute_table+0x24",
        "mov eax, 2",
        "ret",
        "xor eax, eax",
        "ret",
    ],
    "relative_table": [
        "call relative_table+0x5",
        "pop edx",
        "lea ecx, [edx+0xe]",
        "mov eax, [ecx+eax*4]",
        "add eax, ecx",
        "jmp eax",
        "mov eax, 1",
        "ret",
        "mov eax, 2",
        "ret",
    ],
    "absolute_constant": [
        "paddd xmm0, [absolute_constant+0x10]",
        "mov eax, absolute_constant+0x10",
        "jmp ecx",
    ],
    "computed": ["jmp eax", "inc eax", "ret"],
}


@pytest.fixture(scope="module")
def decoded(link) -> Decoded:
    return link({"shapes.s": SHAPES}, arch="i386").decode()


def function(decoded: Decoded, name: str) -> FunctionCode:
    return next(each for each in decoded.functions if each.name == name)


@pytest.mark.parametrize("name", EXPECTED)
def test_instructions_of_each_shape(decoded, name):
    rows = function(decoded, name).instructions
    assert [architecture("i386").text(row, decoded.place) for row in rows] == EXPECTED[name]


@pytest.mark.parametrize(
    ("name", "spans"),
    [
        ("popped", [(0x1A, 11)]),
        ("absolute_table", [(0xC, 12)]),
        ("relative_table", [(0x13, 8)]),
        ("absolute_constant", [(0x10, 20)]),
        ("computed", []),
    ],
)
def test_what_is_not_counted(decoded, name, spans):
    found = function(decoded, name)
    assert [(span.address - found.address, span.size) for span in found.data] == spans


def test_what_registers_refer_to(decoded):
    """A register is followed until something else is written to it, and over calls."""
    popped, thunk = function(decoded, "popped"), function(decoded, "by_thunk")
    at = {row.address: row for f in (popped, thunk) for row in f.instructions}
    found = [row for row in at.values() if row.reference is not None]
    assert [(f.reference, f.width) for f in found] == [
        (popped.address + 0x1A, 0),
        (popped.address + 0x1E, 4),
        (popped.address + 0x1A, 0),
        (thunk.address + 0x17, 4),
    ]


def test_asking_where_one_is_is_no_call(decoded):
    first = function(decoded, "popped").instructions[0]
    assert (first.kind, first.target) == (Kind.OTHER, None)
    assert len(function(decoded, "popped").leaders) == 1


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("81 fa ff 06 00 00", 0x6FF),
        ("83 c2 c0", 64),
        ("8d 82 00 f9 ff ff", 0x700),
        ("83 ec 1c", None),
        ("8d 44 24 40", None),
    ],
)
def test_constants(code, value):
    i386 = architecture("i386")
    (instruction,) = i386.straight(bytes.fromhex(code), 0x1000, 0x1000)
    found = i386.constants(instruction)
    assert [each.value for each in found] == ([] if value is None else [value])
    assert all(isinstance(each, Constant) and each.use in Use for each in found)


@pytest.mark.parametrize(
    ("code", "text", "needs"),
    [
        ("0f44c1", "cmove", "cmov"),
        ("0fc8", "bswap", ""),
        ("660fefc0", "pxor xmm", "sse2"),
        ("0fefc0", "pxor mm", "mmx"),
        ("660f3800c1", "pshufb", "ssse3"),
        ("660f38dcc1", "aesenc", "aes"),
    ],
)
def test_demand(code, text, needs):
    (instruction,) = architecture("i386").straight(bytes.fromhex(code), 0x1000, 0x1000)
    assert demand("i386", instruction) == set(needs.split()), text


def test_capabilities_bring_the_registers_that_they_work_on():
    assert allowed(frozenset({"ssse3"}), "i386") == {"ssse3", "sse3", "sse2", "sse"}
    assert allowed(frozenset({"aes"}), "i386") == {"aes", "sse2", "sse"}
