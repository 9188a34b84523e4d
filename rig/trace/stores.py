"""Whether the instruction that a linker fills an address into stores to that address.

Enters: code of an object, before it is linked, and the offset of what the linker fills. Leaves:
where the instruction begins, and whether it writes there. Never here: addresses in registers.
"""

from iced_x86 import Decoder, Instruction, InstructionInfoFactory, OpAccess

_BITS = {"x86_64": 64, "i386": 32}
_WRITES = (OpAccess.WRITE, OpAccess.READ_WRITE, OpAccess.COND_WRITE, OpAccess.READ_COND_WRITE)
_LOAD_STORE = 0x3B000000  # of AArch64, with an unsigned offset: bits 29:27 and 25:24
_SCALED = 0x39000000
_OPC, _STORES_Q = 22, 2


def start_of(arch: str, code: bytes, start: int, filled: int) -> int:
    """The offset of the instruction that holds a filled place; code is taken apart from `start`
    on, the function's first byte."""
    found = _around(arch, code, start, filled)
    return found.ip if found else filled


def stores(arch: str, code: bytes, start: int, filled: int) -> bool:
    """Whether that instruction writes to memory by what is filled in."""
    if arch == "aarch64":
        return _stores_a64(int.from_bytes(code[filled : filled + 4], "little"))
    found = _around(arch, code, start, filled)
    if found is None:
        return False
    used = InstructionInfoFactory().info(found).used_memory()
    return any(memory.access in _WRITES for memory in used)


def _around(arch: str, code: bytes, start: int, filled: int) -> Instruction | None:
    if arch not in _BITS:
        return None
    decoder = Decoder(_BITS[arch], code[start:], ip=start)
    return next((i for i in decoder if i.ip <= filled < i.ip + i.len), None)


def _stores_a64(word: int) -> bool:
    """`str` of any register, with the low bits of an address as its offset."""
    if word & _LOAD_STORE != _SCALED:
        return False
    size, vector, opc = word >> 30, word >> 26 & 1, word >> _OPC & 3
    return opc == 0 or bool(vector and size == 0 and opc == _STORES_Q)
