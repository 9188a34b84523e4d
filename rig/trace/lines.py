"""Source lines of machine code, from the DWARF line tables of an ELF file.

Enters: a linked ELF file and the project's root. Leaves: `Lines`, which tells the source
line of an address. Never here: reading the sources.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Any

from elftools.elf.elffile import ELFFile

from rig.cache import digest, write_atomically


@dataclass(frozen=True, slots=True, order=True)
class SourceLine:
    """A line of a source file; `path` is relative to the project's root if it lies there."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Lines:
    """From each of `starts`, sorted, up to the next the code belongs to the source line at
    the same index of `rows`, or to none."""

    starts: tuple[int, ...]
    rows: tuple[SourceLine | None, ...]

    def at(self, address: int) -> SourceLine | None:
        """Give the source line of the instruction at an address.

        None if the file says nothing, as for code that the compiler made up (line 0). Where a
        function was inlined it is the line in the innermost function.
        """
        index = bisect_right(self.starts, address) - 1
        return self.rows[index] if index >= 0 else None


def line_table(elf_path: Path, root: Path) -> Lines:
    """Read all line tables of an ELF file (DWARF 2 to 5, section 6.2); empty without any.

    Relative paths in it are taken as relative to `root`, which is what
    `-ffile-prefix-map=ROOT=.` leaves.
    """
    with elf_path.open("rb") as file:
        elf = ELFFile(file)
        if not elf.has_dwarf_info(strict=True):
            return Lines((), ())
        rows = list(_rows(elf.get_dwarf_info(), root))
    # Where one sequence ends and the next begins at the same address, the beginning counts.
    rows.sort(key=lambda row: (row[0], row[1] is not None))
    return Lines(tuple(address for address, _ in rows), tuple(line for _, line in rows))


def kept_line_table(elf_path: Path, root: Path) -> Lines:
    """`line_table` of a file that never changes; it is kept beside it, as reading DWARF takes
    most of a second."""
    key = digest(str(root), Path(__file__).read_bytes())
    kept = elf_path.with_name(f"{elf_path.stem}-{key}.lines")
    try:
        starts, rows, paths = json.loads(kept.read_bytes())
    except (OSError, ValueError):
        found = line_table(elf_path, root)
        write_atomically(kept, _packed(found))
        return found
    lines = [SourceLine(paths[file], line) for file, line in rows[0]]
    return Lines(tuple(starts), tuple(None if n < 0 else lines[n] for n in rows[1]))


def _packed(lines: Lines) -> bytes:
    """Starts; the distinct lines and each row's number among them, -1 for none; paths."""
    distinct = {line: n for n, line in enumerate(dict.fromkeys(r for r in lines.rows if r))}
    paths = {path: n for n, path in enumerate(dict.fromkeys(line.path for line in distinct))}
    rows = [[paths[line.path], line.line] for line in distinct]
    numbers = [distinct[row] if row else -1 for row in lines.rows]
    return json.dumps([lines.starts, [rows, numbers], [*paths]]).encode()


def function_lines(lines: Lines, addresses: Iterable[int]) -> dict[SourceLine, list[int]]:
    """Group the addresses of instructions by their source line, sorted by path and line."""
    groups: dict[SourceLine, list[int]] = {}
    for address in addresses:
        if (line := lines.at(address)) is not None:
            groups.setdefault(line, []).append(address)
    return dict(sorted(groups.items()))


def _rows(dwarf: Any, root: Path) -> Iterator[tuple[int, SourceLine | None]]:
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is not None:
            yield from _unit_rows(program, _paths(program, unit, root))


def _unit_rows(program: Any, paths: Sequence[str]) -> Iterator[tuple[int, SourceLine | None]]:
    """Give the rows of a unit. Within a sequence the last row of an address counts: those
    before it cover no byte."""
    sequence: dict[int, SourceLine | None] = {}
    first_file = 0 if program["version"] >= 5 else 1
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        stated = not state.end_sequence and state.line
        row = SourceLine(paths[state.file - first_file], state.line) if stated else None
        sequence[state.address] = row
        if state.end_sequence:
            yield from sequence.items()
            sequence = {}


def _paths(program: Any, unit: Any, root: Path) -> list[str]:
    """Give the paths of the files that a line program numbers, in its order."""
    stated = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    compiled_in = _text(stated.value) if stated else ""
    directories = [_text(each) for each in program["include_directory"]]
    if program["version"] < 5:
        directories.insert(0, compiled_in)  # up to DWARF 4, directory 0 is not written down
    return [
        _shown(PurePosixPath(compiled_in, directories[file.dir_index], _text(file.name)), root)
        for file in program["file_entry"]
    ]


def _shown(path: PurePosixPath, root: Path) -> str:
    full = PurePosixPath(normpath(root / path))
    top = PurePosixPath(normpath(root))
    return str(full.relative_to(top) if full.is_relative_to(top) else full)


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode(errors="surrogateescape")
