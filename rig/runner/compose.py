"""Turns a case into a script: the plan's calls, with buffers as the contract describes them.

Enters: a plan, a contract, a placement, the targets of the roles. Leaves: a `Script`. Never
here: what the values mean.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from rig.architectures import Architecture
from rig.cases import Case, Placement
from rig.contracts import Argument, Contract, Direction, Function, bits_of, place_of, size_of
from rig.manifest import Doing
from rig.primitives.definition import Named, Plan, Use
from rig.runner.scripts import (
    KEPT_LIMIT,
    Buffer,
    Call,
    Point,
    Pointer,
    Script,
    Step,
    TableEntry,
    TablePointer,
    Target,
    Word,
    Write,
)
from rig.runner.scripts import Argument as Passed

_UNTOUCHED = b"\x5c"
_REFUSES = -1


@dataclass(frozen=True, slots=True)
class Binding:
    """How a contract stands in an image: what each role calls, and what stanzas narrow. `doing`
    is what a role does of a message, where the contract says so; `turns` put a mask in force
    between two calls."""

    arch: Architecture
    contract: Contract
    targets: Mapping[str, Target]
    sizes: Mapping[str, int] = field(default_factory=dict)
    align: Mapping[str, int] = field(default_factory=dict)
    doing: Mapping[str, Doing] = field(default_factory=dict)
    turns: Mapping[str, tuple[Write, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class _Layout:
    """The buffers of a script as it grows; `named` finds a shared one again, memory that holds
    others only among the calls of the `group` that is being placed. `begins` is where an input
    stands in memory that it shares with an output in part."""

    binding: Binding
    placement: Placement
    buffers: list[Buffer] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)
    group: str = ""
    points: list[Point] = field(default_factory=list)
    begins: dict[int, int] = field(default_factory=dict)

    def add(
        self,
        argument: Argument,
        size: int,
        content: bytes | None,
        expected: bytes | None,
        constant: bool,
    ) -> int:
        align = self.binding.align.get(argument.name, argument.align)
        skew = self.placement.skews.get(argument.name, 0)
        self.buffers.append(
            Buffer(
                name=argument.name,
                size=size,
                content=content,
                expected=expected,
                constant=constant,
                side=self.placement.side,
                align=align,
                skew=skew - skew % align,
            )
        )
        return len(self.buffers) - 1

    def add_pointed(self, owner: int, points: Mapping[int, bytes]) -> None:
        """Bytes whose address stands in a buffer."""
        for offset, data in points.items():
            name = f"{self.buffers[owner].name}+{offset}"
            self.points.append(Point(owner, offset, len(self.buffers)))
            self.buffers.append(
                Buffer(name, len(data), data, constant=True, side=self.placement.side)
            )

    def add_over(self, owner: int, content: bytes | None, expected: bytes | None) -> int:
        """A shorter buffer over the front of another."""
        size = len(content or expected or b"")
        whole = self.buffers[owner]
        part = replace(
            whole, size=size, content=content, expected=expected, constant=False, alias=owner
        )
        self.buffers.append(part)
        return len(self.buffers) - 1


def permits(case: Case, roles: Collection[str], contract: Contract) -> bool:
    """Whether a contract says what becomes of outputs that stand as the case's `shift` has them:
    of any case without one."""
    shift = case.placement.shift
    functions = (f for f in contract.functions if f.role in roles)
    aligns = {
        max(a.align, f.argument(a.alias).align): a.overlap
        for f in functions
        for a in f.arguments
        if a.alias and a.overlap
    }
    said = (o == "refused" or shift < 0 or _apart(case) for o in aligns.values())
    return not shift or (bool(aligns) and all(said) and not any(shift % a for a in aligns))


def _apart(case: Case) -> bool:
    """Whether the shift is as long as any message."""
    inputs = case.values.inputs.values()
    return case.placement.shift >= max(len(v) for v in inputs if isinstance(v, bytes))


def compose(plan: Plan, placement: Placement, binding: Binding) -> Script:
    """The script of a plan; ValueError if a value has not the size that the contract gives."""
    layout = _Layout(binding, placement)
    uses = [use for use in plan.uses if use.role in binding.targets or not use.optional]
    steps: list[Step] = []
    for number, use in enumerate(uses):
        steps += _turn(number, layout)
        steps.append(_call(use, layout))
    return Script(tuple(layout.buffers), (*layout.points, *steps), plan.length)


def _turn(number: int, layout: _Layout) -> tuple[Write, ...]:
    """What changes the mask before a call: nothing where the binding knows none."""
    masks, known = layout.placement.masks, layout.binding.turns
    return known[masks[(number - 1) % len(masks)]] if number and masks and known else ()


def _call(use: Use, layout: _Layout) -> Call:
    binding, layout.group = layout.binding, use.group
    function = binding.contract.function(use.role)
    numbers = {name: v for name, v in use.arguments.items() if isinstance(v, int)}
    use = _as_overlapping(use, function, layout)
    use = _as_refused(use, function, layout, numbers)
    indexes = _place_inputs(use, function, layout, numbers)
    arguments = tuple(_pass(a, use, layout, indexes, numbers) for a in function.arguments)
    returns = None
    if use.returns is not None and function.returns != "void":
        bits = bits_of(function.returns, binding.arch)
        returns = Word(use.returns % (1 << bits), bits)
    return Call(binding.targets[use.role], arguments, returns, function.ms_abi, use.role)


def _as_refused(use: Use, function: Function, layout: _Layout, numbers: Mapping[str, int]) -> Use:
    """The call with what the contract says of the outputs of one that refuses."""
    said: dict[str, Named] = {}
    for argument in function.arguments:
        value = use.arguments.get(argument.name)
        if isinstance(value, Named) and value.refused and argument.refused:
            zeros = bytes(_size(argument, layout, numbers))
            said[argument.name] = replace(
                value, expected=zeros if argument.refused == "zero" else b""
            )
    return replace(use, arguments={**use.arguments, **said}) if said else use


def _as_overlapping(use: Use, function: Function, layout: _Layout) -> Use:
    """The call as one that refuses, where that is what becomes of memory shared in part."""
    shift = layout.placement.shift
    if not shift or not any(_refuses(a, use, shift) for a in function.arguments):
        return use
    untouched = {
        a.name: replace(value, expected=b"", refused=False)
        for a in function.arguments
        if a.direction is Direction.OUT and isinstance(value := use.arguments.get(a.name), Named)
    }
    return replace(use, arguments={**use.arguments, **untouched}, returns=_REFUSES)


def _refuses(argument: Argument, use: Use, shift: int) -> bool:
    taken = use.arguments.get(argument.alias or "")
    size = len(taken) if isinstance(taken, bytes) else 0
    return argument.overlap == "refused" and 0 < abs(shift) < size


def _place_inputs(
    use: Use, function: Function, layout: _Layout, numbers: Mapping[str, int]
) -> dict[str, int]:
    """The buffers of plain inputs; one whose memory the output takes over is not constant, and
    keeps what lies behind the output."""
    indexes = {}
    for argument in function.arguments:
        value = use.arguments.get(argument.name)
        if isinstance(value, bytes):
            _check_size(argument, value, _size(argument, layout, numbers), use)
            if layout.placement.shift and (over := _overlapping(argument, use, function)):
                indexes[argument.name] = _place_shifted(argument, value, over, layout)
                continue
            output = _sharer(argument, use, function) if layout.placement.in_place else None
            expected = output.expected if output else None
            if expected is not None:
                expected += value[len(expected) :]
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


def _overlapping(argument: Argument, use: Use, function: Function) -> Named | None:
    """The output of which the contract says what becomes of memory that it shares with an input."""
    said = any(a.alias == argument.name and a.overlap for a in function.arguments)
    return _sharer(argument, use, function) if said else None


def _place_shifted(argument: Argument, value: bytes, output: Named, layout: _Layout) -> int:
    """The memory of an input and of the output that begins elsewhere in it."""
    before, behind = _ways(layout.placement.shift)
    held = _UNTOUCHED * before + value + _UNTOUCHED * behind
    expected = output.expected or b""
    left = held[:behind] + expected + held[behind + len(expected) :]
    index = layout.add(argument, len(held), held, left, constant=False)
    layout.begins[index] = before
    return index


def _ways(shift: int) -> tuple[int, int]:
    """Where the input and where the output begins in their memory."""
    return max(0, -shift), max(0, shift)


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
        return _table_pointer(argument, layout.binding)
    value = use.arguments[argument.name]
    if isinstance(value, int):
        bits = bits_of(argument.type, layout.binding.arch)
        return Word(value % (1 << bits), bits)
    null = layout.placement.null and argument.nullable and not _size(argument, layout, numbers)
    if isinstance(value, bytes):
        return Pointer(
            indexes[argument.name], layout.begins.get(indexes[argument.name], 0), null=null
        )
    shifted = bool(layout.placement.shift and argument.overlap)
    shared = (layout.placement.in_place or shifted) and value.content is None
    if shared and argument.alias is not None and argument.alias in indexes:
        offset = _ways(layout.placement.shift)[1] if shifted else 0
        return Pointer(indexes[argument.alias], offset, null=null)
    if argument.at is not None:
        name, offset = place_of(argument.at)
        return Pointer(_holder(name, layout, numbers), offset)
    if value.name not in layout.named:
        layout.named[value.name] = _add_named(argument, value, layout, numbers)
    index = layout.named[value.name]
    small = layout.buffers[index].size <= KEPT_LIMIT
    return Pointer(index, kept=argument.direction is Direction.IN and small, null=null)


def _table_pointer(argument: Argument, binding: Binding) -> TablePointer:
    if argument.at is None:
        return TablePointer()
    entry = binding.targets[argument.at]
    assert isinstance(entry, TableEntry)
    return TablePointer(entry.index)


def _add_named(
    argument: Argument, value: Named, layout: _Layout, numbers: Mapping[str, int]
) -> int:
    size = _size(argument, layout, numbers)
    content, expected = value.content, value.expected
    if argument.direction is Direction.IN and content is not None:
        return layout.add(argument, size, content, None, constant=True)
    if layout.binding.contract.inside(argument.name):
        return layout.add_over(_holder(argument.name, layout, numbers), content, expected)
    if expected is None or len(expected) == size:
        return layout.add(argument, size, content, expected, constant=False)
    if argument.direction is Direction.OUT:
        rest = _UNTOUCHED * (size - len(expected))
        before = _UNTOUCHED * len(expected) + rest
        return layout.add(argument, size, before, expected + rest, constant=False)
    owner = layout.add(argument, size, content, None, constant=False)
    layout.add_pointed(owner, value.points)
    layout.add_over(owner, None, expected)
    return owner


def _holder(name: str, layout: _Layout, numbers: Mapping[str, int]) -> int:
    """The memory of a buffer that holds others, as large and as aligned as all of them ask."""
    key = f"{layout.group}{name} and what it holds"
    if key not in layout.named:
        contract = layout.binding.contract
        inside = contract.inside(name)
        whole = next(
            a for f in contract.functions for a in f.arguments if a.pointer and a.name == name
        )
        ends = [place_of(a.at or "")[1] + _size(a, layout, numbers) for a in inside]
        align = max(a.align for a in (whole, *inside))
        size = max(_size(whole, layout, numbers), *ends)
        layout.named[key] = layout.add(
            replace(whole, align=align), size, None, None, constant=False
        )
    return layout.named[key]
