"""The ways that jumps may go, and what else than seeing them shows which they went.

Enters: a decoded text; what a run hit and saw. Leaves: `Branch` records, the traps that they
need, directions per jump. Never here: running, or thresholds.

A direction is proven by a hit at its target if nothing else leads there. Indirect jumps are
taken to stay in their function, or to go to the beginning of one or to an address that code
names. A direction is due if there is no way out of the function but over it: once the jump was
executed and the call is back, it was gone. Jumps that only show a direction by themselves keep
their trap longest. A predicated return or indirect jump has no directions: it is a way out.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rig.architectures import ARCHITECTURES
from rig.runner.client import Trap, TrapKind
from rig.trace.architecture import Instruction, Kind
from rig.trace.instructions import Decoded

TAKEN, NOT_TAKEN = 1, 2

Code = Mapping[int, Instruction]


@dataclass(frozen=True, slots=True)
class Branch:
    """A conditional jump at `address`: where it leads, by which hits (`proof`) or ends of calls
    (`due`) each direction is known without being seen."""

    address: int
    target: int
    fallthrough: int
    taken_proof: bool
    fall_proof: bool
    taken_due: bool
    fall_due: bool

    @property
    def proven(self) -> int:
        """The mask of the directions that a hit proves."""
        return TAKEN * self.taken_proof | NOT_TAKEN * self.fall_proof

    @property
    def due(self) -> int:
        """The mask of the directions that are due."""
        return TAKEN * self.taken_due | NOT_TAKEN * self.fall_due


@dataclass(frozen=True, slots=True)
class _Run:
    """What is executed in a row: `end` is the instruction that ends it, None if that leaves
    the known code; `follows` are the addresses that may be next."""

    end: int | None
    follows: tuple[int, ...]


def directions(decoded: Decoded) -> tuple[Branch, ...]:
    """Every conditional jump of the functions, by address."""
    code = _instructions(decoded)
    counted = _counted(decoded)
    alone = _single_predecessor(decoded, code) & counted.keys()
    runs: dict[int, _Run] = {}
    return tuple(
        _branch(code, runs, alone, counted[address])
        for address in sorted(counted)
        if counted[address].kind is Kind.CONDITIONAL
    )


def traps(
    decoded: Decoded, base: int, branches: Iterable[Branch], plain: Collection[int] = ()
) -> tuple[Trap, ...]:
    """The traps for every instruction of the functions, in a text that stands at `base`, with
    its `branches`. Of functions at the addresses `plain` no jump is followed."""
    size = ARCHITECTURES[decoded.arch].trap
    jumps = {branch.address: branch for branch in branches}
    found: dict[int, Trap] = {}
    for function in decoded.functions:
        for each in function.instructions:
            found[each.address] = (
                Trap(each.address - base, TrapKind.PLAIN, size=size)
                if function.address in plain
                else _trap(each, jumps.get(each.address), base, size)
            )
    return tuple(found[at] for at in sorted(found))


def resolve(
    branches: Iterable[Branch], hits: Collection[int], observed: Iterable[tuple[int, int]]
) -> Mapping[int, int]:
    """The directions of each jump, by its address, as a mask: 0 if it was never executed.

    `hits` are the addresses that were executed, `observed` pairs of a jump's address and a mask;
    both may be of several runs.
    """
    seen: Counter[int] = Counter()
    for address, mask in observed:
        seen[address] |= mask
    return {each.address: seen[each.address] | _proven(each, hits) for each in branches}


def _proven(branch: Branch, hits: Collection[int]) -> int:
    taken = branch.taken_proof and branch.target in hits
    fell = branch.fall_proof and branch.fallthrough in hits
    return TAKEN * taken | NOT_TAKEN * fell


def _counted(decoded: Decoded) -> dict[int, Instruction]:
    return {each.address: each for f in decoded.functions for each in f.instructions}


def _instructions(decoded: Decoded) -> Code:
    return _counted(decoded) | {each.address: each for each in decoded.stray}


def _single_predecessor(decoded: Decoded, code: Code) -> set[int]:
    """Where one instruction in one way leads, and nothing that is not known can."""
    arrivals = Counter(address for each in code.values() for address in _successors(each))
    entries = {function.address for function in decoded.functions}
    named = {each.reference for each in code.values()}
    unsure = {i.address for f in decoded.functions if f.swept for i in f.instructions}
    once = {address for address, count in arrivals.items() if count == 1}
    return once - entries - named - unsure


def _successors(instruction: Instruction) -> Iterator[int]:
    if instruction.kind.falls_through:
        yield instruction.end
    if instruction.target is not None:
        yield instruction.target


def _branch(code: Code, runs: dict[int, _Run], alone: Collection[int], jump: Instruction) -> Branch:
    target, fallthrough = jump.target, jump.end
    assert target is not None
    return Branch(
        jump.address,
        target,
        fallthrough,
        taken_proof=target in alone,
        fall_proof=fallthrough in alone,
        taken_due=not _gets_out(code, runs, jump.address, fallthrough),
        fall_due=not _gets_out(code, runs, jump.address, target),
    )


def _gets_out(code: Code, runs: dict[int, _Run], jump: int, first: int) -> bool:
    """Whether flow from `first` may leave the function without the jump going the other way."""
    pending, known = [first], {first}
    while pending:
        start = pending.pop()
        if start not in runs:
            runs[start] = _run(code, start)
        run = runs[start]
        if run.end is None:
            return True
        if run.end != jump:
            pending += (address for address in run.follows if address not in known)
            known.update(run.follows)
    return False


def _run(code: Code, start: int) -> _Run:
    """A call comes back; a tail jump is followed; who knows where an indirect jump leads."""
    at = start
    while (instruction := code.get(at)) is not None:
        if instruction.kind.is_predicated:
            break
        match instruction.kind:
            case Kind.RETURN | Kind.INDIRECT_JUMP:
                break
            case Kind.JUMP | Kind.CONDITIONAL | Kind.STOP:
                return _Run(at, tuple(_successors(instruction)))
        at = instruction.end
    return _Run(None, ())


def _trap(instruction: Instruction, branch: Branch | None, base: int, size: int) -> Trap:
    offset = instruction.address - base
    if branch is not None:
        return Trap(offset, TrapKind.CONDITIONAL, branch.proven, branch.due, size)
    indirect = instruction.kind is Kind.INDIRECT_JUMP
    return Trap(offset, TrapKind.INDIRECT if indirect else TrapKind.PLAIN, size=size)
