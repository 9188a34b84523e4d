"""What an object holds: sections, symbols, the words that a linker fills in, marks.

Enters: the path of an object, or of an archive with the members that are wanted. Leaves: frozen
`Contents`. Never here: what of it is wrong.
"""

import functools
import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section as ElfSection
from elftools.elf.sections import SymbolTableSection

ARCHIVE = b"!<arch>\n"
STACK_NOTE = ".note.GNU-stack"
PROPERTIES = ".note.gnu.property"
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_HEADER, _SIZE = 60, slice(48, 58)
_FEATURES = {0xC0000002: "x86", 0xC0000000: "aarch64"}  # GNU_PROPERTY_*_FEATURE_1_AND
_TARGETS = 1  # IBT on x86, BTI on aarch64


@dataclass(frozen=True, slots=True)
class Section:
    """A section that is loaded, with its bytes; none for one that begins as zeros."""

    name: str
    writable: bool
    executable: bool
    data: bytes


@dataclass(frozen=True, slots=True)
class Symbol:
    """`section` is the name of where it stands, empty for one that the object lacks."""

    name: str
    section: str
    offset: int
    size: int
    kind: str
    local: bool
    hidden: bool


@dataclass(frozen=True, slots=True)
class Fill:
    """A word of a loaded section that the linker fills: by relocation `kind`, a number of the
    architecture, with the place of `target` (a symbol, or a section of the object)."""

    section: str
    offset: int
    kind: int
    target: str
    target_section: str
    target_offset: int


@dataclass(frozen=True, slots=True)
class Contents:
    """An object. `stack` is None where nothing says whether the stack may be executable;
    `landing` tells that it is marked as having a landing pad at each indirect target."""

    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    fills: tuple[Fill, ...]
    stack: bool | None
    landing: bool

    @property
    def has_code(self) -> bool:
        """Whether anything in it can run."""
        return any(s.executable and s.data for s in self.sections)


@functools.lru_cache(maxsize=512)
def contents(path: Path, key: str, wanted: frozenset[str]) -> tuple[Contents, ...]:
    """The object, or of an archive the members that define one of the wanted symbols; `key`
    names the bytes. None for what is no ELF object."""
    data = path.read_bytes()
    if not data.startswith(ARCHIVE):
        return (_read(data),) if data.startswith(b"\x7fELF") else ()
    members = [_read(m) for m in _members(data) if m.startswith(b"\x7fELF")]
    return tuple(m for m in members if defined(m) & wanted)


def defined(held: Contents) -> set[str]:
    """The symbols that an object gives to others."""
    return {s.name for s in held.symbols if s.section and not s.local}


def _members(data: bytes) -> Iterator[bytes]:
    at = len(ARCHIVE)
    while at + _HEADER <= len(data):
        size = int(data[at : at + _HEADER][_SIZE])
        yield data[at + _HEADER : at + _HEADER + size]
        at += _HEADER + size + size % 2


def _read(data: bytes) -> Contents:
    elf = ELFFile(io.BytesIO(data))
    sections = list(elf.iter_sections())
    table = next((s for s in sections if isinstance(s, SymbolTableSection)), None)
    symbols = tuple(_symbols(table, sections)) if table else ()
    note = next((s for s in sections if s.name == STACK_NOTE), None)
    return Contents(
        tuple(map(_section, filter(_is_loaded, sections))),
        symbols,
        tuple(_fills(sections, symbols)),
        None if note is None else bool(note["sh_flags"] & _EXECUTE),
        any(_is_marked(s.data(), elf.elfclass // 8) for s in sections if s.name == PROPERTIES),
    )


def _is_loaded(section: ElfSection) -> bool:
    return bool(section["sh_flags"] & _ALLOC)


def _section(section: ElfSection) -> Section:
    flags = section["sh_flags"]
    data = b"" if section["sh_type"] == "SHT_NOBITS" else section.data()
    return Section(section.name, bool(flags & _WRITE), bool(flags & _EXECUTE), data)


def _symbols(table: SymbolTableSection, sections: list[ElfSection]) -> Iterator[Symbol]:
    for symbol in table.iter_symbols():
        index, kind = symbol["st_shndx"], symbol["st_info"]["type"]
        section = sections[index].name if isinstance(index, int) else index
        yield Symbol(
            sections[index].name if kind == "STT_SECTION" else symbol.name,
            "" if section == "SHN_UNDEF" else section,
            symbol["st_value"],
            symbol["st_size"],
            kind,
            symbol["st_info"]["bind"] == "STB_LOCAL",
            symbol["st_other"]["visibility"] in ("STV_HIDDEN", "STV_INTERNAL"),
        )


def _fills(sections: list[ElfSection], symbols: tuple[Symbol, ...]) -> Iterator[Fill]:
    for section in sections:
        if isinstance(section, RelocationSection):
            filled = sections[section["sh_info"]]
            for entry in section.iter_relocations() if _is_loaded(filled) else ():
                target = symbols[entry["r_info_sym"]]
                yield Fill(
                    filled.name,
                    entry["r_offset"],
                    entry["r_info_type"],
                    target.name,
                    target.section,
                    target.offset,
                )


def _is_marked(note: bytes, word: int) -> bool:
    """Whether a note of properties says that every indirect target has a landing pad."""
    at = 0
    while at + 16 <= len(note):
        name, size, kind = struct.unpack_from("<III", note, at)
        start = at + 12 + (name + 3) // 4 * 4
        held = note[start : start + size]
        if kind == 5 and _has_targets(held, word):
            return True
        at = start + (size + word - 1) // word * word
    return False


def _has_targets(properties: bytes, word: int) -> bool:
    at = 0
    while at + 8 <= len(properties):
        kind, size = struct.unpack_from("<II", properties, at)
        value = int.from_bytes(properties[at + 8 : at + 8 + size], "little")
        if kind in _FEATURES and value & _TARGETS:
            return True
        at += 8 + (size + word - 1) // word * word
    return False
