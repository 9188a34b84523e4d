"""The vector of a machine: of x86 from what CPUID and XCR0 say, of ARM from what Linux says.

Enters: raw leaves and XCR0; AT_HWCAP and AT_HWCAP2. Leaves: a `Vector`. Never here: executing
CPUID (`leaves` takes a callable that does), or options that edit the result.

The policy on x86 is that of `rig_ia32cap_from_cpuid` in native/dispatch/cpuid.c, and a test
holds the two together:

- word 0 bit 30 (`intel`) is set if and only if the vendor is GenuineIntel;
- word 1 bit 11 (`xop`, SDBG in CPUID) and word 2 bit 14 (`avoid-zmm`, MPX in CPUID) are clear;
- words 2 to 4 are 0 below leaf 7, words 5 to 8 without its subleaf 1, word 9 without AVX10
  or leaf 24H;
- a bit whose instructions need extended state (bits.py) is clear unless OSXSAVE is set and
  XCR0 has all bits of that state (SDM volume 1, 13.2, 14.3, 15.2);
- every other bit is what CPUID says, word 0 bits 20 and 28 too, which OpenSSL rewrites.

On ARM it is that of `rig_armcap_from_hwcap` in native/dispatch/hwcap.c, and a test holds these
two together:

- a bit is set if and only if AT_HWCAP or AT_HWCAP2 has its flag (Linux: arch/arm64 and arch/arm,
  include/uapi/asm/hwcap.h), and those that use vector registers only beside `neon`;
- `tick`, which no flag tells, is clear, as OpenSSL leaves it; so are the preferences, which
  come from MIDR_EL1;
- 32-bit ARM has no flag for any bit from `sha512` on: they are clear.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from rig.capabilities.bits import architecture
from rig.capabilities.vector import Vector, mask_of


class Registers(NamedTuple):
    """What one CPUID leaf returned, 32 bits each, in the instruction's own order."""

    eax: int = 0
    ebx: int = 0
    ecx: int = 0
    edx: int = 0


@dataclass(frozen=True, slots=True)
class CpuidLeaves:
    """The leaves that the vector is made of, unchecked: one past the maximum may be garbage."""

    leaf0: Registers
    leaf1: Registers
    leaf7: Registers
    leaf7_1: Registers
    leaf24: Registers


_GENUINE_INTEL = (0x756E6547, 0x6C65746E, 0x49656E69)  # "Genu" EBX, "ntel" ECX, "ineI" EDX
_REPLACED = frozenset({"intel", "xop", "avoid-zmm"})


def leaves(cpuid: Callable[[int, int], tuple[int, int, int, int]]) -> CpuidLeaves:
    """Asks `cpuid(leaf, subleaf)`, which returns (EAX, EBX, ECX, EDX), for each leaf."""
    asked = ((0, 0), (1, 0), (7, 0), (7, 1), (0x24, 0))
    return CpuidLeaves(*(Registers(*cpuid(leaf, subleaf)) for leaf, subleaf in asked))


def vector_from_cpuid(leaves: CpuidLeaves, xcr0: int, arch: str = "x86_64") -> Vector:
    """The vector of the machine, by the policy above. `xcr0` is not looked at without
    OSXSAVE, since XGETBV cannot be executed then."""
    raw = Vector.from_words(arch, _words(leaves)).value
    raw &= ~mask_of(arch, _REPLACED)
    if (leaves.leaf0.ebx, leaves.leaf0.ecx, leaves.leaf0.edx) == _GENUINE_INTEL:
        raw |= mask_of(arch, frozenset({"intel"}))
    usable = raw & ~_unsaved(arch, xcr0 if raw & mask_of(arch, frozenset({"osxsave"})) else 0)
    described = _avx10_words(leaves, arch, usable)
    return Vector(arch, usable | described)


def _words(leaves: CpuidLeaves) -> tuple[int, ...]:
    words = [leaves.leaf1.edx, leaves.leaf1.ecx]
    if leaves.leaf0.eax >= 7:
        words += [leaves.leaf7.ebx, leaves.leaf7.ecx, leaves.leaf7.edx]
        if leaves.leaf7.eax >= 1:
            words += [leaves.leaf7_1.eax, leaves.leaf7_1.edx]
            words += [leaves.leaf7_1.ebx, leaves.leaf7_1.ecx]
    return tuple(words)


def _unsaved(arch: str, xcr0: int) -> int:
    """The named bits whose state XCR0 lacks."""
    known = architecture(arch).capabilities
    return sum(each.mask for each in known if xcr0 & each.state != each.state)


def _avx10_words(leaves: CpuidLeaves, arch: str, usable: int) -> int:
    """Leaf 24H in word 9: the version and vector lengths of AVX10, nothing without it."""
    if not usable & mask_of(arch, frozenset({"avx10"})) or leaves.leaf0.eax < 0x24:
        return 0
    return leaves.leaf24.ebx << (32 * 9)


_HWCAP: dict[str, dict[int, str]] = {
    "aarch64": {1: "neon", 3: "aes", 4: "pmull", 5: "sha1", 6: "sha256", 11: "cpuid"}
    | {17: "sha3", 18: "sm3", 19: "sm4", 21: "sha512", 22: "sve", 24: "dit"},
    "arm": {12: "neon"},
}
_HWCAP2: dict[str, dict[int, str]] = {
    "aarch64": {1: "sve2", 16: "rng"},
    "arm": {0: "aes", 1: "pmull", 2: "sha1", 3: "sha256"},
}
_SCALAR = frozenset({"cpuid", "rng", "dit"})


def vector_from_hwcap(hwcap: int, hwcap2: int, arch: str) -> Vector:
    """The vector of an ARM machine from the auxiliary vector's entries, by the policy above."""
    found = {name for bit, name in _HWCAP[arch].items() if hwcap >> bit & 1}
    found |= {name for bit, name in _HWCAP2[arch].items() if hwcap2 >> bit & 1}
    return Vector.of(arch, found if "neon" in found else found & _SCALAR)
