"""AES (FIPS 197) and its counter mode (SP 800-38A clause 6.5) as GCM uses it.

Enters: a key of 16, 24 or 32 bytes, blocks or a counter block and data. Leaves: enciphered
blocks, or data xor keystream. Never here: the inverse cipher, authentication.

`encrypt_block_plain` is the pseudocode of FIPS 197 clause 5.1. `encrypt_blocks` takes n
blocks at once: the state's byte of row r and column c of all blocks stand side by side, a
plane of n bytes; the planes follow each other row by row. SubBytes and the multiplication by
{02} are then `bytes.translate`, and the rest is moves and xor of whole rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from struct import pack, unpack

from rig.oracle.xor import xor

BLOCK_LEN = 16
KEY_LENS = (16, 24, 32)

_WORD = 0xFFFFFFFF
_BATCH = 256


def _xtime(b: int) -> int:
    """{02} times b modulo x^8 + x^4 + x^3 + x + 1 (clause 4.2)."""
    return b << 1 ^ (0x11B if b & 0x80 else 0)


def _sbox() -> bytes:
    """The inverse in GF(2^8), then the affine transformation (clause 5.1.1)."""
    powers = [1]  # of {03}, which generates the multiplicative group
    while len(powers) < 255:
        powers.append(powers[-1] ^ _xtime(powers[-1]))
    box = bytearray([0x63] * 256)
    for i, element in enumerate(powers):
        b = powers[-i % 255] * 0x101  # two copies, so that a rotation is a shift
        box[element] ^= (b ^ b >> 4 ^ b >> 5 ^ b >> 6 ^ b >> 7) & 0xFF
    return bytes(box)


SBOX = _sbox()
INVERSE_SBOX = bytes(SBOX.index(b) for b in range(256))
_TIMES2 = bytes(map(_xtime, range(256)))
_TIMES4 = _TIMES2.translate(_TIMES2)
_TIMES8 = _TIMES4.translate(_TIMES2)
_TIMES9 = xor(_TIMES8, bytes(range(256)))
_TIMES11 = xor(_TIMES9, _TIMES2)
_TIMES13 = xor(_TIMES9, _TIMES4)
_TIMES14 = xor(xor(_TIMES8, _TIMES4), _TIMES2)


def _sub_word(word: int) -> int:
    return int.from_bytes(word.to_bytes(4, "big").translate(SBOX), "big")


def _rot_word(word: int) -> int:
    return (word << 8 | word >> 24) & _WORD


@lru_cache(maxsize=64)
def key_expansion(key: bytes) -> bytes:
    """Return the 11, 13 or 15 round keys of 16 bytes, joined (clause 5.2).

    ValueError for a key that has not 16, 24 or 32 bytes.
    """
    _check_key(key)
    nk = len(key) // 4
    w = list(unpack(f">{nk}I", key))
    rcon = 1
    for i in range(nk, 4 * (nk + 7)):
        temp = w[i - 1]
        if i % nk == 0:
            temp = _sub_word(_rot_word(temp)) ^ rcon << 24
            rcon = _xtime(rcon)
        elif nk > 6 and i % nk == 4:
            temp = _sub_word(temp)
        w.append(w[i - nk] ^ temp)
    return pack(f">{len(w)}I", *w)


def encrypt_block_plain(key: bytes, block: bytes) -> bytes:
    """As `encrypt_block`, step by step (clause 5.1); state[4c + r] is row r, column c."""
    _check_block(block)
    schedule = key_expansion(key)
    first, *middle, last = (schedule[i : i + 16] for i in range(0, len(schedule), 16))
    state = _add_round_key(block, first)
    for round_key in middle:
        state = _add_round_key(_mix_columns(_shift_rows(state.translate(SBOX))), round_key)
    return _add_round_key(_shift_rows(state.translate(SBOX)), last)


def _add_round_key(state: bytes, round_key: bytes) -> bytes:
    return bytes(s ^ k for s, k in zip(state, round_key, strict=True))


def _shift_rows(state: bytes) -> bytes:
    """s'[r, c] = s[r, (c + r) mod 4] (clause 5.1.2)."""
    return bytes(state[4 * ((c + r) % 4) + r] for c in range(4) for r in range(4))


def _mix_columns(state: bytes) -> bytes:
    """s'[r] = {02} s[r] + {03} s[r+1] + s[r+2] + s[r+3] in each column (clause 5.1.3)."""
    out = bytearray()
    for c in range(0, 16, 4):
        s = state[c : c + 4] * 2
        out += bytes(
            _TIMES2[s[r]] ^ _TIMES2[s[r + 1]] ^ s[r + 1] ^ s[r + 2] ^ s[r + 3] for r in range(4)
        )
    return bytes(out)


