"""What an object holds: functions, what their instructions need, whom they call.

Enters: an object or archive of one architecture. Leaves: a frozen `Content`. Never here: names'
meanings. The object is linked by itself, undefined symbols left open, so that jumps inside of it
lead where they will lead.
"""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.constants import P_FLAGS, SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection

from rig.build.image import literals_of
from rig.build.toolchain import Toolchain
from rig.capabilities.bits import architecture
from rig.errors import BuildError
from rig.trace.architecture import TraceError
from rig.trace.flow import Extent, Span
from rig.trace.instructions import Decoded, FunctionCode, decode
from rig.trace.isa import Demand, demands

_MACHINES = {"x64": "x86_64", "x86": "i386", "AArch64": "aarch64", "ARM": "arm"}

# A static program at a low address: nothing has to be position-independent.
_FLAGS = (
    *("-static", "-e", "0", "--image-base=0x400000"),
    *("--unresolved-symbols=ignore-all", "--noinhibit-exec", "-z", "notext"),
)


@dataclass(frozen=True, slots=True)
class Code:
    """A function's `needs` beside the base; `near` are the functions that it leads to."""

    needs: frozenset[str]
    near: frozenset[str]


@dataclass(frozen=True, slots=True)
class Content:
    """`functions` are those that other files see, and the local ones. `unmarked` are labels that
    other files see and that are not marked as functions with a size. `opaque` says why
    instructions could not be told, so that no `needs` are known."""

    functions: Mapping[str, Code]
    exported: frozenset[str]
    defined: frozenset[str]
    undefined: frozenset[str]
    unmarked: frozenset[str]
    opaque: str = ""


def read_object(path: Path, arch: str, toolchain: Toolchain, cache: Path) -> Content:
    """The content of an object or archive; BuildError where it is none of that architecture."""
    with tempfile.TemporaryDirectory(prefix="rig-survey-") as folder:
        joined, placed = Path(folder) / "joined.o", Path(folder) / "placed"
        _link(path, ("-r", "--whole-archive"), joined, toolchain)
        _link(joined, _FLAGS, placed, toolchain)
        with joined.open("rb") as named, placed.open("rb") as stream:
            elf = ELFFile(named)
            machine = _MACHINES.get(elf.get_machine_arch(), elf.get_machine_arch())
            if machine != arch:
                raise BuildError(f"an object for {machine}")
            return _content(elf, ELFFile(stream), arch, cache)


def _link(path: Path, flags: Sequence[str], output: Path, toolchain: Toolchain) -> None:
    command = [*toolchain.linker, *flags, str(path), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not output.exists():
        raise BuildError(next(iter(done.stderr.splitlines()), "cannot be linked"))


def _content(elf: ELFFile, placed: ELFFile, arch: str, cache: Path) -> Content:
    """Names are those of the object: where it is placed, hidden ones are local."""
    named = [s for s in _symbols(elf) if s.name]
    defined = [s for s in named if s["st_shndx"] != "SHN_UNDEF"]
    seen = frozenset(s.name for s in defined if s["st_info"]["bind"] != "STB_LOCAL")
    functions, opaque = _functions(placed, arch, cache)
    return Content(
        functions=functions,
        exported=seen & functions.keys(),
        defined=seen,
        undefined=frozenset(
            s.name
            for s in named
            if s["st_shndx"] == "SHN_UNDEF" and s["st_info"]["bind"] == "STB_GLOBAL"
        ),
        unmarked=seen.intersection(s.name for s in defined if _is_code(elf, s)) - functions.keys(),
        opaque=opaque,
    )


def _symbols(elf: ELFFile) -> list[Symbol]:
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    return list(table.iter_symbols())


def _is_code(elf: ELFFile, symbol: Symbol) -> bool:
    index = symbol["st_shndx"]
    if not isinstance(index, int):
        return False
    return bool(elf.get_section(index)["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


def _functions(elf: ELFFile, arch: str, cache: Path) -> tuple[dict[str, Code], str]:
    """By name; of several names for one place each has the same code."""
    symbols = [s for s in _symbols(elf) if s["st_info"]["type"] == "STT_FUNC" and s["st_size"]]
    names: dict[int, list[str]] = {}
    sizes = {symbol["st_value"]: symbol["st_size"] for symbol in symbols}
    for symbol in symbols:
        names.setdefault(symbol["st_value"], []).append(symbol.name)
    extents = [Extent(names[address][0], address, size) for address, size in sizes.items()]
    try:
        decoded = _decoded(elf, arch, extents)
        needed = demands(decoded, cache / "survey")
    except TraceError as error:
        return {s.name: Code(frozenset(), frozenset()) for s in symbols}, str(error).splitlines()[0]
    found = {code.address: _code(decoded, code, names, needed) for code in decoded.functions}
    return {name: found[address] for address, each in names.items() for name in each}, ""


def _decoded(elf: ELFFile, arch: str, extents: Sequence[Extent]) -> Decoded:
    literals = [Span(address, size) for address, size in literals_of(elf)]
    for segment in elf.iter_segments():
        if segment["p_type"] == "PT_LOAD" and segment["p_flags"] & P_FLAGS.PF_X:
            return decode(arch, segment.data(), segment["p_vaddr"], extents, literals)
    return Decoded(arch, (), ())


def _code(
    decoded: Decoded, code: FunctionCode, names: Mapping[int, Sequence[str]], needed: Demand
) -> Code:
    base = frozenset(architecture(decoded.arch).base)
    needs: set[str] = set()
    near: set[str] = set()
    for instruction in code.instructions:
        needs |= needed(instruction) - base
        for address in (instruction.target, instruction.reference):
            there = decoded.function_at(address) if address is not None else None
            near.update(names[there.address] if there else ())
    return Code(frozenset(needs), frozenset(near))
