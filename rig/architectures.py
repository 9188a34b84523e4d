"""The architectures that the rig knows: what a compiler, a linker, a contract and a runner need
of each.

Enters: nothing. Leaves: one frozen record per architecture. Never here: capability bits (see
`rig.capabilities`), encodings (see `rig.trace`) or anything about the host beyond its name.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Places:
    """Fixed addresses, as in native/runner/ARCH_platform.h: buffers, the table of a path, the
    stack of calls."""

    arena: int
    table: int
    stack: int


@dataclass(frozen=True, slots=True)
class Relocations:
    """The types that a linked image may still have: of an address in the image alone, and those
    of a symbol's (absolute, GLOB_DAT, JUMP_SLOT)."""

    relative: int
    symbolic: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Registers:
    """What a runner tells by number. `all` is what it gives of a crash, in its order; `pc` and
    `sp` are two of them; so many of the last as `of_fault` says are known of a crash only. `kept`
    is what a call must leave. `dwarf` are the numbers of call frame information. `write_fault`
    names a register and its bit that is set when a fault came from a write; none where the kernel
    does not tell."""

    all: tuple[str, ...]
    pc: str
    sp: str
    kept: tuple[str, ...]
    dwarf: Mapping[int, str]
    write_fault: tuple[str, int] | None = None
    of_fault: int = 0

    @property
    def stepped(self) -> tuple[str, ...]:
        """Those that a runner gives of a step."""
        return self.all[: len(self.all) - self.of_fault]


@dataclass(frozen=True, slots=True)
class Architecture:
    """`number` is that of the runner's greeting; `widths` are the bits of C's types; `flags`
    make the compiler emit base features only; `feature_flags` are compiler options where
    `-m<capability>` is not the spelling. `trap` is the size in bytes of what replaces an
    instruction. Without `runner_sources` the rig cannot run it yet. `emulator` is a program
    that runs its programs on other machines; none where there is no need. With `has_thumb` bit 0
    of a function's address chooses the instruction set."""

    name: str
    number: int
    target: str
    pointer_bits: int
    widths: Mapping[str, int]
    flags: tuple[str, ...]
    feature_flags: Mapping[str, str]
    image_base: int
    places: Places
    relocations: Relocations
    registers: Registers
    trap: int
    runner_sources: tuple[str, ...]
    native_machines: tuple[str, ...]
    emulator: str = ""
    has_thumb: bool = False

    @property
    def pointer_bytes(self) -> int:
        """The size of a pointer in bytes."""
        return self.pointer_bits // 8


_FIXED_WIDTHS = {
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
    "uint64_t": 64,
    "int64_t": 64,
}
_LP64 = {**_FIXED_WIDTHS, **dict.fromkeys(("long", "unsigned long", "size_t"), 64)}
_ILP32 = {**_FIXED_WIDTHS, **dict.fromkeys(("long", "unsigned long", "size_t"), 32)}

_PLACES_32 = Places(arena=0x6000_0000, table=0x7000_0000, stack=0x7100_0000)

_NO_OPTION = ("intel", "avoid-zmm", "osxsave", "ht", "clflush", "fpu", "tsc", "cx8", "cmov")
_X86_FEATURE_FLAGS = {
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
}
_X86_CONTROL = ("DF", "MXCSR", "x87 control word", "x87 tag word")
# What Microsoft's x64 convention keeps besides: whole xmm registers, in halves.
_MS_XMM = tuple(f"xmm{n}{half}" for n in range(6, 16) for half in ("[63:0]", "[127:64]"))
_X86_WRITE_FAULT = ("error", 1 << 1)  # SDM volume 3, 4.7: W/R

_RUNNER = tuple(
    f"runner/{n}.c"
    for n in ("runner", "child", "frames", "signals", "stack", "support", "timing", "watch")
)
_X86_RUNNER = (*_RUNNER, "runner/x86.c")
_ARM_RUNNER = (*_RUNNER, "runner/flagless.c")
_ARM_WRITE_FAULT = ("store", 1)  # the runner decodes it: qemu fills no syndrome into its frames

# Each ABI's supplement on DWARF, and that of d8-d15, which alone of the vectors are kept.
_X86_64_DWARF = dict(
    enumerate(
        (
            *("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"),
            *("r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip"),
        )
    )
)
_I386_DWARF = dict(
    enumerate(("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags"))
)
_AARCH64_DWARF = {
    **{n: f"x{n}" for n in range(31)},
    31: "sp",
    32: "pc",
    **{64 + n: f"d{n}" for n in range(8, 16)},
}
_ARM_DWARF = {
    **{n: f"r{n}" for n in range(13)},
    13: "sp",
    14: "lr",
    15: "pc",
    **{256 + n: f"d{n}" for n in range(8, 16)},
}

_X86_64 = Architecture(
    name="x86_64",
    number=1,
    target="x86_64-linux-gnu",
    pointer_bits=64,
    widths=_LP64,
    flags=("-march=x86-64", "-fcf-protection=none"),
    feature_flags=_X86_FEATURE_FLAGS,
    image_base=0x1_0000_0000,
    places=Places(arena=0x2000_0000_0000, table=0x2002_0000_0000, stack=0x2003_0000_0000),
    relocations=Relocations(relative=8, symbolic=(1, 6, 7)),
    registers=Registers(
        all=(
            *("r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"),
            *("rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp", "rip", "rflags"),
            *("segments", "error"),
        ),
        pc="rip",
        sp="rsp",
        kept=(
            *("rbx", "rbp", "r12", "r13", "r14", "r15", "rsp", *_X86_CONTROL),
            *("rdi", "rsi", *_MS_XMM),
        ),
        dwarf=_X86_64_DWARF,
        write_fault=_X86_WRITE_FAULT,
    ),
    trap=1,
    runner_sources=(*_X86_RUNNER, "runner/x86_64_machine.c", "runner/x86_64.S"),
    native_machines=("x86_64", "AMD64"),
)

