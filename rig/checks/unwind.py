"""The unwind check: at each instruction of assembly that was executed, call frame information
leads to the caller.

Enters: frames as a runner recorded them, one per instruction. Leaves: findings, one per function:
stack pointer, return address or a callee-saved register of the caller that an unwinder would get
wrong. Never here: C functions, whose information is the compiler's business, and shared
libraries, of whose sections the image keeps the loaded bytes only.

A function without any information is right as long as it neither moves the stack pointer nor
changes what is its caller's. On arm it may have exception tables instead, which are not read.
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

from rig.architectures import ARCHITECTURES, Architecture
from rig.build.image import Function
from rig.build.shared import SUFFIX as SHARED
from rig.capabilities.bits import X86_ARCHITECTURES
from rig.capabilities.paths import Path, chosen_variants
from rig.checks.findings import Finding
from rig.project import Project, decoded, functions_of, prologue, traps_of
from rig.runner.client import RunFlag
from rig.runner.events import Frame
from rig.runner.session import Session
from rig.trace.cfi import CallFrames, Cfa, How, Row, Rule, call_frames
from rig.trace.unwinding import Caller, UnwindError, step

CHECK = "unwind"
_COMPILED = (".c", ".cc", ".cpp", ".cxx", SHARED)
_DEEPEST = 64
_EXCEPTION_TABLES = "no call frame information; exception tables (EHABI) are not read"
_LONG_STACK = "the runner records 8192 bytes of stack at most"
Describe = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Unwound:
    """What frames gave: findings by script, and the functions that could not be judged, with the
    reason."""

    findings: tuple[Finding, ...]
    unjudged: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Chain:
    """A frame, the functions that it leads through, innermost first, and what is wrong."""

    frame: Frame
    through: tuple[Function, ...]
    wrong: str


def is_assembly(function: Function) -> bool:
    """Whether its call frame information was written by hand, or came with a prebuilt object."""
    return bool(function.source) and not function.source.endswith(_COMPILED)


def framed(project: Project, paths: Sequence[Path]) -> frozenset[str]:
    """The ids of the paths on which the check runs: for each variant in assembly one that runs it
    alone, for each composition in assembly one of it; a direct one where there is one."""
    ordered = sorted(paths, key=lambda path: path.kind != "direct")
    functions = [f for f in project.image.functions if is_assembly(f)]
    owners = {owner for f in functions for owner in project.owners[f.address]}
    alone = [next((p for p in ordered if _runs(p, *owner)), None) for owner in owners]
    composed = _composed(project)
    alone += [next((p for p in ordered if p.primitive == name), None) for name in composed]
    return frozenset(path.id for path in alone if path)


def _runs(path: Path, primitive: str, variant: str) -> bool:
    return path.primitive == primitive and (primitive, variant) in path.choice


def _composed(project: Project) -> list[str]:
    """The compositions whose own functions are assembly."""
    image = project.image
    found = []
    for primitive in project.manifest.primitives.values():
        symbols = primitive.symbols.values() if primitive.composed else ()
        functions = (image.function_at(image.symbols[s]) for s in symbols if s in image.symbols)
        if any(function and is_assembly(function) for function in functions):
            found.append(primitive.name)
    return found


def instructions(project: Project, path: Path) -> frozenset[int]:
    """The text offsets of the path's own instructions in assembly."""
    primitive, base = project.manifest.primitives[path.primitive], project.image.text.address
    variants = chosen_variants(project.manifest, primitive, project.arch, path.choice)
    own = {f.address for v in variants for f in functions_of(project, v) if is_assembly(f)}
    codes = (code for code in decoded(project.image).functions if code.address in own)
    return frozenset(i.address - base for code in codes for i in code.instructions)


def watching(project: Project) -> Session:
    """A runner that stops at assembly only."""
    base = project.image.text.address
    own = {f.address for f in project.image.functions if is_assembly(f)}
    codes = (code for code in decoded(project.image).functions if code.address in own)
    starts = {i.address - base for code in codes for i in code.instructions}
    taken = [trap for trap in traps_of(project.image) if trap.offset in starts]
    return Session(project.image, taken, project.runner)


def observe(
    project: Project, session: Session, path: Path, batch: bytes, seed: int, budget_us: int
) -> tuple[Frame, ...]:
    """The frames of a batch on a path under its first mask, in the order of first hits."""
    return session.run(
        batch,
        prologue(project, path, path.masks[0]),
        flags=RunFlag.COVERAGE | RunFlag.FRAMES,
        seed=seed,
        cpu_budget_us=budget_us,
    ).frames


