"""A shared library as a source: the bytes that ship, as an assembly file that the linker places.

Enters: an ELF library. Leaves: the path of a .S in the cache. Its one section holds the library's
segments byte for byte and at their own distances, but for the words that a loader would fill in:
these name the symbol or the place that they stand for, so that the image's linker fills them and
says what is missing. Never here: compiling it, or running what a loader would run.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection, RelrRelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

from rig.architectures import Architecture
from rig.cache import digest, write_atomically
from rig.errors import BuildError

SUFFIX = ".so"
_PAGE = 4096
_KINDS = {"STT_FUNC": "%function", "STT_OBJECT": "%object"}
_MACHINES = {"x86_64": "EM_X86_64", "i386": "EM_386", "aarch64": "EM_AARCH64", "arm": "EM_ARM"}
_LOADED = 2  # SHF_ALLOC


def assembly_of(library: Path, name: str, arch: Architecture, cache: Path) -> Path:
    """The library as assembly; BuildError for what is no library of this architecture, and for
    what only a loader can do (thread-local storage, resolvers)."""
    data = library.read_bytes()
    folder = cache / "generated"
    stem = digest(data, name, arch.name, "shared 1")
    copy, made = folder / f"{stem}.so", folder / f"{stem}.S"
    if not made.exists():
        write_atomically(copy, data)
        try:
            with copy.open("rb") as file:
                lines = [*_lines(ELFFile(file), copy, name, arch)]
        except (ELFError, ValueError) as error:
            raise BuildError(f"{name}: not a shared library of {arch.name}: {error}") from error
        write_atomically(made, ("\n".join(lines) + "\n").encode())
    return made


def _lines(elf: ELFFile, copy: Path, name: str, arch: Architecture) -> Iterator[str]:
    if (elf["e_machine"], elf["e_type"]) != (_MACHINES[arch.name], "ET_DYN"):
        raise ValueError(f"it is {elf['e_type']} for {elf['e_machine']}")
    base = f"rig_library_{copy.stem}"
    yield f".text\n.balign {_PAGE}\n.type {base}, %object\n{base}:"
    fills = dict(_fills(elf, base, arch))
    word, size = (".quad", 8) if arch.pointer_bytes == 8 else (".long", 4)
    end = _first(elf)
    for segment in elf.iter_segments("PT_LOAD"):
        start, held = segment["p_vaddr"], segment["p_filesz"]
        yield f".zero {start - end}"
        at = start
        for cut in sorted(place for place in fills if start <= place < start + held):
            yield _bytes(copy, segment["p_offset"] + at - start, cut - at)
            yield f"{word} {fills[cut]}"
            at = cut + size
        yield _bytes(copy, segment["p_offset"] + at - start, start + held - at)
        yield f".zero {segment['p_memsz'] - held}"
        end = start + segment["p_memsz"]
    yield f".size {base}, .-{base}"
    yield from _symbols(elf, base)
    yield '.section .note.GNU-stack,"",%progbits'


def _first(elf: ELFFile) -> int:
    """Where the library begins, at a page: alignment of what is in it holds in the image."""
    first: int = min(s["p_vaddr"] for s in elf.iter_segments("PT_LOAD"))
    return first // _PAGE * _PAGE


def _bytes(copy: Path, offset: int, size: int) -> str:
    return f'.incbin "{copy}", {offset}, {size}' if size else ""


def _fills(elf: ELFFile, base: str, arch: Architecture) -> Iterator[tuple[int, str]]:
    """What stands in each word that a loader fills."""
    for section in elf.iter_sections():
        if not section["sh_flags"] & _LOADED:
            continue
        if isinstance(section, RelrRelocationSection):
            for entry in section.iter_relocations():
                place = entry["r_offset"]
                yield place, f"{base} + {_held(elf, place, arch) - _first(elf)}"
        elif isinstance(section, RelocationSection):
            yield from _filled(elf, section, base, arch)


def _filled(
    elf: ELFFile, section: RelocationSection, base: str, arch: Architecture
) -> Iterator[tuple[int, str]]:
    table, first = elf.get_section(section["sh_link"]), _first(elf)
    assert isinstance(table, SymbolTableSection)
    for entry in section.iter_relocations():
        place, kind = entry["r_offset"], entry["r_info_type"]
        addend = entry["r_addend"] if section.is_RELA() else _held(elf, place, arch)
        if kind == arch.relocations.relative:
            yield place, f"{base} + {addend - first}"
        elif kind in arch.relocations.symbolic:
            symbol = table.get_symbol(entry["r_info_sym"])
            yield place, f"{_target(symbol, base, first)} + {addend}"
        elif kind:
            raise ValueError(f"relocation type {kind} at {place:#x} needs a loader")


def _held(elf: ELFFile, place: int, arch: Architecture) -> int:
    offset = next(iter(elf.address_offsets(place)))
    elf.stream.seek(offset)
    return int.from_bytes(elf.stream.read(arch.pointer_bytes), "little")


def _target(symbol: Symbol, base: str, first: int) -> str:
    """Its own symbols are the library's, as with -Bsymbolic. What is weak and nobody's is 0."""
    if symbol["st_shndx"] != "SHN_UNDEF":
        return f"{base} + {symbol['st_value'] - first}"
    return "0" if symbol["st_info"]["bind"] == "STB_WEAK" else f'"{symbol.name}"'


def _symbols(elf: ELFFile, base: str) -> Iterator[str]:
    """Functions and objects that have a size, of the full table where the library has it. Local
    functions of one name are numbered."""
    table = elf.get_section_by_name(".symtab") or elf.get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    first, seen = _first(elf), Counter[str]()
    for symbol in table.iter_symbols():
        info = symbol["st_info"]
        kind = _KINDS.get(info["type"])
        if kind is None or not symbol["st_size"] or symbol["st_shndx"] == "SHN_UNDEF":
            continue
        seen[symbol.name] += 1
        number = seen[symbol.name]
        name = f'"{symbol.name}"' if number == 1 else f'"{symbol.name}.{number}"'
        if info["bind"] != "STB_LOCAL" and number == 1:
            yield f".globl {name}"
        yield f".type {name}, {kind}\n.set {name}, {base} + {symbol['st_value'] - first}"
        yield f".size {name}, {symbol['st_size']}"
