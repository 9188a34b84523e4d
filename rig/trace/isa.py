"""Which capabilities an instruction needs, in the names that masks and `needs` use.

Enters: instructions. Leaves: capability names, and what names allow beside themselves.
Never here: masks, variants, or whether a machine has a capability.

On x86 the decoder's features are a conjunction in its own spelling: `VPCLMULQDQ AVX512F`.
Chapters below are of the Intel SDM, volume 1, by title, since their numbers move between
editions; "APM" is AMD's. On ARM an assembler is asked, all instructions of an image at once.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rig.capabilities.bits import X86_ARCHITECTURES, CapabilityError, capability
from rig.trace.architecture import Instruction
from rig.trace.assembler import requirements
from rig.trace.fixed import FixedWidth
from rig.trace.instructions import Decoded, architecture
from rig.trace.x86 import X86

Demand = Callable[[Instruction], frozenset[str]]
"""Gives the capabilities that an instruction needs, all of them."""

# What the decoder counts as features and every CPU from the base on has (i386: a Pentium Pro,
# which has no `syscall`, but no code of this field makes system calls): the instructions of its
# ancestors; long nops (SDM volume 2, NOP: families 6 and 15); CPUID; `pause`, a nop where it is
# not known (PAUSE); `syscall` (APM volume 2, 6.1.1: required in long mode).
_ALWAYS = frozenset(
    {"INTEL8086", "INTEL186", "INTEL286", "INTEL386", "INTEL486", "X64", "CPUID", "PAUSE"}
    | {"MULTIBYTENOP", "SYSCALL"}
)

# What runs as a nop where it is not known, so that it neither faults nor changes a result.
# Not here: `tzcnt` and `lzcnt`, which run as `bsf` and `bsr` and give something else for 0 (and
# lzcnt for everything); CET_SS, since `incssp` faults; `cldemote`, no code of this field.
# Needing nothing, the decoder says so itself: `rep ret`, `bnd`, `notrack`, `xacquire lock`.
_BENIGN = frozenset(
    {
        "CET_IBT",  # endbr32, endbr64: SDM volume 2, both are nops where IBT is not enabled
        "PREFETCHW",  # APM volume 3: part of long mode; Intel: a nop from Core 2 on
    }
)

_SPELLINGS = {"CLFSH": "clflush", "FPU287": "fpu", "FPU387": "fpu"}

# No CPU has the one without the other, so its code may use both after asking for the first.
# Nothing else is implied, whatever all CPUs of today have: MOVBE, POPCNT, LZCNT, BMI1, BMI2,
# FMA, F16C, ADX and, by AES or PCLMULQDQ, anything beyond SSE2 have to be asked for.
_IMPLIED: Mapping[str, tuple[str, ...]] = {
    "sse2": ("sse",),  # "Checking for SSE/SSE2 Support" asks for both
    "sse3": ("sse2",),  # "Checking for SSE3 Support" asks for all three
    "aes": ("sse2",),  # they work on what SSE2 loads and stores; "AES-NI and PCLMULQDQ"
    "pclmul": ("sse2",),
    "sha": ("sse2",),  # likewise; "Intel SHA Extensions"
    "ssse3": ("sse3",),  # by name a supplement to it; compilers' -mssse3 allows both
    "sse4.1": ("ssse3", "sse3"),  # "Checking for SSE4.1 Support" asks for all three
    "sse4.2": ("sse4.1", "ssse3"),  # "Checking for SSE4.2 Support" likewise
    "avx": ("sse4.2",),  # "Intel AVX Overview": it promotes them all; so does -mavx
    "avx2": ("avx",),  # "Detection of Intel AVX2" asks for both
    "fma": ("avx",),  # "Detection of FMA" likewise
    "f16c": ("avx",),  # "Detection of F16C Instructions" likewise
    "xop": ("avx",),  # APM volume 6, 1.2: the extended context of AVX
    "vaes": ("avx", "aes"),  # the wide forms of the same instructions (volume 2, AESENC):
    "vpclmul": ("avx", "pclmul"),  # of 128 bits these need aes or pclmul, and avx
    "avx512f": ("avx2",),  # "Detection of AVX-512 Foundation": beside XCR0 only its own bit;
    # compilers' -mavx512f allows AVX2, and all that have it encode 256 bits by VEX
}
# The cryptographic instructions work on the registers of Advanced SIMD. Not implied: AES by
# PMULL, or SHA-256 by SHA-512; HWCAP and OPENSSL_armcap have bits for each.
_IMPLIED_ON_ARM: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("aes", "pmull", "sha1", "sha256", "sha512", "sha3", "sm3", "sm4"), ("neon",)),
    "sve2": ("sve",),
}
_FOUNDATION = "avx512f"  # "Detection of 512-bit Instruction Groups": asked for before any other

_BIT_SCAN = re.compile(rb"[\x66\xf3]*\xf3[\x66\xf3]*[\x40-\x4f]?\x0f([\xbc\xbd])")
_OLDER = {b"\xbc": "bsf", b"\xbd": "bsr"}


def demands(decoded: Decoded, cache: Path) -> Demand:
    """What tells of each instruction of a text which capabilities it needs.

    What the vector has no bit for comes in the decoder's or assembler's spelling, in lower case
    (`lzcnt`): no mask and no `needs` can allow it. Nor does anything allow `UNKNOWN`, of an
    instruction whose text the assembler does not take. Its answers are kept under `cache`.
    """
    encoding = architecture(decoded.arch)
    if isinstance(encoding, X86):
        return functools.partial(demand, decoded.arch)
    assert isinstance(encoding, FixedWidth)
    distinct = {i.code: i for f in decoded.functions for i in f.instructions}
    texts = {code: encoding.assembly(i) for code, i in distinct.items()}
    needed = requirements(decoded.arch, (text for text in texts.values() if text), cache)
    table = {code: needed[text] for code, text in texts.items() if text and needed[text]}
    return lambda instruction: table.get(instruction.code, frozenset())


def demand(arch: str, instruction: Instruction) -> frozenset[str]:
    """The capabilities that one instruction of x86 needs (see `demands`)."""
    encoding = architecture(arch)
    assert isinstance(encoding, X86)
    return _translated(arch, encoding.features(instruction))


@functools.lru_cache(maxsize=1024)
def _translated(arch: str, found: frozenset[str]) -> frozenset[str]:
    return frozenset(_name(arch, each) for each in found - _ALWAYS - _BENIGN)


def _name(arch: str, feature: str) -> str:
    try:
        return capability(_SPELLINGS.get(feature, feature), arch).name
    except CapabilityError:
        return feature.lower()


@functools.lru_cache(maxsize=256)
def allowed(names: frozenset[str], arch: str) -> frozenset[str]:
    """The capabilities of an architecture that code may use after asking for `names`: these and
    what they imply."""
    known, new = frozenset[str](), names
    while new:
        known |= new
        new = frozenset(each for name in new for each in implied(name, arch)) - known
    return known


def implied(name: str, arch: str) -> Iterable[str]:
    """What a capability brings with it directly."""
    if arch not in X86_ARCHITECTURES:
        return _IMPLIED_ON_ARM.get(name, ())
    group = name.startswith("avx512") and name != _FOUNDATION
    return (_FOUNDATION,) if group else _IMPLIED.get(name, ())


def runs_as(arch: str, instruction: Instruction) -> str | None:
    """The older instruction that a CPU without the capability takes it for; None: it faults."""
    match = _BIT_SCAN.match(instruction.code) if arch in X86_ARCHITECTURES else None
    return _OLDER[match[1]] if match else None
