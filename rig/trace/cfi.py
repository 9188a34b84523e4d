"""Call frame information: what an ELF file says of unwinding at each address.

Enters: a linked ELF file. Leaves: `CallFrames`, which gives the `Row` of an address. Never here:
registers or memory of a process (see `rig.trace.unwinding`).

Both forms are read: .eh_frame (LSB 10.6.1) and, for what that leaves out, .debug_frame (DWARF 5,
6.4). ARM's exception tables (EHABI) are another form, which is not.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.dwarf.callframe import FDE
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.elf.elffile import ELFFile

from rig.trace.architecture import TraceError

Expression = tuple[tuple[str, tuple[int, ...]], ...]
"""Operations of DWARF 5, 2.5, by their names, each with its operands."""


class How(Enum):
    """How the caller's value of a register is found (DWARF 5, 6.4.1)."""

    SAME = "same value"
    UNDEFINED = "undefined"
    OFFSET = "in memory at the CFA plus a number"
    VAL_OFFSET = "the CFA plus a number"
    REGISTER = "in another register"
    EXPRESSION = "in memory at what an expression gives"
    VAL_EXPRESSION = "what an expression gives"


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of one register; `value` is the number or the other register."""

    how: How
    value: int = 0
    expression: Expression = ()


@dataclass(frozen=True, slots=True)
class Cfa:
    """The rule of the canonical frame address: a register plus `offset`, or an expression."""

    register: int = 0
    offset: int = 0
    expression: Expression = ()


@dataclass(frozen=True, slots=True)
class Row:
    """The rules at an address, by DWARF's numbers of registers; what has none is the same.
    `returns` is the register that the return address comes in; `signed` says that it carries an
    authentication code (AAPCS64's DW_CFA_AARCH64_negate_ra_state)."""

    cfa: Cfa
    rules: Mapping[int, Rule]
    returns: int
    signed: bool = False


@dataclass(frozen=True, slots=True)
class CallFrames:
    """From each of `starts`, sorted, up to the next the row at the same index of `rows` holds;
    None where no function says anything."""

    starts: tuple[int, ...]
    rows: tuple[Row | None, ...]

    def at(self, address: int) -> Row | None:
        """The row of an address."""
        index = bisect_right(self.starts, address) - 1
        return self.rows[index] if index >= 0 else None


def call_frames(elf_path: Path) -> CallFrames:
    """Read the call frame information of an ELF file; empty without any.

    Raises:
        TraceError: it cannot be read.
    """
    with elf_path.open("rb") as file:
        try:
            entries = list(_entries(ELFFile(file).get_dwarf_info()))
        except (ELFError, AssertionError, LookupError) as error:
            text = f"{elf_path.name}: call frame information that cannot be read: {error}"
            raise TraceError(text) from error
    table: dict[int, Row | None] = {}
    ends: dict[int, int] = {}
    for entry in entries:
        start = entry["initial_location"]
        if start not in ends:
            ends[start] = start + entry["address_range"]
            table |= {at: row for at, row in _rows(entry) if at < ends[start]}
    for end in ends.values():
        table.setdefault(end, None)
    ordered = sorted(table)
    return CallFrames(tuple(ordered), tuple(table[at] for at in ordered))


def _entries(dwarf: Any) -> Iterator[Any]:
    """The FDEs, those of .eh_frame first, which then count."""
    found = dwarf.EH_CFI_entries() if dwarf.has_EH_CFI() else []
    found = [*found, *(dwarf.CFI_entries() if dwarf.has_CFI() else [])]
    return (entry for entry in found if isinstance(entry, FDE) and entry["address_range"])


def _rows(entry: Any) -> Iterator[tuple[int, Row]]:
    """The rows of an FDE, each with the first address at which it holds."""
    state = _State(entry.cie, entry["initial_location"])
    for code, arguments in _instructions(entry.cie):
        state.do(code, arguments)
    state.initial = dict(state.rules)
    for code, arguments in _instructions(entry):
        row = state.row()
        before = state.location
        state.do(code, arguments)
        if state.location != before:
            yield before, row
    yield state.location, state.row()


def _instructions(entry: Any) -> Iterator[tuple[int, list[Any]]]:
    """Opcode and operands; of those with an operand in their low bits the high bits only."""
    for instruction in entry.instructions:
        code = int(instruction.opcode)
        yield code & 0xC0 or code, instruction.args


@dataclass(slots=True)
class _State:
    """The table's row as its program (DWARF 5, 6.4.2) makes it."""

    cie: Any
    location: int
    cfa: Cfa = Cfa()
    rules: dict[int, Rule] = field(default_factory=dict)
    signed: bool = False
    initial: dict[int, Rule] = field(default_factory=dict)
    remembered: list[tuple[Cfa, dict[int, Rule], bool]] = field(default_factory=list)

    def row(self) -> Row:
        """The row as it is now."""
        return Row(self.cfa, dict(self.rules), self.cie["return_address_register"], self.signed)

    def do(self, code: int, arguments: list[Any]) -> None:
        """One instruction, by its number in DWARF 5, 7.24."""
        scale = self.cie["data_alignment_factor"]
        match code, arguments:
            case 0x40 | 0x02 | 0x03 | 0x04, [delta]:  # advance_loc, 1, 2, 4
                self.location += delta * self.cie["code_alignment_factor"]
            case 0x01, [location]:  # set_loc
                self.location = location
            case 0x0C, [register, offset]:  # def_cfa
                self.cfa = Cfa(register, offset)
            case 0x12, [register, offset]:  # def_cfa_sf
                self.cfa = Cfa(register, offset * scale)
            case 0x0D, [register]:  # def_cfa_register
                self.cfa = Cfa(register, self.cfa.offset)
            case 0x0E, [offset]:  # def_cfa_offset
                self.cfa = Cfa(self.cfa.register, offset)
            case 0x13, [offset]:  # def_cfa_offset_sf
                self.cfa = Cfa(self.cfa.register, offset * scale)
            case 0x0F, [block]:  # def_cfa_expression
                self.cfa = Cfa(expression=self._parsed(block))
            case 0x80 | 0x05 | 0x11, [register, offset]:  # offset, extended, sf
                self.rules[register] = Rule(How.OFFSET, offset * scale)
            case 0x14 | 0x15, [register, offset]:  # val_offset, sf
                self.rules[register] = Rule(How.VAL_OFFSET, offset * scale)
            case 0x09, [register, other]:  # register
                self.rules[register] = Rule(How.REGISTER, other)
            case 0x10, [register, block]:  # expression
                self.rules[register] = Rule(How.EXPRESSION, expression=self._parsed(block))
            case 0x16, [register, block]:  # val_expression
                self.rules[register] = Rule(How.VAL_EXPRESSION, expression=self._parsed(block))
            case 0x07, [register]:  # undefined
                self.rules[register] = Rule(How.UNDEFINED)
            case 0x08, [register]:  # same_value
                self.rules[register] = Rule(How.SAME)
            case 0xC0 | 0x06, [register]:  # restore, extended
                self.rules[register] = self.initial.get(register, Rule(How.SAME))
            case 0x0A, _:  # remember_state
                self.remembered.append((self.cfa, dict(self.rules), self.signed))
            case 0x0B, _:  # restore_state
                self.cfa, self.rules, self.signed = self.remembered.pop()
            case 0x2D, _:  # AARCH64_negate_ra_state
                self.signed = not self.signed
            # What is left tells nothing of registers: nop, GNU_args_size.

    def _parsed(self, block: Any) -> Expression:
        parsed = DWARFExprParser(self.cie.structs).parse_expr(block)
        return tuple((each.op_name, tuple(each.args)) for each in parsed)
