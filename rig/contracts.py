"""Station 1b: reads a primitive's C header, prototypes plus one comment line per argument.

Enters: a header (see native/include/aes.h for the form). Leaves: a frozen `Contract`, and
errors where a manifest asks for what it has not. cffi parses the types; widths come from the
architecture's table, never from the host. Never here: what a primitive computes.
"""

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from pathlib import Path

from cffi import FFI

from rig.architectures import ARCHITECTURES, Architecture
from rig.errors import ManifestError
from rig.manifest import Doing, Length, Primitive, Variant
from rig.toml_table import nearest


class Direction(Enum):
    """What a call does with an argument."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"
    VALUE = "value"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; `size` is an expression over the value arguments, in bytes. `at` says where
    else it points: `NAME+N` is N bytes into the memory of the buffer NAME, of a table the name of
    a role is that role's entry. `refused` is what a call that refuses its other arguments leaves in
    an output, `zero` or `untouched`; None leaves it to the plan. A `partial` length may be any: the
    function does as many bytes from the front as `multiple`, `min` and `max` let it. `overlap` is
    of an output that may share the memory of another argument by `alias`: `before` where it may
    begin any number of bytes before that too, `refused` where a call refuses that they share memory
    in part, and writes nothing; None promises nothing."""

    name: str
    direction: Direction
    type: str
    size: str | None = None
    align: int = 1
    secret: bool = False
    public: bool = False
    opaque: bool = False
    nullable: bool = False
    alias: str | None = None
    min: int = 0
    max: int | None = None
    multiple: int = 1
    partial: bool = False
    at: str | None = None
    refused: str | None = None
    overlap: str | None = None

    @property
    def pointer(self) -> bool:
        """Whether it is a pointer to a buffer of the case."""
        return self.direction in (Direction.IN, Direction.OUT, Direction.INOUT)


@dataclass(frozen=True, slots=True)
class Function:
    """One function; `role` is its name without the header's stem: ghash_init is `init`. `ms_abi` on
    x86_64 is the calling convention of Microsoft, by the attribute of that name."""

    role: str
    arguments: tuple[Argument, ...]
    returns: str
    ms_abi: bool = False

    def argument(self, name: str) -> Argument:
        """The argument of that name; KeyError if there is none."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        raise KeyError(name)

    @property
    def doing(self) -> Doing | None:
        """What the function does of a message of `len` bytes or `len_bits` bits."""
        for argument in self.arguments:
            if argument.direction is Direction.VALUE and argument.name in _LENGTHS:
                unit = _LENGTHS[argument.name]
                most = None if argument.max is None else argument.max // unit
                step = max(1, argument.multiple // unit)
                return Doing(Length(argument.min // unit, most, step), argument.partial)
        return None


def place_of(at: str) -> tuple[str, int]:
    """The buffer and the offset in bytes of an argument's `at`."""
    name, _, offset = at.partition("+")
    return name, int(offset or 0)


