"""AArch64 and A32: what instructions do, which bytes they are, which capabilities they need."""

import sys

import pytest

from rig.trace.architecture import (
    Constant,
    DecoderMissingError,
    Instruction,
    Kind,
    TraceError,
)
from rig.trace.arm import Arm
from rig.trace.assembler import UNKNOWN, requirements
from rig.trace.branches import NOT_TAKEN, TAKEN, directions, traps
from rig.trace.flow import Extent, Span
from rig.trace.instructions import Decoded, FunctionCode, architecture, decode
from rig.trace.isa import allowed, demands

MACROS = """
.text
.macro function name
.p2align 6
.globl \\name
.type \\name, %function
\\name:
.endm
.macro finish name
.size \\name, . - \\name
.endm
"""

FLOW = {
    "aarch64": """
 b k | jump +0
 bl k | call +0
 b.eq k | conditional jump +0
 b.al k | jump +0
 cbz x0, k | conditional jump +0
 cbnz w0, k | conditional jump +0
 tbz x0, #40, k | conditional jump +0
 tbnz w0, #3, k | conditional jump +0
 ret | return
 ret x3 | return
 br x16 | indirect jump
 blr x3 | indirect call
 retaa | return
 braa x0, x1 | indirect jump
 blraaz x0 | indirect call
 svc #0 | other
 brk #1 | stop
 hlt #1 | stop
 udf #0 | stop
 nop | other
 bti c | other
 mrs x0, fpcr | other
 add x0, x0, #16 | other
 adr x0, k | other &0:0
 ldr x0, k | other &0:8
 ldr w0, k | other &0:4
 ldr q0, k | other &0:16
 ldrsw x0, k | other &0:4
 prfm pldl1keep, k | other
 ldr x0, [x1, #16] | other
""",
    "arm": """
 b k | jump +0
 bl k | call +0
 bne k | conditional jump +0
 blne k | call +0
 bx lr | return
 bxeq lr | predicated return
 bx r3 | indirect jump
 blx r3 | indirect call
 mov pc, lr | return
 moveq pc, lr | predicated return
 mov pc, r3 | indirect jump
 pop {r4, pc} | return
 popne {r4, pc} | predicated return
 ldmfd sp!, {r4-r11, pc} | return
 ldmfd sp!, {r4-r11, lr} | other
 ldr pc, [sp], #4 | return
 ldr pc, [r0] | indirect jump
 add pc, pc, r0, lsl #2 | indirect jump
 addls pc, pc, r0, lsl #2 | predicated indirect jump
 svc #0 | other
 udf #1 | stop
 bkpt #0 | stop
 muls r0, r1, r2 | other
 umlal r0, r1, r2, r3 | other
 cmp r0, #3 | other
 teq r0, r1 | other
 movw r0, #1 | other
 mrs r0, apsr | other
 ldrh r0, [r1] | other
 strd r0, r1, [r2] | other
 vld1.8 {d0}, [r0] | other
 adr r0, k | other &0:0
 ldr r0, k | other &0:4
 ldrb r0, k | other &0:1
 ldrh r0, k | other &0:2
 ldrsb r0, k | other &0:1
 ldrd r0, r1, k | other &0:8
 vldr d0, [pc, #-156] | other &0:8
 vldr s0, [pc, #-160] | other &0:4
 ldreq r0, k | other &0:4
""",
}
ALL = {
    "aarch64": ".arch armv8.5-a+crypto+sha3+sm4+crc+lse+dotprod+fp16",
    "arm": ".syntax unified\n.arch armv8-a\n.fpu crypto-neon-fp-armv8\n.arch_extension crc",
}


def row(found: Instruction, base: int) -> str:
    words = found.kind.value
    if found.target is not None:
        words += f" +{found.target - base}"
    if found.reference is not None:
        words += f" &{found.reference - base}:{found.width}"
    return words


def assembled(link, arch: str, lines: list[str]) -> list[Instruction]:
    """Each line alone, as it is decoded where it stands; `k` is where the first stands."""
    source = "\n".join([ALL[arch], MACROS, "function k", *lines, "finish k", ""])
    image = link({"lines.S": source}, arch=arch)
    encoding = architecture(arch)
    code, base = image.code, image.functions[0].address
    starts = range(base, base + 4 * len(lines), 4)
    return [next(encoding.straight(code, image.address, start)) for start in starts]


