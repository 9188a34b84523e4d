"""Which CPU features ARM instructions need, by the toolchain's own assembler.

Enters: texts of instructions. Leaves: for each the features without which it is refused. Never
here: what a decoder thinks of features; capstone's groups lump them together and miss some.

Each text is assembled with the base only, and what is refused with the base and one feature at a
time: the first with which it is taken is what it needs. So nothing rests on the wording of a
message, but for features that no step of the ladder has. What no step takes is `UNKNOWN`: it is
never taken for base.
"""

import json
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rig.build.toolchain import find_toolchain
from rig.cache import digest, write_atomically
from rig.errors import BuildError

UNKNOWN = "unassembled"
"""Stands for the features of a text that the assembler does not take."""

Needs = Mapping[str, frozenset[str]]

_ERROR = re.compile(r"^[^\n]*?:(\d+):\d+: error: (.*)$", re.MULTILINE)
_REQUIRES = re.compile(r"instruction requires: (.+)")


@dataclass(frozen=True, slots=True)
class _Step:
    """Directives that allow a feature beside the base. `by_mnemonic` refines its name."""

    directives: str
    feature: str
    by_mnemonic: tuple[tuple[str, str], ...] = ()

    def needed(self, text: str) -> str:
        names = (name for pattern, name in self.by_mnemonic if re.match(pattern, text))
        return next(names, self.feature)


_BASE = _Step("", "")
_AES = ((r"pmull2? .*\.1q", "pmull"), (r"vmull\.p64", "pmull"))
_SHA2 = (("sha1", "sha1"),)
_ARMV8 = (
    *((r"aes", "aes"), (r"vmull\.p64", "pmull"), (r"sha1", "sha1"), (r"sha256", "sha256")),
    ("crc32", "crc"),
)


_OTHERS = ("crc", "lse", "rdm", "dotprod", "fp16", "i8mm", "bf16", "sve", "sve2", "rng", "dit")

_TARGETS = {
    "aarch64": ("--target=aarch64-linux-gnu", "-march=armv8-a"),
    "arm": ("--target=arm-linux-gnueabi", "-march=armv7-a", "-mfpu=none"),
}
"""The bases: ARMv8-A with Advanced SIMD; ARMv7-A without floating point. They are options, since
the directive `.fpu none` leaves the floating-point registers."""

_LADDERS: Mapping[str, tuple[_Step, ...]] = {
    "aarch64": (
        _Step(".arch armv8-a+aes", "aes", _AES),
        _Step(".arch armv8-a+sha2", "sha256", _SHA2),
        _Step(".arch armv8-a+sha3", "sha3", (("sha512", "sha512"),)),
        _Step(".arch armv8-a+sm4", "sm4", (("sm3", "sm3"),)),
        *(_Step(f".arch armv8-a+{name}", name) for name in _OTHERS),
    ),
    "arm": (
        _Step(".arch armv7-a\n.fpu neon", "neon"),
        _Step(".arch armv7-a\n.fpu neon-vfpv4", "vfpv4"),
        _Step(".arch armv7-a\n.fpu none\n.arch_extension idiv", "idiv"),
        _Step(".arch armv7-a\n.fpu none\n.arch_extension mp", "mp"),
        _Step(".arch armv8-a\n.fpu crypto-neon-fp-armv8", "armv8", _ARMV8),
    ),
}


def requirements(arch: str, texts: Iterable[str], cache: Path) -> Needs:
    """What each text needs beside the base, kept under `cache` by their content.

    Raises:
        BuildError: the ziglang wheel is missing, or its assembler knows a feature no more.
    """
    ordered = sorted(set(texts))
    toolchain = find_toolchain()
    ladder = repr((_TARGETS[arch], _LADDERS[arch]))
    path = cache / f"{digest(toolchain.identity, ladder, *ordered)}.json"
    if not path.exists():
        found = _climb(arch, ordered)
        written = {text: sorted(names) for text, names in found.items() if names}
        write_atomically(path, json.dumps(written).encode())
    known: dict[str, list[str]] = json.loads(path.read_text())
    return {text: frozenset(known.get(text, ())) for text in ordered}


def _climb(arch: str, texts: Sequence[str]) -> Needs:
    steps = _LADDERS[arch]
    refused = _refused(arch, [(_BASE, texts)])[0]
    left = [text for text in texts if text in refused]
    refusals = _refused(arch, [(step, left) for step in steps]) if left else []
    found = {text: frozenset[str]() for text in texts}
    for text in left:
        taken = (s.needed(text) for s, no in zip(steps, refusals, strict=True) if text not in no)
        found[text] = frozenset({next(taken, _stated(refused[text]))})
    return found


def _stated(message: str) -> str:
    match = _REQUIRES.match(message)
    return match[1].lower() if match else UNKNOWN


def _refused(arch: str, blocks: Sequence[tuple[_Step, Sequence[str]]]) -> list[dict[str, str]]:
    """One run: by block the texts that the assembler refuses, with its words."""
    lines: list[str] = []
    places: dict[int, tuple[int, str]] = {}
    for number, (step, texts) in enumerate(blocks):
        lines += step.directives.splitlines()
        for text in texts:
            lines.append(text)
            places[len(lines)] = number, text
    refused: list[dict[str, str]] = [{} for _ in blocks]
    for line, message in _ERROR.findall(_assemble(arch, "\n".join(lines) + "\n")):
        if int(line) not in places:
            raise BuildError(f"the assembler refuses {lines[int(line) - 1]!r}: {message}")
        number, text = places[int(line)]
        refused[number].setdefault(text, message)
    return refused


def _assemble(arch: str, source: str) -> str:
    compiler = find_toolchain().compiler
    options = ("-x", "assembler", "-ferror-limit=0", "-Wno-unused-command-line-argument")
    command = [*compiler, *_TARGETS[arch], *options, "-c", "-", "-o", "/dev/null"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode and not _ERROR.search(done.stderr):
        raise BuildError(f"the assembler does not run: {done.stderr.strip()}")
    return done.stderr
