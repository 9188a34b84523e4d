"""Which compiler and linker: the ziglang wheel's clang and lld, or a gcc or clang found here.

Enters: `--cc`. Leaves: a frozen `Toolchain`. Never here: what is compiled.
"""

import importlib.metadata
import importlib.util
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from rig.architectures import Architecture
from rig.errors import BuildError

COMPILERS = ("zig", "gcc", "clang")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """`identity` names compiler and version: it is part of every cache key."""

    name: str
    identity: str
    compiler: tuple[str, ...]
    linker: tuple[str, ...]

    def targeting(self, arch: Architecture) -> tuple[str, ...]:
        """The compiler's command for an architecture, its base features only."""
        if self.name == "gcc":
            return (*self.compiler, *arch.flags)
        return (*self.compiler, f"--target={arch.target}", *arch.flags)


def find_toolchain(name: str = "zig") -> Toolchain:
    """The toolchain of that name; BuildError says what is missing and what brings it."""
    zig = _zig_folder()
    linker = (str(zig / "zig"), "ld.lld")
    if name == "zig":
        version = importlib.metadata.version("ziglang")
        headers = ("-nostdlibinc", "-isystem", str(zig / "lib" / "include"))
        return Toolchain("zig", f"zig {version}", (str(zig / "zig"), "clang", *headers), linker)
    if name not in COMPILERS:
        raise BuildError(f"--cc {name}: choose one of {', '.join(COMPILERS)}")
    program = shutil.which(name)
    if program is None:
        raise BuildError(f"--cc {name}: not on PATH; `apt install {name}`, or leave --cc away")
    return Toolchain(name, _version(program), (program,), linker)


def _zig_folder() -> Path:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError("the ziglang wheel is missing: `pip install ziglang`")
    return Path(next(iter(spec.submodule_search_locations)))


def _version(program: str) -> str:
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return output.stdout.splitlines()[0] if output.stdout else program
