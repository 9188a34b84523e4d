"""Small images, compiled from sources given as text, for the tests of the trace station."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import ziglang
from elftools.elf.elffile import ELFFile

from rig.trace.flow import Extent, Span
from rig.trace.instructions import Decoded, decode

ZIG = Path(ziglang.__file__).parent
TARGETS = {
    "x86_64": ["--target=x86_64-linux-gnu"],
    "i386": ["--target=i386-linux-gnu", "-march=i686"],
    "aarch64": ["--target=aarch64-linux-gnu"],
    "arm": ["--target=arm-linux-gnueabi", "-march=armv7-a"],
}
COMPILE = ["-isystem", str(ZIG / "lib" / "include"), "-ffreestanding", "-fPIC", "-O2", "-g", "-c"]
# What is not linked as shared has its absolute addresses in place.
LINK = {"x86_64": ["-shared", "-Bsymbolic", "--image-base=0x100000000"]}
STATIC = ["-static", "--entry=0", "--image-base=0x10000000"]


@dataclass(frozen=True)
class Linked:
    arch: str
    path: Path
    root: Path
    code: bytes
    address: int
    functions: tuple[Extent, ...]
    literals: tuple[Span, ...]

    def decode(self) -> Decoded:
        return decode(self.arch, self.code, self.address, self.functions, self.literals)


Linker = Callable[..., Linked]


def _zig(arguments: list[str], folder: Path) -> None:
    subprocess.run([str(ZIG / "zig"), *arguments], cwd=folder, check=True)


def _read(arch: str, path: Path, root: Path) -> Linked:
    with path.open("rb") as file:
        elf = ELFFile(file)
        text = elf.get_section_by_name(".text")
        functions = sorted(
            (symbol["st_value"], symbol.name, symbol["st_size"])
            for symbol in elf.get_section_by_name(".symtab").iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC"
        )
        extents = tuple(Extent(name, address, size) for address, name, size in functions)
        literals = _literals(elf, text["sh_addr"], text["sh_addr"] + text["sh_size"])
        return Linked(arch, path, root, text.data(), text["sh_addr"], extents, literals)


def _literals(elf: ELFFile, start: int, end: int) -> tuple[Span, ...]:
    symbols = elf.get_section_by_name(".symtab").iter_symbols()
    marks = [(s["st_value"], s.name) for s in symbols if s.name in ("$a", "$d", "$x")]
    inside = sorted(mark for mark in marks if start <= mark[0] < end)
    pairs = pairwise([*inside, (end, "")])
    return tuple(Span(at, until - at) for (at, name), (until, _) in pairs if name == "$d")


@pytest.fixture(scope="session")
def link(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    """Compile sources {path: text}, headers apart, and link them to one image."""

    def linked(sources: dict[str, str], *options: str, arch: str = "x86_64") -> Linked:
        root = tmp_path_factory.mktemp("image")
        for name, text in sources.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        compiled = [name for name in sources if not name.endswith(".h")]
        for name in compiled:
            _zig(["clang", *TARGETS[arch], *COMPILE, *options, name, "-o", f"{name}.o"], root)
        objects = [f"{name}.o" for name in compiled]
        _zig(["ld.lld", *LINK.get(arch, STATIC), *objects, "-o", "image.so"], root)
        return _read(arch, root / "image.so", root)

    return linked
