"""Links objects into one image per architecture and reads what the linker made.

Enters: objects. Leaves: a frozen `Image` whose bytes are relocated for their fixed address.
Never here: hand-written linking; ld.lld links, pyelftools reads.
"""

import hashlib
import math
import re
import struct
import subprocess
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

from rig.architectures import Architecture
from rig.build.objects import PREBUILT, Object
from rig.build.shared import SUFFIX as SHARED
from rig.build.toolchain import Toolchain
from rig.cache import digest
from rig.errors import BuildError

# Addresses in the text and an executable stack are for the audit to name, not for the linker.
_LINK_FLAGS = (
    *("-shared", "-Bsymbolic", "--hash-style=sysv"),
    *("-z", "defs", "-z", "notext", "-z", "execstack"),
)
_WORD = 4
_WORD_FORMATS = {4: "<I", 8: "<Q"}
_MAPPED = ("aarch64", "arm")


_MAPPING = re.compile(r"\$[adtx](\..*)?")
_EXECUTABLE = 4  # SHF_EXECINSTR
_PF_X, _PF_W = 1, 2


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the image; `source` is the project's file that it came from."""

    name: str
    address: int
    size: int
    source: str


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes at a fixed address, zero-filled to `size`."""

    address: int
    data: bytes
    size: int
    executable: bool
    writable: bool


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """Where the capability vector stands, and how many 32-bit words the project gave it."""

    address: int
    words: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an image must hold: the capability vector, and the entries that archives give."""

    vector: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """A linked image; `path` is its ELF file, `root` resolves source paths in its DWARF.
    `symbols` are where things stand; functions in `thumb` are called one byte further on.
    `prebuilt` has the SHA-256 of each source that the project brought compiled. `literals` are
    what ARM's mapping symbols call data in the text, each an address and a size."""

    path: Path
    arch: str
    toolchain: str
    root: Path
    segments: tuple[Segment, ...]
    functions: tuple[Function, ...]
    symbols: Mapping[str, int]
    thumb: frozenset[str]
    vector: VectorPlace
    prebuilt: Mapping[str, str]
    objects: tuple[Object, ...]
    literals: tuple[tuple[int, int], ...]

    @property
    def reused(self) -> int:
        """How many objects the cache gave."""
        return sum(o.reused for o in self.objects)

    @property
    def compiled(self) -> int:
        """How many were compiled for this image."""
        return len(self.objects) - self.reused

    @property
    def text(self) -> Segment:
        """The one executable segment."""
        return next(segment for segment in self.segments if segment.executable)

    def entry(self, symbol: str) -> int:
        """The address by which a function is called: of Thumb code with bit 0 set."""
        return self.symbols[symbol] | (symbol in self.thumb)

    def functions_at(self, addresses: Sequence[int]) -> frozenset[Function]:
        """The functions that hold one of some addresses, as `function_at` has it: one that
        begins inside another ends it."""
        ordered, starts = sorted(addresses), [f.address for f in self.functions]
        ends = map(min, [*starts[1:], math.inf], (f.address + f.size for f in self.functions))
        firsts = (bisect_left(ordered, start) for start in starts)
        return frozenset(
            f
            for f, first, end in zip(self.functions, firsts, ends, strict=True)
            if first < len(ordered) and ordered[first] < end
        )

    def function_at(self, address: int) -> Function | None:
        """The function that holds an address."""
        index = bisect_right(self.functions, address, key=attrgetter("address")) - 1
        if index < 0:
            return None
        function = self.functions[index]
        return function if address < function.address + function.size else None


def link(
    objects: Sequence[Object],
    wanted: Wanted,
    arch: Architecture,
    toolchain: Toolchain,
    cache: Path,
    root: Path,
) -> Image:
    """Links once per set of objects; BuildError holds the linker's words. The linker's map names
    objects by their paths, so equal bytes elsewhere are another set."""
    base = f"--image-base={arch.image_base:#x}"
    flags = (*_LINK_FLAGS, base, *(f"-u{entry}" for entry in wanted.entries))
    key = digest(toolchain.identity, *flags, *(f"{o.key} {o.path}" for o in objects))
    path, listing = cache / "images" / f"{key}.so", cache / "images" / f"{key}.map"
    if not (path.exists() and listing.exists()):
        _run(objects, flags, arch.name, toolchain, path, listing)
    return read(path, listing, objects, wanted.vector, arch, toolchain, root)


