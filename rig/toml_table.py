"""A table of a TOML file with the lines that it stands on.

Enters: the path of a file. Leaves: values of the wanted type, or ManifestError
`path:line: message`. Never here: what a key means. tomllib gives no positions, so a line is
found by searching for the offending name between the lines where its table begins and ends.
"""

import difflib
import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.errors import ManifestError

_CODE = re.compile(r"""(?:[^#"']|"(?:\\.|[^"\\])*"|'[^']*'|["'])*""")
_HEADER = re.compile(r"""\s*\[\[?\s*["']?([^\[\]"'.=,]+)["']?\s*[.\]]""")


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of a file, by number and without comments; `start` is where they begin."""

    path: Path
    start: int
    lines: tuple[tuple[int, str], ...]

    def place(self, number: int | None = None) -> str:
        """`path:line` of a line, of the first one where it is None."""
        return f"{self.path}:{number or self.start}"

    def key(self, name: str) -> str:
        """Where `name =` or a table of that name stands, at the start of a line if it does."""
        start = re.compile(rf"""\s*\[*\s*["']?{re.escape(name)}["']?\s*[=.\]]""")
        first = (number for number, line in self.lines if start.match(line))
        return self.place(next(first, None) or next(self.keys(name), None))

    def keys(self, name: str) -> Iterator[int]:
        """The number of the line of each `name =`, in order."""
        word = re.escape(name)
        pattern = re.compile(
            rf"""(?:^|[\s{{,.])["']?{word}["']?\s*[=.]|^\s*\[+\s*["']?{word}["']?\s*[.\]]"""
        )
        for number, line in self.lines:
            yield from (number for _ in pattern.finditer(line))

    def value(self, text: str, key: str) -> str:
        """Where that string stands in quotes, else where its key does."""
        found = (n for n, line in self.lines if f'"{text}"' in line or f"'{text}'" in line)
        number = next(found, None)
        return self.place(number) if number else self.key(key)

    def between(self, start: int, end: int | None) -> "Region":
        """The lines from one number to before another, the end if that is None."""
        kept = tuple(row for row in self.lines if start <= row[0] and (not end or row[0] < end))
        return Region(self.path, start, kept)


@dataclass(frozen=True, slots=True)
class Table:
    """What tomllib read, and where it stands."""

    content: Mapping[str, Any]
    region: Region

    def error(self, key: str, message: str) -> ManifestError:
        """An error at a key of this table."""
        return ManifestError(f"{self.region.key(key)}: {message}")

    def error_at(self, text: str, key: str, message: str) -> ManifestError:
        """An error at a string that stands under a key of this table."""
        return ManifestError(f"{self.region.value(text, key)}: {message}")

    def only(self, keys: Sequence[str]) -> None:
        """Raises for a key that is none of these."""
        for key in self.content:
            if key not in keys:
                raise self.error(key, f"unknown key `{key}`{nearest(key, keys)}")

    def string(self, key: str, default: str = "") -> str:
        """A string that is not empty; the default where the key is absent."""
        if key not in self.content:
            return default
        value = self.content[key]
        if not isinstance(value, str) or not value:
            raise self.error(key, f"`{key}` must be a string that is not empty")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of strings; none where the key is absent."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            raise self.error(key, f"`{key}` must be a list of strings")
        return tuple(value)

    def flag(self, key: str) -> bool:
        """A truth value; true where the key is absent."""
        value = self.content.get(key, True)
        if not isinstance(value, bool):
            raise self.error(key, f"`{key}` must be true or false")
        return value

    def names(self, key: str) -> dict[str, str]:
        """A table of strings; empty where the key is absent."""
        value = self.content.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(v, str) and v for v in value.values()):
            raise self.error(key, f"`{key}` must be a table of strings")
        return value

    def numbers(self, key: str) -> dict[str, int]:
        """A table of numbers, 0 or more; empty where the key is absent."""
        value = self.content.get(key, {})
        if not isinstance(value, dict) or not all(
            type(v) is int and 0 <= v <= 1 << 40 for v in value.values()
        ):
            raise self.error(key, f"`{key}` must be a table of numbers, 0 or more")
        return value

    def inside(self, key: str) -> "Table":
        """The table under a key; its lines are those of its header, else all of this one's."""
        owned = tuple(_lines_under(key, self.region.lines))
        region = Region(self.region.path, owned[0][0], owned) if owned else self.region
        return Table(self.content[key], region)

    def rows(self, key: str) -> Iterator["Table"]:
        """The tables of a list of tables, each with its own lines."""
        value = self.content.get(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"`{key}` must be a list of tables")
        starts = [self._start(value, number) for number in range(len(value))]
        ends = [max(start + 1, end) for start, end in itertools.pairwise(starts)]
        for row, start, end in itertools.zip_longest(value, starts, ends):
            lines = self.region.between(start, end)
            if not isinstance(row, dict) or not row:
                raise ManifestError(f"{lines.place()}: each of `{key}` must be a table")
            yield Table(row, lines)

    def _start(self, rows: Sequence[Any], number: int) -> int:
        """The line of a row's first key: as often as rows up to it have that key, it stands."""
        row = rows[number]
        if not isinstance(row, dict) or not row:
            return self.region.start
        first = next(iter(row))
        count = sum(isinstance(r, dict) and first in r for r in rows[: number + 1])
        places = list(self.region.keys(first))
        return places[count - 1] if len(places) >= count else self.region.start


def read_toml(path: Path) -> Table:
    """A whole file; ManifestError where it cannot be read or is not TOML."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ManifestError(f"{path}: cannot read the manifest: {reason}") from error
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError(f"{path}:{line}: not UTF-8: byte {data[error.start]:#x}") from error
    lines = tuple((n, _code(line)) for n, line in enumerate(text.split("\n"), start=1))
    try:
        content = tomllib.loads(text)
    except RecursionError as error:
        raise ManifestError(f"{path}:1: not TOML that can be read: nested too deep") from error
    except ValueError as error:  # TOMLDecodeError, and int() on a number of 5000 digits
        raise ManifestError(_toml_message(path, str(error), len(lines))) from error
    return Table(content, Region(path, 1, lines))


def top_of(table: Table) -> Table:
    """The keys that stand before the first header, and the headers."""
    top = list(_lines_under("", table.region.lines))
    headers = [row for row in table.region.lines if _HEADER.match(row[1]) and row not in top]
    return Table(table.content, Region(table.region.path, 1, (*top, *headers)))


def nearest(word: str, names: Iterable[str]) -> str:
    """The end of an error message: the nearest valid name, else all of them."""
    names = list(names)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean `{close[0]}`?"
    return f"; valid: {', '.join(names)}" if names else ""


def _code(line: str) -> str:
    found = _CODE.match(line)
    return found.group() if found else ""


def _lines_under(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines of a top-level table, those of its own tables among them; `""` for none."""
    owner = ""
    for number, line in lines:
        header = _HEADER.match(line)
        if header:
            owner = header.group(1).strip()
        if owner == name:
            yield number, line


def _toml_message(path: Path, message: str, last: int) -> str:
    text, found, position = message.rpartition(" (at ")
    line = re.match(r"line (\d+)", position)
    number = line.group(1) if line else last if found else 1
    return f"{path}:{number}: not TOML: {text if found else message}"