@dataclass(frozen=True)
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

    def inside(self, name: str) -> tuple[Argument, ...]:
        """The arguments that lie in the memory of the buffer of that name."""
        return self._insides.get(name, ())

    @cached_property
    def _insides(self) -> Mapping[str, tuple[Argument, ...]]:
        found: dict[str, tuple[Argument, ...]] = {}
        for argument in (a for f in self.functions for a in f.arguments if a.pointer and a.at):
            name, _ = place_of(argument.at or "")
            found[name] = (*found.get(name, ()), argument)
        return found

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the header, which is that of a table of pointers."""
        return tuple(function.role for function in self.functions)


_PROTOTYPE = re.compile(r"/\*((?:(?!\*/).)*)\*/\s*([A-Za-z_][^;{}#/]*\([^;{}]*\))\s*;", re.DOTALL)
_LINE = re.compile(r"^\s*\*?\s*@(\w+)\s+(.*?)\s*$", re.MULTILINE)
_MS_ABI = re.compile(r"__attribute__\s*\(\(\s*(?:ms_abi|__ms_abi__)\s*\)\)")
_FLAGS = ("secret", "public", "opaque", "nullable", "partial")
_LENGTHS = {"len": 1, "len_bits": 8}
_REFUSED = ("zero", "untouched")
_OVERLAPS = ("before", "refused")
_NUMBERS = ("align", "min", "max", "multiple")


def read(path: Path) -> Contract:
    """Reads a contract; raises ManifestError, `path:line: message`, where it has no meaning."""
    text = _text(path)
    functions = []
    for match in _PROTOTYPE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        functions.append(_function(path, line, match.group(1), match.group(2)))
    if not functions:
        raise ManifestError(f"{path}:1: no prototype with argument comments (see aes.h)")
    contract = Contract(path, tuple(functions))
    for function in functions:
        _check_places(contract, function)
    return contract


def _check_places(contract: Contract, function: Function) -> None:
    """That each `at` names a role or a buffer of the contract."""
    pointers = {a.name for f in contract.functions for a in f.arguments if a.pointer}
    for argument in function.arguments:
        if argument.at is None:
            continue
        table = argument.direction is Direction.TABLE
        valid = contract.roles if table else sorted(pointers - {argument.name})
        name = argument.at if table else place_of(argument.at)[0]
        if name not in valid:
            kind = "role" if table else "buffer"
            raise ManifestError(
                f"{contract.path}: {function.role}: @{argument.name}: `at` names no {kind} "
                f"`{name}`{nearest(name, valid)}"
            )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ManifestError(f"{path}: cannot read the contract: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ManifestError(f"{path}: cannot read the contract: not UTF-8") from error


def _function(path: Path, line: int, comment: str, prototype: str) -> Function:
    place = f"{path}:{line}"
    prototype, attributes = _MS_ABI.subn("", prototype)
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
    role = name.removeprefix(path.stem + "_")
    function = Function(role, arguments, returns, ms_abi=attributes > 0)
    _check_names(place, function)
    return function


def _check_names(place: str, function: Function) -> None:
    """That sizes and aliases speak of arguments of the same function."""
    values = {a.name: 1 for a in function.arguments if a.direction is Direction.VALUE}
    pointers = [a.name for a in function.arguments if a.pointer]
    for argument in function.arguments:
        try:
            size_of(argument.size or "0", values)
        except (KeyError, ValueError, SyntaxError, ArithmeticError, RecursionError) as error:
            raise ManifestError(
                f"{place}: @{argument.name}: size `{argument.size}` is no sum or product of "
                f"numbers and value arguments ({', '.join(values) or 'there are none'})"
            ) from error
        if argument.alias not in (None, *pointers):
            raise ManifestError(
                f"{place}: @{argument.name}: alias names no pointer `{argument.alias}`"
            )
        if argument.overlap and not argument.alias:
            raise ManifestError(f"{place}: @{argument.name}: `overlap` needs `alias NAME`")


def _types(place: str, prototype: str) -> tuple[str, list[str], str]:
    """The name, the argument types and the return type, by cffi: a prototype after
    `typedef` declares a function type of that name."""
    ffi = FFI()
    try:
        ffi.cdef(f"typedef {prototype};")
        (name,) = ffi.list_types()[0]
        kind = ffi.typeof(f"{name} *")
        return name, [a.cname for a in kind.args], kind.result.cname
    except Exception as error:  # cffi raises pycparser's and its own types
        detail = next(iter(str(error).splitlines()), type(error).__name__)
        raise ManifestError(f"{place}: not a C prototype that cffi can read: {detail}") from error


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
    if key == "at" and re.fullmatch(r"\w+(\+\d+)?", value):
        return {"at": value}
    if key == "refused" and value in _REFUSED:
        return {"refused": value}
    if key == "overlap" and value in _OVERLAPS:
        return {"overlap": value}
    if key in _NUMBERS and value.isdigit():
        return {key: int(value)}
    raise ManifestError(f"{place}: @{name}: cannot read `{word}`")


def check(
    primitive: Primitive,
    contract: Contract,
    forms: Sequence[Contract],
    undefined: Sequence[str],
    optional: Collection[str] = (),
) -> None:
    """Raises ManifestError where the contract of a primitive is none that the rig's plans fill,
    which are written for its bundled `forms`, or its variants speak of roles, arguments or
    behaviours that there are not. A composition has each role that is not `optional`."""
    for function in contract.functions:
        _check_function(function, contract, forms)
    if primitive.composed:
        _check_roles(primitive.place, primitive.symbols, contract)
        _check_whole(primitive, contract, optional)
    for variant in primitive.variants:
        _check_variant(variant, contract, undefined)


def _check_function(function: Function, contract: Contract, forms: Sequence[Contract]) -> None:
    """An own contract may reorder and retype arguments, leave functions out, and lack what one
    of the forms lacks."""
    roles = tuple(dict.fromkeys(role for form in forms for role in form.roles))
    if function.role not in roles:
        stem = contract.path.stem
        raise ManifestError(
            f"{contract.path}: `{function.role}`: the functions are named {stem}_ROLE, ROLE one of "
            f"{', '.join(roles)}"
        )
    own = {a.name for a in function.arguments}
    known = [
        {a.name for a in form.function(function.role).arguments}
        for form in forms
        if function.role in form.roles
    ]
    if not set.intersection(*known) <= own <= set.union(*known):
        wanted = " or ".join(dict.fromkeys(", ".join(sorted(names)) for names in known))
        raise ManifestError(
            f"{contract.path}: `{function.role}` has the arguments {', '.join(sorted(own))}, the "
            f"rig's plans {wanted}"
        )
    widths = {w for arch in ARCHITECTURES.values() for w in arch.widths}
    for kind in (function.returns, *(a.type for a in function.arguments)):
        if "*" not in kind and kind != "void" and kind not in widths:
            raise ManifestError(
                f"{contract.path}: `{function.role}`: no width is known for type `{kind}`"
            )


def _check_roles(place: str, symbols: Mapping[str, str], contract: Contract) -> None:
    for role in symbols:
        if role not in contract.roles:
            raise ManifestError(
                f"{place}: `symbols` names no function `{role}` of {contract.path.name}"
                f"{nearest(role, contract.roles)}"
            )


def _check_whole(primitive: Primitive, contract: Contract, optional: Collection[str]) -> None:
    for role in contract.roles:
        if role not in primitive.symbols and role not in optional:
            raise ManifestError(
                f"{primitive.place}: [{primitive.name}] is composed, so `symbols` must name "
                f"its `{role}`"
            )


def _check_variant(variant: Variant, contract: Contract, undefined: Sequence[str]) -> None:
    if not variant.symbols:
        raise ManifestError(
            f"{variant.place}: {variant.primitive}/{variant.name} has no `symbols`; name those of "
            f"{', '.join(contract.roles)}"
        )
    _check_roles(variant.place, variant.symbols, contract)
    pointers = {a.name for f in contract.functions for a in f.arguments if a.pointer}
    for key, names in (("sizes", variant.sizes), ("align", variant.align)):
        _check_each(variant, key, names, sorted(pointers), "buffer")
    _check_each(variant, "undefined", variant.undefined, undefined, "behaviour")


def _check_each(
    variant: Variant, key: str, names: Iterable[str], valid: Sequence[str], kind: str
) -> None:
    for name in names:
        if name not in valid:
            hint = nearest(name, valid) or f"; [{variant.primitive}] has none"
            raise ManifestError(f"{variant.place}: `{key}` names no {kind} `{name}`{hint}")


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
