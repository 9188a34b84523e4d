"""The numbers in x86 instructions that may be lengths."""

import pytest

from rig.trace.architecture import Constant, Use
from rig.trace.instructions import architecture

COMPARE, STEP, SHIFT = Use.COMPARE, Use.STEP, Use.SHIFT

FOUND = {
    "cmp rdx, 0x6ff": ("48 81 fa ff 06 00 00", COMPARE, 0x6FF),
    "cmp edx, 0x10": ("83 fa 10", COMPARE, 16),
    "cmp al, 0xff": ("3c ff", COMPARE, 255),
    "test dl, 0x3f": ("f6 c2 3f", COMPARE, 63),
    "cmp qword ptr [rsp+8], 0x200": ("48 81 7c 24 08 00 02 00 00", None, 0),
    "add rdi, 0x200": ("48 81 c7 00 02 00 00", STEP, 512),
    "add rdx, -0x40": ("48 83 c2 c0", STEP, 64),
    "add edx, -0x40": ("83 c2 c0", STEP, 64),
    "and rdx, -0x200": ("48 81 e2 00 fe ff ff", STEP, 512),
    "lea rax, [rdx-0x700]": ("48 8d 82 00 f9 ff ff", STEP, 0x700),
    "shr rdx, 9": ("48 c1 ea 09", SHIFT, 512),
    "bt edx, 5": ("0f ba e2 05", SHIFT, 32),
    "sub rsp, 0x118": ("48 81 ec 18 01 00 00", None, 0),
    "lea rax, [rsp+0x40]": ("48 8d 44 24 40", None, 0),
    "cmp rdx, rax": ("48 39 c2", None, 0),
    "mov eax, 0x200": ("b8 00 02 00 00", None, 0),
    "lea rax, [rdx+rdx]": ("48 8d 04 12", None, 0),
}


@pytest.mark.parametrize("text", FOUND)
def test_constants(text: str) -> None:
    code, use, value = FOUND[text]
    x86 = architecture("x86_64")
    (instruction,) = x86.straight(bytes.fromhex(code), 0x1000, 0x1000)
    assert x86.constants(instruction) == (() if use is None else (Constant(use, value),))