@pytest.mark.parametrize("arch", FLOW)
def test_what_instructions_do(link, arch):
    rows = [line.strip().split(" | ") for line in FLOW[arch].strip().splitlines()]
    found = assembled(link, arch, [text for text, _ in rows])
    base = found[0].address
    got = [(text, row(each, base)) for (text, _), each in zip(rows, found, strict=True)]
    assert got == [(text, expected) for text, expected in rows]


def test_what_follows_a_predicated_return_may_be_executed():
    assert Kind.PREDICATED_RETURN.falls_through and Kind.PREDICATED_JUMP.falls_through


NUMBERS = {
    "aarch64": """
 cmp x2, #64 | compare 64
 cmp x2, #1, lsl #12 | compare 4096
 cmn w2, #16 | compare 16
 tst x2, #0x3f | compare 63
 ccmp x2, #16, #0, hs | compare 16
 add x0, x0, #512 | step 512
 subs x2, x2, #128 | step 128
 and x2, x2, #0xfffffffffffffff0 | step 16
 ands w2, w2, #15 | step 15
 lsr x2, x2, #6 | shift 64
 asr w2, w2, #4 | shift 16
 lsl x2, x2, #4 | shift 16
 tbnz x2, #5, k | shift 32
 ubfx x2, x2, #4, #3 |
 add x0, sp, #64 |
 sub sp, sp, #64 |
 add sp, x0, #64 |
 mov x0, #512 |
 cmp x0, x1 |
 add x0, x0, #0 |
""",
    "arm": """
 cmp r2, #64 | compare 64
 cmp r2, #0x1000 | compare 4096
 cmn r2, #16 | compare 16
 tst r2, #0x3f | compare 63
 cmphs r2, #256 | compare 256
 add r0, r0, #512 | step 512
 subs r2, r2, #128 | step 128
 bic r2, r2, #15 | step 15
 and r2, r2, #15 | step 15
 lsr r2, r2, #6 | shift 64
 movs r2, r2, asr #4 | shift 16
 lsl r2, r3, #4 | shift 16
 add r0, sp, #64 |
 sub sp, sp, #64 |
 adr r0, k |
 mov r0, #512 |
 movw r0, #512 |
 cmp r0, r1 |
 ror r0, r1, #4 |
 msr apsr_nzcvq, #0xf0000000 |
""",
}


def number(found: tuple[Constant, ...]) -> str:
    return " ".join(f"{each.use.value} {each.value}" for each in found)


@pytest.mark.parametrize("arch", NUMBERS)
def test_numbers_that_may_be_lengths(link, arch):
    rows = [line.split("|") for line in NUMBERS[arch].strip().splitlines()]
    found = assembled(link, arch, [text for text, _ in rows])
    encoding = architecture(arch)
    got = [number(tuple(encoding.constants(each))) for each in found]
    assert dict(zip([t for t, _ in rows], got, strict=True)) == {t: n.strip() for t, n in rows}


# -------- capabilities --------

