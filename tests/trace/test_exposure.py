"""What an instruction shows beside its place: the registers of addresses and of durations. Texts
come from the toolchain's assembler, so that no encoding is this file's own."""

import subprocess

import pytest
from elftools.elf.elffile import ELFFile

from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.trace.architecture import Access, Exposure, Instruction, Kind, Term
from rig.trace.instructions import architecture

NOTHING = Exposure()


def at(*terms: Term, known: bool = True, **rest: object) -> Exposure:
    return Exposure((Access(terms, known),), **rest)


def r(name: str, factor: int = 1, bits: int = 64, right: int = 0) -> Term:
    return Term(name, factor, bits, right)


def e(name: str, factor: int = 1, right: int = 0) -> Term:
    return Term(name, factor, 32, right)


X86_64 = {
    "mov (%rax,%rcx,4), %edx": at(r("rax"), r("rcx", 4)),
    "mov %al, 8(%rsp)": at(r("rsp")),
    "lea (%rax,%rcx), %rdx": NOTHING,
    "nopw (%rax,%rcx)": NOTHING,
    "mov foo(%rip), %eax": at(),
    "push %rax": at(r("rsp")),
    "ret": at(r("rsp")),
    "rep movsb": Exposure((Access((r("rdi"),)), Access((r("rsi"),)))),
    "xlatb": at(r("rbx"), r("rax", bits=8)),
    "cmovne (%rdi), %eax": at(r("rdi")),
    "movdqa (%rsi), %xmm0": at(r("rsi")),
    "prefetcht0 (%rdi,%r9,8)": at(r("rdi"), r("r9", 8)),
    "mov (%eax), %edx": at(r("rax", bits=32)),
    "vpgatherdd %ymm2, (%rdi,%ymm1,4), %ymm0": at(r("rdi"), known=False),
    "pshufb %xmm1, %xmm0": NOTHING,
    "mul %rcx": NOTHING,
    "div %rcx": Exposure(timed=(r("rcx"), r("rax"), r("rdx"))),
    "idiv %ecx": Exposure(
        timed=(r("rcx", bits=32), r("rax", bits=32), r("rdx", bits=32)),
    ),
    "divq (%rsi)": at(r("rsi"), timed=(r("rax"), r("rdx"))),
    "pdep %rax, %rcx, %rdx": Exposure(timed=(r("rcx"), r("rax"))),
    "divsd %xmm1, %xmm0": Exposure(timed=(), known=False),
}
I386 = {
    "mov (%eax,%ecx,4), %edx": at(e("eax"), e("ecx", 4)),
    "push %eax": at(e("esp")),
    "div %ebx": Exposure(timed=(e("ebx"), e("eax"), e("edx"))),
    "div %ah": Exposure(timed=(Term("eax", 1, 8, 8), Term("eax", 1, 16))),
}
AARCH64 = {
    "ldr x0, [x1, #8]": at(r("x1")),
    "ldr w0, [x1, x2, lsl #2]": at(r("x1"), r("x2", 4)),
    "ldrb w0, [x1, x2]": at(r("x1"), r("x2")),
    "ldr q0, [x1, w2, uxtw #4]": at(r("x1"), r("x2", 16, 32)),
    "ldr x0, [x1, w2, sxtw]": at(r("x1"), r("x2", bits=32)),
    "str x0, [sp, #-16]!": at(r("sp")),
    "ldp x0, x1, [x2], #16": at(r("x2")),
    "ld1 {v0.16b, v1.16b}, [x3], x4": at(r("x3")),
    "ld4r {v0.4s, v1.4s, v2.4s, v3.4s}, [x3]": at(r("x3")),
    "ldxr x0, [x5]": at(r("x5")),
    "prfm pldl1keep, [x1, x2]": at(r("x1"), r("x2")),
    "dc zva, x3": at(r("x3")),
    "ldr x0, foo": at(),
    "add x0, x1, x2": NOTHING,
    "tbl v0.16b, {v1.16b}, v2.16b": NOTHING,
    "csel x0, x1, x2, eq": NOTHING,
    "udiv x0, x1, x2": Exposure(timed=(r("x1"), r("x2"))),
    "sdiv w0, w1, w2": Exposure(timed=(r("x1", bits=32), r("x2", bits=32))),
    "madd x0, x1, x2, x3": NOTHING,
    "fdiv d0, d1, d2": Exposure(timed=(), known=False),
    "fsqrt s0, s1": Exposure(timed=(), known=False),
    "fdiv v0.4s, v1.4s, v2.4s": Exposure(timed=(), known=False),
    "fsqrt v0.2d, v1.2d": Exposure(timed=(), known=False),
}
ARM = {
    "ldr r0, [r1, #4]": at(e("r1")),
    "ldr r0, [r1, r2, lsl #2]": at(e("r1"), e("r2", 4)),
    "ldr r0, [r1, -r2]": at(e("r1"), e("r2", -1)),
    "ldrb r0, [r1, r2, lsr #24]": at(e("r1"), e("r2", 1, 24)),
    "ldr r0, [r1], r2": at(e("r1")),
    "ldrh r0, [r1, r2]": at(e("r1"), e("r2")),
    "ldrsb r0, [r1, #1]": at(e("r1")),
    "ldrd r0, r1, [r2, -r3]": at(e("r2"), e("r3", -1)),
    "strne r0, [r1]": at(e("r1"), condition=1),
    "push {r4, lr}": at(e("sp")),
    "ldmia r0!, {r1, r2}": at(e("r0")),
    "vld1.8 {d0, d1}, [r3]!": at(e("r3")),
    "vldr d0, [r4, #8]": at(e("r4")),
    "vldmia r5, {d0-d3}": at(e("r5")),
    "pld [r1, r2]": at(e("r1"), e("r2")),
    "ldrex r0, [r1]": at(e("r1")),
    "ldr r0, [pc, #4]": at(),
    "ldr r0, [pc, r2]": at(e("r2")),
    "mul r0, r1, r2": NOTHING,
    "umull r0, r1, r2, r3": NOTHING,
    "vmov d0, r1, r2": NOTHING,
    "movne r0, r1": NOTHING,
    "vtbl.8 d0, {d1}, d2": NOTHING,
    "udiv r0, r1, r2": Exposure(timed=(e("r1"), e("r2"))),
    "sdiveq r0, r1, r2": Exposure(timed=(e("r1"), e("r2")), condition=0),
    "vdiv.f64 d0, d1, d2": Exposure(timed=(), known=False),
    "vsqrt.f32 s0, s1": Exposure(timed=(), known=False),
    "vmul.f32 s0, s1, s2": NOTHING,
}
EXPECTED = {"x86_64": X86_64, "i386": I386, "aarch64": AARCH64, "arm": ARM}
OPTIONS = {
    "arm": (".arch_extension idiv", ".fpu neon-vfpv4"),
    "aarch64": (),
    "x86_64": (),
    "i386": (),
}
FLAGS = {"arm": ("-march=armv7-a",)}


