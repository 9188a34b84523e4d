"""A stand-alone reproducer of one case, in C or in Python.

Enters: a project, a path, a mask, a case with its answer. Leaves: the text of a program that
needs the project's sources and a compiler, but not the rig. Never here: compiling or running.

The program checks outputs, return values, inputs, and the memory around buffers. Garbage in
registers, kept registers and the path are the rig's alone; its comment says so.
"""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from string import Template

from rig.architectures import ARCHITECTURES
from rig.build.project import vector_symbol
from rig.capabilities.paths import Path, chosen_variants
from rig.capabilities.vector import Vector
from rig.cases import Answer, Case
from rig.commands.sources import compile_lines
from rig.contracts import Function, bits_of
from rig.errors import RigError
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, table_of
from rig.runner.batches import script_of
from rig.runner.scripts import Buffer, Call, Point, Pointer, Script, Side, TablePointer, Word

_CHOOSES = "a program would call by name what this contract's init puts into a table"
UNSEEN = ("abi", "path", "stack", "uninitialised")
_WIDTH = 96
_TEMPLATES = FilePath(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is reproduced; `check` and `summary` are what the rig found, `name` the program's
    file name without its suffix."""

    project: Project
    path: Path
    mask: Vector
    case: Case
    answer: Answer
    check: str
    summary: str
    name: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A call with the function's contract and symbol."""

    call: Call
    function: Function
    symbol: str


def emit(language: str, subject: Subject) -> str:
    """The program: `c` or `python`; RigError where an init chooses what is called."""
    calls = [step for step in _script(subject).steps if isinstance(step, Call)]
    if any(isinstance(a, TablePointer) and a.index for call in calls for a in call.arguments):
        raise RigError(f"--emit: {_CHOOSES}; run `rig replay` without it")
    if subject.case.placement.masks:
        raise RigError("--emit: a program has one mask; run `rig replay` without it")
    if language == "python" and any(call.ms_abi for call in calls):
        raise RigError("--emit python: ctypes calls nothing by ms_abi; use --emit c")
    text = (_TEMPLATES / f"reproducer.{_SUFFIXES[language]}.in").read_text(encoding="utf-8")
    return Template(text).substitute(_LANGUAGES[language](subject))


def _script(subject: Subject) -> Script:
    definition = PRIMITIVES[subject.path.primitive]
    bound = binding(subject.project, subject.path)
    return script_of(definition, bound, subject.case, subject.answer)


def _steps(subject: Subject, script: Script) -> tuple[_Step, ...]:
    bound = binding(subject.project, subject.path)
    roles = {target: role for role, target in bound.targets.items()}
    symbols = _symbols(subject)
    calls = [step for step in script.steps if isinstance(step, Call)]
    return tuple(
        _Step(c, bound.contract.function(roles[c.target]), symbols[roles[c.target]]) for c in calls
    )


def _symbols(subject: Subject) -> Mapping[str, str]:
    """The symbol of each role: the composition's, else the chosen variant's."""
    manifest, path = subject.project.manifest, subject.path
    primitive = manifest.primitives[path.primitive]
    if primitive.composed:
        return primitive.symbols
    return chosen_variants(manifest, primitive, path.arch, path.choice)[0].symbols


def _slots(subject: Subject) -> tuple[str, ...]:
    """The table of a composition as symbols, empty for a role that a variant has not; a leaf
    has no table."""
    project, path = subject.project, subject.path
    primitive = project.manifest.primitives[path.primitive]
    if not primitive.composed:
        return ()
    variants = chosen_variants(project.manifest, primitive, path.arch, path.choice)
    names = {project.image.entry(s): s for v in variants for s in v.symbols.values()}
    return tuple(names.get(a, "") for a in table_of(project, primitive, path.choice))


def _vector(subject: Subject) -> dict[str, str]:
    words = subject.mask.words[: subject.project.image.vector.words]
    return {
        "vector": vector_symbol(subject.project.manifest, subject.project.arch),
        "words": str(len(words)),
        "mask": ", ".join(f"{word:#x}" for word in words),
    }


def _heading(subject: Subject) -> Iterator[str]:
    path, case = subject.path, subject.case
    yield f"{path.primitive} {path.arch}, {path.name} ({path.kind}), mask {subject.mask}"
    yield f"{case.name}: {case.values.operation}"
    yield f"The rig found: {subject.check}: {subject.summary}"
    if subject.check in UNSEEN:
        yield (
            f"Of `{subject.check}` this program sees only what shows in outputs, inputs and "
            "memory: the garbage in registers, kept registers and the path are the rig's to check."
        )


def _comment(lines: Iterable[str], prefix: str) -> str:
    wrapped = (line for text in lines for line in _wrap(text, prefix))
    return "\n".join(wrapped)


def _wrap(text: str, prefix: str) -> list[str]:
    return textwrap.wrap(
        text.replace("*/", "* /"),
        _WIDTH,
        initial_indent=prefix,
        subsequent_indent=prefix,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _commands(lines: Iterable[str], prefix: str) -> str:
    return "\n".join(f"{prefix}{line}" for line in lines)


def _c(subject: Subject) -> dict[str, str]:
    script, slots = _script(subject), _slots(subject)
    steps = _steps(subject, script)
    compiled = compile_lines(subject.project, subject.path, f"{subject.name}.c", subject.name)
    return _vector(subject) | {
        "heading": _comment(_heading(subject), " * "),
        "compile": _commands((*compiled, f"./{subject.name}"), " *   "),
        "prototypes": "\n".join(_prototypes(steps, slots)),
        "slots": _c_slots(slots),
        "contents": "\n".join(_c_contents(script.buffers)),
        "buffers": "\n".join(_c_buffer(b, i) for i, b in enumerate(script.buffers)),
        "calls": "\n".join((*_c_points(script), *(t for s in steps for t in _c_call(s)))),
    }


def _prototypes(steps: Sequence[_Step], slots: Sequence[str]) -> Iterator[str]:
    for step in {step.symbol: step for step in steps}.values():
        arguments = ", ".join(f"{a.type} {a.name}" for a in step.function.arguments)
        convention = "__attribute__((ms_abi)) " if step.function.ms_abi else ""
        yield f"{convention}{step.function.returns} {step.symbol}({arguments});"
    for symbol in dict.fromkeys(slots):
        if symbol:
            yield f"void {symbol}(void); /* a slot: its address only */"


def _c_slots(slots: Sequence[str]) -> str:
    if not slots:
        return ""
    rows = ",\n    ".join(f"(void *){symbol}" if symbol else "NULL" for symbol in slots)
    return f"static void *slots[] = {{\n    {rows},\n}};\n"


def _c_contents(buffers: Sequence[Buffer]) -> Iterator[str]:
    for index, buffer in enumerate(buffers):
        for kind, data in (("content", buffer.content), ("expected", buffer.expected)):
            if data is not None:
                octets = ", ".join(f"0x{octet:02x}" for octet in data) or "0"
                rows = textwrap.fill(
                    octets, _WIDTH, initial_indent="    ", subsequent_indent="    "
                )
                size = max(1, len(data))
                yield f"static const uint8_t {kind}_{index}[{size}] = {{\n{rows},\n}};"


def _c_buffer(buffer: Buffer, index: int) -> str:
    content = f"content_{index}" if buffer.content is not None else "NULL"
    expected = f"expected_{index}" if buffer.expected is not None else "NULL"
    place = f"{buffer.size}, {buffer.align}, {buffer.skew}"
    alias = -1 if buffer.alias is None else buffer.alias
    flags = f"{buffer.constant:d}, {buffer.side is Side.END:d}, {alias}"
    return f'    {{"{buffer.name}", {place}, {content}, {expected}, {flags}, NULL, NULL, NULL, 0}},'


def _points(script: Script) -> list[Point]:
    return [step for step in script.steps if isinstance(step, Point)]


def _c_points(script: Script) -> Iterator[str]:
    for point in _points(script):
        into, target = f"buffers[{point.buffer}].at + {point.offset}", f"buffers[{point.target}].at"
        yield f"    memcpy({into}, &{target}, sizeof {target});"


def _python_points(script: Script) -> Iterator[str]:
    for point in _points(script):
        address = f"bytes(ctypes.c_void_p(BUFFERS[{point.target}].at))"
        yield f"    ctypes.memmove(BUFFERS[{point.buffer}].at + {point.offset}, {address}, PTR)"


def _c_call(step: _Step) -> Iterator[str]:
    arguments = zip(step.call.arguments, step.function.arguments, strict=True)
    words = ", ".join(_c_argument(passed, described.type) for passed, described in arguments)
    call = f"{step.symbol}({words})"
    kept = _kept(step)
    yield f'    before("{step.symbol}");'
    yield from (f"    keep({index});" for index in kept)
    if step.call.returns is None:
        yield f"    {call};"
    else:
        value, bits = step.call.returns.value, step.call.returns.bits
        yield f'    returned("{step.symbol}", (uint{bits}_t){call}, {value:#x});'
    yield from (f'    kept("{step.symbol}", {index});' for index in kept)
    yield f'    after("{step.symbol}");'


def _kept(step: _Step) -> list[int]:
    """The buffers that the call may read only, though an earlier one wrote them."""
    return [p.buffer for p in step.call.arguments if isinstance(p, Pointer) and p.kept]


def _c_argument(passed: object, kind: str) -> str:
    match passed:
        case Word(value=value):
            return f"({kind}){value:#x}"
        case Pointer(null=True):
            return "NULL"
        case Pointer(buffer=buffer, offset=offset):
            return f"(void *)(buffers[{buffer}].at{f' + {offset}' if offset else ''})"
    return "slots"


def _python(subject: Subject) -> dict[str, str]:
    script, slots = _script(subject), _slots(subject)
    vector = _vector(subject)
    return vector | {
        "heading": _comment(_heading(subject), ""),
        "compile": _commands(_shared_library(subject, vector), "    "),
        "slots": ", ".join(repr(symbol) for symbol in slots),
        "buffers": "\n".join(line for b in script.buffers for line in _python_buffer(b)),
        "calls": "\n".join(
            (*_python_points(script), *(_python_call(subject, s) for s in _steps(subject, script)))
        ),
    }


def _shared_library(subject: Subject, vector: Mapping[str, str]) -> Iterator[str]:
    """The vector is weak, so that a definition of the sources' own wins."""
    name = subject.name
    text = f"__attribute__((weak)) unsigned {vector['vector']}[{vector['words']}];"
    yield f"echo '{text}' > {name}-vector.c"
    main = f"-shared -fPIC -Wl,-Bsymbolic {name}-vector.c"
    yield from compile_lines(subject.project, subject.path, main, f"{name}.so")
    yield f"python3 {name}.py ./{name}.so"


def _python_buffer(buffer: Buffer) -> Iterator[str]:
    end = buffer.side is Side.END
    yield f"    Buffer({buffer.name!r}, {buffer.size}, {buffer.align}, {buffer.skew}, {end},"
    yield f"           {buffer.constant}, {buffer.alias},"
    yield from _python_bytes(buffer.content, ",")
    yield from _python_bytes(buffer.expected, "),")


def _python_bytes(data: bytes | None, end: str) -> Iterator[str]:
    if data is None:
        yield f"           None{end}"
        return
    rows = [data[i : i + 32].hex() for i in range(0, len(data), 32)] or [""]
    yield "           bytes.fromhex("
    yield from (f'               "{row}"' for row in rows)
    yield f"           ){end}"


def _python_call(subject: Subject, step: _Step) -> str:
    arch = ARCHITECTURES[subject.project.arch]
    kind = step.function.returns
    returns = "None" if kind == "void" else f"ctypes.c_uint{bits_of(kind, arch)}"
    expected = f"{step.call.returns.value:#x}" if step.call.returns else "None"
    arguments = (_python_argument(passed) for passed in step.call.arguments)
    words = (repr(step.symbol), str(_kept(step)), returns, expected, *arguments)
    return f"    call({', '.join(words)})"


def _python_argument(passed: object) -> str:
    match passed:
        case Word(value=value, bits=bits):
            return f"ctypes.c_uint{bits}({value:#x})"
        case Pointer(null=True):
            return "ctypes.c_void_p(None)"
        case Pointer(buffer=buffer, offset=offset):
            return (
                f"at({buffer})" if not offset else f"ctypes.c_void_p(at({buffer}).value + {offset})"
            )
    return "table()"


_SUFFIXES = {"c": "c", "python": "py"}
_LANGUAGES: Mapping[str, Callable[[Subject], dict[str, str]]] = {"c": _c, "python": _python}
