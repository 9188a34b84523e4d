"""CPU models by name, each for the subset of capabilities that it is.

Enters: `--cpu`'s text. Leaves: a `Vector`. Never here: emulating a CPU, options other than
`--cpu`.

A row names its predecessor and what changes; only capabilities of bits.py are listed, so
models that differ elsewhere (caches, RDTSCP, LZCNT) may be equal here. `osxsave` stands
where the CPU has XSAVE: the operating system is taken to enable all that the CPU has. On ARM
`tick`, `cpuid` and `dit`, which are about system registers, stand nowhere, and no preference
bits, which libraries derive from MIDR_EL1 each in its own way. Sources: Intel, AMD and ARM
manuals, CPUID dumps of the parts, QEMU's and the compilers' feature lists.
"""

from dataclasses import dataclass

from rig.capabilities.bits import (
    X86_ARCHITECTURES,
    CapabilityError,
    architecture,
    capability,
    nearest,
)
from rig.capabilities.vector import Vector


@dataclass(frozen=True, slots=True)
class Model:
    """One CPU model: what `parent` has, with the `changes` (`x` added, `-x` lacking). Without
    a parent it starts on x86 from the base of x86_64, on ARM from nothing. `vendor` is whom the
    CPU names as its maker; `also` are QEMU's names for it, lower case."""

    name: str
    year: int
    vendor: str
    parent: str | None
    changes: str
    description: str
    also: tuple[str, ...] = ()
    archs: tuple[str, ...] = ("x86_64", "i386")


_AVX512 = "avx512f avx512dq avx512cd avx512bw avx512vl"
_AVX512_LATER = "avx512vbmi2 avx512vnni avx512bitalg avx512vpopcntdq"

_X86 = (
    Model(
        "core2duo", 2006, "intel", None, "clflush sse3 ssse3 cx16",
        "Conroe, Merom: SSSE3 and nothing later", ("conroe",),
    ),
    Model(
        "penryn", 2007, "intel", "core2duo", "sse4.1",
        "Penryn: SSE4.1, no CLMUL, AES, AVX",
    ),
    Model(
        "nehalem", 2008, "intel", "penryn", "sse4.2 popcnt",
        "Nehalem: SSE4.2, no CLMUL, AES, AVX",
    ),
    Model(
        "westmere", 2010, "intel", "nehalem", "pclmul aes",
        "Westmere: AES and CLMUL without AVX",
    ),
    Model(
        "sandybridge", 2011, "intel", "westmere", "xsave osxsave avx",
        "Sandy Bridge: AVX without AVX2",
    ),
    Model(
        "pentium-987", 2012, "intel", "sandybridge", "-pclmul -aes -avx",
        "a Sandy Bridge without AES, CLMUL, AVX",
    ),
    Model(
        "ivybridge", 2012, "intel", "sandybridge", "f16c rdrand",
        "Ivy Bridge: AVX and RDRAND without AVX2",
    ),
    Model(
        "haswell", 2013, "intel", "ivybridge", "fma movbe bmi1 avx2 bmi2",
        "Haswell: AVX2 and BMI2 without ADX",
    ),
    Model(
        "broadwell", 2014, "intel", "haswell", "rdseed adx",
        "Broadwell: AVX2 and ADX",
    ),
    Model(
        "skylake", 2015, "intel", "broadwell", "",
        "client Skylake: as Broadwell", ("skylake-client",),
    ),
    Model(
        "silvermont", 2013, "intel", "westmere", "movbe rdrand",
        "Silvermont: MOVBE without XSAVE, by which dispatchers know it",
    ),
    Model(
        "goldmont", 2016, "intel", "silvermont", "xsave osxsave rdseed sha",
        "Goldmont: AES, CLMUL, MOVBE, SHA without AVX", ("denverton",),
    ),
    Model(
        "knl", 2016, "intel", "broadwell", "avx512f avx512pf avx512er avx512cd",
        "Knights Landing: AVX512F without BW, DQ, VL",
    ),
    Model(
        "skylake-avx512", 2017, "intel", "skylake", _AVX512,
        "server Skylake: AVX512 F, BW, DQ, VL", ("skylake-server",),
    ),
    Model(
        "cannonlake", 2018, "intel", "skylake-avx512", "avx512ifma avx512vbmi sha",
        "Cannon Lake: AVX512IFMA without VAES",
    ),
    Model(
        "icelake", 2019, "intel", "cannonlake", f"{_AVX512_LATER} gfni vaes vpclmul",
        "Ice Lake: VAES and VPCLMUL with AVX-512", ("icelake-client", "icelake-server"),
    ),
    Model(
        "alderlake", 2021, "intel", "skylake", "sha gfni vaes vpclmul avx-vnni",
        "Alder Lake: VAES, VPCLMUL, AVX-VNNI without AVX-512",
    ),
    Model(
        "sapphirerapids", 2023, "intel", "icelake",
        "amx-bf16 avx512-fp16 amx-tile amx-int8 avx-vnni avx512-bf16",
        "Sapphire Rapids: Ice Lake with AVX512-FP16 and AMX",
    ),
    Model(
        "bulldozer", 2011, "amd", None,
        "clflush sse3 pclmul ssse3 xop cx16 sse4.1 sse4.2 popcnt aes xsave osxsave avx",
        "Bulldozer: AVX and XOP without AVX2", ("opteron_g4",),
    ),
    Model(
        "zen2", 2019, "amd", "bulldozer",
        "-xop fma movbe f16c rdrand bmi1 avx2 bmi2 rdseed adx sha",
        "Zen 2: AVX2 and SHA without VAES", ("epyc-rome",),
    ),
    Model(
        "zen3", 2020, "amd", "zen2", "vaes vpclmul",
        "Zen 3: VAES and VPCLMUL without AVX-512", ("epyc-milan",),
    ),
    Model(
        "zen4", 2022, "amd", "zen3",
        f"{_AVX512} avx512ifma avx512vbmi {_AVX512_LATER} gfni avx512-bf16",
        "Zen 4: VAES and VPCLMUL with AVX-512", ("epyc-genoa",),
    ),
)  # fmt: skip

