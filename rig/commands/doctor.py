"""`rig doctor`: proves what a run needs on this machine, one line per check.

Enters: parsed arguments. Leaves: text or JSON; exit code 2 if a run is not possible. Never
here: the user's project; what runs are the bundled planted faults.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path as FilePath

from rig import manifest as manifests
from rig.architectures import ARCHITECTURES, Architecture, host_architecture
from rig.build.project import build_runner
from rig.build.toolchain import Toolchain, find_toolchain
from rig.cache import cache_folder
from rig.capabilities.bits import X86_ARCHITECTURES
from rig.capabilities.host import CpuidLeaves, leaves
from rig.capabilities.paths import Path, sweep
from rig.capabilities.vector import Vector
from rig.cases import Case
from rig.checks.controls import run_controls
from rig.cli import COULD_NOT_RUN
from rig.commands.table import labelled
from rig.data import data_folder
from rig.errors import RigError
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep as length_sweep
from rig.options import Options
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, host_vector, prologue
from rig.runner.batches import make_batch
from rig.runner.client import RunFlag, Runner
from rig.runner.command import AbsentError, find_command
from rig.runner.events import Kind, RunResult
from rig.runner.session import Session
from rig.vectors.published import packaged

OK, FAIL, NOTE, UNTRIED = "ok", "FAIL", "note", "-"
_INDENT = 22
_PRIMITIVE = "chacha20"
_LENGTHS = range(66)
_BUDGET_US = 60_000
_EMULATORS = ("qemu-x86_64", "qemu-i386", "qemu-aarch64", "qemu-arm")
_YMM, _ZMM = 0x6, 0xE6  # what XCR0 must hold for AVX and for AVX-512 (SDM volume 1, 13.1)

_SANDBOX = (
    "SELinux (execmem), seccomp or MemoryDenyWriteExecute forbids memory that is writable and "
    "executable: run outside that sandbox"
)
_SIGNALS = "a debugger, tracer or sandbox keeps SIGTRAP from the process: run outside it"
_GUARDS = "SIGSEGV or its address does not arrive: run outside the tracer or sandbox"
_TIMERS = "setitimer(ITIMER_VIRTUAL) does not arrive: run outside the sandbox"


@dataclass(frozen=True, slots=True)
class Check:
    """One line: `status` is OK, FAIL, NOTE (information only) or UNTRIED (an earlier check
    that it needs failed); `fix` is what to do."""

    name: str
    status: str
    text: str
    fix: str = ""


class _UnseenError(RigError):
    """A check that did not see what it must see; the text is the fix."""


def main(parsed: argparse.Namespace) -> int:
    """Prints every check; 0 if a run is possible here, else 2."""
    checks = list(examine(parsed.cc or Options().cc, parsed.cache_dir))
    possible = all(check.status not in (FAIL, UNTRIED) for check in checks)
    if parsed.json:
        rows = [{"name": c.name, "status": c.status, "text": c.text, "fix": c.fix} for c in checks]
        print(json.dumps({"possible": possible, "checks": rows}, indent=1))
    else:
        print("\n".join(_lines(checks, possible)))
    return 0 if possible else COULD_NOT_RUN


def _lines(checks: list[Check], possible: bool) -> Iterator[str]:
    for check in checks:
        text = f"{check.text}; {check.fix}" if check.fix else check.text
        yield from labelled(f"{check.status:5} {check.name}", text, _INDENT)
    yield "a run is possible here" if possible else "no run is possible here: see FAIL"


def examine(cc: str, cache_dir: str | None) -> Iterator[Check]:
    """Every check in order; those that need one that failed are UNTRIED."""
    yield Check("Python", OK, platform.python_version())
    needed: dict[str, object] = {}
    for name, action in _steps(cc, cache_dir).items():
        yield _check(name, action, needed)
    for arch in ARCHITECTURES.values():
        if arch.name != needed.get("machine"):
            yield _foreign(arch, needed)
    yield from _packages()
    yield _emulators()
    if isinstance(cache := needed.get("cache"), FilePath):
        yield _room(cache)


@dataclass(frozen=True, slots=True)
class _Step:
    """`act` takes what the steps that it `needs` left, by their names, and gives what it
    leaves and the line's text; RigError where it fails."""

    needs: tuple[str, ...]
    act: Callable[..., tuple[object, str]]


