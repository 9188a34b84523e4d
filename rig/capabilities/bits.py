"""The named capabilities of each architecture and where their bits stand.

Enters: a name in any accepted spelling. Leaves: a frozen `Capability`. Never here: which
capabilities a machine has.

x86: the ten 32-bit words of OPENSSL_ia32cap_P in OpenSSL 3.4 and later; the first four are
BoringSSL's and AWS-LC's. Bit positions: Intel SDM volume 2A, CPUID; AMD APM volume 3,
appendix E. ARM: the one word of OPENSSL_armcap_P in OpenSSL's arm_arch.h. BoringSSL has bits 0
and 2 to 6 of it; AWS-LC has these and bit 11, and means other things by bits 7 and 12 to 17.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from rig.errors import RigError

# XCR0 bits that the operating system must have set before an instruction group may be used:
# SSE and AVX; these and opmask, ZMM_Hi256, Hi16_ZMM; AMX tiles; APX's R16-R31 (SDM volume 1,
# 13.1).
YMM_STATE = 0x6
ZMM_STATE = 0xE6
TILE_STATE = 0x60000
APX_STATE = 0x80000


class CapabilityError(RigError):
    """What a user wrote cannot be used; the one-line message says where and what instead."""


@dataclass(frozen=True, slots=True)
class Capability:
    """One named bit. `state` is the XCR0 bits that it needs beside its own. A `preference`
    tells a dispatcher what to like and allows no instruction."""

    name: str
    word: int
    bit: int
    state: int = 0
    preference: bool = False

    @property
    def mask(self) -> int:
        """The bit's value in a whole vector, word 0 lowest."""
        return 1 << (32 * self.word + self.bit)


@dataclass(frozen=True, slots=True)
class Layout:
    """Words of 32 bits in the vector, its named bits, and the base that is never masked off."""

    name: str
    words: int
    capabilities: tuple[Capability, ...] = field(repr=False)
    base: tuple[str, ...]


_X86_WORDS: tuple[tuple[str, dict[int, str]], ...] = (
    (
        "CPUID.1:EDX",
        {0: "fpu", 4: "tsc", 8: "cx8", 15: "cmov", 19: "clflush", 23: "mmx", 24: "fxsr", 25: "sse"}
        | {26: "sse2", 28: "ht", 30: "intel"},  # 30: reserved by Intel, "an Intel CPU" here
    ),
    (
        "CPUID.1:ECX",
        {0: "sse3", 1: "pclmul", 9: "ssse3"}
        | {11: "xop"}  # SDBG in CPUID; in OpenSSL's layout AMD's XOP
        | {12: "fma", 13: "cx16", 19: "sse4.1", 20: "sse4.2", 22: "movbe", 23: "popcnt"}
        | {25: "aes", 26: "xsave", 27: "osxsave", 28: "avx", 29: "f16c", 30: "rdrand"},
    ),
    (
        "CPUID.(7,0):EBX",
        {3: "bmi1", 5: "avx2", 8: "bmi2"}
        | {14: "avoid-zmm"}  # MPX in CPUID, which no CPU has any more; BoringSSL's meaning here
        | {16: "avx512f", 17: "avx512dq", 18: "rdseed", 19: "adx", 21: "avx512ifma"}
        | {26: "avx512pf", 27: "avx512er", 28: "avx512cd", 29: "sha", 30: "avx512bw"}
        | {31: "avx512vl"},
    ),
    (
        "CPUID.(7,0):ECX",
        {1: "avx512vbmi", 6: "avx512vbmi2", 8: "gfni", 9: "vaes", 10: "vpclmul"}
        | {11: "avx512vnni", 12: "avx512bitalg", 14: "avx512vpopcntdq"},
    ),
    (
        "CPUID.(7,0):EDX",
        {2: "avx512-4vnniw", 3: "avx512-4fmaps", 8: "avx512-vp2intersect"}
        | {22: "amx-bf16", 23: "avx512-fp16", 24: "amx-tile", 25: "amx-int8"},
    ),
    (
        "CPUID.(7,1):EAX",
        {0: "sha512", 1: "sm3", 2: "sm4", 4: "avx-vnni", 5: "avx512-bf16", 21: "amx-fp16"}
        | {23: "avx-ifma"},
    ),
    (
        "CPUID.(7,1):EDX",
        {4: "avx-vnni-int8", 5: "avx-ne-convert", 8: "amx-complex", 10: "avx-vnni-int16"}
        | {19: "avx10", 21: "apxf"},
    ),
    ("CPUID.(7,1):EBX", {}),
    ("CPUID.(7,1):ECX", {}),
    ("CPUID.(24H,0):EBX", {16: "avx10-128", 17: "avx10-256", 18: "avx10-512"}),
)

