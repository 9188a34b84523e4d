import pytest

from rig.capabilities.bits import (
    LAYOUTS,
    TILE_STATE,
    YMM_STATE,
    ZMM_STATE,
    CapabilityError,
    architecture,
    bit_label,
    capability,
)

# (name, word, bit) by Intel SDM volume 2A, CPUID, and OPENSSL_ia32cap(3) of OpenSSL 3.5, whose
# logical vectors number bits from 64 * LV.
POSITIONS = [
    ("tsc", 0, 4),
    ("clflush", 0, 19),
    ("mmx", 0, 23),
    ("fxsr", 0, 24),
    ("sse", 0, 25),
    ("sse2", 0, 26),
    ("ht", 0, 28),
    ("intel", 0, 30),
    ("pclmul", 1, 33 - 32),
    ("ssse3", 1, 41 - 32),
    ("xop", 1, 43 - 32),
    ("movbe", 1, 54 - 32),
    ("aes", 1, 57 - 32),
    ("xsave", 1, 58 - 32),
    ("osxsave", 1, 59 - 32),
    ("avx", 1, 60 - 32),
    ("rdrand", 1, 62 - 32),
    ("bmi1", 2, 3),
    ("avx2", 2, 5),
    ("bmi2", 2, 8),
    ("avoid-zmm", 2, 14),
    ("avx512f", 2, 16),
    ("avx512dq", 2, 17),
    ("rdseed", 2, 18),
    ("adx", 2, 19),
    ("avx512ifma", 2, 21),
    ("sha", 2, 29),
    ("avx512bw", 2, 30),
    ("avx512vl", 2, 31),
    ("vaes", 3, 41 - 32),
    ("vpclmul", 3, 42 - 32),
    ("sha512", 5, 32 - 32),
    ("sm3", 5, 33 - 32),
    ("sm4", 5, 34 - 32),
    ("avx-ifma", 5, 55 - 32),
    ("avx10", 6, 19),
    ("apxf", 6, 21),
    ("avx10-128", 9, 48 - 32),
    ("avx10-256", 9, 49 - 32),
    ("avx10-512", 9, 50 - 32),
]

ARM_NUMBERS = [
    ("neon", 1),
    ("tick", 2),
    ("aes", 4),
    ("sha1", 8),
    ("sha256", 16),
    ("pmull", 32),
    ("sha512", 64),
    ("cpuid", 1 << 7),
    ("rng", 1 << 8),
    ("sm3", 1 << 9),
    ("sm4", 1 << 10),
    ("sha3", 0x800),
    ("unroll8-eor3", 1 << 12),
    ("sve", 1 << 13),
    ("sve2", 1 << 14),
    ("sha3-worth-using", 1 << 15),
    ("unroll12-eor3", 1 << 16),
    ("sve2-poly1305", 1 << 17),
    ("dit", 1 << 18),
]

SPELLINGS = [
    ("SSSE3", "ssse3"),
    ("sse4_1", "sse4.1"),
    ("sse4.2", "sse4.2"),
    ("pni", "sse3"),
    ("pclmulqdq", "pclmul"),
    ("vpclmulqdq", "vpclmul"),
    ("sha-ni", "sha"),
    ("sha_ni", "sha"),
    ("aes-ni", "aes"),
    ("rdrnd", "rdrand"),
    ("bmi", "bmi1"),
    ("avx512-vpopcntdq", "avx512vpopcntdq"),
    ("avx512_vbmi2", "avx512vbmi2"),
    ("avx_vnni", "avx-vnni"),
]


@pytest.mark.parametrize(("name", "word", "bit"), POSITIONS)
def test_position(name, word, bit):
    found = capability(name, "x86_64")
    assert (found.name, found.word, found.bit) == (name, word, bit)
    assert found.mask == 1 << (32 * word + bit)
    assert capability(name, "i386") == found


@pytest.mark.parametrize(("name", "number"), ARM_NUMBERS)
@pytest.mark.parametrize("arch", ["aarch64", "arm"])
def test_armcap_number(name, number, arch):
    assert capability(name, arch).mask == number


@pytest.mark.parametrize(("spelling", "name"), SPELLINGS)
def test_spelling(spelling, name):
    assert capability(spelling, "x86_64").name == name


@pytest.mark.parametrize("arch", LAYOUTS)
def test_names_and_bits_are_unique(arch):
    known = architecture(arch).capabilities
    folded = {each.name.replace("-", "").replace(".", "") for each in known}
    assert len(folded) == len({each.mask for each in known}) == len(known)
    assert all(0 <= each.bit < 32 and 0 <= each.word < architecture(arch).words for each in known)
    assert {capability(name, arch).name for name in architecture(arch).base} <= {
        each.name for each in known
    }


@pytest.mark.parametrize(
    ("name", "arch", "message"),
    [
        ("sse5", "x86_64", "unknown capability 'sse5' on x86_64: did you mean 'sse"),
        ("vpclmulqd", "x86_64", "did you mean 'vpclmul'?"),
        ("pmull", "x86_64", "did you mean 'pclmul'?"),
        ("pclmul", "aarch64", "did you mean 'pmull'?"),
        ("zzz", "arm", "one of neon tick aes sha1 sha256 pmull sha512 cpuid rng sm3 sm4 sha3 "),
        ("", "x86_64", "unknown capability ''"),
    ],
)
def test_unknown_capability(name, arch, message):
    with pytest.raises(CapabilityError) as error:
        capability(name, arch)
    assert message in str(error.value)


def test_unknown_architecture():
    with pytest.raises(CapabilityError, match=r"'x86-64': did you mean 'x86_64'\?"):
        architecture("x86-64")


def test_state_of_groups():
    states = {each.name: each.state for each in architecture("x86_64").capabilities}
    assert states["avx"] == states["vaes"] == states["sha512"] == YMM_STATE
    assert states["avx512vl"] == states["avx512-fp16"] == states["avx10"] == ZMM_STATE
    assert states["amx-tile"] == TILE_STATE
    assert not states["gfni"] | states["sha"] | states["aes"] | states["osxsave"]


def test_preferences():
    def preferences(arch: str) -> str:
        return " ".join(each.name for each in architecture(arch).capabilities if each.preference)

    assert preferences("x86_64") == "intel avoid-zmm"
    assert preferences("arm") == "unroll8-eor3 sha3-worth-using unroll12-eor3 sve2-poly1305"


@pytest.mark.parametrize(
    ("index", "arch", "label"),
    [
        (5 + 64, "x86_64", "avx2"),
        (4 + 64, "x86_64", "CPUID.(7,0):EBX bit 4"),
        (0, "i386", "fpu"),
        (6 * 32, "i386", "CPUID.(7,1):EDX bit 0"),
        (319, "x86_64", "CPUID.(24H,0):EBX bit 31"),
        (5, "aarch64", "pmull"),
        (9, "arm", "sm3"),
        (30, "arm", "armcap bit 30"),
    ],
)
def test_bit_label(index, arch, label):
    assert bit_label(index, arch) == label
