"""Marks of instructions and source lines, and in words what a function lacks.

Enters: functions, and what one path or all together reached of them. Leaves: one-character marks,
notes, shares, gaps. Never here: verdicts, thresholds, markup.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rig.report.reach import (
    LISTING,
    Function,
    Instruction,
    Reached,
    branch_count,
    instruction_count,
)
from rig.trace.branches import NOT_TAKEN, TAKEN

EXECUTED, MISSED, PARTLY, ONE_WAY = "+", "-", "~", "!"
NOTES: Mapping[int, str] = {
    0: "no direction recorded",
    TAKEN: "always taken",
    NOT_TAKEN: "never taken",
    TAKEN | NOT_TAKEN: "",
}
SHOWN = 40  # gaps of one function that a path names; the listing has all


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    covered: int
    total: int

    @property
    def percent(self) -> float:
        """Rounded down to a tenth, so that 100.0 means every one; 100.0 where there is none."""
        return self.covered * 1000 // self.total / 10 if self.total else 100.0

    @property
    def text(self) -> str:
        """`99.9%`; `none` where there is nothing to count."""
        if not self.total:
            return "none"
        return "100%" if self.covered == self.total else f"{self.percent:.1f}%"


def reached_by(rows: Collection[Mapping[str, Any]], recorded: bool) -> Reached:
    """What some paths of coverage.json, all of one image, reached together; `recorded` says
    whether whatever ran that image records directions of jumps."""
    ways: dict[int, int] = {}
    for row in rows:
        for offset, mask in row["branches"]:
            ways[offset] = ways.get(offset, 0) | mask
    hits = frozenset(offset for row in rows for offset in row["hits"])
    return Reached(hits, ways if recorded else None)


def entered(function: Function, seen: Reached) -> bool:
    """Whether any of it was executed."""
    return not seen.hits.isdisjoint(function.offsets)


def instructions(functions: Iterable[Function], seen: Reached) -> Share:
    """How many instructions were executed."""
    count = instruction_count(functions, seen)
    return Share(count.covered, count.total)


def directions(functions: Iterable[Function], seen: Reached) -> Share | None:
    """How many directions of conditional jumps were gone; None where nothing records them."""
    count = branch_count(functions, seen)
    return None if count is None else Share(count.covered, count.total)


def mark(instruction: Instruction, seen: Reached) -> str:
    """Executed, missed, or a jump that went one way."""
    if instruction.offset not in seen.hits:
        return MISSED
    return ONE_WAY if note(instruction, seen) else EXECUTED


def note(instruction: Instruction, seen: Reached) -> str:
    """What an executed conditional jump lacks; empty for everything else."""
    if not instruction.conditional or seen.ways is None or instruction.offset not in seen.hits:
        return ""
    return NOTES[seen.ways.get(instruction.offset, 0)]


def line_mark(marks: Collection[str]) -> str:
    """A source line's mark from those of its instructions."""
    if MISSED in marks:
        return MISSED if set(marks) == {MISSED} else PARTLY
    return ONE_WAY if ONE_WAY in marks else EXECUTED


def gaps(function: Function, seen: Reached) -> tuple[str, ...]:
    """What of a function was not executed, and which jumps went one way, in words."""
    if not entered(function, seen):
        return ("never entered",)
    found = list(_gaps(function, seen))
    rest = len(found) - SHOWN
    return (*found[:SHOWN], f"and {rest} more, in the listing") if rest > 0 else tuple(found)


def _gaps(function: Function, seen: Reached) -> Iterator[str]:
    for sign, group in groupby(function.instructions, lambda i: mark(i, seen)):
        if sign == MISSED:
            yield _missed(function, list(group))
        elif sign == ONE_WAY:
            for jump in group:
                words = f"{at(function, jump.offset)} {text(function, jump)}: {note(jump, seen)}"
                yield words + _place(jump)


def _missed(function: Function, run: Sequence[Instruction]) -> str:
    first, last = at(function, run[0].offset), at(function, run[-1].offset)
    span = first if len(run) == 1 else f"{first} to {last}"
    count = "1 instruction" if len(run) == 1 else f"{len(run)} instructions"
    return f"{span}: {count} not executed{_place(run[0])}"


def _place(instruction: Instruction) -> str:
    return f" ({instruction.file}:{instruction.line})" if has_source(instruction) else ""


def has_source(instruction: Instruction) -> bool:
    """Whether debugging information gives it a line of a source."""
    return instruction.own and not instruction.file.endswith(LISTING)


def at(function: Function, offset: int) -> str:
    """An offset of the text as one from the function's start."""
    return f"+0x{offset - function.offset:x}"


def text(function: Function, instruction: Instruction) -> str:
    """The instruction; a jump inside the function names the offset only."""
    return instruction.text.replace(f" {function.name}+0x", " +0x")


def runs(function: Function, seen: Reached) -> tuple[int, ...]:
    """How many instructions in turn were executed, not executed, executed, ..."""
    lengths, expected = [], True
    for executed, group in groupby(i.offset in seen.hits for i in function.instructions):
        if executed != expected:
            lengths.append(0)
        lengths.append(sum(1 for _ in group))
        expected = not executed
    return tuple(lengths)