# VEX-coded groups, which fault without AVX state. GFNI also has an SSE form and is not one.
_YMM_GROUPS = frozenset(
    {"xop", "fma", "avx", "f16c", "avx2", "vaes", "vpclmul", "sha512", "sm3", "sm4"}
    | {"avx-vnni", "avx-ifma", "avx-vnni-int8", "avx-ne-convert", "avx-vnni-int16"}
)
_PREFERENCES = frozenset({"intel", "avoid-zmm"})

_ARM_BITS = (
    {0: "neon", 1: "tick", 2: "aes", 3: "sha1", 4: "sha256", 5: "pmull", 6: "sha512"}
    | {7: "cpuid", 8: "rng", 9: "sm3", 10: "sm4", 11: "sha3", 12: "unroll8-eor3", 13: "sve"}
    | {14: "sve2", 15: "sha3-worth-using", 16: "unroll12-eor3", 17: "sve2-poly1305", 18: "dit"}
)
# Derived from MIDR_EL1: what is worth using on a core that has the instructions.
_ARM_PREFERENCES = frozenset({"unroll8-eor3", "sha3-worth-using", "unroll12-eor3", "sve2-poly1305"})

# Spellings of QEMU, Linux and compilers that differ by more than case, '-', '_' and '.'.
_SYNONYMS = {
    "x87": "fpu",
    "cmpxchg8b": "cx8",
    "cmpxchg16b": "cx16",
    "fxsave": "fxsr",
    "pni": "sse3",
    "pclmulqdq": "pclmul",
    "vpclmulqdq": "vpclmul",
    "aesni": "aes",
    "shani": "sha",
    "rdrnd": "rdrand",
    "bmi": "bmi1",
    "asimd": "neon",
    "sha2": "sha256",
}


def _x86_state(name: str) -> int:
    prefixes = {"avx512": ZMM_STATE, "avx10": ZMM_STATE, "amx": TILE_STATE, "apxf": APX_STATE}
    for prefix, state in prefixes.items():
        if name.startswith(prefix):
            return state
    return YMM_STATE if name in _YMM_GROUPS else 0


_X86 = tuple(
    Capability(name, word, bit, _x86_state(name), name in _PREFERENCES)
    for word, (_, names) in enumerate(_X86_WORDS)
    for bit, name in names.items()
)
_ARM = tuple(
    Capability(name, 0, bit, preference=name in _ARM_PREFERENCES) for bit, name in _ARM_BITS.items()
)

# x86_64: the psABI's baseline and TSC. i386: i686, so no SSE. AArch64: Advanced SIMD is part
# of what every compiler assumes. 32-bit ARM: nothing, NEON is optional in ARMv7-A.
LAYOUTS = {
    "x86_64": Layout(
        "x86_64", 10, _X86, ("fpu", "tsc", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2")
    ),
    "i386": Layout("i386", 10, _X86, ("fpu", "tsc", "cx8", "cmov")),
    "aarch64": Layout("aarch64", 1, _ARM, ("neon",)),
    "arm": Layout("arm", 1, _ARM, ()),
}
X86_ARCHITECTURES = frozenset({"x86_64", "i386"})


def bit_label(index: int, arch: str) -> str:
    """What to call bit `index` of a whole vector: its name, or where it stands in CPUID or
    OPENSSL_armcap. `index` is 32 * word + bit."""
    known = {each.mask: each.name for each in architecture(arch).capabilities}
    word, bit = divmod(index, 32)
    source = _X86_WORDS[word][0] if arch in X86_ARCHITECTURES else "armcap"
    return known.get(1 << index, f"{source} bit {bit}")


def architecture(name: str) -> Layout:
    """The layout of the architecture of that name. Raises CapabilityError with the nearest."""
    if name not in LAYOUTS:
        raise CapabilityError(f"unknown architecture {name!r}{nearest(name, LAYOUTS)}")
    return LAYOUTS[name]


def capability(name: str, arch: str) -> Capability:
    """The capability that `name` means on `arch`, in any accepted spelling.

    Case, '-', '_' and '.' do not count, and synonyms such as `pclmulqdq` are known. Raises
    CapabilityError with the nearest valid name.
    """
    known = _by_spelling(arch)
    spelling = _fold(name)
    found = known.get(spelling) or known.get(_fold(_SYNONYMS.get(spelling, "")))
    if found is None:
        valid = [each.name for each in architecture(arch).capabilities]
        raise CapabilityError(f"unknown capability {name!r} on {arch}{nearest(name, valid)}")
    return found


def nearest(word: str, valid: Iterable[str]) -> str:
    """`: did you mean 'x'?`, or the whole list where nothing is near."""
    names = list(valid)
    close = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.5)
    return f": did you mean {close[0]!r}?" if close else f": one of {' '.join(names)}"


def _fold(name: str) -> str:
    return name.lower().translate({ord(mark): None for mark in "-_."})


@cache
def _by_spelling(arch: str) -> dict[str, Capability]:
    return {_fold(each.name): each for each in architecture(arch).capabilities}
