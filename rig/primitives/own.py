"""Primitives that a project brings: the module that a manifest names, made a definition.

Enters: manifests. Leaves: entries in `PRIMITIVES` and `SHAPES` for the primitives whose table has
`module`; errors with the module's path and line. A module runs in this process, with the rights of
whoever runs the rig, and only for a manifest that names it. Never here: judging.
"""

import functools
import importlib.util
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from rig import define
from rig.cases import Answer, Case, Inputs, Values
from rig.errors import ManifestError, RigError
from rig.manifest import Manifest
from rig.manifest import Primitive as Table
from rig.primitives import BUNDLED, PRIMITIVES
from rig.primitives.definition import Definition, Operation, Own
from rig.vectors.shapes import SHAPES, Shape


class ModuleError(RigError):
    """A module that cannot be used, or that failed: `path:line: message`."""


def adopt(manifest: Manifest) -> None:
    """Loads the modules that a manifest names; ManifestError or ModuleError for what is wrong."""
    for table in manifest.primitives.values():
        if table.module is not None:
            _check_table(table)
            definition = _load(table.name, table.module.resolve(), table.module.read_bytes())
            PRIMITIVES[table.name] = definition
            assert definition.own
            SHAPES[table.name] = definition.own.shapes


def check_alone(manifests: list[Manifest]) -> None:
    """ManifestError where two manifests of one run bring different primitives of one name."""
    seen: dict[str, Table] = {}
    for table in (t for m in manifests for t in m.primitives.values()):
        first = seen.setdefault(table.name, table)
        if first.module != table.module:
            raise ManifestError(
                f"{table.place}: [{table.name}] has another `module` than at {first.place}; run "
                "the two manifests apart"
            )


def _check_table(table: Table) -> None:
    if table.name in BUNDLED:
        raise ManifestError(
            f"{table.place}: the rig knows [{table.name}]; `module` is for primitives that it does "
            "not know"
        )
    if table.contract is None:
        raise ManifestError(f"{table.place}: [{table.name}] has a `module`, so it needs `contract`")
    if table.composed:
        raise ManifestError(f"{table.place}: `module` is for primitives without `slots`")


@functools.lru_cache(maxsize=8)
def _load(name: str, path: Path, text: bytes) -> Definition:
    primitive = _executed(path, text)
    operations = {n: _guarded_operation(path, o) for n, o in primitive.operations.items()}
    edges = primitive.edges and _guarded_edges(path, primitive.edges)
    own = Own(path, text, primitive.shapes, edges, _vectors(name, path, primitive))
    undefined = {n: _guarded(path, f) for n, f in primitive.undefined.items()}
    return Definition(name, "", operations, undefined, own=own)


def _executed(path: Path, text: bytes) -> define.Primitive:
    spec = importlib.util.spec_from_loader(f"rig_module_{path.stem}", loader=None, origin=str(path))
    assert spec
    module = importlib.util.module_from_spec(spec)
    try:
        exec(compile(text, path, "exec"), module.__dict__)
    except SyntaxError as error:
        raise ModuleError(f"{path}:{error.lineno or 1}: {error.msg}") from error
    except Exception as error:
        raise _worded(path, error) from error
    primitive = getattr(module, "PRIMITIVE", None)
    if not isinstance(primitive, define.Primitive):
        raise ModuleError(f"{path}:1: assigns no rig.define.Primitive to PRIMITIVE")
    _check_names(path, primitive)
    return primitive


def _check_names(path: Path, primitive: define.Primitive) -> None:
    for name in primitive.operations.keys() ^ primitive.shapes.keys():
        kind = "shape" if name in primitive.operations else "operation"
        raise ModuleError(f"{path}:1: PRIMITIVE has no {kind} `{name}`")
    for name, operation in primitive.operations.items():
        if operation.splits and operation.splits not in primitive.shapes[name].inputs:
            raise ModuleError(f"{path}:1: `{name}` splits no input `{operation.splits}`")


def _vectors(name: str, path: Path, primitive: define.Primitive) -> tuple[Case, ...]:
    return tuple(
        Case(v.name, Values(name, v.operation, v.inputs), expected=Answer(v.outputs))
        for v in primitive.vectors
        if _fits(path, primitive.shapes, v)
    )


def _fits(path: Path, shapes: Mapping[str, Shape], vector: define.Vector) -> bool:
    """That a record has the fields of its operation, of the sizes that these have."""
    place = f"{path}:1: vector `{vector.name}`"
    if vector.operation not in shapes:
        raise ModuleError(f"{place}: no operation `{vector.operation}`")
    shape = shapes[vector.operation]
    for given, sizes in ((vector.inputs, shape.inputs), (vector.outputs, shape.outputs)):
        for name in given.keys() ^ sizes.keys():
            raise ModuleError(f"{place}: {'lacks' if name in sizes else 'has an unknown'} `{name}`")
        for name, value in given.items():
            if isinstance(value, bytes) and not sizes[name].fits(len(value)):
                raise ModuleError(
                    f"{place}: {name} has {len(value)} bytes, not {sizes[name].words}"
                )
    return True


def _guarded_operation(path: Path, operation: Operation) -> Operation:
    inverse = operation.inverse and _guarded(path, operation.inverse)
    answer, plan = _guarded(path, operation.answer), _guarded(path, operation.plan)
    return replace(operation, answer=answer, plan=plan, inverse=inverse)


def _guarded(path: Path, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose exceptions come with their place in the module."""

    @functools.wraps(function)
    def called(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            raise _worded(path, error) from error

    return called


def _guarded_edges(
    path: Path, edges: Callable[..., Any]
) -> Callable[[Random], Iterator[tuple[str, Inputs]]]:
    def each(chance: Random) -> Iterator[tuple[str, Inputs]]:
        try:
            yield from edges(chance)
        except Exception as error:
            raise _worded(path, error) from error

    return each


def _worded(path: Path, error: Exception) -> ModuleError:
    """The error with the last line of the module that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return ModuleError(f"{path}:{lines[-1] if lines else 1}: {type(error).__name__}: {error}")