NEEDS = {
    "aarch64": """
 aese v0.16b, v1.16b | aes
 aesmc v0.16b, v0.16b | aes
 pmull v0.1q, v1.1d, v2.1d | pmull
 pmull2 v0.1q, v1.2d, v2.2d | pmull
 pmull v0.8h, v1.8b, v2.8b |
 sha1c q0, s1, v2.4s | sha1
 sha256h q0, q1, v2.4s | sha256
 sha512h q0, q1, v2.2d | sha512
 sha512su0 v0.2d, v1.2d | sha512
 eor3 v0.16b, v1.16b, v2.16b, v3.16b | sha3
 xar v0.2d, v1.2d, v2.2d, #3 | sha3
 sm3tt1a v0.4s, v1.4s, v2.s[1] | sm3
 sm4e v0.4s, v1.4s | sm4
 crc32x w0, w1, x2 | crc
 ldaddal x0, x1, [x2] | lse
 udot v0.4s, v1.16b, v2.16b | dotprod
 sqrdmlah v0.4s, v1.4s, v2.4s | rdm
 fmadd h0, h1, h2, h3 | fp16
 rmif x0, #1, #2 | flagm
 retaa | pauth
 mrs x0, dit | dit
 bti c |
 paciasp |
 autiasp |
 esb |
 add v0.4s, v1.4s, v2.4s |
 tbl v0.16b, {v1.16b - v4.16b}, v2.16b |
 ld1 { v1.s }[2], [x0], #4 |
 fmov d0, #1.0 |
 movi v0.2d, #0xff00ff00ff00ff00 |
 ldp q0, q1, [x0], #32 |
 ldr q0, k |
 cset w0, lo |
 and x0, x1, #0xffffffff0fffffff |
 mrs x0, cntvct_el0 |
""",
    "arm": """
 aese.8 q0, q1 | aes
 vmull.p64 q0, d1, d2 | pmull
 vmull.p8 q0, d1, d2 | neon
 sha1c.32 q0, q1, q2 | sha1
 sha256h.32 q0, q1, q2 | sha256
 crc32b r0, r1, r2 | crc
 vadd.i32 q0, q1, q2 | neon
 vadd.f64 d0, d1, d2 | neon
 vld1.32 {d0-d1}, [r0:128]! | neon
 vld1.32 {d0[], d1[]}, [r0] | neon
 vldmia r0!, {d0-d3} | neon
 vpush {d8-d15} | neon
 vldr d0, [pc, #8] | neon
 vmov r0, r1, d0 | neon
 vmrs r0, fpscr | neon
 vdup.32 q0, r0 | neon
 vmov.i64 q0, #0xff00ff00ff00ff00 | neon
 vfma.f32 q0, q1, q2 | vfpv4
 vrintz.f32 s0, s1 | armv8
 udiv r0, r1, r2 | idiv
 lda r0, [r1] | armv8
 sevl |
 dmb ish |
 movw r0, #5 |
 ldrd r0, r1, [r2, #8] |
 umaal r0, r1, r2, r3 |
 popeq {r4, pc} |
 addls pc, pc, r0, lsl #2 |
 mrc p15, 0, r0, c13, c0, 3 |
 usat r0, #5, r1 |
""",
}


@pytest.mark.parametrize("arch", NEEDS)
def test_capabilities_by_the_assembler(link, arch, tmp_path):
    rows = [line.split("|") for line in NEEDS[arch].strip().splitlines()]
    found = assembled(link, arch, [text for text, _ in rows])
    code = FunctionCode("k", found[0].address, 4 * len(found), tuple(found), (), (), False)
    needed = demands(Decoded(arch, (code,), ()), tmp_path)
    got = {text: " ".join(needed(each)) for (text, _), each in zip(rows, found, strict=True)}
    assert got == {text: needs.strip() for text, needs in rows}


@pytest.mark.parametrize("arch", NEEDS)
def test_text_that_the_assembler_takes_is_the_same_instruction(link, arch):
    rows = [line.split("|")[0] for line in NEEDS[arch].strip().splitlines()]
    found = assembled(link, arch, rows)
    encoding = architecture(arch)
    texts = [encoding.assembly(each) or rows[at] for at, each in enumerate(found)]
    assert [each.code for each in assembled(link, arch, texts)] == [each.code for each in found]


def test_what_the_assembler_does_not_take_is_not_taken_for_base(tmp_path):
    found = requirements("aarch64", ["nop", "frobnicate x0", "add x0, x0, #99999"], tmp_path)
    unknown = frozenset({UNKNOWN})
    assert found == {"nop": frozenset(), "frobnicate x0": unknown, "add x0, x0, #99999": unknown}


def test_the_assembler_is_asked_once(tmp_path, monkeypatch):
    first = requirements("arm", ["vadd.i32 q0, q0, q0"], tmp_path)
    monkeypatch.setattr("subprocess.run", None)
    assert requirements("arm", ["vadd.i32 q0, q0, q0"], tmp_path) == first


def test_cryptography_brings_the_registers_that_it_works_on():
    assert allowed(frozenset({"aes"}), "arm") == {"aes", "neon"}
    assert allowed(frozenset({"pmull"}), "aarch64") == {"pmull", "neon"}
    assert allowed(frozenset({"neon"}), "arm") == {"neon"}


# -------- which bytes are instructions --------

