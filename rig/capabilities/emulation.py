"""A CPU model as QEMU spells it, for `--emulate`.

Enters: `--cpu`'s text, later what QEMU itself said. Leaves: the value of QEMU's `-cpu`. Never
here: running QEMU, or what it can do: the emulated CPU is asked as any machine is.

A model without a name in QEMU is that of its predecessor with the changes. On x86 QEMU takes
every feature by itself; on ARM it takes none of ours, so that only whole models exist there
(QEMU 7.2; AES and PMULL belong to each of its aarch64).
"""

import re

from rig.capabilities.bits import X86_ARCHITECTURES, CapabilityError
from rig.capabilities.models import Model, model_of, model_vector, parse_cpu
from rig.capabilities.vector import Vector

_X86_NAMES = {
    "core2duo": "Conroe,cx16=on",
    "penryn": "Penryn",
    "nehalem": "Nehalem",
    "westmere": "Westmere",
    "sandybridge": "SandyBridge",
    "ivybridge": "IvyBridge",
    "haswell": "Haswell",
    "broadwell": "Broadwell",
    "skylake": "Skylake-Client",
    "goldmont": "Denverton",
    "skylake-avx512": "Skylake-Server",
    "icelake": "Icelake-Server",
    "bulldozer": "Opteron_G4",
    "zen2": "EPYC-Rome",
    "zen3": "EPYC-Milan",
}
# AArch32 has no Krait and no ARMv8 core: its A15 has the same as a Krait, its `max` the crypto.
_ARM_NAMES = {
    "aarch64": {"nexus6p": "cortex-a57", "graviton2": "neoverse-n1"},
    "arm": {"nexus4": "cortex-a15", "cortex-a53-nocrypto": "cortex-a15", "nexus6p": "max"},
}
_FLAGS = {
    "pclmul": "pclmulqdq",
    "vpclmul": "vpclmulqdq",
    "sha": "sha-ni",
    "sse3": "pni",
    "avx512vpopcntdq": "avx512-vpopcntdq",
}
# What QEMU 7.2 has no flag for: what it cannot do, the vendor, what the operating system says.
_NO_FLAG = frozenset(
    {"intel", "avoid-zmm", "osxsave", "sha512", "sm3", "sm4", "amx-fp16", "avx-ifma"}
    | {"avx-vnni-int8", "avx-ne-convert", "amx-complex", "avx-vnni-int16", "avx10", "apxf"}
    | {"avx10-128", "avx10-256", "avx10-512"}
)
_SYSTEM_REGISTERS = frozenset({"tick", "cpuid", "dit"})
_REFUSED = re.compile(r"TCG doesn't support requested feature: CPUID\.\w+:\w+\.(\S+) \[bit")


def emulated(text: str, arch: str) -> str:
    """QEMU's `-cpu` for `--cpu text`. Raises CapabilityError where QEMU has no such model, and
    for an edit on ARM, beside what `--cpu` itself refuses."""
    model, wanted = model_of(text, arch), parse_cpu(text, arch)
    if arch in X86_ARCHITECTURES:
        return _on_x86(model, wanted)
    name = _ARM_NAMES[arch].get(model.name)
    if name is None or wanted != model_vector(model, arch):
        raise CapabilityError(
            f"--cpu {text!r} --emulate: qemu-{arch} has no such CPU; it has "
            f"{', '.join(_ARM_NAMES[arch])}, each as it is"
        )
    return name


def _on_x86(model: Model, wanted: Vector) -> str:
    """The nearest predecessor that has a name, with every feature set that differs."""
    named = model
    while named.name not in _X86_NAMES:
        named = model_of(str(named.parent), wanted.arch)
    before = model_vector(named, wanted.arch)
    changed = before | wanted
    settings = (
        f"{_FLAGS.get(name, name)}={'on' if wanted.has(name) else 'off'}"
        for name in (changed - (before & wanted)).names
        if name not in _NO_FLAG
    )
    return ",".join((_X86_NAMES[named.name], *settings))


def without_refused(cpu: str, said: str) -> str:
    """The same CPU without what QEMU said that it leaves out: it need not say so again."""
    return ",".join((cpu, *(f"{flag}=off" for flag in dict.fromkeys(_REFUSED.findall(said)))))


def surplus(host: Vector, text: str) -> tuple[str, ...]:
    """The capabilities that an emulated CPU has beyond `--cpu text`, which proves nothing then;
    access to system registers does not count."""
    beyond = host - parse_cpu(text, host.arch)
    return tuple(name for name in beyond.names if name not in _SYSTEM_REGISTERS)
