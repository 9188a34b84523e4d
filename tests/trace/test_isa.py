"""Which capabilities instructions need, and which bring others with them."""

import pytest

from rig.capabilities.bits import architecture
from rig.capabilities.models import model_vector, models
from rig.trace.architecture import Instruction, Kind
from rig.trace.isa import allowed, demand, implied, runs_as

NAMES = [each.name for each in architecture("x86_64").capabilities]
PAIRS = [(name, other) for name in NAMES for other in implied(name, "x86_64")]
ASKED_FOR = {"movbe", "popcnt", "bmi1", "bmi2", "fma", "f16c", "adx", "gfni", "sha", "aes"}


def instruction(code: str) -> Instruction:
    return Instruction(0x1000, bytes.fromhex(code), Kind.OTHER)


@pytest.mark.parametrize(
    ("code", "text", "needs"),
    [
        ("f30f1efa", "endbr64", ""),
        ("f3c3", "rep ret", ""),
        ("f390", "pause", ""),
        ("0f1f4000", "nop [rax]", ""),
        ("0f0d08", "prefetchw [rax]", ""),
        ("f2f00fc108", "xacquire lock xadd", ""),
        ("f2ffe0", "bnd jmp rax", ""),
        ("0fa2", "cpuid", ""),
        ("0f05", "syscall", ""),
        ("0f0b", "ud2", ""),
        ("d9fe", "fsin", "fpu"),
        ("0f31", "rdtsc", "tsc"),
        ("0fae38", "clflush [rax]", "clflush"),
        ("0f01d0", "xgetbv", "xsave"),
        ("660f3800c1", "pshufb", "ssse3"),
        ("660f3a22c001", "pinsrd", "sse4.1"),
        ("f20f38f1c1", "crc32", "sse4.2"),
        ("660f3a44c100", "pclmulqdq", "pclmul"),
        ("c4e37144c200", "vpclmulqdq xmm", "pclmul avx"),
        ("c4e37544c200", "vpclmulqdq ymm", "vpclmul"),
        ("c4e271dcc2", "vaesenc xmm", "aes avx"),
        ("c4e275dcc2", "vaesenc ymm", "vaes"),
        ("62f27508dcc2", "vaesenc xmm, EVEX", "avx512vl vaes"),
        ("c5f1efc2", "vpxor xmm", "avx"),
        ("c5f5efc2", "vpxor ymm", "avx2"),
        ("62f17548efc2", "vpxord zmm", "avx512f"),
        ("0f38f001", "movbe", "movbe"),
        ("c4e2e3f6c1", "mulx", "bmi2"),
        ("f3480fbcc1", "tzcnt", "bmi1"),
        ("f3480fbdc1", "lzcnt", "lzcnt"),
        ("0fc7f0", "rdrand", "rdrand"),
    ],
)
def test_demand(code, text, needs):
    base = set(architecture("x86_64").base) - {"fpu", "tsc"}
    assert demand("x86_64", instruction(code)) - base == set(needs.split()), text


@pytest.mark.parametrize(
    ("code", "older"),
    [
        ("f3480fbcc1", "bsf"),
        ("f30fbdc1", "bsr"),
        ("66f30fbcc1", "bsf"),
        ("f3660fbcc1", "bsf"),
        ("480fbcc1", None),
        ("0f38f001", None),
    ],
)
def test_what_an_older_cpu_makes_of_it(code, older):
    assert runs_as("x86_64", instruction(code)) == older


@pytest.mark.parametrize(("name", "other"), PAIRS)
def test_no_model_has_the_one_without_the_other(name, other):
    vectors = [model_vector(model, "x86_64") for model in models("x86_64")]
    assert other in NAMES
    assert all(vector.has(other) for vector in vectors if vector.has(name))


def test_implications_end_in_the_base():
    assert allowed(frozenset({"avx512vl"}), "x86_64") >= {"avx512f", "avx2", "avx", "ssse3", "sse3"}
    assert allowed(frozenset({"vaes"}), "x86_64") >= {"vaes", "aes", "avx", "sse4.2"}
    assert allowed(frozenset({"aes", "pclmul"}), "x86_64") == {"aes", "pclmul", "sse2", "sse"}
    assert allowed(frozenset(), "x86_64") == frozenset()


@pytest.mark.parametrize("name", sorted({name for name, _ in PAIRS}))
def test_what_has_to_be_asked_for(name):
    brought = allowed(frozenset({name}), "x86_64") - {name}
    assert brought & ASKED_FOR <= ({"aes"} if name == "vaes" else set())