def _check(name: str, step: _Step, left: dict[str, object]) -> Check:
    missing = [need for need in step.needs if need not in left]
    if missing:
        return Check(name, UNTRIED, f"not tried, as it needs: {', '.join(missing)}")
    try:
        left[name], text = step.act(*(left[need] for need in step.needs))
    except _UnseenError as error:
        return Check(name, FAIL, "does not work here", str(error))
    except RigError as error:
        first, *rest = str(error).splitlines()
        return Check(name, FAIL, f"{first} ..." if rest else first, _FIXES.get(name, ""))
    return Check(name, OK, text)


_FIXES: Mapping[str, str] = {"RWX memory": _SANDBOX}


def _steps(cc: str, cache_dir: str | None) -> dict[str, _Step]:
    project = ("image", "decoder")
    return {
        "machine": _Step((), _machine),
        "decoder": _Step((), _decoder),
        "cache": _Step((), lambda: _cache(cache_dir)),
        "compiler": _Step((), lambda: _compiler(cc)),
        "runner": _Step(("machine", "compiler", "cache"), _runner),
        "CPU": _Step(("machine", "runner"), _cpu),
        "image": _Step(("machine", "compiler", "cache", "runner"), _image),
        "RWX memory": _Step(project, _executable_memory),
        "traps": _Step((*project, "RWX memory"), _traps),
        "guard pages": _Step((*project, "RWX memory"), _guard_pages),
        "CPU timer": _Step((*project, "RWX memory"), _timer),
        "controls": _Step((*project, "traps", "guard pages", "CPU timer"), _controls),
    }


def _machine() -> tuple[str, str]:
    arch = host_architecture()
    if arch is None:
        machine = f"{platform.system()} {platform.machine()}"
        raise RigError(f"{machine}: this version of the rig has no runner for it")
    return arch, f"{arch}, {platform.system()} {platform.release()}"


def _decoder() -> tuple[str, str]:
    """capstone is for ARM, which an x86 machine runs too; iced-x86 has no wheel for ARM."""
    modules = {"capstone": "capstone"}
    if host_architecture() in X86_ARCHITECTURES:
        modules["iced_x86"] = "iced-x86"
    for module, package in modules.items():
        if find_spec(module) is None:
            raise RigError(f"{package} is not installed: `pip install {package}`")
    text = ", ".join(modules.values())
    return text, text


def _cache(chosen: str | None) -> tuple[FilePath, str]:
    folder = cache_folder(chosen)
    return folder, f"writable, {folder}"


def _compiler(cc: str) -> tuple[Toolchain, str]:
    toolchain = find_toolchain(cc)
    return toolchain, toolchain.identity


def _runner(arch: str, toolchain: Toolchain, cache: FilePath) -> tuple[str, str]:
    command = str(build_runner(arch, toolchain, cache))
    with Runner((command,)) as runner:
        return command, f"compiled, starts, speaks for {runner.arch.name}"


def _cpu(arch: str, command: str) -> tuple[Vector, str]:
    with Runner((command,)) as runner:
        vector = host_vector(runner)
        if arch not in X86_ARCHITECTURES:
            return vector, _names(vector)
        asked = leaves(runner.cpuid)
        xcr0 = runner.xgetbv() if vector.has("osxsave") else 0
    return vector, f"{_names(vector)}; {_wide(asked, xcr0)}"


def _names(vector: Vector) -> str:
    return " ".join((vector - Vector.base(vector.arch)).names) or "base only"


def _wide(asked: CpuidLeaves, xcr0: int) -> str:
    """AVX and AVX-512: whether the CPU has them and the system saves their registers."""
    rows = (
        ("AVX", asked.leaf1.ecx >> 28 & 1, xcr0 & _YMM == _YMM),
        ("AVX-512", asked.leaf7.ebx >> 16 & 1, xcr0 & _ZMM == _ZMM),
    )
    return ", ".join(
        f"{name} {'absent' if not present else 'usable' if saved else 'not saved by the system'}"
        for name, present, saved in rows
    )


def _image(arch: str, toolchain: Toolchain, cache: FilePath, _: str) -> tuple[Project, str]:
    path = data_folder("native") / "controls" / "rig.toml"
    project = build(manifests.read(path), arch, toolchain, cache, os.cpu_count() or 1)
    image = project.image
    return project, f"the planted faults: {image.compiled} compiled, {image.reused} reused, linked"


def _executable_memory(project: Project, _: str) -> tuple[bool, str]:
    result = _run(project, "clean", RunFlag.NONE)
    if result.events or result.abandoned:
        raise _UnseenError(_SANDBOX)
    return True, "code in writable memory runs"


