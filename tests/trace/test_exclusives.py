"""What must run in one go between an exclusive load and its store."""

import struct

import pytest

from rig.trace.exclusives import within_exclusives
from rig.trace.flow import Extent
from rig.trace.instructions import decode

BASE = 0x1000
# By words, as llvm-mc encodes them; those within are marked.
CODE = {
    "aarch64": (
        (0x885FFC08, 0),  # ldaxr w8, [x0]
        (0x35000068, 1),  # cbnz w8, to ret
        (0x88097C01, 1),  # stxr w9, w1, [x0]
        (0x35FFFFA9, 0),  # cbnz w9, to ldaxr
        (0x88DFFC08, 0),  # ldar w8, [x0]
        (0x889FFC01, 0),  # stlr w1, [x0]
        (0xD65F03C0, 0),  # ret
    ),
    "arm": (
        (0xE1901F9F, 0),  # ldrex r1, [r0]
        (0xE2811001, 1),  # add r1, r1, #1
        (0xE1802F91, 1),  # strex r2, r1, [r0]
        (0xE3520000, 0),  # cmp r2, #0
        (0x1AFFFFFA, 0),  # bne to ldrex
        (0xE1901C9F, 0),  # lda r1, [r0]
        (0xE12FFF1E, 0),  # bx lr
    ),
}


@pytest.mark.parametrize("arch", CODE)
def test_what_stands_between_and_the_store(arch: str) -> None:
    words = [word for word, _ in CODE[arch]]
    text = struct.pack(f"<{len(words)}I", *words)
    decoded = decode(arch, text, BASE, (Extent("f", BASE, len(text)),), ())
    marked = {BASE + 4 * n for n, (_, within) in enumerate(CODE[arch]) if within}
    assert within_exclusives(decoded) == marked
