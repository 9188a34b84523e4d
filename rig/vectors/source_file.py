"""A vector file in memory, with the places of its records.

Enters: a path. Leaves: text, its JSON document, line numbers; or a Problem. Never here: knowing a
vector format.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rig.vectors.records import Problem


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's text, line ends as "\\n". `document` is its JSON value, None in other files."""

    path: Path
    text: str
    document: object = None

    def place(self, line: int) -> str:
        """path:line, lines counted from 1."""
        return f"{self.path}:{line}"

    def lines_of_key(self, key: str) -> Iterator[int]:
        """The lines on which a JSON member `key` stands, in the order of the document.

        The json module gives no positions: a key that each record has once marks them.
        """
        line, counted = 1, 0
        for found in re.finditer(rf'"{re.escape(key)}"\s*:', self.text):
            line += self.text.count("\n", counted, found.start())
            counted = found.start()
            yield line


def load(path: Path) -> SourceFile | Problem:
    """The file at `path`; a Problem when it cannot be read, is not UTF-8 or is broken JSON."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return Problem(f"{path}:1", f"cannot be read: {error}")
    if path.suffix != ".json":
        return SourceFile(path, text)
    try:
        return SourceFile(path, text, json.loads(text))
    except json.JSONDecodeError as error:
        return Problem(f"{path}:{error.lineno}", f"not JSON: {error.msg}, column {error.colno}")
    except (RecursionError, ValueError) as error:  # too deep, or a number of too many digits
        return Problem(f"{path}:1", f"not a vector file: {error}")