SHAPES = {
    "aarch64": """
function pool
    ldr x0, =0x0123456789abcdef
    ret
    .ltorg
finish pool

function constants
    adr x1, .Lones
    adrp x2, .Lones
    mov w3, #1
    add x2, x2, :lo12:.Lones
    ldr q0, [x1]
    ldr q1, [x2, #16]
    b .Lafter
.Lones: .long 0xd65f03c0, 0xd65f03c0, 0, 0, 0, 0, 0, 0
.Lafter: ret
finish constants

function words
    adr x1, .Lwords
    ldrsw x0, [x1, x0, lsl #2]
    add x0, x0, x1
    br x0
.Lwords: .long .Lw0 - .Lwords, .Lw1 - .Lwords
.Lw0: mov w0, #1
    ret
.Lw1: mov w0, #2
    ret
finish words

function bytes
    adr x1, .Lbytes
    ldrb w0, [x1, x0]
    adr x2, .Lb0
    add x2, x2, x0, lsl #2
    br x2
.Lb0: mov w0, #1
    ret
    nop
    mov w0, #2
    ret
.Lbytes: .byte 0, 3, 0, 0
finish bytes

function ways
    cbz x0, .Lzero
    tbnz x1, #3, .Lzero
    ret
.Lzero: mov w0, #1
    ret
finish ways
""",
    "arm": """
function pool
    ldr r0, =0x01234567
    bx lr
    .ltorg
finish pool

function relative
    ldr r1, .Ldistance
.Lpc: add r1, pc, r1
    movw r2, #:lower16:(.Lones - .Lmov - 8)
    movt r2, #:upper16:(.Lones - .Lmov - 8)
.Lmov: add r2, pc, r2
    bx lr
.Ldistance: .long .Lones - .Lpc - 8
.Lones: .long 0xe12fff1e
finish relative

function branches
    cmp r0, #1
    addls pc, pc, r0, lsl #2
    b .Ldefault
    b .Lb0
    b .Lb1
.Lb0: mov r0, #1
    bx lr
.Lb1: mov r0, #2
    bx lr
.Ldefault: mov r0, #3
    popeq {r4, pc}
    pop {r5, pc}
finish branches

function table
    ldr pc, [pc, r0, lsl #2]
    nop
    .long .Lt0, .Lt1
.Lt0: mov r0, #1
    bx lr
.Lt1: mov r0, #2
    bx lr
finish table

function ways
    cmp r0, #0
    beq .Lzero
    bxhi lr
    mov r0, #2
.Lzero: mov r0, #1
    bx lr
finish ways
""",
}
EXPECTED = {
    "aarch64": {
        "pool": (["ldr x0, pool+0x8", "ret"], [(8, 8)]),
        "constants": (
            [
                *("adr x1, constants+0x1c", "adrp x2, #PAGE", "mov w3, #1"),
                *("add x2, x2, #0x19c", "ldr q0, [x1]", "ldr q1, [x2, #0x10]"),
                *("b constants+0x3c", "ret"),
            ],
            [(0x1C, 32)],
        ),
        "words": (
            [
                *("adr x1, words+0x10", "ldrsw x0, [x1, x0, lsl #2]", "add x0, x0, x1", "br x0"),
                *("mov w0, #1", "ret", "mov w0, #2", "ret"),
            ],
            [(0x10, 8)],
        ),
        "bytes": (
            [
                *("adr x1, bytes+0x28", "ldrb w0, [x1, x0]", "adr x2, bytes+0x14"),
                *("add x2, x2, x0, lsl #2", "br x2"),
                *("mov w0, #1", "ret", "mov w0, #2", "ret"),
            ],
            [(0x28, 4)],
        ),
    },
    "arm": {
        "pool": (["ldr r0, [pc]", "bx lr"], [(8, 4)]),
        "relative": (
            [
                *("ldr r1, [pc, #0x10]", "add r1, pc, r1", "movw r2, #4", "movt r2, #0"),
                *("add r2, pc, r2", "bx lr"),
            ],
            [(0x18, 8)],
        ),
        "branches": (
            [
                *("cmp r0, #1", "addls pc, pc, r0, lsl #2", "b branches+0x24"),
                *("b branches+0x14", "b branches+0x1c"),
                *("mov r0, #1", "bx lr", "mov r0, #2", "bx lr", "mov r0, #3"),
                *("popeq {r4, pc}", "pop {r5, pc}"),
            ],
            [],
        ),
        "table": (
            ["ldr pc, [pc, r0, lsl #2]", "mov r0, #1", "bx lr", "mov r0, #2", "bx lr"],
            [(8, 8)],
        ),
    },
}
CASES = [(arch, name) for arch, names in EXPECTED.items() for name in names]


@pytest.fixture(scope="module")
def shapes(link) -> dict[str, Decoded]:
    return {
        arch: link({"shapes.S": MACROS + text}, arch=arch).decode() for arch, text in SHAPES.items()
    }


def function(decoded: Decoded, name: str) -> FunctionCode:
    return next(each for each in decoded.functions if each.name == name)