def decrypt_block(key: bytes, block: bytes) -> bytes:
    """Return INVCIPHER(block), 16 bytes (clause 5.3). ValueError as for `encrypt_block`."""
    _check_block(block)
    schedule = key_expansion(key)
    first, *middle, last = (schedule[i : i + 16] for i in range(0, len(schedule), 16))
    state = _add_round_key(block, last)
    for round_key in reversed(middle):
        state = _inv_shift_rows(state).translate(INVERSE_SBOX)
        state = _inv_mix_columns(_add_round_key(state, round_key))
    return _add_round_key(_inv_shift_rows(state).translate(INVERSE_SBOX), first)


def _inv_shift_rows(state: bytes) -> bytes:
    """s'[r, (c + r) mod 4] = s[r, c] (clause 5.3.1)."""
    return bytes(state[4 * ((c - r) % 4) + r] for c in range(4) for r in range(4))


def _inv_mix_columns(state: bytes) -> bytes:
    """s'[r] = {0e} s[r] + {0b} s[r+1] + {0d} s[r+2] + {09} s[r+3] in each column (clause 5.3.3)."""
    out = bytearray()
    for c in range(0, 16, 4):
        s = state[c : c + 4] * 2
        out += bytes(
            _TIMES14[s[r]] ^ _TIMES11[s[r + 1]] ^ _TIMES13[s[r + 2]] ^ _TIMES9[s[r + 3]]
            for r in range(4)
        )
    return bytes(out)


def cbc_encrypt(key: bytes, iv: bytes, data: bytes) -> bytes:
    """Return C_j = CIPHER(P_j xor C_{j-1}), C_0 = iv (SP 800-38A clause 6.2).

    ValueError as for `encrypt_block`, and for data that is not whole blocks.
    """
    out = [iv]
    for block in _whole_blocks(iv, data):
        out.append(encrypt_block(key, xor(block, out[-1])))
    return b"".join(out[1:])


def cbc_decrypt(key: bytes, iv: bytes, data: bytes) -> bytes:
    """Return P_j = INVCIPHER(C_j) xor C_{j-1}, C_0 = iv (SP 800-38A clause 6.2). ValueError as for
    `cbc_encrypt`."""
    blocks = _whole_blocks(iv, data)
    before = [iv, *blocks]
    return b"".join(
        xor(decrypt_block(key, block), last) for block, last in zip(blocks, before, strict=False)
    )


def _whole_blocks(iv: bytes, data: bytes) -> list[bytes]:
    _check_block(iv)
    if len(data) % BLOCK_LEN:
        raise ValueError(f"CBC takes whole blocks of 16 bytes, not {len(data)} bytes")
    return [data[i : i + BLOCK_LEN] for i in range(0, len(data), BLOCK_LEN)]


def encrypt_block(key: bytes, block: bytes) -> bytes:
    """Return CIPHER(block), 16 bytes (clause 5.1).

    ValueError for a key that has not 16, 24 or 32 bytes or a block that has not 16.
    """
    _check_block(block)
    return encrypt_blocks(key, block)


def encrypt_blocks(key: bytes, blocks: bytes) -> bytes:
    """Return CIPHER of each 16-byte block (clause 5.1). ValueError as for `encrypt_block`."""
    _check_key(key)
    if len(blocks) % BLOCK_LEN:
        raise ValueError(f"AES takes whole blocks of 16 bytes, not {len(blocks)} bytes")
    step = _BATCH * BLOCK_LEN
    return b"".join([_batch(key, blocks[i : i + step]) for i in range(0, len(blocks), step)])


def ctr32_plain(key: bytes, counter_block: bytes, data: bytes) -> bytes:
    """As `ctr32`, one block at a time."""
    _check_block(counter_block)
    out = bytearray()
    for start in range(0, len(data), BLOCK_LEN):
        stream = encrypt_block_plain(key, counter_block)
        piece = data[start : start + BLOCK_LEN]
        out += bytes(d ^ s for d, s in zip(piece, stream, strict=False))
        counter = int.from_bytes(counter_block[12:], "big") + 1 & _WORD
        counter_block = counter_block[:12] + counter.to_bytes(4, "big")
    return bytes(out)