def _traps(project: Project, *_: object) -> tuple[bool, str]:
    result = _run(project, "clean", RunFlag.COVERAGE)
    if result.events or not result.hits:
        raise _UnseenError(_SIGNALS)
    return True, f"traps arrive: {len(result.hits)} instructions recorded"


def _guard_pages(project: Project, *_: object) -> tuple[bool, str]:
    events = _run(project, "over_read", RunFlag.NONE).events
    if not any(e.kind is Kind.CRASH and e.address is not None for e in events):
        raise _UnseenError(_GUARDS)
    return True, "a read one byte too far is caught, with its address"


def _timer(project: Project, *_: object) -> tuple[bool, str]:
    events = _run(project, "endless", RunFlag.NONE).events
    if not any(e.kind is Kind.TIMEOUT for e in events):
        raise _UnseenError(_TIMERS)
    return True, f"an endless loop ends after {_BUDGET_US // 1000} ms of CPU time"


def _controls(project: Project, *_: object) -> tuple[bool, str]:
    controls = run_controls(project)
    escaped = [control.fault for control in controls if not control.held]
    if escaped:
        raise _UnseenError(
            f"not named rightly: {', '.join(escaped)}; report this as a bug of the rig"
        )
    planted = sum(bool(control.expected) for control in controls)
    return True, f"{planted} of {planted} planted faults caught, the clean twin passes"


def _run(project: Project, variant: str, flags: RunFlag) -> RunResult:
    """The first lengths of the sweep on one planted fault's direct path."""
    definition, path = PRIMITIVES[_PRIMITIVE], _path(project, variant)
    cases = [c for c, _ in zip(length_sweep(_PRIMITIVE), _LENGTHS, strict=False)]
    apart = [Case(c.name, c.values) for c in cases]
    answers = [answer(definition, case) for case in apart]
    batch = make_batch(definition, binding(project, path), apart, answers)
    start = prologue(project, path, path.masks[0])
    with _session(project) as session:
        return session.run(batch.data, start, flags=flags, seed=1, cpu_budget_us=_BUDGET_US)


def _session(project: Project) -> Session:
    return project.session()


def _path(project: Project, variant: str) -> Path:
    primitive = project.manifest.primitives[_PRIMITIVE]
    found = sweep(project.manifest, primitive, project.arch, None).paths
    return next(p for p in found if p.kind == "direct" and p.choice[0][1] == variant)


def _packages() -> Iterator[Check]:
    for package in packaged():
        status, fix = (OK, "") if package.present else (NOTE, package.install)
        absent = "" if package.present else "not installed: "
        yield Check("vectors", status, f"{absent}{package.holds} ({package.name})", fix)


def _foreign(arch: Architecture, left: Mapping[str, object]) -> Check:
    """Whether another architecture runs here, how, and as what CPU."""
    toolchain, cache = left.get("compiler"), left.get("cache")
    if not isinstance(toolchain, Toolchain) or not isinstance(cache, FilePath):
        return Check(arch.name, NOTE, "not tried, as it needs: compiler, cache")
    try:
        command = find_command(arch, build_runner(arch.name, toolchain, cache))
        with Runner(command) as runner:
            vector = host_vector(runner)
    except AbsentError as error:
        return Check(arch.name, NOTE, f"does not run here: {error.reason}", error.fix)
    except RigError as error:
        return Check(arch.name, NOTE, f"does not run here: {str(error).splitlines()[0]}")
    way = f"by {_emulator(command[0])}" if len(command) > 1 else "natively"
    return Check(arch.name, OK, f"runs here {way}: {_names(vector)}")


def _emulators() -> Check:
    """Those of Debian's qemu-user; that of x86_64 is for --emulate."""
    found = [_emulator(name) for name in _EMULATORS if shutil.which(name)]
    missing = [name for name in _EMULATORS if not shutil.which(name)]
    absent = [f"missing: {', '.join(missing)}"] if missing else []
    fix = "`apt-get install qemu-user`" if missing else ""
    return Check("emulators", NOTE, ", ".join(found + absent), fix)


def _emulator(program: str) -> str:
    """Its name and version."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"version (\S+)", done.stdout)
    return f"{program} {version[1]}" if version else program


def _room(cache: FilePath) -> Check:
    free = shutil.disk_usage(cache).free
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    text = f"{memory / 1e9:.1f} GB of memory free, {free / 1e9:.1f} GB on the cache's disk"
    return Check("room", NOTE, text)
