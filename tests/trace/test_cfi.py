"""Call frame information: rows at each address, and one step by them."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.trace.cfi import CallFrames, Cfa, How, Row, Rule, call_frames
from rig.trace.unwinding import UnwindError, step

X86_64 = ARCHITECTURES["x86_64"]
RBX, RSP, RBP, RIP = 3, 7, 6, 16
SOURCE = """
.globl framed
.type framed, @function
framed:
    .cfi_startproc
    push %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    .cfi_remember_state
    test %rdi, %rdi
    jz 1f
    pop %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbx
    ret
1:  .cfi_restore_state
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pop %rbx
    .cfi_def_cfa %rsp, 8
    .cfi_same_value %rbx
    ret
    .cfi_endproc
.size framed, . - framed
.globl plain
.type plain, @function
plain:
    nop
    ret
.size plain, . - plain
"""
SAVED = Rule(How.OFFSET, -16)


@pytest.fixture(scope="module")
def image(link):
    return link({"framed.S": SOURCE})


@pytest.fixture(scope="module")
def rows(image) -> list[Row | None]:
    """The row of each instruction."""
    table = call_frames(image.path)
    return [table.at(i.address) for f in image.decode().functions for i in f.instructions]


def test_rows_follow_the_program(rows):
    framed = rows[:-2]
    assert [row.cfa for row in framed] == [
        *(Cfa(RSP, 8), Cfa(RSP, 16), Cfa(RSP, 16), Cfa(RSP, 16), Cfa(RSP, 8)),
        *(Cfa(RSP, 16), Cfa(RBP, 16), Cfa(RSP, 8)),
    ]
    same = Rule(How.SAME)
    expected = [None, SAVED, SAVED, SAVED, same, SAVED, SAVED, same]
    assert [row.rules.get(RBX) for row in framed] == expected
    assert {row.rules[RIP] for row in framed} == {Rule(How.OFFSET, -8)}
    assert {row.returns for row in framed} == {RIP}


def test_functions_without_information_have_no_row(rows):
    assert rows[-2:] == [None, None]
    assert CallFrames((), ()).at(4) is None


MEMORY = {0x1000: 0x77, 0x1008: 0x4444, 0x1010: 0x2000}


def read(address: int, size: int) -> int:
    if address not in MEMORY or size != 8:
        raise UnwindError("read elsewhere")
    return MEMORY[address]


def caller(row: Row, registers: dict[int, int]) -> tuple[int, int, dict[int, int]]:
    found = step(row, registers, X86_64, read)
    return found.cfa, found.pc, dict(found.registers)


def row(cfa: Cfa, *rules: tuple[int, Rule]) -> Row:
    return Row(cfa, {RIP: Rule(How.OFFSET, -8), **dict(rules)}, RIP)


def test_a_step_restores_what_is_saved():
    cfa, pc, found = caller(row(Cfa(RSP, 16), (RBX, SAVED)), {RSP: 0x1000, RBX: 1, RBP: 5})
    assert (cfa, pc) == (0x1010, 0x4444)
    assert found == {RSP: 0x1010, RBX: 0x77, RBP: 5, RIP: 0x4444}


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        (Rule(How.SAME), 1),
        (Rule(How.UNDEFINED), None),
        (Rule(How.VAL_OFFSET, -32), 0xFF0),
        (Rule(How.REGISTER, RBP), 5),
        (Rule(How.EXPRESSION, expression=(("DW_OP_constu", (16,)), ("DW_OP_minus", ()))), 0x77),
        (Rule(How.VAL_EXPRESSION, expression=(("DW_OP_plus_uconst", (2,)),)), 0x1012),
    ],
    ids=lambda value: value.how.name if isinstance(value, Rule) else "",
)
def test_rules(rule, value):
    assert caller(row(Cfa(RSP, 16), (RBX, rule)), {RSP: 0x1000, RBX: 1, RBP: 5})[2].get(RBX) == (
        value
    )


@pytest.mark.parametrize(
    ("expression", "cfa"),
    [
        ((("DW_OP_breg7", (16,)), ("DW_OP_deref", ()), ("DW_OP_lit8", ()), ("DW_OP_plus", ())), 1),
        ((("DW_OP_breg7", (9,)), ("DW_OP_const1s", (-8,)), ("DW_OP_and", ())), 2),
        ((("DW_OP_bregx", (7, 0)), ("DW_OP_plus_uconst", (16,))), 3),
    ],
)
def test_cfa_by_expression(expression, cfa):
    expected = {1: 0x2008, 2: 0x1008, 3: 0x1010}[cfa]
    given = Row(Cfa(expression=expression), {RIP: Rule(How.REGISTER, RBP)}, RIP)
    assert caller(given, {RSP: 0x1000, RBP: 5})[0] == expected


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (row(Cfa(RSP, 64)), "the caller's rip: read elsewhere"),
        (row(Cfa(12, 8)), "the rule asks for r12, which is not known"),
        (row(Cfa(expression=(("DW_OP_bra", (1,)),))), "does not evaluate DW_OP_bra"),
        (row(Cfa(expression=(("DW_OP_plus", ()),))), "takes more from its stack than there is"),
        (row(Cfa(RSP, 16), (RIP, Rule(How.UNDEFINED))), "the return address is undefined"),
    ],
)
def test_what_leads_nowhere(given, says):
    with pytest.raises(UnwindError, match=says):
        step(given, {RSP: 0x1000}, X86_64, read)


def test_an_authentication_code_is_taken_off():
    given = Row(Cfa(31), {}, 30, signed=True)
    found = step(given, {30: 0x00AB_0020_0000_1000, 31: 64}, ARCHITECTURES["aarch64"], read)
    assert found.pc == 0x20_0000_1000 & ((1 << 39) - 1)