def ctr32(key: bytes, counter_block: bytes, data: bytes) -> bytes:
    """Return data xor CIPHER of successive counter blocks (SP 800-38A clause 6.5).

    The successor is inc32 of SP 800-38D clause 6.2: the last 32 bits, big-endian, wrap to 0
    and carry nowhere. ValueError as for `encrypt_block`.
    """
    blocks = counter_blocks(counter_block, -(-len(data) // BLOCK_LEN))
    return xor(data, encrypt_blocks(key, blocks))


def counter_blocks(first: bytes, count: int) -> bytes:
    """Return `count` counter blocks from `first` on, each inc32 of the one before."""
    _check_block(first)
    start = int.from_bytes(first[12:], "big")
    counters = [counter & _WORD for counter in range(start, start + count)]
    low = pack(f">{count}I", *counters)
    blocks = bytearray(first * count)
    for i in range(4):
        blocks[12 + i :: BLOCK_LEN] = low[i::4]
    return bytes(blocks)


_Picker = Callable[[bytes], tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class _Planes:
    """How n blocks of state lie in planes; each picker gives pieces to be joined."""

    from_blocks: _Picker
    shift_rows: _Picker
    columns: tuple[slice, ...]  # the planes in the order of a block's bytes
    index: bytes  # the place in a block that each byte of the planes comes from


@lru_cache(maxsize=64)
def _planes(n: int) -> _Planes:
    # Byte 4c + r of a block is row r, column c of the state (clause 3.4).
    by_row = [4 * c + r for r in range(4) for c in range(4)]
    # Row r is four planes from 4rn on; ShiftRows turns it left by r planes (clause 5.1.2).
    bounds = [(0, 4), (5, 8), (4, 5), (10, 12), (8, 10), (15, 16), (12, 15)]
    planes = [slice(p * n, (p + 1) * n) for p in range(16)]
    return _Planes(
        itemgetter(*[slice(i, None, BLOCK_LEN) for i in by_row]),
        itemgetter(*[slice(start * n, stop * n) for start, stop in bounds]),
        tuple(planes[by_row[i]] for i in range(16)),
        b"".join(bytes([i]) * n for i in by_row),
    )


def _batch(key: bytes, blocks: bytes) -> bytes:
    n = len(blocks) // BLOCK_LEN
    planes = _planes(n)
    state = int.from_bytes(b"".join(planes.from_blocks(blocks)), "little")
    state = _cipher(state, n, _round_keys(key, n), planes.shift_rows)
    return _to_blocks(state.to_bytes(len(blocks), "little"), planes.columns)


def _cipher(state: int, n: int, round_keys: tuple[int, ...], shift_rows: _Picker) -> int:
    """CIPHER on planes (clause 5.1)."""
    first, *middle, last = round_keys
    size, row = 16 * n, 32 * n
    two_rows, three_rows, four_rows = 2 * row, 3 * row, 4 * row
    full = (1 << four_rows) - 1
    state ^= first
    for round_key in middle:
        shifted = b"".join(shift_rows(state.to_bytes(size, "little").translate(SBOX)))
        s = int.from_bytes(shifted, "little")
        s2 = int.from_bytes(shifted.translate(_TIMES2), "little")
        # Rows r+1, r+2 and r+3 come to row r by a turn left of the four rows by 3, 2 and 1.
        turned = (s ^ s2) << three_rows ^ s << two_rows ^ s << row
        state = s2 ^ turned & full ^ turned >> four_rows ^ round_key
    shifted = b"".join(shift_rows(state.to_bytes(size, "little").translate(SBOX)))
    return int.from_bytes(shifted, "little") ^ last


def _to_blocks(planes: bytes, columns: tuple[slice, ...]) -> bytes:
    blocks = bytearray(len(planes))
    for i, plane in enumerate(columns):
        blocks[i::BLOCK_LEN] = planes[plane]
    return bytes(blocks)


@lru_cache(maxsize=16)
def _round_keys(key: bytes, n: int) -> tuple[int, ...]:
    """Each round key in planes, its bytes repeated for n blocks."""
    schedule = key_expansion(key)
    index = _planes(n).index
    pad = bytes(240)
    return tuple(
        [
            int.from_bytes(index.translate(schedule[i : i + 16] + pad), "little")
            for i in range(0, len(schedule), 16)
        ]
    )


def _check_key(key: bytes) -> None:
    if len(key) not in KEY_LENS:
        raise ValueError(f"an AES key has 16, 24 or 32 bytes, not {len(key)}")


def _check_block(block: bytes) -> None:
    if len(block) != BLOCK_LEN:
        raise ValueError(f"an AES block has {BLOCK_LEN} bytes, not {len(block)}")
