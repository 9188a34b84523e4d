"""What a check says of one case.

Enters: nothing. Leaves: the record and the table of checks. Never here: how it was found.
"""

from collections.abc import Mapping
from dataclasses import dataclass

CHECKS: Mapping[str, str] = {
    "value": "outputs equal the published or the oracle's answer, and every variant's",
    "return": "each call returns what its contract says",
    "uninitialised": "outputs do not depend on what registers, stack and buffers held before",
    "memory": "nothing is read or written outside a buffer (guard pages, canaries)",
    "input": "inputs are never written, nor changed after the call",
    "abi": "callee-saved registers, stack, flags and control words are kept, upper halves cleared",
    "stack": "nothing is written below the stack pointer, or the red zone where the ABI has one",
    "unwind": "at each instruction of assembly that ran, call frame information gives the caller",
    "crash": "no signal",
    "exit": "the code does not end the process",
    "timeout": "the call ends within its budget of CPU time",
    "path": "the chosen variants' code ran, and no other variant's",
    "capability": "no instruction needs what `needs` (all code) or the mask (what ran) lacks",
    "constant-time": "ways, addresses and times of instructions do not depend on secrets",
    "object": "each object: stack, text, constants, types, sizes, landing pads, exports",
    "race": "whoever calls the initialiser of the vector first, all find a whole vector",
    "dispatch": "the dispatcher agrees with the manifest and looks at declared bits only",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that failed on a case: `script` is its index in the batch, None for a finding
    about the whole batch; `symbol` the function that it is about."""

    check: str
    script: int | None
    summary: str
    details: tuple[str, ...] = ()
    symbol: str = ""
