"""One step of unwinding: from a function's registers to its caller's.

Enters: a `Row` of call frame information, registers by DWARF's numbers, a reader of memory.
Leaves: the `Caller`. Never here: which values are right.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rig.architectures import Architecture
from rig.trace.cfi import Expression, How, Row, Rule

Read = Callable[[int, int], int]
"""The number that so many bytes (second) at an address (first) hold; raises UnwindError."""

_VECTOR_BYTES = 8  # of d8-d15; the upper halves of aarch64's v8-v15 are nobody's
_ADDRESS_BITS = 39  # of what the rig maps, below each authentication code


class UnwindError(Exception):
    """What keeps an unwinder from its way; `cfa` is its frame address, if that is known."""

    def __init__(self, text: str, cfa: int | None = None) -> None:
        super().__init__(text)
        self.cfa = cfa


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: `cfa` is its stack pointer at the call, `pc` where it goes on. A register
    that is not to be had is left out of `registers`."""

    cfa: int
    pc: int
    registers: Mapping[int, int]


def step(row: Row, registers: Mapping[int, int], arch: Architecture, read: Read) -> Caller:
    """Find the caller of a function.

    Raises:
        UnwindError: the row leads to no caller.
    """
    machine = _Machine(registers, arch, read)
    cfa = machine.canonical(row)
    found = dict(registers)
    for number, rule in row.rules.items():
        try:
            value = machine.restored(number, rule, cfa)
        except UnwindError as error:
            name = arch.registers.dwarf.get(number, f"register {number}")
            raise UnwindError(f"the caller's {name}: {error}", cfa) from error
        found.pop(number, None)
        if value is not None:
            found[number] = value
    if row.returns not in found:
        raise UnwindError("the return address is undefined")
    pc = found[row.returns]
    found |= {n: cfa for n in _stack_pointer(arch) if n not in row.rules}
    return Caller(cfa, pc & ((1 << _ADDRESS_BITS) - 1) if row.signed else pc, found)


def _stack_pointer(arch: Architecture) -> list[int]:
    return [n for n, name in arch.registers.dwarf.items() if name == arch.registers.sp]


@dataclass(frozen=True, slots=True)
class _Machine:
    """What rules are worked out on."""

    registers: Mapping[int, int]
    arch: Architecture
    read: Read

    def canonical(self, row: Row) -> int:
        """The canonical frame address."""
        if row.cfa.expression:
            return self._worked_out(row.cfa.expression, ())
        return self._cut(self._register(row.cfa.register) + row.cfa.offset)

    def restored(self, number: int, rule: Rule, cfa: int) -> int | None:
        """The caller's value of a register; None if it is undefined."""
        match rule.how:
            case How.UNDEFINED:
                return None
            case How.SAME:
                return self.registers.get(number)
            case How.OFFSET:
                return self._loaded(number, cfa + rule.value)
            case How.VAL_OFFSET:
                return self._cut(cfa + rule.value)
            case How.REGISTER:
                return self._register(rule.value)
            case How.EXPRESSION:
                return self._loaded(number, self._worked_out(rule.expression, (cfa,)))
            case How.VAL_EXPRESSION:
                return self._worked_out(rule.expression, (cfa,))

    def _register(self, number: int) -> int:
        if number not in self.registers:
            name = self.arch.registers.dwarf.get(number, f"register {number}")
            raise UnwindError(f"the rule asks for {name}, which is not known")
        return self.registers[number]

    def _loaded(self, number: int, address: int) -> int:
        is_vector = self.arch.registers.dwarf.get(number, "").startswith("d")
        size = _VECTOR_BYTES if is_vector else self.arch.pointer_bytes
        return self.read(self._cut(address), size)

    def _cut(self, value: int) -> int:
        return value & ((1 << self.arch.pointer_bits) - 1)

    def _worked_out(self, expression: Expression, start: tuple[int, ...]) -> int:
        stack = list(start)
        try:
            for name, arguments in expression:
                self._operate(name, arguments, stack)
            return stack[-1]
        except IndexError as error:
            raise UnwindError("the expression takes more from its stack than there is") from error

    def _operate(self, name: str, arguments: tuple[int, ...], stack: list[int]) -> None:
        """One operation (DWARF 5, 2.5.1)."""
        operation = name.removeprefix("DW_OP_")
        if operation in _BINARY:
            right, left = stack.pop(), stack.pop()
            stack.append(self._cut(_BINARY[operation](left, right)))
        elif operation == "deref":
            stack.append(self.read(stack.pop(), self.arch.pointer_bytes))
        elif operation == "plus_uconst":
            stack.append(self._cut(stack.pop() + arguments[0]))
        elif operation == "dup":
            stack.append(stack[-1])
        elif operation == "drop":
            stack.pop()
        elif operation == "neg":
            stack.append(self._cut(-stack.pop()))
        else:
            stack.append(self._cut(self._pushed(operation, arguments)))

    def _pushed(self, operation: str, arguments: tuple[int, ...]) -> int:
        if operation.startswith("breg") and operation != "bregx":
            return self._register(int(operation.removeprefix("breg"))) + arguments[0]
        if operation == "bregx":
            return self._register(arguments[0]) + arguments[1]
        if operation.startswith("lit"):
            return int(operation.removeprefix("lit"))
        if operation.startswith("const") or operation == "addr":
            return arguments[0]
        raise UnwindError(f"the rig does not evaluate DW_OP_{operation}")


_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
}
