import pytest

from rig.capabilities.bits import LAYOUTS, X86_ARCHITECTURES, CapabilityError
from rig.capabilities.models import model_vector, models, parse_cpu
from rig.capabilities.vector import Vector

X86 = [model.name for model in models("x86_64")]
ARM = [(model.name, arch) for arch in ("aarch64", "arm") for model in models(arch)]

# What a model has and lacks: the subsets that they are worth having for.
SUBSETS = [
    ("core2duo", "intel ssse3 sse3 cx16", "sse4.1 popcnt"),
    ("penryn", "ssse3 sse4.1", "sse4.2 pclmul aes avx"),
    ("nehalem", "sse4.2 popcnt", "pclmul aes"),
    ("westmere", "aes pclmul", "avx xsave"),
    ("sandybridge", "aes pclmul avx osxsave", "avx2 rdrand f16c"),
    ("pentium-987", "ssse3 sse4.2 osxsave", "aes pclmul avx"),
    ("ivybridge", "avx f16c rdrand", "avx2 movbe"),
    ("haswell", "avx2 bmi1 bmi2 fma movbe", "adx rdseed sha avx512f"),
    ("broadwell", "adx rdseed", "sha avx512f"),
    ("silvermont", "aes pclmul movbe", "xsave avx sha"),
    ("goldmont", "aes pclmul movbe sha rdseed xsave", "avx adx bmi2 f16c"),
    ("knl", "avx512f avx512cd avx512er avx512pf adx", "avx512bw avx512vl avx512dq sha"),
    ("skylake", "avx2 adx", "sha avx512f vaes"),
    ("skylake-avx512", "avx512f avx512bw avx512dq avx512vl", "avx512ifma sha avoid-zmm"),
    ("cannonlake", "avx512ifma avx512vbmi sha", "vaes vpclmul gfni"),
    ("icelake", "vaes vpclmul avx512ifma gfni avx512vbmi2", "avx-vnni avx512-bf16"),
    ("alderlake", "vaes vpclmul avx-vnni sha gfni", "avx512f avx512vl avx-ifma sha512"),
    ("sapphirerapids", "avx512-fp16 avx-vnni amx-tile vaes", "avx-ifma sha512"),
    ("bulldozer", "xop avx aes pclmul", "intel avx2 fma f16c movbe bmi1"),
    ("zen2", "avx2 adx sha", "intel xop vaes avx512f"),
    ("zen3", "vaes vpclmul avx2", "avx512f gfni avx-vnni"),
    ("zen4", "vaes vpclmul avx512ifma avx512vl gfni", "intel avx-vnni avx512-fp16 avx512er"),
]

# What each has as OPENSSL_armcap, by HWCAP of the machine under Linux (Apple: by sysctl).
ARMCAPS = {
    ("nexus4", "arm"): 0x1,
    ("cortex-a53-nocrypto", "aarch64"): 0x1,
    ("cortex-a53-nocrypto", "arm"): 0x1,
    ("nexus6p", "aarch64"): 0x3D,
    ("nexus6p", "arm"): 0x3D,
    ("graviton2", "aarch64"): 0x3D,
    ("apple-m1", "aarch64"): 0x87D,
}

# A bit that no CPU has without the other (ID_AA64ISAR0_EL1, ID_AA64ZFR0_EL1, ID_ISAR5).
IMPLIED = (
    *(("pmull", "aes"), ("sha1", "sha256"), ("sha256", "sha1"), ("sha512", "sha256")),
    *(("sha3", "sha512"), ("sve2", "sve"), ("aes", "neon"), ("sha1", "neon"), ("sve", "neon")),
)


@pytest.mark.parametrize(("name", "has", "lacks"), SUBSETS)
def test_subset(name, has, lacks):
    names = set(parse_cpu(name, "x86_64").names)
    assert set(has.split()) <= names
    assert not names & set(lacks.split())


def test_every_model_has_its_subset_here():
    assert sorted(name for name, _, _ in SUBSETS) == sorted(X86)
    assert sorted(ARMCAPS) == sorted(ARM)


@pytest.mark.parametrize(("name", "arch"), ARM)
def test_armcap(name, arch):
    vector = parse_cpu(name, arch)
    assert vector.value == ARMCAPS[name, arch]
    assert all(vector.has(other) for bit, other in IMPLIED if vector.has(bit))