_I386 = Architecture(
    name="i386",
    number=2,
    target="i386-linux-gnu",
    pointer_bits=32,
    widths=_ILP32,
    flags=("-m32", "-march=i686", "-fcf-protection=none"),
    feature_flags=_X86_FEATURE_FLAGS,
    image_base=0x1000_0000,
    places=_PLACES_32,
    relocations=Relocations(relative=8, symbolic=(1, 6, 7)),
    registers=Registers(
        all=(
            *("eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip", "eflags"),
            "error",
        ),
        pc="eip",
        sp="esp",
        kept=("ebx", "ebp", "esi", "edi", "esp", *_X86_CONTROL),
        dwarf=_I386_DWARF,
        write_fault=_X86_WRITE_FAULT,
    ),
    trap=1,
    runner_sources=(*_X86_RUNNER, "runner/i386_machine.c", "runner/i386.S"),
    native_machines=("x86_64", "AMD64", "i386", "i586", "i686"),
    emulator="qemu-i386",
)

# NEON is in every aarch64 compiler's base; one extension holds AES and PMULL's product of 64 bits.
_AARCH64_FEATURE_FLAGS = {
    **dict.fromkeys(("neon", "tick", "cpuid", "dit"), ""),
    **dict.fromkeys(("unroll8-eor3", "unroll12-eor3", "sha3-worth-using", "sve2-poly1305"), ""),
    **dict.fromkeys(("aes", "pmull"), "+aes"),
    **dict.fromkeys(("sha1", "sha256"), "+sha2"),
    **dict.fromkeys(("sha512", "sha3"), "+sha3"),
    **dict.fromkeys(("sm3", "sm4"), "+sm4"),
    "rng": "+rng",
    "sve": "+sve",
    "sve2": "+sve2",
}

_AARCH64 = Architecture(
    name="aarch64",
    number=3,
    target="aarch64-linux-gnu",
    pointer_bits=64,
    widths=_LP64,
    flags=("-mcpu=generic", "-ffixed-x18"),  # x18 is the platform's
    feature_flags=_AARCH64_FEATURE_FLAGS,
    image_base=0x1_0000_0000,
    places=Places(arena=0x20_0000_0000, table=0x22_0000_0000, stack=0x23_0000_0000),
    relocations=Relocations(relative=1027, symbolic=(257, 1025, 1026)),
    registers=Registers(
        all=(*(f"x{n}" for n in range(31)), "sp", "pc", "pstate", "store"),
        pc="pc",
        sp="sp",
        kept=(
            *(f"x{n}" for n in range(18, 30)),
            "sp",
            *(f"d{n}" for n in range(8, 16)),
            "FPCR",
        ),
        dwarf=_AARCH64_DWARF,
        write_fault=_ARM_WRITE_FAULT,
        of_fault=1,
    ),
    trap=4,
    runner_sources=(*_ARM_RUNNER, "runner/aarch64_machine.c", "runner/aarch64.S"),
    native_machines=("aarch64", "arm64"),
    emulator="qemu-aarch64",
)

_ARM = Architecture(
    name="arm",
    number=4,
    target="arm-linux-gnueabi",
    pointer_bits=32,
    widths=_ILP32,
    flags=("-march=armv7-a+nofp", "-marm", "-mfloat-abi=softfp"),
    feature_flags={
        "neon": "-march=armv7-a+simd",
        **dict.fromkeys(("aes", "pmull", "sha1", "sha256"), "-march=armv8-a+crypto"),
    },
    image_base=0x1000_0000,
    places=_PLACES_32,
    relocations=Relocations(relative=23, symbolic=(2, 21, 22)),
    registers=Registers(
        all=(*(f"r{n}" for n in range(13)), "sp", "lr", "pc", "cpsr", "store"),
        pc="pc",
        sp="sp",
        kept=(*(f"r{n}" for n in range(4, 12)), "sp", *(f"d{n}" for n in range(8, 16)), "FPSCR"),
        dwarf=_ARM_DWARF,
        write_fault=_ARM_WRITE_FAULT,
        of_fault=1,
    ),
    trap=4,
    runner_sources=(*_ARM_RUNNER, "runner/arm_machine.c", "runner/arm.S"),
    native_machines=("armv7l", "armv8l"),
    emulator="qemu-arm",
    has_thumb=True,
)

ARCHITECTURES: Mapping[str, Architecture] = {
    arch.name: arch for arch in (_X86_64, _I386, _AARCH64, _ARM)
}


def host_architecture() -> str | None:
    """The name of this machine's architecture, None if the rig has no runner for it."""
    machine = platform.machine()
    for arch in ARCHITECTURES.values():
        if arch.runner_sources and machine in arch.native_machines:
            return arch.name
    return None


def feature_options(arch: Architecture, capabilities: tuple[str, ...]) -> tuple[str, ...]:
    """The compiler options that allow these capabilities and no others. Extensions, `+aes`, go
    onto the architecture's first flag, which names the processor. Of options that undo each other
    the one that stands last in `feature_flags` comes last, and holds."""
    order = {name: place for place, name in enumerate(arch.feature_flags)}
    ordered = sorted(capabilities, key=lambda name: order.get(name, -1))
    options = [arch.feature_flags.get(name, f"-m{name}") for name in ordered]
    extensions = "".join(dict.fromkeys(o for o in options if o.startswith("+")))
    processor = (arch.flags[0] + extensions,) if extensions else ()
    return (*(o for o in options if o.startswith("-")), *processor)