@pytest.mark.parametrize(("arch", "name"), CASES)
def test_instructions_and_data_of_each_shape(shapes, arch, name):
    found = function(shapes[arch], name)
    encoding = architecture(arch)
    texts = [encoding.text(each, shapes[arch].place) for each in found.instructions]
    page = f"#{found.address & -4096:#x}"
    spans = [(span.address - found.address, span.size) for span in found.data]
    assert ([text.replace(page, "#PAGE") for text in texts], spans) == EXPECTED[arch][name]


@pytest.mark.parametrize(
    ("arch", "name", "references"),
    [
        ("aarch64", "constants", [(0x1C, 0), (0x1C, 0), (0x1C, 16), (0x2C, 16)]),
        ("arm", "relative", [(0x18, 4), (0x1C, 0), (0x1C, 0)]),
        ("arm", "table", [(8, 0)]),
    ],
)
def test_what_registers_refer_to(shapes, arch, name, references):
    found = function(shapes[arch], name)
    rows = [each for each in found.instructions if each.reference is not None]
    assert [(each.reference - found.address, each.width) for each in rows] == references


@pytest.mark.parametrize(
    ("arch", "swept"), [("aarch64", {"words", "bytes"}), ("arm", {"branches", "table"})]
)
def test_only_functions_with_an_indirect_jump_are_swept(shapes, arch, swept):
    assert {each.name for each in shapes[arch].functions if each.swept} == swept


def test_targets_of_a_table_begin_blocks(shapes):
    for arch, name, offsets in (
        ("aarch64", "words", {0, 0x18, 0x20}),
        ("arm", "table", {0, 0x10, 0x18}),
    ):
        found = function(shapes[arch], name)
        assert {leader - found.address for leader in found.leaders} >= offsets


@pytest.mark.parametrize(
    ("arch", "expected"),
    [
        ("aarch64", [(NOT_TAKEN, 0), (NOT_TAKEN, 0)]),
        ("arm", [(NOT_TAKEN, 0)]),
    ],
)
def test_directions(shapes, arch, expected):
    """A predicated return has none, and is a way out for what stands before it."""
    decoded = shapes[arch]
    found = function(decoded, "ways")
    branches = [b for b in directions(decoded) if found.address <= b.address < found.end]
    assert [(b.proven, b.due) for b in branches] == expected
    assert TAKEN not in {b.due for b in branches}
    starts = {i.address for f in decoded.functions for i in f.instructions}
    base = found.address
    assert {trap.offset + base for trap in traps(decoded, base, directions(decoded))} == starts


def test_flow_makes_code_of_what_the_file_calls_data():
    """Macros write instructions that old assemblers did not know as `.byte`."""
    aese, back = "0203b0f3", "1eff2fe1"
    code = bytes.fromhex(aese + back)
    found = decode("arm", code, 0x1000, [Extent("f", 0x1000, 8)], [Span(0x1000, 4)])
    assert [each.code for each in found.functions[0].instructions] == [code[:4], code[4:]]


def test_a_call_before_data_never_returns():
    code = bytes.fromhex("feffffeb 1eff2fe1")
    found = decode("arm", code, 0x1000, [Extent("f", 0x1000, 8)], [Span(0x1004, 4)])
    assert [each.kind for each in found.functions[0].instructions] == [Kind.CALL]


def test_flow_into_data_that_is_no_instruction_is_refused():
    code = bytes.fromhex("1f2003d5 ffffffff")
    with pytest.raises(TraceError, match=r"f\+0x4: flow arrives .* put `udf #0` between"):
        decode("aarch64", code, 0x1000, [Extent("f", 0x1000, 8)], [Span(0x1004, 4)])


def test_a_literal_that_flow_arrives_at_is_refused():
    code = bytes.fromhex("20000018 1f2003d5 c0035fd6")
    with pytest.raises(TraceError, match=r"f\+0x0: reads the instruction at f\+0x4"):
        decode("aarch64", code, 0x1000, [Extent("f", 0x1000, 12)], [Span(0x1004, 4)])


def test_flow_off_the_end_is_refused():
    code = bytes.fromhex("00f020e3 00f020e3")
    with pytest.raises(TraceError, match=r"f\+0x7: flow runs off the end"):
        decode("arm", code, 0x1000, [Extent("f", 0x1000, 8)])


def test_a_missing_decoder_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "capstone", None)
    with pytest.raises(DecoderMissingError, match="pip install capstone"):
        Arm()
