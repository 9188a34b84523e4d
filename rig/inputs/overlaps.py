"""Station 4: outputs that share memory with their input in part, or stand right beside it.

Enters: a primitive's name. Leaves: cases without answers, deterministic, named by the distance.
Never here: what becomes of them (the contract says so, and the case goes to no path whose contract
says nothing).
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from rig import contracts
from rig.cases import Case, Inputs, Placement
from rig.data import data_folder
from rig.inputs.sweeps import SWEPT, sweep
from rig.primitives import PRIMITIVES
from rig.runner.scripts import Side

# Beside the strides of wide code, and in the middle of them.
BEFORE = (1, 15, 16, 17, 48, 63, 64, 65, 100, 128, 192, 255, 256, 257, 320, 511, 512, 513, 1024)
REFUSED = (1, 15, 16, 17, 63, 64)
MESSAGES = frozenset((2, 16, 37, 64, 128, 129, 256, 320, 512, 608, 613, 1024, 1040, 2048, 2100))
_FEW = frozenset((2, 37, 608))


def overlaps(primitive: str) -> Iterator[Case]:
    """The cases of a primitive; nothing for one whose contract speaks of no overlap."""
    if not is_overlapping(primitive):
        return
    number = 0
    for case, length, word in _bases(primitive):
        for shift in _shifts(length, word):
            placement = Placement(Side(number % 2), shift=shift)
            yield replace(case, name=f"overlap {number}, {shift} bytes", placement=placement)
            number += 1


def is_overlapping(primitive: str) -> bool:
    """Whether the contract of a primitive says something of overlaps."""
    return primitive in SWEPT and bool(_words(primitive))


def _shifts(length: int, word: str) -> Iterator[int]:
    """By how much; at last as far as the message is long, where nothing is shared."""
    if word == "before":
        yield from (-n for n in BEFORE if n < length)
    else:
        yield from (
            way * n for n in sorted({*REFUSED, length - 1}) if n < length for way in (1, -1)
        )
    yield from (length, -length)


@cache
def _words(primitive: str) -> dict[str, str]:
    """What the contract says, by operation."""
    definition = PRIMITIVES[primitive]
    contract = contracts.read(data_folder("native") / "include" / definition.header)
    found = {}
    for name, operation in definition.operations.items():
        functions = [f for f in contract.functions if f.role in operation.roles]
        said = [a.overlap for f in functions for a in f.arguments if a.overlap]
        if said:
            found[name] = said[0]
    return found


def _bases(primitive: str) -> Iterator[tuple[Case, int, str]]:
    """Of each operation the first case of the sweep with a message of each length."""
    words, seen = _words(primitive), set[tuple[str, int]]()
    for case in sweep(primitive):
        operation, length = case.values.operation, _length(case.values.inputs)
        word = words.get(operation, "")
        lengths = MESSAGES if word == "before" else _FEW
        if word and length in lengths and (operation, length) not in seen:
            seen.add((operation, length))
            yield case, length, word


def _length(inputs: Inputs) -> int:
    messages = (inputs.get(name) for name in ("data", "plaintext"))
    return max((len(v) for v in messages if isinstance(v, bytes)), default=0)
