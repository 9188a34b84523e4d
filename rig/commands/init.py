"""`rig init`: a first manifest for a folder of native code.

Enters: parsed arguments. Leaves: FOLDER/rig.toml, written if there is none; RigError where
nothing in the folder is known to the rig. Never here: what a name or an object means; see
`rig.survey`.
"""

import argparse
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig import manifest as manifests
from rig.architectures import ARCHITECTURES
from rig.build.objects import compile_all
from rig.build.project import build_image, support_unit
from rig.build.toolchain import Toolchain, find_toolchain
from rig.cache import cache_folder
from rig.cli import DEFAULT_MANIFEST
from rig.errors import BuildError, RigError
from rig.manifest import Manifest
from rig.options import Options
from rig.survey.drafts import Draft, Note, draft
from rig.survey.functions import read_object
from rig.survey.manifest_text import write_manifest
from rig.survey.objects import (
    FLAVOURS,
    GENERATE,
    SUFFIXES,
    Made,
    Refused,
    compiles_with,
    make_all,
    native_files,
)
from rig.survey.stanzas import Found

# Reasons that say what to do, so that they come before others.
_MENDABLE = ("cannot generate", "file not found", "is not marked as a function", "`link`")


def main(parsed: argparse.Namespace) -> int:
    """Writes the manifest, builds by it, and says what came out."""
    folder = Path(parsed.folder).resolve()
    path = folder / DEFAULT_MANIFEST
    _check(folder, path)
    toolchain = find_toolchain(parsed.cc or Options().cc)
    cache, jobs = cache_folder(parsed.cache_dir), os.cpu_count() or 1
    files = native_files(folder)
    if not files:
        raise RigError(
            f"{folder}: no native sources or objects ({' '.join(SUFFIXES)}) to begin with"
        )
    print(f"{folder}: native files to compile and read: {len(files)}", flush=True)
    bare = _bare(path)
    results = make_all(bare, files, toolchain, cache, jobs)
    found, refused = _read(bare, results, toolchain, cache)
    made = draft(found, _supplied(found, toolchain, cache))
    notes = [*_refusals(found, refused)]
    if not made.stanzas:
        raise RigError(_nothing(folder, files, [*notes, *made.notes]))
    _write(path, write_manifest(made, folder, _include(results, made), notes))
    _build(path, made, toolchain, cache, jobs)
    print(_said(path, made, len(notes) + len(made.notes)))
    return 0


def _check(folder: Path, path: Path) -> None:
    if not folder.is_dir():
        raise RigError(f"{folder}: no such folder")
    if path.exists():
        raise RigError(f"{path} exists and stays as it is; remove it, or name another folder")
    if not os.access(folder, os.W_OK):
        raise RigError(f"{folder}: cannot be written; copy the sources to a folder that can")


def _bare(path: Path) -> Manifest:
    """What a source is compiled by before there is a manifest."""
    return Manifest(
        path=path,
        root=path.parent,
        include=(),
        vector={},
        dispatch=None,
        primitives={},
        accept=(),
        generators={suffix: tuple(command.split()) for suffix, command in GENERATE.items()},
        flavour=FLAVOURS,
    )


def _read(
    draft: Manifest, results: Sequence[Made | Refused], toolchain: Toolchain, cache: Path
) -> tuple[list[Found], list[Refused]]:
    found, refused = [], []
    for made in results:
        if isinstance(made, Refused):
            refused.append(made)
            continue
        try:
            content = read_object(made.path, made.arch, toolchain, cache)
        except BuildError as error:
            refused.append(Refused(made.file, made.arch, str(error)))
            continue
        used = frozenset(name for code in content.functions.values() for name in code.needs)
        spare = not made.asked <= used and compiles_with(draft, made, used, toolchain, cache)
        asked = frozenset() if spare else made.asked
        found.append(Found(made.file, made.arch, content, asked))
    return found, refused


def _supplied(
    found: Sequence[Found], toolchain: Toolchain, cache: Path
) -> dict[str, frozenset[str]]:
    """The symbols that the rig links to every image, by architecture."""
    supplied = {}
    for arch in dict.fromkeys(each.arch for each in found):
        unit = support_unit(ARCHITECTURES[arch], toolchain)
        (support,) = compile_all([unit], toolchain, cache, 1)
        supplied[arch] = read_object(support.path, arch, toolchain, cache).defined
    return supplied


def _refusals(found: Sequence[Found], refused: Sequence[Refused]) -> Iterator[Note]:
    """A file that is read for one architecture need not be for another."""
    read = {each.file for each in found if each.content.defined}
    for file in dict.fromkeys(each.file for each in refused):
        if file not in read:
            reason = next(each.reason for each in refused if each.file == file)
            yield Note(file, reason)


def _include(results: Sequence[Made | Refused], made: Draft) -> list[Path]:
    """The folders in which the compiler found the headers of what the manifest names."""
    files = {s.file for s in made.stanzas} | {f for paths in made.link.values() for f in paths}
    named = (r for r in results if isinstance(r, Made) and r.file in files)
    return list(dict.fromkeys(folder for result in named for folder in result.include))


def _nothing(folder: Path, files: Sequence[Path], notes: Sequence[Note]) -> str:
    """One line: what was looked at, the first reason, what to do."""
    told = sorted(notes, key=lambda note: not any(word in note.text for word in _MENDABLE))
    why = f": {told[0].file.name}: {told[0].text}" if told else ""
    plural = "s" * (len(files) != 1)
    return (
        f"{folder}: nothing that the rig can test in {len(files)} file{plural}{why}; write a "
        "rig.toml that says by `symbols` which functions are which, see docs/manifest.md"
    )


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise RigError(f"{path}: cannot be written: {error.strerror}") from error


def _build(path: Path, made: Draft, toolchain: Toolchain, cache: Path, jobs: int) -> None:
    """What is written must build; where it does not, the reason is worth more than the file."""
    read = manifests.read(path)
    for arch in dict.fromkeys(stanza.arch for stanza in made.stanzas):
        try:
            build_image(read, arch, toolchain, cache, jobs)
        except BuildError as error:
            raise RigError(f"{path} is written and does not build yet: {error}") from error


def _said(path: Path, made: Draft, left: int) -> str:
    count: dict[str, int] = {}
    for stanza in made.stanzas:
        count[stanza.arch] = count.get(stanza.arch, 0) + 1
    variants = ", ".join(f"{n} for {arch}" for arch, n in count.items())
    primitives = ", ".join(dict.fromkeys(stanza.primitive for stanza in made.stanzas))
    unsure = sum(bool(stanza.doubts) for stanza in made.stanzas)
    return (
        f"{path}: variants of {primitives}: {variants}\n"
        f"{unsure} of them with a guess to look at (`# ?`), {left} notes on what is not tested\n"
        f"next: rig run {shlex.quote(str(path))}"
    )
