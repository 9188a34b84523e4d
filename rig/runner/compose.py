"""Turns a case into a script: the plan's calls, with buffers as the contract describes them.

Enters: a plan, a contract, a placement, the targets of the roles. Leaves: a `Script`. Never
here: what the values mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rig.architectures import Architecture
from rig.cases import Placement
from rig.contracts import Argument, Contract, Direction, Function, bits_of, size_of
from rig.primitives.definition import Named, Plan, Use
from rig.runner.scripts import KEPT_LIMIT, Buffer, Call, Pointer, Script, TablePointer, Target, Word
from rig.runner.scripts import Argument as Passed


@dataclass(frozen=True, slots=True)
class Binding:
    """How a contract stands in an image: what each role calls, and what stanzas narrow."""

    arch: Architecture
    contract: Contract
    targets: Mapping[str, Target]
    sizes: Mapping[str, int] = field(default_factory=dict)
    align: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Layout:
    """The buffers of a script as it grows; `named` finds a shared one again."""

    binding: Binding
    placement: Placement
    buffers: list[Buffer] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        argument: Argument,
        size: int,
        content: bytes | None,
        expected: bytes | None,
        constant: bool,
    ) -> int:
        self.buffers.append(
            Buffer(
                name=argument.name,
                size=size,
                content=content,
                expected=expected,
                constant=constant,
                side=self.placement.side,
                align=self.binding.align.get(argument.name, argument.align),
                skew=self.placement.skews.get(argument.name, 0),
            )
        )
        return len(self.buffers) - 1


def compose(plan: Plan, placement: Placement, binding: Binding) -> Script:
    """The script of a plan; ValueError if a value has not the size that the contract gives."""
    layout = _Layout(binding, placement)
    steps = tuple(_call(use, layout) for use in plan.uses)
    return Script(tuple(layout.buffers), steps, plan.length)


def _call(use: Use, layout: _Layout) -> Call:
    binding = layout.binding
    function = binding.contract.function(use.role)
    numbers = {name: v for name, v in use.arguments.items() if isinstance(v, int)}
    indexes = _place_inputs(use, function, layout, numbers)
    arguments = tuple(_pass(a, use, layout, indexes, numbers) for a in function.arguments)
    returns = None
    if use.returns is not None:
        bits = bits_of(function.returns, binding.arch)
        returns = Word(use.returns % (1 << bits), bits)
    return Call(binding.targets[use.role], arguments, returns)


def _place_inputs(
    use: Use, function: Function, layout: _Layout, numbers: Mapping[str, int]
) -> dict[str, int]:
    """The buffers of plain inputs; one whose memory the output takes over is not constant."""
    indexes = {}
    for argument in function.arguments:
        value = use.arguments.get(argument.name)
        if isinstance(value, bytes):
            output = _sharer(argument, use, function) if layout.placement.in_place else None
            _check_size(argument, value, _size(argument, layout, numbers), use)
            expected = output.expected if output else None
            indexes[argument.name] = layout.add(
                argument, len(value), value, expected, constant=output is None
            )
    return indexes


def _sharer(argument: Argument, use: Use, function: Function) -> Named | None:
    for other in function.arguments:
        value = use.arguments.get(other.name)
        if other.alias == argument.name and isinstance(value, Named) and value.content is None:
            return value
    return None


def _check_size(argument: Argument, value: bytes, size: int, use: Use) -> None:
    if len(value) != size:
        raise ValueError(
            f"{use.role}: {argument.name} has {len(value)} bytes, the contract says {size}"
        )


def _size(argument: Argument, layout: _Layout, numbers: Mapping[str, int]) -> int:
    narrowed = layout.binding.sizes.get(argument.name)
    if narrowed is not None:
        return narrowed
    assert argument.size is not None
    return size_of(argument.size, numbers)


def _pass(
    argument: Argument,
    use: Use,
    layout: _Layout,
    indexes: Mapping[str, int],
    numbers: Mapping[str, int],
) -> Passed:
    if argument.direction is Direction.TABLE:
        return TablePointer()
    value = use.arguments[argument.name]
    if isinstance(value, int):
        bits = bits_of(argument.type, layout.binding.arch)
        return Word(value % (1 << bits), bits)
    if isinstance(value, bytes):
        return Pointer(indexes[argument.name])
    shared = layout.placement.in_place and value.content is None
    if shared and argument.alias is not None and argument.alias in indexes:
        return Pointer(indexes[argument.alias])
    if value.name not in layout.named:
        size = _size(argument, layout, numbers)
        layout.named[value.name] = layout.add(
            argument, size, value.content, value.expected, constant=False
        )
    index = layout.named[value.name]
    small = layout.buffers[index].size <= KEPT_LIMIT
    return Pointer(index, kept=argument.direction is Direction.IN and small)
