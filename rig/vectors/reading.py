"""From a path to records: which reader a file is for.

Enters: the path of a file or folder. Leaves: vectors and problems. Never here: any format. A new
format is one module with `knows` and `read` and one entry in `READERS`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from rig.vectors import acvp, own, rsp, wycheproof
from rig.vectors.records import Problem, Vector
from rig.vectors.source_file import SourceFile, load

Knows = Callable[[SourceFile], bool]
Read = Callable[[SourceFile], Iterator[Vector | Problem]]

READERS: tuple[tuple[Knows, Read], ...] = (
    (rsp.knows, rsp.read),
    (own.knows, own.read),
    (wycheproof.knows, wycheproof.read),
    (acvp.knows, acvp.read),
)

# Provenance of vectors, as the rig's own folder has it.
PROVENANCE = "SOURCES.toml"


def read(path: Path) -> Iterator[Vector | Problem]:
    """The records of one file, told by its name's ending and its content.

    A file that no reader knows is a Problem, and so is one that cannot be read or is empty; only
    ACVP's answers give nothing when their prompt is beside them, which is read with them.
    """
    file = load(path)
    if isinstance(file, Problem):
        yield file
        return
    for knows, reader in READERS:
        if knows(file):
            yield from _something(file, reader(file))
            return
    yield Problem(
        file.place(1),
        "no reader knows this file: it is no CAVP AES-GCM .rsp, no Wycheproof or ACVP JSON "
        f"and has no format {own.FORMAT!r}",
    )


def _something(file: SourceFile, records: Iterator[Vector | Problem]) -> Iterator[Vector | Problem]:
    first = next(records, None)
    if first is not None:
        yield first
        yield from records
    elif not acvp.read_with_prompt(file):
        yield Problem(file.place(1), "holds no records")


def read_folder(path: Path) -> Iterator[Vector | Problem]:
    """The records of every file under `path`, in the order of their paths.

    Only SOURCES.toml and names that begin with a dot, of files or folders, are passed over. A
    folder without files is a Problem.
    """
    files = sorted(file for file in path.rglob("*") if file.is_file() and _offered(file, path))
    if not files:
        yield Problem(f"{path}:1", "holds no vector files" if path.is_dir() else "is no folder")
    for file in files:
        yield from read(file)


def _offered(file: Path, folder: Path) -> bool:
    names = file.relative_to(folder).parts
    return file.name != PROVENANCE and not any(name.startswith(".") for name in names)
