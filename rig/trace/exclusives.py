"""ARM's exclusive loads and stores: between them no other thread's turn can come without effect.

Enters: decoded text. Leaves: addresses. Never here: x86, whose atomics are one instruction each.

An exception between the two loses the reservation, so that a store under single steps would never
succeed: what stands there must run in one go.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rig.trace.architecture import Instruction
from rig.trace.instructions import Decoded

_LONGEST = 16  # instructions from the load to its store


def within_exclusives(decoded: Decoded) -> frozenset[int]:
    """The addresses behind an exclusive load, up to its store, this included."""
    is_load, is_store = _FORMS.get(decoded.arch, (_never, _never))
    return frozenset(
        address
        for function in decoded.functions
        for address in _within(function.instructions, is_load, is_store)
    )


def _within(
    code: Sequence[Instruction], is_load: Callable[[int], bool], is_store: Callable[[int], bool]
) -> Iterator[int]:
    words = [int.from_bytes(i.code, "little") for i in code]
    for first in (n for n, word in enumerate(words) if is_load(word)):
        rest = range(first + 1, min(first + _LONGEST, len(words)))
        last = next((n for n in rest if is_store(words[n])), first)
        yield from (code[n].address for n in range(first + 1, last + 1))


def _never(_: int) -> bool:
    return False


def _is_a64(word: int) -> bool:
    """Arm ARM, C4.1: load/store exclusive, o2 0; with o1 and not bit 31 it is CASP."""
    return word & 0x3F800000 == 0x08000000 and word & 0x80200000 != 0x00200000


_FORMS: Mapping[str, tuple[Callable[[int], bool], Callable[[int], bool]]] = {
    "aarch64": (
        lambda word: _is_a64(word) and bool(word >> 22 & 1),
        lambda word: _is_a64(word) and not word >> 22 & 1,
    ),
    # F4.1: ldrex, ldaex and strex, stlex with their widths; lda and stl have bit 9 clear.
    "arm": (
        lambda word: word & 0x0F900EFF == 0x01900E9F,
        lambda word: word & 0x0F900EF0 == 0x01800E90,
    ),
}
