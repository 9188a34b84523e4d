"""GHASH (SP 800-38D clauses 6.3 and 6.4).

Enters: 16-byte blocks. Leaves: 16-byte blocks. Never here: padding, lengths, the cipher.

A block is a polynomial over GF(2) modulo x^128 + x^7 + x^2 + x + 1 whose first bit is the
coefficient of x^0; as a big-endian number, x^i is bit 127 - i and a multiplication by x is a
shift to the right. `multiply` and `ghash_plain` are the standard's text. `ghash` uses tables
of the multiples of H: one table for short data, one for each byte position for long.
"""

from functools import lru_cache

BLOCK_LEN = 16

# R of clause 6.3: 11100001 followed by 120 zeros.
_R = 0xE1 << 120
# From about here on the 16 tables repay what they cost more than one table.
_LONG = 200 * BLOCK_LEN


def multiply(x: bytes, y: bytes) -> bytes:
    """Return the product X * Y of two blocks (clause 6.3, Algorithm 1).

    ValueError unless both have 16 bytes.
    """
    return _multiply(_number(x), _number(y)).to_bytes(BLOCK_LEN, "big")


def _multiply(x: int, y: int) -> int:
    z, v = 0, y
    for i in range(128):
        if x >> (127 - i) & 1:
            z ^= v
        v = _times_x(v)
    return z


def _times_x(v: int) -> int:
    return v >> 1 ^ _R if v & 1 else v >> 1


def invert(x: bytes) -> bytes:
    """Return the block whose product with x is 1 (the block 80 00 ... 00).

    x^(2^128 - 2), since each element's power 2^128 is the element (clause 6.3 and Fermat).
    ValueError for another length than 16 and for the zero block.
    """
    power = _number(x)
    if not power:
        raise ValueError("the zero block has no inverse")
    product = 1 << 127
    for _ in range(127):
        power = _multiply(power, power)
        product = _multiply(product, power)
    return product.to_bytes(BLOCK_LEN, "big")


def ghash_plain(h: bytes, data: bytes, initial: bytes = bytes(BLOCK_LEN)) -> bytes:
    """As `ghash`: Y_i = (Y_(i-1) xor X_i) * H (clause 6.4, Algorithm 2)."""
    _check_data(data)
    y, subkey = _number(initial), _number(h)
    for start in range(0, len(data), BLOCK_LEN):
        y = _multiply(y ^ _number(data[start : start + BLOCK_LEN]), subkey)
    return y.to_bytes(BLOCK_LEN, "big")


def ghash(h: bytes, data: bytes, initial: bytes = bytes(BLOCK_LEN)) -> bytes:
    """Return GHASH_H(data) (clause 6.4), with `initial` as Y_0, which the standard has zero.

    `data` is whole blocks, none included. ValueError for another length of any argument.
    """
    _check_data(data)
    y, subkey = _number(initial), _number(h)
    absorb = _absorb_long if len(data) >= _LONG else _absorb_short
    return absorb(y, subkey, data).to_bytes(BLOCK_LEN, "big")


def _multiples(basis: list[int]) -> list[int]:
    """The 256 sums of eight numbers; a byte's first bit selects the first number."""
    sums = [0]
    for element in reversed(basis):
        sums += [element ^ other for other in sums]
    return sums


def _powers(first: int, count: int) -> list[int]:
    """first * x^i for i below count."""
    powers = [first]
    while len(powers) < count:
        powers.append(_times_x(powers[-1]))
    return powers


# The low byte of a number, x^120 to x^127, times x^8.
_OVERFLOW = _multiples(_powers(_R, 8))


@lru_cache(maxsize=64)
def _table(h: int) -> list[int]:
    """Each byte, as a polynomial of x^0 to x^7, times H."""
    return _multiples(_powers(h, 8))


@lru_cache(maxsize=4)
def _tables(h: int) -> list[list[int]]:
    """For each position i in a block, each byte times x^(8i) times H."""
    powers = _powers(h, 128)
    return [_multiples(powers[i : i + 8]) for i in range(0, 128, 8)]


def _absorb_short(y: int, h: int, data: bytes) -> int:
    """Horner's rule over the bytes of each block, the last byte first."""
    table, overflow = _table(h), _OVERFLOW
    for start in range(0, len(data), BLOCK_LEN):
        block = y ^ int.from_bytes(data[start : start + BLOCK_LEN], "big")
        y = 0
        for byte in block.to_bytes(BLOCK_LEN, "little"):
            y = y >> 8 ^ overflow[y & 0xFF] ^ table[byte]
    return y


def _absorb_long(y: int, h: int, data: bytes) -> int:
    """The product as the sum of its 16 bytes' products."""
    t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15 = _tables(h)
    for start in range(0, len(data), BLOCK_LEN):
        block = y ^ int.from_bytes(data[start : start + BLOCK_LEN], "big")
        b = block.to_bytes(BLOCK_LEN, "big")
        y = (
            t0[b[0]] ^ t1[b[1]] ^ t2[b[2]] ^ t3[b[3]]
            ^ t4[b[4]] ^ t5[b[5]] ^ t6[b[6]] ^ t7[b[7]]
            ^ t8[b[8]] ^ t9[b[9]] ^ t10[b[10]] ^ t11[b[11]]
            ^ t12[b[12]] ^ t13[b[13]] ^ t14[b[14]] ^ t15[b[15]]
        )  # fmt: skip
    return y


def _number(block: bytes) -> int:
    if len(block) != BLOCK_LEN:
        raise ValueError(f"a GHASH block has {BLOCK_LEN} bytes, not {len(block)}")
    return int.from_bytes(block, "big")


def _check_data(data: bytes) -> None:
    if len(data) % BLOCK_LEN:
        raise ValueError(f"GHASH takes whole blocks of 16 bytes, not {len(data)} bytes")
