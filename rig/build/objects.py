"""Compiles sources into objects, each once: the cache is keyed by everything that enters.

Enters: sources with their flags. Leaves: paths of objects in the cache. Never here: linking,
or choosing flags. A first key (source, flags, toolchain) finds the list of headers that the
last compile read; their contents complete the second key, the object's name.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rig.build.toolchain import Toolchain
from rig.cache import digest, write_atomically
from rig.errors import BuildError

PREBUILT = (".o", ".a")


@dataclass(frozen=True, slots=True)
class Unit:
    """One compile: `label` says for whom, in error messages and reports; `origin` is the
    script that `source` was generated from."""

    source: Path
    root: Path
    command: tuple[str, ...]
    label: str
    origin: Path | None = None

    @property
    def name(self) -> str:
        """The file as reports show it."""
        return relative(self.origin or self.source, self.root)


@dataclass(frozen=True, slots=True)
class Object:
    """A compiled unit; `source` is relative to the project where that is possible."""

    path: Path
    source: str
    key: str
    reused: bool


def compile_all(
    units: Sequence[Unit], toolchain: Toolchain, cache: Path, jobs: int
) -> tuple[Object, ...]:
    """Compiles in parallel what the cache lacks; BuildError holds every compiler's words."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(_compile, unit, toolchain, cache) for unit in units]
        try:
            results = [_outcome(future.result) for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    errors = [result for result in results if isinstance(result, BuildError)]
    if errors:
        raise BuildError("\n".join(str(error) for error in errors))
    return tuple(result for result in results if isinstance(result, Object))


def _outcome(result: Callable[[], Object]) -> Object | BuildError:
    try:
        return result()
    except BuildError as error:
        return error


def relative(path: Path, root: Path) -> str:
    """The path as reports show it: relative to the project where it lies inside."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _compile(unit: Unit, toolchain: Toolchain, cache: Path) -> Object:
    if unit.source.suffix in PREBUILT:
        return Object(unit.source, unit.name, digest(unit.source.read_bytes()), reused=True)
    argument = relative(unit.source, unit.root)
    first = digest(toolchain.identity, *unit.command, argument, unit.source.read_bytes())
    record = cache / "headers" / f"{first}.json"
    key = _known_key(first, record, unit.root)
    if key and (cache / "objects" / f"{key}.o").exists():
        return Object(cache / "objects" / f"{key}.o", unit.name, key, reused=True)
    return _run(unit, argument, first, record, cache)


def _known_key(first: str, record: Path, root: Path) -> str | None:
    try:
        headers: list[str] = json.loads(record.read_text())
        return _second_key(first, headers, root)
    except (OSError, ValueError):
        return None


def _second_key(first: str, headers: Sequence[str], root: Path) -> str:
    return digest(first, *((root / header).read_bytes() for header in headers))


def _run(unit: Unit, argument: str, first: str, record: Path, cache: Path) -> Object:
    (cache / "objects").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".build-") as folder:
        output, depends = Path(folder) / "unit.o", Path(folder) / "unit.d"
        command = [
            *unit.command,
            f"-ffile-prefix-map={unit.root}=.",
            *("-MMD", "-MF", str(depends), "-c", argument, "-o", str(output)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, cwd=unit.root, check=False)
        if done.returncode != 0:
            said = f"{done.stderr.rstrip()}{_advice(done.stderr, unit.root)}"
            raise BuildError(f"{unit.name}: cannot compile for {unit.label}:\n{said}")
        headers = _headers(depends.read_text(), unit) if depends.exists() else []
        key = _second_key(first, headers, unit.root)
        path = cache / "objects" / f"{key}.o"
        output.replace(path)
    write_atomically(record, json.dumps(headers).encode())
    return Object(path, unit.name, key, reused=False)


def _advice(words: str, root: Path) -> str:
    """Where a header that was not found is, if it is in the project."""
    match = re.search(r"fatal error: '?([^':]+?)'?(?: file not found|: No such file)", words)
    if match is None:
        return ""
    name = Path(match.group(1))
    folders = [path.parents[len(name.parts) - 1] for path in root.rglob(str(name))]
    near = f' (it is in "{relative(min(folders), root)}")' if folders else ""
    return f"\nname the folder of {name} under `include`{near}"


def _headers(rule: str, unit: Unit) -> list[str]:
    """The headers of a make rule, relative to the project; space, `#` and `$` come escaped. A
    .s file has no rule."""
    text = rule.replace("\\\n", " ").partition(": ")[2].replace("\\ ", "\0")
    words = (w.replace("\0", " ").replace("\\#", "#").replace("$$", "$") for w in text.split())
    paths = (unit.root / word for word in words)
    return sorted(os.path.relpath(path, unit.root) for path in paths if path != unit.source)
