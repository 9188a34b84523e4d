"""Turns scripts into assembly by the commands that a manifest gives under `generate`.

Enters: a script (perlasm, m4, ...) and a command. Leaves: the path of a .S file in the cache,
made once for the same command, script and scripts that it names. Never here: compiling it.
"""

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig.build.toolchain import Toolchain
from rig.cache import digest, write_atomically
from rig.errors import BuildError


def generate(
    script: Path, name: str, command: Sequence[str], flavour: str, toolchain: Toolchain, cache: Path
) -> Path:
    """The assembly of a script; BuildError holds the tool's own words.

    `{in}`, `{flavour}` and `{out}` in the command are replaced. A command without `{out}`, and
    a script that leaves it empty, write to standard output.
    """
    named = (path.read_bytes() for path in sorted(_named(script)))
    key = digest(toolchain.identity, *command, flavour, script.name, script.read_bytes(), *named)
    path = cache / "generated" / f"{key}.S"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _run(script, name, command, flavour, toolchain, path.parent))
    return path


def _named(script: Path) -> Iterator[Path]:
    """The scripts of the same suffix that the text names, such as a translator."""
    text = script.read_text(encoding="utf-8", errors="replace")
    for word in set(re.findall(rf"[\w./-]+{re.escape(script.suffix)}\b", text)):
        path = script.parent / word.lstrip("/")
        if path.is_file() and not path.samefile(script):
            yield path.resolve()


def _run(
    script: Path,
    name: str,
    command: Sequence[str],
    flavour: str,
    toolchain: Toolchain,
    cache: Path,
) -> bytes:
    """Runs in the script's own folder, as some find their translator by their own path; some
    leave code out unless CC names a compiler."""
    environment = {**os.environ, "CC": shlex.join(toolchain.compiler)}
    with tempfile.TemporaryDirectory(dir=cache, prefix=".generate-") as folder:
        out = Path(folder) / "out.S"
        values = {"{in}": f"./{script.name}", "{flavour}": flavour, "{out}": str(out)}
        words = [re.sub(r"\{\w+\}", lambda m: values[m.group()], word) for word in command]
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
