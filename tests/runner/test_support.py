"""The memory functions that compilers call: linked into images, so they must be right too."""

import pytest

from rig.runner.scripts import Buffer, Pointer, Script

pytestmark = pytest.mark.parametrize(
    "arch", ["x86_64", "i386", "aarch64", "arm"], indirect=True, scope="session"
)

SIZES = [0, 1, 7, 8, 9, 16, 31, 64, 100]
CONTENT = bytes(i * 37 % 251 for i in range(300))


@pytest.mark.parametrize("distance", [-64, -17, -8, -7, -1, 0, 1, 3, 8, 15, 16, 40, 100])
def test_memmove_survives_overlap(run, image, distance):
    scripts = []
    for size in SIZES:
        expected = bytearray(CONTENT)
        expected[100 + distance : 100 + distance + size] = CONTENT[100 : 100 + size]
        buffer = Buffer("b", 300, CONTENT, bytes(expected))
        move = image.call("memmove", Pointer(0, 100 + distance), Pointer(0, 100), size)
        scripts.append(Script((buffer,), (move,)))
    assert run(*scripts).events == ()


def test_memcpy_and_memset_touch_nothing_else(run, image):
    scripts = []
    for size in SIZES:
        filled = Buffer("to", size, expected=CONTENT[:size])
        copy = image.call("memcpy", Pointer(0), Pointer(1), size)
        scripts.append(Script((filled, Buffer("from", size, CONTENT[:size])), (copy,)))
        cleared = Buffer("to", size, expected=b"\x9c" * size)
        scripts.append(Script((cleared,), (image.call("memset", Pointer(0), 0x39C, size),)))
    assert run(*scripts).events == ()


@pytest.mark.parametrize("size", SIZES[1:])
def test_memcmp_compares_unsigned_bytes(run, image, size):
    scripts = []
    for offset in {0, size // 2, size - 1}:
        left = bytearray(CONTENT[:size])
        left[offset] = 0x80
        right = bytearray(left)
        right[-1] = 0xFF  # only the first difference counts
        right[offset] = 0x7F
        buffers = (Buffer("l", size, bytes(left)), Buffer("r", size, bytes(right)))
        equal = image.call("memcmp", Pointer(0), Pointer(0), size, returns=0, bits=32)
        sign = [
            image.call("sign_of_memcmp", Pointer(a), Pointer(b), size, returns=s, bits=32)
            for a, b, s in ((0, 1, 1), (1, 0, -1), (1, 1, 0))
        ]
        scripts.append(Script(buffers, (equal, *sign)))
    assert run(*scripts).events == ()