_ARM = (
    Model(
        "nexus4", 2012, "qualcomm", None, "neon",
        "Nexus 4, Krait: NEON, no AES, PMULL, SHA", archs=("arm",),
    ),
    Model(
        "cortex-a53-nocrypto", 2014, "arm", None, "neon",
        "Cortex-A53 as Raspberry Pi 3 has it: no AES, PMULL, SHA", archs=("aarch64", "arm"),
    ),
    Model(
        "nexus6p", 2015, "arm", "cortex-a53-nocrypto", "aes sha1 sha256 pmull",
        "Nexus 6P, Cortex-A57: AES, PMULL, SHA-1, SHA-256", ("cortex-a57",), ("aarch64", "arm"),
    ),
    Model(
        "graviton2", 2019, "arm", "nexus6p", "",
        "Graviton2, Neoverse N1: as Cortex-A57", ("neoverse-n1",), ("aarch64",),
    ),
    Model(
        "apple-m1", 2020, "apple", "graviton2", "sha512 sha3",
        "Apple M1: SHA-512 and SHA-3, no SVE", archs=("aarch64",),
    ),
)  # fmt: skip

MODELS = (*_X86, *_ARM)


def models(arch: str) -> tuple[Model, ...]:
    """The models of that architecture, in the table's order."""
    return tuple(model for model in MODELS if architecture(arch).name in model.archs)


def model_vector(model: Model, arch: str) -> Vector:
    """Everything that the model has, the preference bit of its vendor included."""
    changes = model.changes.split()
    adds = [change for change in changes if change[0] != "-"]
    lacks = [change[1:] for change in changes if change[0] == "-"]
    vendor = ["intel"] if model.vendor == "intel" else []
    return (_start(model, arch) | Vector.of(arch, adds + vendor)) - Vector.of(arch, lacks)


def parse_cpu(text: str, arch: str) -> Vector:
    """`haswell,-avx2,+bmi1`: a model, then edits from left to right.

    `-x` clears exactly one bit and `+x` sets exactly one: nothing is implied. Raises
    CapabilityError with the nearest name, and for `-x` where x is a base capability.
    """
    model = model_of(text, arch)
    vector = model_vector(model, arch)
    for edit in text.split(",")[1:]:
        vector = _edited(vector, edit, text)
    return vector


def _start(model: Model, arch: str) -> Vector:
    if model.parent is None:
        return Vector.of(arch, architecture("x86_64").base if arch in X86_ARCHITECTURES else ())
    return model_vector(model_of(model.parent, arch), arch)


def model_of(text: str, arch: str) -> Model:
    """The model that `--cpu text` begins with, by its own name or QEMU's. Raises CapabilityError
    for one that is unknown or another architecture's."""
    name = text.partition(",")[0]
    by_name = {spelling: each for each in MODELS for spelling in (each.name, *each.also)}
    fitting = [spelling for spelling, each in by_name.items() if arch in each.archs]
    found = by_name.get(name.lower())
    if found is None:
        raise CapabilityError(f"--cpu {text!r}: unknown model {name!r}{nearest(name, fitting)}")
    if arch not in found.archs:
        theirs = " and ".join(found.archs)
        raise CapabilityError(f"--cpu {text!r}: {name!r} is a model of {theirs}, not of {arch}")
    return found


def _edited(vector: Vector, edit: str, text: str) -> Vector:
    if edit[:1] not in ("+", "-"):
        raise CapabilityError(f"--cpu {text!r}: {edit!r} is no edit, expected +NAME or -NAME")
    try:
        bit = capability(edit[1:], vector.arch)
    except CapabilityError as error:
        raise CapabilityError(f"--cpu {text!r}: {error}") from None
    if edit[0] == "+":
        return Vector(vector.arch, vector.value | bit.mask)
    if bit.name in architecture(vector.arch).base:
        raise CapabilityError(
            f"--cpu {text!r}: {bit.name!r} belongs to every {vector.arch} and cannot be cleared"
        )
    return Vector(vector.arch, vector.value & ~bit.mask)