@pytest.mark.parametrize(
    ("text", "arch", "value"),
    [
        ("nexus6p,-pmull", "aarch64", 0x1D),
        ("nexus6p,-pmull,-aes", "arm", 0x19),
        ("nexus4,-neon", "arm", 0),
        ("Cortex-A57", "arm", 0x3D),
        ("neoverse-n1,+sve,+SVE2", "aarch64", 0x603D),
        ("apple-m1,+unroll8_eor3", "aarch64", 0x187D),
    ],
)
def test_edits_on_arm(text, arch, value):
    assert parse_cpu(text, arch).value == value


@pytest.mark.parametrize("name", X86)
def test_model_is_consistent(name):
    vector = parse_cpu(name, "x86_64")
    assert vector & Vector.base("x86_64") == Vector.base("x86_64")
    assert vector.has("osxsave") == vector.has("xsave")
    assert not vector.has("avx") or vector.has("osxsave")
    assert not vector.has("avx2") or vector.has("avx")
    assert not vector.has("avoid-zmm")
    model = next(model for model in models("x86_64") if model.name == name)
    assert vector.has("intel") == (model.vendor == "intel")
    assert 2006 <= model.year <= 2023
    assert model.description
    assert model.name == name.lower()


@pytest.mark.parametrize("arch", LAYOUTS)
def test_every_change_of_a_row_changes_something(arch):
    for model in models(arch):
        vector = model_vector(model, arch)
        start = Vector.base("x86_64") if arch in X86_ARCHITECTURES else Vector.empty(arch)
        parent = parse_cpu(model.parent, arch) if model.parent else start
        for change in model.changes.split():
            assert parent.has(change.removeprefix("-")) == change.startswith("-"), (model, change)
        assert vector == parse_cpu(model.name, arch)


@pytest.mark.parametrize(
    ("text", "added", "removed"),
    [
        ("haswell,-avx2", "", "avx2"),
        ("haswell,-avx", "", "avx"),  # exactly one bit: AVX2 and FMA stay
        ("haswell,-avx2,+adx", "adx", "avx2"),
        ("haswell,+avx2", "", ""),
        ("haswell,-avx512f", "", ""),
        ("haswell,-intel,+avoid-zmm", "avoid-zmm", "intel"),
        ("haswell,-avx2,+avx2", "", ""),
        ("haswell,-pclmulqdq,-sse4_1", "", "pclmul sse4.1"),
        ("Haswell,+sha_ni", "sha", ""),
    ],
)
def test_edits(text, added, removed):
    expected = set(parse_cpu("haswell", "x86_64").names) | set(added.split())
    assert set(parse_cpu(text, "x86_64").names) == expected - set(removed.split())


@pytest.mark.parametrize(
    ("qemu", "name"),
    [("EPYC-Rome", "zen2"), ("Skylake-Server", "skylake-avx512"), ("Icelake-Server", "icelake")],
)
def test_qemu_names(qemu, name):
    assert parse_cpu(qemu, "x86_64") == parse_cpu(name, "x86_64")


@pytest.mark.parametrize(
    ("text", "arch", "message"),
    [
        ("hazwell", "x86_64", "unknown model 'hazwell': did you mean 'haswell'?"),
        ("", "x86_64", "unknown model ''"),
        ("haswell,avx2", "x86_64", "'avx2' is no edit, expected +NAME or -NAME"),
        ("haswell,", "x86_64", "'' is no edit"),
        ("haswell,-avx3", "x86_64", "unknown capability 'avx3' on x86_64: did you mean 'avx"),
        ("haswell,-sse2", "x86_64", "'sse2' belongs to every x86_64 and cannot be cleared"),
        ("nexus6", "aarch64", "unknown model 'nexus6': did you mean 'nexus6p'?"),
        ("nexus6p,-neon", "aarch64", "'neon' belongs to every aarch64 and cannot be cleared"),
        ("nexus4", "aarch64", "'nexus4' is a model of arm, not of aarch64"),
        ("penryn", "arm", "'penryn' is a model of x86_64 and i386, not of arm"),
        ("nexus6p", "i386", "'nexus6p' is a model of aarch64 and arm, not of i386"),
    ],
)
def test_bad_cpu(text, arch, message):
    with pytest.raises(CapabilityError) as error:
        parse_cpu(text, arch)
    assert str(error.value).startswith(f"--cpu {text!r}: ")
    assert message in str(error.value)


def test_sse2_can_be_cleared_where_it_is_no_base():
    assert not parse_cpu("haswell,-sse2", "i386").has("sse2")
