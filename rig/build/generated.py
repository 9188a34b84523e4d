"""Turns scripts into assembly by the commands that a manifest gives under `generate`.

Enters: a script (perlasm, m4, ...) and a command. Leaves: the path of a .S file in the cache,
made once for the same command, script and scripts around it. Never here: compiling it.
"""

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rig.cache import digest, write_atomically
from rig.errors import BuildError

# `${dir}../../perlasm/xlate.pl` is `../../perlasm/xlate.pl` from the script's folder.
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\})/?")
_WORD = re.compile(r"[\w./-]{1,255}")


@dataclass(frozen=True, slots=True)
class Generator:
    """How scripts of one suffix are run: `command` has `{in}`, `{flavour}` and `{out}` in it,
    `compiler` is for scripts that ask what it can assemble."""

    command: tuple[str, ...]
    flavour: str
    compiler: tuple[str, ...]
    identity: str


def generate(script: Path, name: str, how: Generator, cache: Path) -> Path:
    """The assembly of a script; BuildError holds the tool's own words.

    A command without `{out}`, and a script that leaves it empty, write to standard output.
    `{flavour}` as a word of its own may be several words, or none. The file is named by its
    content, so that a script that gives the same again costs no compile.
    """
    around = (part for path in _around(script) for part in (path.name, path.read_bytes()))
    told = (how.identity, *how.compiler[1:], how.flavour, *how.command)
    record = cache / "generated" / digest(*told, name, script.read_bytes(), *around)
    path = _recorded(record)
    if path is None:
        text = _run(script, name, how)
        path = record.parent / f"{digest(name, text)}.S"
        write_atomically(path, text)
        write_atomically(record, path.name.encode())
    return path


def _recorded(record: Path) -> Path | None:
    try:
        path = record.parent / record.read_text()
    except FileNotFoundError:
        return None
    return path if path.is_file() else None


def _around(script: Path) -> list[Path]:
    """What the script may read: every file that its text names, and every script of its suffix
    in its folder and in the folders that it names or that hold such a file; likewise what those
    scripts name. So a script whose name is put together at run time is found by its folder."""
    own = script.parent
    folders, seen, waiting = {own}, {script}, [script]
    while waiting:
        path = waiting.pop()
        for named in {*_named(path, path.parent), *_named(path, own)}:
            folder = named if named.is_dir() else named.parent
            found = {named} - {folder}
            if folder not in folders:
                folders.add(folder)
                found.update(folder.glob(f"*{script.suffix}"))
            waiting += (each for each in found - seen if each.suffix == script.suffix)
            seen |= found
    return sorted(seen.union(*(folder.glob(f"*{script.suffix}") for folder in folders)))


def _named(script: Path, folder: Path) -> Iterator[Path]:
    """The files and folders that a text names, as seen from a folder."""
    text = _VARIABLE.sub(" ", script.read_text(encoding="utf-8", errors="replace"))
    near = {path.name for path in folder.iterdir()} | {".."}
    for word in set(_WORD.findall(text)):
        path = (folder / word.lstrip("/")).resolve()
        if (word in near or "/" in word) and path.exists():
            yield path


def _run(script: Path, name: str, how: Generator) -> bytes:
    """Runs in the script's own folder, as some find their translator by their own path; some
    leave code out unless CC names a compiler. The output is outside of the cache, whose path
    may hold a space: some hand it to a shell as it is."""
    environment = {**os.environ, "CC": shlex.join(how.compiler)}
    with tempfile.TemporaryDirectory(prefix="rig-generate-") as folder:
        out = Path(folder) / "out.S"
        words = list(_words(how, f"./{script.name}", str(out)))
        try:
            done = subprocess.run(
                words, capture_output=True, cwd=script.parent, env=environment, check=False
            )
        except OSError as error:
            raise BuildError(
                f"{name}: cannot generate: {words[0]}: {error.strerror}; install it, or change "
                "`generate` in the manifest"
            ) from error
        said = done.stderr.decode(errors="replace").rstrip()
        written = out.read_bytes() if out.exists() else b""
    if done.returncode != 0 or not (written or done.stdout):
        outcome = f"ended with {done.returncode}" if done.returncode else "wrote nothing"
        raise BuildError(f"{name}: cannot generate: {shlex.join(words)} {outcome}\n{said}")
    return written or done.stdout


def _words(how: Generator, script: str, out: str) -> Iterator[str]:
    values = {"{in}": script, "{flavour}": how.flavour, "{out}": out}
    for word in how.command:
        if word == "{flavour}":
            yield from shlex.split(how.flavour)
        else:
            yield re.sub(r"\{\w+\}", lambda match: values[match.group()], word)
