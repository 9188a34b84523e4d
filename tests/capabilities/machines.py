"""Real machines: CPUID leaves (EAX EBX ECX EDX, as public dumps print them), and flags of ARM's as
/proc/cpuinfo prints them; states that an operating system may save."""

from rig.capabilities.bits import YMM_STATE, ZMM_STATE
from rig.capabilities.host import CpuidLeaves, Registers

INTEL = "756e6547 6c65746e 49656e69"
AMD = "68747541 444d4163 69746e65"
ALL_STATE = ZMM_STATE | 0x60000 | 0x80000 | 1

NONE = "00000000 00000000 00000000 00000000"
# part: (model, leaf 0, leaf 1, leaf 7, leaf 7.1)
MACHINES = {
    "Core 2 Duo E8400": (
        "penryn",
        f"0000000a {INTEL}",
        "00010676 00020800 0008e3fd bfebfbff",
        NONE,
        NONE,
    ),
    "Xeon X5650": (
        "westmere",
        f"0000000b {INTEL}",
        "000206c2 00200800 029ee3ff bfebfbff",
        NONE,
        NONE,
    ),
    "Core i7-4710MQ": (
        "haswell",
        f"0000000d {INTEL}",
        "000306c3 03100800 7fdafbbf bfebfbff",
        "00000000 000027ab 00000000 00000000",
        NONE,
    ),
    "Pentium N4200": (
        "goldmont",
        f"00000015 {INTEL}",
        "000506c9 00200800 4ff8ebbf bfebfbff",
        "00000000 2294e283 00000000 00000000",
        NONE,
    ),
    "Xeon Phi 7210": (
        "knl",
        f"0000000d {INTEL}",
        "00050671 08ff0800 7ff8f39f bfebfbff",
        "00000000 1c0d23ab 00000001 04000000",
        NONE,
    ),
    "Core i7-7800X": (
        "skylake-avx512",
        f"00000016 {INTEL}",
        "00050654 0a100800 7ffefbbf bfebfbff",
        "00000000 d39ffffb 00000000 0c000000",
        NONE,
    ),
    "Core i3-8121U": (
        "cannonlake",
        f"00000016 {INTEL}",
        "00060663 00100800 7ffafbbf bfebfbff",
        "00000000 f2bf67eb 0000000e 9c000000",
        NONE,
    ),
    "Core i7-1065G7": (
        "icelake",
        f"0000001b {INTEL}",
        "000706e5 00100800 7ffafbbf bfebfbff",
        "00000000 f2bf27ef 40405f4e bc000410",
        NONE,
    ),
    "Core i9-12900K": (
        "alderlake",
        f"00000020 {INTEL}",
        "00090672 00800800 7ffafbff bfebfbff",
        "00000001 239ca7eb 98c027ac fc1cc410",
        "00400810 00000000 00000000 00000000",
    ),
    "FX-8150": (
        "bulldozer,-xop",
        f"0000000d {AMD}",
        "00600f12 00080800 1e98220b 178bfbff",
        NONE,
        NONE,
    ),
    "EPYC 7003": (
        "zen3",
        f"0000000d {AMD}",
        "00a00f11 00020800 fffa3203 178bfbff",
        "00000000 219c07ab 00400684 00000010",
        NONE,
    ),
    "Ryzen 5 7600X": (
        "zen4",
        f"00000010 {AMD}",
        "00a60f12 000c0800 7ef8320b 178bfbff",
        "00000001 f1bf97a9 00405fce 10000010",
        "00000020 00000000 00000000 00000000",
    ),
}


def registers(dump: str) -> Registers:
    return Registers(*(int(word, 16) for word in dump.split()))


def machine(part: str) -> CpuidLeaves:
    _, *dumps = MACHINES[part]
    return CpuidLeaves(*map(registers, dumps), Registers())