def _run(
    objects: Sequence[Object],
    flags: Sequence[str],
    arch: str,
    toolchain: Toolchain,
    path: Path,
    listing: Path,
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".link-") as folder:
        output, drawn = Path(folder) / "image.so", Path(folder) / "image.map"
        files = [str(o.path) for o in objects]
        command = [*toolchain.linker, *flags, f"-Map={drawn}", *files, "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildError(explain(done.stderr, objects, arch))
        drawn.replace(listing)
        output.replace(path)


_UNDEFINED = re.compile(r"undefined (?:hidden |protected )?symbol: (\S+)((?:\n>>>.*)*)")
_REFERENCE = re.compile(r">>>\s+(?:referenced by )?(.+?):\(")
_CAPABILITIES = re.compile(r"(ia32|arm)cap", re.IGNORECASE)


def explain(words: str, objects: Sequence[Object], arch: str) -> str:
    """The linker's words with sources in place of cache names, and what to do."""
    for item in objects:
        words = words.replace(str(item.path), item.source)
    advice = dict.fromkeys(
        _advice(symbol, references, arch) for symbol, references in _UNDEFINED.findall(words)
    )
    return "\n".join((f"cannot link:\n{words.rstrip()}", *advice))


def _advice(symbol: str, references: str, arch: str) -> str:
    """Who wants a symbol, and the key of the manifest that would give it."""
    sources = dict.fromkeys(_REFERENCE.findall(references))
    wanted = f"{symbol} (wanted by {', '.join(sources)})" if sources else symbol
    if _CAPABILITIES.search(symbol):
        key = f'vector = {{ {arch} = "{symbol}" }}'
        return f"undefined: {wanted}; if it is the capability vector: `{key}`"
    return (
        f"undefined: {wanted}; name the file that defines it as a further `source` of the "
        "variant, or under `link` if it belongs to no variant"
    )


_INPUT_SECTION = re.compile(
    r"^\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s{9}(\S.*):\([^()]*\)$", re.MULTILINE
)


def read(
    path: Path,
    listing: Path,
    objects: Sequence[Object],
    vector: str,
    arch: Architecture,
    toolchain: Toolchain,
    root: Path,
) -> Image:
    """Reads segments, symbols and functions; refuses a function symbol without a size."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        entries = _symbols(elf)
        thumb = frozenset(name for name, symbol in entries.items() if _is_thumb(symbol, arch))
        values = {name: symbol["st_value"] for name, symbol in entries.items()}
        symbols = {name: value - (name in thumb) for name, value in values.items()}
        segments = _segments(elf, values, arch)
        sections = _input_sections(listing.read_text(), objects)
        functions = _functions(elf, sections, arch)
        literals = literals_of(elf) if arch.name in _MAPPED else ()
        place = _vector(vector, entries[vector])
    return Image(
        path=path,
        arch=arch.name,
        toolchain=toolchain.identity,
        root=root,
        segments=segments,
        functions=functions,
        symbols=symbols,
        thumb=thumb,
        vector=place,
        prebuilt=_prebuilt(objects, root),
        objects=tuple(objects),
        literals=literals,
    )


def _symbol_table(elf: ELFFile) -> SymbolTableSection:
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    return table


def _prebuilt(objects: Sequence[Object], root: Path) -> dict[str, str]:
    given = [o for o in objects if o.source.endswith((*PREBUILT, SHARED))]
    paths = ((o, o.path if o.source.endswith(PREBUILT) else root / o.source) for o in given)
    return {o.source: hashlib.sha256(path.read_bytes()).hexdigest() for o, path in paths}


def _symbols(elf: ELFFile) -> dict[str, Symbol]:
    """What is defined, by name; of several local symbols and a global one the global."""
    found: dict[str, Symbol] = {}
    for symbol in _symbol_table(elf).iter_symbols():
        defined = symbol["st_value"] and symbol["st_shndx"] != "SHN_UNDEF"
        local = symbol["st_info"]["bind"] == "STB_LOCAL"
        if defined and not (local and symbol.name in found):
            found[symbol.name] = symbol
    return found


def _is_thumb(symbol: Symbol, arch: Architecture) -> bool:
    """Bit 0 of a function's value (ELF for the Arm Architecture, 5.5.3)."""
    is_function = symbol["st_info"]["type"] == "STT_FUNC"
    return arch.has_thumb and is_function and bool(symbol["st_value"] & 1)


def _vector(name: str, symbol: Symbol) -> VectorPlace:
    if symbol["st_size"] < _WORD:
        raise BuildError(
            f"the capability vector {name} has no size; declare it `.comm {name},40,16`, or end "
            f"it with `.type {name}, @object` and `.size {name}, .-{name}`"
        )
    return VectorPlace(symbol["st_value"], symbol["st_size"] // _WORD)


def _segments(elf: ELFFile, symbols: Mapping[str, int], arch: Architecture) -> tuple[Segment, ...]:
    loaded = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
    contents = {s["p_vaddr"]: bytearray(s.data()) for s in loaded}
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection):
            _relocate(elf, section, contents, symbols, arch)
    return tuple(
        Segment(
            s["p_vaddr"],
            bytes(contents[s["p_vaddr"]]),
            s["p_memsz"],
            executable=bool(s["p_flags"] & _PF_X),
            writable=bool(s["p_flags"] & _PF_W),
        )
        for s in loaded
    )


def _relocate(
    elf: ELFFile,
    section: RelocationSection,
    contents: Mapping[int, bytearray],
    symbols: Mapping[str, int],
    arch: Architecture,
) -> None:
    """Where the section has no addends (REL), they stand in the places themselves."""
    table = elf.get_section(section["sh_link"])
    assert isinstance(table, SymbolTableSection)
    word, types = _WORD_FORMATS[arch.pointer_bytes], arch.relocations
    for entry in section.iter_relocations():
        kind, place = entry["r_info_type"], entry["r_offset"]
        if kind == types.relative:
            value = 0
        elif kind in types.symbolic:
            value = symbols[table.get_symbol(entry["r_info_sym"]).name]
        else:
            raise BuildError(f"{elf.stream.name}: relocation type {kind} is not supported")
        for address, data in contents.items():
            if address <= place < address + len(data):
                (held,) = struct.unpack_from(word, data, place - address)
                value += entry["r_addend"] if section.is_RELA() else held
                struct.pack_into(word, data, place - address, value % (1 << arch.pointer_bits))


def _input_sections(listing: str, objects: Sequence[Object]) -> list[tuple[int, int, str]]:
    sources = {str(o.path): o.source for o in objects}
    rows = []
    for address, size, path in _INPUT_SECTION.findall(listing):
        archive = path.partition(".a(")[0] + ".a"
        source = sources.get(path) or sources.get(archive, path)
        rows.append((int(address, 16), int(size, 16), source))
    return rows


def _functions(
    elf: ELFFile, sections: Sequence[tuple[int, int, str]], arch: Architecture
) -> tuple[Function, ...]:
    table = _symbol_table(elf)
    found: dict[int, Function] = {}
    for symbol in table.iter_symbols():
        if symbol["st_info"]["type"] != "STT_FUNC" or symbol["st_shndx"] == "SHN_UNDEF":
            continue
        address, size = symbol["st_value"] - _is_thumb(symbol, arch), symbol["st_size"]
        source = _source_at(address, sections)
        if size == 0:
            raise BuildError(
                f"{source or 'the image'}: function {symbol.name} has no size; end it with "
                f"`.size {symbol.name}, .-{symbol.name}`"
            )
        if address not in found or symbol["st_info"]["bind"] == "STB_GLOBAL":
            found[address] = Function(symbol.name, address, size, source)
    return tuple(found[address] for address in sorted(found))


def _source_at(address: int, sections: Sequence[tuple[int, int, str]]) -> str:
    """Whose section holds an address; an empty one that stands there only where none does."""
    empty = (s for a, n, s in sections if a == address and not n)
    return next((s for a, n, s in sections if a <= address < a + n), next(empty, ""))


def literals_of(elf: ELFFile) -> tuple[tuple[int, int], ...]:
    """From each `$d` in the code up to the next mapping symbol (AAELF32, AAELF64)."""
    symbols = _symbol_table(elf).iter_symbols()
    marks = {s["st_value"]: s.name[:2] for s in symbols if _MAPPING.fullmatch(s.name)}
    found = []
    for code in elf.iter_sections():
        if not code["sh_flags"] & _EXECUTABLE:
            continue
        end = code["sh_addr"] + code["sh_size"]
        inside = sorted(address for address in marks if code["sh_addr"] <= address < end)
        pairs = pairwise([*inside, end])
        found += [(at, until - at) for at, until in pairs if marks[at] == "$d"]
    return tuple(found)
