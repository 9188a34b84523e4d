import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capabilities.bits import CapabilityError
from rig.capabilities.vector import Needs, Vector, holds, parse_absolute, parse_needs

X86 = "x86_64"


def vector(names: str, arch: str = X86) -> Vector:
    return Vector.of(arch, names.split())


def test_words_and_fields():
    some = vector("sse2 ssse3 avx2 vaes sha512 avx10")
    assert some.words == (1 << 26, 1 << 9, 1 << 5, 1 << 9, 0, 1, 1 << 19, 0, 0, 0)
    assert str(some) == "0x20004000000:0x20000000020:0x100000000:0x80000:0x0"
    assert Vector.from_words(X86, some.words) == some
    assert some.names == ("sse2", "ssse3", "avx2", "vaes", "sha512", "avx10")


def test_arm_is_one_number():
    assert str(vector("neon aes pmull", "aarch64")) == "0x25"
    assert Vector.full("arm").words == (0xFFFFFFFF,)


def test_set_operations():
    some, other = vector("ssse3 avx"), vector("avx avx2")
    assert some | other == vector("ssse3 avx avx2")
    assert some & other == vector("avx")
    assert some - other == vector("ssse3")
    assert some.has("SSSE3")
    assert not some.has("avx2")


def test_base_and_full():
    assert Vector.base(X86).names == ("fpu", "tsc", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2")
    assert Vector.base("i386").names == ("fpu", "tsc", "cx8", "cmov")
    assert Vector.full(X86).words == (0xFFFFFFFF,) * 10
    assert Vector.empty(X86).value == 0


@pytest.mark.parametrize("value", [-1, 1 << 320])
def test_too_wide(value):
    with pytest.raises(CapabilityError, match="wider than the vector of x86_64"):
        Vector(X86, value)


def test_architectures_do_not_mix():
    with pytest.raises(CapabilityError, match="x86_64 and arm do not combine"):
        Vector.empty(X86) | Vector.empty("arm")
    with pytest.raises(CapabilityError, match="needs of arm asked of a vector of x86_64"):
        holds(Vector.empty(X86), parse_needs("neon", "arm"))


@given(st.integers(0, (1 << 320) - 1))
def test_absolute_form_round_trips(value):
    some = Vector(X86, value)
    assert parse_absolute(str(some), X86) == some


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0x1",
        "0x1:0x2:0x3:0x4",
        "0x1:0x2:0x3:0x4:",
        "0x1:0x2:0x3:0x4:5",
        "0x1:0x2:0x3:0x4:0x_1",
        "0x1:0x2:0x3:0x4:0x5:0x6",
        "0x1:0x2:0x3:0x4:0x10000000000000000",
        "~0x1:0x0:0x0:0x0:0x0",
    ],
)
def test_absolute_form_is_strict(text):
    with pytest.raises(CapabilityError, match=r"expected 0x\.\.\.:0x\.\.\."):
        parse_absolute(text, X86)


@pytest.mark.parametrize(
    ("text", "required", "forbidden"),
    [
        ("", "", ""),
        ("ssse3 pclmul !avx", "ssse3 pclmul", "avx"),
        ("  vpclmulqdq\tsha_ni ", "vpclmul sha", ""),
        ("avx512f !avoid-zmm intel", "avx512f intel", "avoid-zmm"),
        ("sse2", "sse2", ""),
    ],
)
def test_needs(text, required, forbidden):
    expected = Needs(X86, frozenset(required.split()), frozenset(forbidden.split()))
    assert parse_needs(text, X86) == expected
    assert expected.named == frozenset(required.split() + forbidden.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ssse3 pclmull", "unknown capability 'pclmull' on x86_64: did you mean 'pclmul'?"),
        ("avx !avx", "'avx' is both required and forbidden"),
        ("pclmulqdq !pclmul", "'pclmul' is both required and forbidden"),
        ("!sse2", "'sse2' is always set on x86_64, drop the variant"),
        ("!", "unknown capability ''"),
    ],
)
def test_bad_needs(text, message):
    with pytest.raises(CapabilityError) as error:
        parse_needs(text, X86)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("names", "needs", "answer"),
    [
        ("", "", True),
        ("ssse3", "ssse3", True),
        ("ssse3", "ssse3 pclmul", False),
        ("ssse3 pclmul", "ssse3 pclmul !avx", True),
        ("ssse3 pclmul avx", "ssse3 pclmul !avx", False),
        ("avx2", "avx", False),  # nothing is implied
    ],
)
def test_holds(names, needs, answer):
    assert holds(vector(names), parse_needs(needs, X86)) is answer