@pytest.mark.parametrize("arch", EXPECTED)
def test_what_an_instruction_shows(arch, tmp_path):
    lines = [*OPTIONS[arch], ".text", "foo:", *EXPECTED[arch]]
    (tmp_path / "a.s").write_text("\n".join(lines) + "\n")
    flags = (f"--target={ARCHITECTURES[arch].target}", *FLAGS.get(arch, ()))
    command = [*find_toolchain("zig").compiler, *flags, "-c", "a.s", "-o", "a.o"]
    subprocess.run(command, cwd=tmp_path, check=True)
    with (tmp_path / "a.o").open("rb") as file:
        code = ELFFile(file).get_section_by_name(".text").data()
    rows = list(architecture(arch).straight(code, 0, 0))
    shown = [architecture(arch).exposure(Instruction(i.address, i.code, Kind.OTHER)) for i in rows]
    assert len(shown) == len(EXPECTED[arch])
    for text, exposure, expected in zip(
        EXPECTED[arch], shown, EXPECTED[arch].values(), strict=True
    ):
        assert _accesses(exposure) == _accesses(expected), text
        timed = None if exposure.timed is None else set(exposure.timed)
        assert timed == (None if expected.timed is None else set(expected.timed)), text
        assert exposure.condition == expected.condition, text
        if expected.timed is not None:
            assert exposure.known == (expected.known and not expected.accesses), text


def _accesses(exposure: Exposure) -> set[tuple[frozenset[Term], bool]]:
    return {(frozenset(access.terms), access.known) for access in exposure.accesses}
