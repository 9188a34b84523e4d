"""A library on this machine as a contestant, under the mask that stands for a path.

Enters: a library's path or name, the program that times, paths. Leaves: contestants beside those of
the paths, and what the library has not, in words. Each mask has a process of its own, as a library
reads its variable once. Never here: the library's functions (`library_worker`).
"""

import contextlib
import ctypes.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path as FilePath
from typing import Any, Self

from rig.architectures import host_architecture
from rig.bench.rounds import Contestant
from rig.bench.workloads import Workload
from rig.capabilities.bits import X86_ARCHITECTURES
from rig.capabilities.paths import Path, rule, slot_variants
from rig.capabilities.vector import Vector
from rig.cases import Answer
from rig.errors import RigError
from rig.project import Project

_WORKER = FilePath(__file__).with_name("library_worker.py")
_LONG = 1 << 20  # bytes of a message, where a path takes any
_IMPLIED = {
    **dict.fromkeys(("pclmul", "aes", "sse4.1"), ("ssse3",)),
    "sse4.2": ("sse4.1",),
    "avx": ("sse4.2",),
    **dict.fromkeys(("f16c", "fma", "xop", "avx2"), ("avx",)),
    "vaes": ("aes", "avx2"),
    "vpclmul": ("pclmul", "avx2"),
    "avx512f": ("avx2", "fma", "avx512bw"),  # but for the Xeon Phi
}
_NAMES = {"libcrypto": "crypto", "libsodium": "sodium"}


@dataclass(frozen=True, slots=True)
class Rival:
    """A library on one workload; `mask` is what it says of its vector, empty where it does not."""

    library: str
    mask: str
    contestant: Contestant


def find(text: str) -> str | None:
    """The library that `--against` names: a file, or by its short name what the system loads; None
    where there is none."""
    if text in _NAMES:
        return ctypes.util.find_library(_NAMES[text])
    return text if FilePath(text).is_file() else None


def equivalent(project: Project, path: Path) -> Vector:
    """The mask under which a library stands where a path does: as much of this machine's vector as
    still selects the path and a CPU may have together, as a library is written for such CPUs. Where
    no such one selects it, this machine's vector without what the path's mask lacks of the
    capabilities that decide."""
    manifest, primitive = project.manifest, project.manifest.primitives[path.primitive]
    variants = (v for _, vs in slot_variants(manifest, primitive, path.arch) for v in vs)
    named = frozenset(name for v in variants for name in v.needs.named)
    deciding = Vector.of(path.arch, named) - Vector.base(path.arch)
    length = _LONG if path.takes(_LONG) else path.lengths[0].first()
    for kept in _subsets(deciding & project.host):
        found = _together(project.host - (deciding - kept))
        if found & deciding == kept and rule(manifest, primitive, found, length) == path.choice:
            return found
    return project.host - (deciding - path.masks[0])


def _subsets(whole: Vector) -> Iterator[Vector]:
    """Of the named bits, the largest first."""
    for size in range(len(whole.names), -1, -1):
        for names in combinations(whole.names, size):
            yield Vector.of(whole.arch, names)


def _together(vector: Vector) -> Vector:
    """Without the capabilities that no CPU has unless it has another one, which is missing."""
    for name in vector.names:
        if any(not vector.has(other) for other in _implied(vector.arch, name)):
            return _together(vector - Vector.of(vector.arch, (name,)))
    return vector


def _implied(arch: str, name: str) -> tuple[str, ...]:
    if arch not in X86_ARCHITECTURES:
        return ()
    if name.startswith("avx512") and name != "avx512f":
        return ("avx512f",)
    return _IMPLIED.get(name, ())


def environment(mask: Vector) -> dict[str, str]:
    """The variable that gives OpenSSL this vector: absolute, all words."""
    if mask.arch in X86_ARCHITECTURES:
        return {"OPENSSL_ia32cap": str(mask)}
    return {"OPENSSL_armcap": f"{mask.words[0]:#x}"}


@dataclass(slots=True)
class Against:
    """The library's processes. `lacking` is what it has not, by what was asked for."""

    library: str
    timing: FilePath
    lacking: dict[str, str] = field(default_factory=dict)
    _masks: dict[str, Vector] = field(default_factory=dict)
    _processes: dict[str, "_Process"] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            process.close()

    def rival(
        self, project: Project, path: Path, workload: Workload, answer: Answer
    ) -> Rival | None:
        """The library as this path's rival; None where it cannot be, which `lacking` tells."""
        if project.arch != host_architecture() or project.emulator:
            self.lacking[f"{project.arch} {project.emulator or ''}".strip()] = (
                f"{self.library} is code for this machine itself"
            )
            return None
        if path.id not in self._masks:
            self._masks[path.id] = equivalent(project, path)
        process = self._process(self._masks[path.id])
        number = process.prepare(workload, answer)
        if isinstance(number, str):
            self.lacking[workload.title] = f"{process.name}: {number}"
            return None
        return Rival(process.name, process.mask, process.contestant(number))

    def _process(self, mask: Vector) -> "_Process":
        given = environment(mask)
        (key,) = given.values()
        if key not in self._processes:
            self._processes[key] = _Process(self.library, self.timing, given)
        return self._processes[key]


class _Process:
    """One process of the library; `name` and `mask` as it says."""

    def __init__(self, library: str, timing: FilePath, given: Mapping[str, str]) -> None:
        command = (sys.executable, "-I", str(_WORKER), library, str(timing))
        # A session of its own: Ctrl-C in the terminal is this process's to heed.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **given},
            text=True,
            start_new_session=True,
        )
        self._library = library
        hello = self._answer()
        if "lacking" in hello:
            self.close()
            raise RigError(f"--against {library}: {hello['lacking']}")
        self.name, self.mask = str(hello["name"]), str(hello["mask"])

    def close(self) -> None:
        """Ends it: its input does."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def prepare(self, workload: Workload, answer: Answer) -> int | str:
        """The number of a message, or why there is none."""
        inputs, outputs = workload.case.values.inputs, answer.outputs
        texts = {name: value.hex() for name, value in inputs.items() if isinstance(value, bytes)}
        found = self._ask(
            {
                "title": workload.title,
                "inputs": texts,
                "outputs": {name: value.hex() for name, value in outputs.items()},
            }
        )
        return str(found["lacking"]) if "lacking" in found else int(found["message"])

    def contestant(self, message: int) -> Contestant:
        """What repeats a message's calls."""

        def make(repeats: int) -> int:
            elapsed, empty = self._ask({"message": message, "repeats": repeats})
            return max(1, int(elapsed) - int(empty))

        return make

    def _ask(self, request: Mapping[str, Any]) -> Any:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # what ended it is told below
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            raise RigError(f"--against {self._library}: its process ended by itself ({code})")
        return json.loads(line)
