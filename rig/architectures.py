"""The architectures that the rig knows: what a compiler, a contract and a runner need of each.

Enters: nothing. Leaves: one frozen record per architecture. Never here: capability bits (see
`rig.capabilities`) or anything about the host beyond its name.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Architecture:
    """`widths` are the bits of C's types; `flags` make the compiler emit base features only;
    `feature_flags` are compiler options where `-m<capability>` is not the spelling."""

    name: str
    target: str
    pointer_bits: int
    widths: Mapping[str, int]
    flags: tuple[str, ...]
    feature_flags: Mapping[str, str]
    image_base: int
    runner_sources: tuple[str, ...]
    native_machines: tuple[str, ...]


_LP64 = {
    "char": 8,
    "signed char": 8,
    "unsigned char": 8,
    "uint8_t": 8,
    "int8_t": 8,
    "short": 16,
    "uint16_t": 16,
    "int16_t": 16,
    "int": 32,
    "unsigned int": 32,
    "uint32_t": 32,
    "int32_t": 32,
    "long": 64,
    "unsigned long": 64,
    "uint64_t": 64,
    "int64_t": 64,
    "size_t": 64,
}

_NO_OPTION = ("intel", "avoid-zmm", "osxsave", "ht", "clflush", "fpu", "tsc", "cx8", "cmov")

ARCHITECTURES: Mapping[str, Architecture] = {
    "x86_64": Architecture(
        name="x86_64",
        target="x86_64-linux-gnu",
        pointer_bits=64,
        widths=_LP64,
        flags=("-march=x86-64",),
        feature_flags={
            "pclmul": "-mpclmul",
            "vpclmul": "-mvpclmulqdq",
            "bmi1": "-mbmi",
            "rdrand": "-mrdrnd",
            "avx512-bf16": "-mavx512bf16",
            "avx512-fp16": "-mavx512fp16",
            "avx512-vp2intersect": "-mavx512vp2intersect",
            "avx-vnni": "-mavxvnni",
            "avx-ifma": "-mavxifma",
            "avx-vnni-int8": "-mavxvnniint8",
            "avx-vnni-int16": "-mavxvnniint16",
            "avx-ne-convert": "-mavxneconvert",
            **dict.fromkeys(_NO_OPTION, ""),
        },
        image_base=0x1_0000_0000,
        runner_sources=(
            *("runner/runner.c", "runner/child.c", "runner/support.c"),
            *("runner/x86_64_machine.c", "runner/x86_64.S"),
        ),
        native_machines=("x86_64", "AMD64"),
    ),
}


def host_architecture() -> str | None:
    """The name of this machine's architecture, None if the rig has no runner for it."""
    machine = platform.machine()
    for arch in ARCHITECTURES.values():
        if machine in arch.native_machines:
            return arch.name
    return None


def feature_options(arch: Architecture, capabilities: tuple[str, ...]) -> tuple[str, ...]:
    """The compiler options that allow these capabilities and no others."""
    options = (arch.feature_flags.get(name, f"-m{name}") for name in capabilities)
    return tuple(option for option in options if option)