def judge_frames(project: Project, frames: Sequence[Frame], describe: Describe) -> Unwound:
    """Unwinds each frame to the caller. Where one leads through several functions, it speaks of
    the innermost, unless those farther out are wrong by themselves."""
    table = _table(project.image.path)
    chains = [_follow(project, table, frame) for frame in frames if frame.data]
    faulty = sorted((chain for chain in chains if chain.wrong), key=lambda c: len(c.through))
    unjudged = dict.fromkeys(_names(project, (f for f in frames if not f.data)), _LONG_STACK)
    wrong: dict[str, list[_Chain]] = {}
    for chain in faulty:
        name, *outer = (function.name for function in chain.through)
        if project.arch == "arm" and table.at(_pc(project, chain.frame)) is None:
            unjudged[name] = _EXCEPTION_TABLES
        elif not (wrong.keys() | unjudged.keys()) & set(outer):
            wrong.setdefault(name, []).append(chain)
    found = (_finding(project, table, each, describe) for each in wrong.values())
    findings = sorted(found, key=lambda finding: finding.script or 0)
    return Unwound(tuple(findings), unjudged)


def _names(project: Project, frames: Iterable[Frame]) -> set[str]:
    functions = (project.image.function_at(_pc(project, frame)) for frame in frames)
    return {function.name for function in functions if function}


def _pc(project: Project, frame: Frame) -> int:
    return frame.registers[ARCHITECTURES[project.arch].registers.pc]


@functools.lru_cache(maxsize=4)
def _table(path: FilePath) -> CallFrames:
    return call_frames(path)


def _at_entry(arch: Architecture) -> Row:
    """The rules at the first instruction of a function, which are its calling convention's."""
    numbers = {name: number for number, name in arch.registers.dwarf.items()}
    pc, sp = numbers[arch.registers.pc], numbers[arch.registers.sp]
    if arch.name in X86_ARCHITECTURES:
        size = arch.pointer_bytes
        return Row(Cfa(sp, size), {pc: Rule(How.OFFSET, -size)}, pc)
    return Row(Cfa(sp), {}, numbers["lr" if "lr" in numbers else "x30"])


def _follow(project: Project, table: CallFrames, frame: Frame) -> _Chain:
    """Unwinds a frame until the call that the runner made."""
    arch, read = ARCHITECTURES[project.arch], functools.partial(_read, frame)
    registers: Mapping[int, int] = _numbered(frame.registers, arch)
    address, wrong = _pc(project, frame), ""
    through: list[Function] = []
    while len(through) < _DEEPEST and (function := project.image.function_at(address)):
        through.append(function)
        try:
            caller = step(table.at(address) or _at_entry(arch), registers, arch, read)
        except UnwindError as error:
            return _Chain(frame, tuple(through), f"{error}{_by(error.cfa, frame, arch)}")
        if caller.pc == frame.returned:
            return _Chain(frame, tuple(through), _difference(caller, frame, arch))
        wrong = _astray(caller, frame, arch)
        registers, address = caller.registers, caller.pc - 1
    return _Chain(frame, tuple(through), wrong)


def _numbered(registers: Mapping[str, int], arch: Architecture) -> dict[int, int]:
    names = arch.registers.dwarf.items()
    return {number: registers[name] for number, name in names if name in registers}


def _read(frame: Frame, address: int, size: int) -> int:
    offset = address - frame.stack
    if not 0 <= offset <= len(frame.data) - size:
        raise UnwindError(f"read at {address:#x}, which is not in the stack in use")
    return int.from_bytes(frame.data[offset : offset + size], "little")


def _difference(caller: Caller, frame: Frame, arch: Architecture) -> str:
    """The first of what an unwinder would get wrong of the right caller; empty if nothing."""
    sp = frame.caller[arch.registers.sp]
    if caller.cfa != sp:
        return f"the caller's stack pointer comes out as {caller.cfa:#x}, it was {sp:#x}"
    found = {n: caller.registers.get(number) for number, n in arch.registers.dwarf.items()}
    for name, value in frame.caller.items():
        if found[name] != value:
            shown = "undefined" if found[name] is None else f"{found[name]:#x}"
            return f"the caller's {name} comes out as {shown}, it was {value:#x}"
    return ""


def _astray(caller: Caller, frame: Frame, arch: Architecture) -> str:
    """What is wrong where the return address is no code's."""
    text = f"the return address comes out as {caller.pc:#x}, which is no caller's"
    return f"{text}{_by(caller.cfa, frame, arch)}"


def _by(cfa: int | None, frame: Frame, arch: Architecture) -> str:
    """The CFA where it may be to blame: in a function called from another it is another."""
    sp = frame.caller[arch.registers.sp]
    if cfa in (None, sp):
        return ""
    return f"; the CFA is {cfa:#x}, the stack pointer at the runner's call was {sp:#x}"


def _finding(
    project: Project, table: CallFrames, chains: Sequence[_Chain], describe: Describe
) -> Finding:
    """What is wrong in a function, at the instruction that was executed first."""
    first, name = chains[0], chains[0].through[0].name
    place = describe(_pc(project, first.frame))
    text = f"{place}: {first.wrong}"
    if table.at(_pc(project, first.frame)) is None:
        text = f"no call frame information at {place}, where it is needed: {first.wrong}"
    details = [f"called by {name}" for name in dict.fromkeys(f.name for f in first.through[1:])]
    further = len(chains) - 1
    if further:
        plural = "s" * (further > 1)
        details.append(f"and at {further} further instruction{plural} of this function")
    return Finding(CHECK, first.frame.script, text, tuple(details), name)
