"""Corpora: cases that reached something, kept from run to run and beside a manifest.

Enters: cases. Leaves: JSON files. Never here: answers; the oracle gives them anew, so that a
corpus cannot state a wrong one.

A committed corpus is the folder `corpus` beside rig.toml: `corpus/PRIMITIVE/*.json`, each file
with cases for every path of that primitive. What a run keeps in its cache has the same form.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rig.cache import write_atomically
from rig.cases import Case, from_json, to_json
from rig.errors import RigError
from rig.primitives import PRIMITIVES

FORMAT = "variant-rig corpus 1"
FOLDER = "corpus"


class CorpusError(RigError):
    """A file that is no corpus; the message says where and why."""


def committed(root: Path, primitive: str) -> tuple[Case, ...]:
    """The cases of a primitive beside a manifest; CorpusError for a file that is none."""
    files = sorted((root / FOLDER / primitive).glob("*.json"))
    return tuple(case for file in files for case in read(file, primitive))


def kept(file: Path, primitive: str) -> tuple[Case, ...]:
    """The cases that an earlier run kept in the cache; none where it has not, or by another
    version."""
    try:
        return read(file, primitive)
    except CorpusError:
        return ()


def read(file: Path, primitive: str) -> tuple[Case, ...]:
    """The cases of a file; CorpusError with what is wrong."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ValueError(f"format is {document['format']!r}, not {FORMAT!r}")
        return tuple(_case(file, each, primitive) for each in document["cases"])
    except OSError as error:
        raise CorpusError(f"{file}: cannot read the corpus: {error.strerror}") from error
    except KeyError as error:
        raise CorpusError(f"{file}: not a corpus of {primitive}: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise CorpusError(f"{file}: not a corpus of {primitive}: {error}") from error


def _case(file: Path, document: dict[str, Any], primitive: str) -> Case:
    case = replace(from_json(document), name=f"corpus {file.stem} {document['name']}")
    values = case.values
    if values.primitive != primitive or values.operation not in PRIMITIVES[primitive].operations:
        raise ValueError(f"{values.primitive} {values.operation} is no operation of it")
    return replace(case, expected=None)


def write(file: Path, path: str, cases: Sequence[Case]) -> None:
    """Puts cases into a file, the same bytes for the same cases; `path` is for the reader."""
    numbered = [replace(c, name=str(n), expected=None) for n, c in enumerate(cases)]
    document = {"format": FORMAT, "path": path, "cases": [to_json(case) for case in numbered]}
    write_atomically(file, (json.dumps(document, indent=1) + "\n").encode())
    file.chmod(0o644)
