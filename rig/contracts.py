"""Station 1b: reads a primitive's C header, prototypes plus one comment line per argument.

Enters: a header (see native/include/aes.h for the form). Leaves: a frozen `Contract`. cffi
parses the types; widths come from the architecture's table, never from the host. Never here:
what a primitive computes.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from cffi import FFI

from rig.architectures import Architecture
from rig.errors import ManifestError


class Direction(Enum):
    """What a call does with an argument."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"
    VALUE = "value"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; `size` is an expression over the value arguments, in bytes."""

    name: str
    direction: Direction
    type: str
    size: str | None = None
    align: int = 1
    secret: bool = False
    opaque: bool = False
    nullable: bool = False
    alias: str | None = None
    min: int = 0
    max: int | None = None
    multiple: int = 1

    @property
    def pointer(self) -> bool:
        """Whether it is a pointer to a buffer of the case."""
        return self.direction in (Direction.IN, Direction.OUT, Direction.INOUT)


@dataclass(frozen=True, slots=True)
class Function:
    """One function; `role` is its name without the header's stem: ghash_init is `init`."""

    role: str
    arguments: tuple[Argument, ...]
    returns: str

    def argument(self, name: str) -> Argument:
        """The argument of that name; KeyError if there is none."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Contract:
    """The functions of a primitive, in the order of the header."""

    path: Path
    functions: tuple[Function, ...]

    def function(self, role: str) -> Function:
        """The function of that role; KeyError if there is none."""
        for function in self.functions:
            if function.role == role:
                return function
        raise KeyError(role)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the header, which is that of a table of pointers."""
        return tuple(function.role for function in self.functions)


_PROTOTYPE = re.compile(r"/\*((?:(?!\*/).)*)\*/\s*([A-Za-z_][^;{}#/]*\([^;{}]*\))\s*;", re.DOTALL)
_LINE = re.compile(r"^\s*\*?\s*@(\w+)\s+(.*?)\s*$", re.MULTILINE)
_FLAGS = ("secret", "public", "opaque", "nullable")
_NUMBERS = ("align", "min", "max", "multiple")


def read(path: Path) -> Contract:
    """Reads a contract; raises ManifestError, `path:line: message`, where it has no meaning."""
    text = path.read_text(encoding="utf-8")
    functions = []
    for match in _PROTOTYPE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        functions.append(_function(path, line, match.group(1), match.group(2)))
    if not functions:
        raise ManifestError(f"{path}:1: no prototype with argument comments (see aes.h)")
    return Contract(path, tuple(functions))


def _function(path: Path, line: int, comment: str, prototype: str) -> Function:
    place = f"{path}:{line}"
    name, kinds, returns = _types(place, prototype)
    described = _LINE.findall(comment)
    if len(described) != len(kinds):
        raise ManifestError(
            f"{place}: {name} has {len(kinds)} arguments and {len(described)} @ lines; "
            "each argument needs one"
        )
    arguments = tuple(
        _argument(place, word, rest, kind)
        for (word, rest), kind in zip(described, kinds, strict=True)
    )
    for argument in arguments:
        if not re.search(rf"\b{argument.name}\b", prototype.partition("(")[2]):
            raise ManifestError(f"{place}: {name} has no argument `{argument.name}`")
    return Function(name.removeprefix(path.stem + "_"), arguments, returns)


def _types(place: str, prototype: str) -> tuple[str, list[str], str]:
    """The name, the argument types and the return type, by cffi: a prototype after
    `typedef` declares a function type of that name."""
    ffi = FFI()
    try:
        ffi.cdef(f"typedef {prototype};")
    except Exception as error:  # cffi raises pycparser's and its own types
        detail = str(error).splitlines()[0]
        raise ManifestError(f"{place}: not a C prototype that cffi can read: {detail}") from error
    (name,) = ffi.list_types()[0]
    kind = ffi.typeof(f"{name} *")
    return name, [a.cname for a in kind.args], kind.result.cname


def _argument(place: str, name: str, rest: str, kind: str) -> Argument:
    words = [word.strip() for word in rest.split(",")]
    try:
        direction = Direction(words[0])
    except ValueError:
        valid = ", ".join(d.value for d in Direction)
        raise ManifestError(f"{place}: @{name}: `{words[0]}` is none of {valid}") from None
    fields: dict[str, object] = {}
    for word in words[1:]:
        fields.update(_field(place, name, word))
    argument = Argument(name, direction, kind, **fields)  # type: ignore[arg-type]
    if argument.pointer and argument.size is None:
        raise ManifestError(f"{place}: @{name}: a pointer needs `size EXPRESSION`")
    return argument


def _field(place: str, name: str, word: str) -> dict[str, object]:
    key, _, value = word.partition(" ")
    if word in _FLAGS:
        return {} if word == "public" else {word: True}
    if key == "size" and value:
        return {"size": value}
    if key == "alias" and value:
        return {"alias": value}
    if key in _NUMBERS and value.isdigit():
        return {key: int(value)}
    raise ManifestError(f"{place}: @{name}: cannot read `{word}`")


_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
}


def size_of(expression: str, numbers: Mapping[str, int]) -> int:
    """The value of a size expression, in bytes; KeyError names an unknown argument."""
    return _evaluate(_parsed(expression), numbers)


@cache
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _evaluate(node: ast.expr, numbers: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return numbers[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluate(left, numbers), _evaluate(right, numbers))
    raise ValueError(f"not a size: {ast.unparse(node)}")


def bits_of(type_name: str, arch: Architecture) -> int:
    """The width of a C type in bits on an architecture; KeyError for one that it lacks."""
    if type_name.endswith("*") or "*" in type_name:
        return arch.pointer_bits
    return arch.widths[type_name]
