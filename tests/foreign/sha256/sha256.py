"""SHA-256's compression function over whole blocks (FIPS 180-4)."""

from random import Random
from struct import pack, unpack

from rig.define import (
    Answer,
    Inputs,
    Named,
    Operation,
    Plan,
    Primitive,
    Shape,
    Use,
    Vector,
    exactly,
    multiple_of,
    octets,
)

WORD = 0xFFFFFFFF


def _primes(count):
    found = []
    n = 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


def _root(n, k):
    """The first 32 bits of the fraction of the k-th root of n (clauses 4.2.2 and 5.3.3)."""
    low, high = 0, n << 32
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**k <= n << 32 * k else (low, middle)
    return low & WORD


K = [_root(p, 3) for p in _primes(64)]
INITIAL = b"".join(pack("<I", _root(p, 2)) for p in _primes(8))


def _rotr(x, n):
    return (x >> n | x << (32 - n)) & WORD


def compress(state: bytes, data: bytes) -> bytes:
    """The hash value after all blocks of data (clause 6.2.2), its words little-endian."""
    hash_value = list(unpack("<8I", state))
    for start in range(0, len(data), 64):
        w = list(unpack(">16I", data[start : start + 64]))
        for t in range(16, 64):
            s0 = _rotr(w[t - 15], 7) ^ _rotr(w[t - 15], 18) ^ w[t - 15] >> 3
            s1 = _rotr(w[t - 2], 17) ^ _rotr(w[t - 2], 19) ^ w[t - 2] >> 10
            w.append(s1 + w[t - 7] + s0 + w[t - 16] & WORD)
        a, b, c, d, e, f, g, h = hash_value
        for t in range(64):
            s1 = _rotr(e, 6) ^ _rotr(e, 11) ^ _rotr(e, 25)
            t1 = h + s1 + (e & f ^ ~e & g) + K[t] + w[t]
            s0 = _rotr(a, 2) ^ _rotr(a, 13) ^ _rotr(a, 22)
            t2 = s0 + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = t1 + t2 & WORD, a, b, c, d + t1 & WORD, e, f, g
        words = (a, b, c, d, e, f, g, h)
        hash_value = [x + y & WORD for x, y in zip(hash_value, words, strict=True)]
    return pack("<8I", *hash_value)


def answer(inputs: Inputs) -> Answer:
    """Asks the oracle."""
    return Answer({"state_out": compress(octets(inputs, "state"), octets(inputs, "data"))})


def plan(inputs: Inputs, answer: Answer) -> Plan:
    """The same by one call; the names are those of sha256.h."""
    state = Named("state", octets(inputs, "state"), answer.outputs["state_out"])
    data = octets(inputs, "data")
    arguments = {"state": state, "in": data, "num_blocks": len(data) // 64}
    return Plan((Use("block_data_order", arguments),), len(data))


def edges(chance: Random):
    """Words at which sums carry, in state and data alike."""
    for word in (0, 1, 0x7FFFFFFF, 0x80000000, WORD):
        for blocks in range(1, 9):
            data = pack(">I", word) * 16 * blocks
            yield "blocks", {"state": pack("<I", WORD - word) * 8, "data": data}
            yield "blocks", {"state": chance.randbytes(32), "data": data}


def _vector(name, message, digest):
    """A published digest as a record: the message padded (clause 5.1.1), the digest's words."""
    padded = message + b"\x80" + bytes(-(len(message) + 9) % 64) + pack(">Q", 8 * len(message))
    state_out = pack("<8I", *unpack(">8I", bytes.fromhex(digest)))
    return Vector(name, "blocks", {"state": INITIAL, "data": padded}, {"state_out": state_out})


PRIMITIVE = Primitive(
    operations={"blocks": Operation(answer, plan, ("block_data_order",))},
    shapes={
        "blocks": Shape({"state": exactly(32), "data": multiple_of(64)}, {"state_out": exactly(32)})
    },
    edges=edges,
    vectors=(
        _vector(
            "FIPS 180-4 SHA-256 example 1",
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        _vector(
            "FIPS 180-4 SHA-256 example 2",
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        _vector(
            "RFC 6234 section 8.5 test 4",
            b"01234567" * 80,
            "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5",
        ),
        _vector(
            "NIST CAVP SHA256ShortMsg Len = 0",
            b"",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
    ),
)