STATES = [
    # XCR0, what is gone from Ice Lake, what is left of it
    (ALL_STATE, "", "avx512f vaes avx2"),
    (ZMM_STATE, "", "avx512f vaes avx2"),
    (ZMM_STATE & ~0x80, "avx512f avx512bw avx512vl avx512ifma avx512vbmi2", "vaes vpclmul avx2"),
    (ZMM_STATE & ~0x20, "avx512f avx512vl avx512vpopcntdq", "vaes avx2 fma"),
    (YMM_STATE | 1, "avx512f avx512vl avx512bitalg", "vaes avx2 fma f16c"),
    (0x3, "avx avx2 fma f16c vaes vpclmul avx512f", "gfni sha aes pclmul bmi2 adx osxsave"),
    (0xE2, "avx avx2 vaes avx512f avx512vl", "gfni sha aes"),
    (0x1, "avx avx2 vaes avx512f", "aes"),
]

# The kernel's names of AT_HWCAP's and AT_HWCAP2's bits from bit 0 on, as /proc/cpuinfo prints
# them (Linux, arch/arm64/kernel/cpuinfo.c and arch/arm/kernel/setup.c).
FLAGS = {
    "aarch64": (
        "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt "
        "fcma lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb "
        "paca pacg",
        "dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm svef32mm "
        "svef64mm svebf16 i8mm bf16 dgh rng bti",
    ),
    "arm": (
        "swp half thumb 26bit fastmult fpa vfp edsp java iwmmxt crunch thumbee neon vfpv3 "
        "vfpv3d16 tls vfpv4 idiva idivt vfpd32 lpae evtstrm",
        "aes pmull sha1 sha2 crc32",
    ),
}
_V8 = "half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae evtstrm"
_N1 = (
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop "
    "asimddp ssbs"
)
_M1 = (
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma "
    "lrcpc dcpop sha3 asimddp sha512 asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg dcpodp "
    "flagm2 frint"
)
_V1 = (
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma "
    "lrcpc dcpop sha3 sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs paca pacg "
    "dcpodp svei8mm svebf16 i8mm bf16 dgh rng"
)
# part, architecture, "Features" of /proc/cpuinfo, the vector
ARM_MACHINES = [
    ("Raspberry Pi 3", "aarch64", "fp asimd evtstrm crc32 cpuid", "neon cpuid"),
    (
        "Nexus 6P",
        "aarch64",
        "fp asimd aes pmull sha1 sha2 crc32",
        "neon aes sha1 sha256 pmull",
    ),
    ("Graviton2", "aarch64", _N1, "neon aes sha1 sha256 pmull cpuid"),
    ("Apple M1", "aarch64", _M1, "neon aes sha1 sha256 pmull sha512 cpuid sha3 dit"),
    (
        "Graviton3",
        "aarch64",
        _V1,
        "neon aes sha1 sha256 pmull sha512 cpuid rng sm3 sm4 sha3 sve dit",
    ),
    (
        "A64FX",
        "aarch64",
        "fp asimd evtstrm sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm fcma dcpop sve",
        "neon sha1 sha256 cpuid sve",
    ),
    ("Nexus 4", "arm", "swp half thumb fastmult vfp edsp neon vfpv3 tls vfpv4", "neon"),
    ("Raspberry Pi 1", "arm", "half thumb fastmult vfp edsp java tls", ""),
    ("Tegra 2", "arm", "swp half thumb fastmult vfp edsp vfpv3 vfpv3d16", ""),
    ("Raspberry Pi 3, 32 bits", "arm", f"{_V8} crc32", "neon"),
    (
        "Cortex-A57, 32 bits",
        "arm",
        f"{_V8} aes pmull sha1 sha2 crc32",
        "neon aes sha1 sha256 pmull",
    ),
]


def hwcaps(features: str, arch: str) -> tuple[int, int]:
    """AT_HWCAP and AT_HWCAP2 of a machine."""
    first, second = (names.split() for names in FLAGS[arch])
    assert set(features.split()) <= {*first, *second}
    words = (
        {1 << names.index(n) for n in features.split() if n in names} for names in (first, second)
    )
    hwcap, hwcap2 = map(sum, words)
    return hwcap, hwcap2
