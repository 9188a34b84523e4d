"""Garbage: everywhere that a function must not look, the same from the same seed, other from
another."""

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner.encode import encode
from rig.runner.scripts import Buffer, Pointer, Prologue, Script

pytestmark = pytest.mark.parametrize("arch", ["x86_64", "i386"], indirect=True, scope="session")

CALLER_SAVED = {
    "x86_64": ["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"],
    "i386": ["eax", "ecx", "edx"],
}
STORES = {
    "x86_64": {"store_registers": 384, "store_ymm": 512, "store_zmm": 2112},
    "i386": {"store_registers": 160, "store_ymm": 256, "store_zmm": 576},
}


def differs_everywhere(left, right):
    return all(a != b for a, b in zip(left, right, strict=True))


def stored(output, image, function, seed):
    size = STORES[image.arch][function]
    script = Script((Buffer("out", size, bytes(size)),), (image.call(function, Pointer(0)),))
    return output(script, seed=seed)


def test_each_byte_of_a_register_differs_between_neighbouring_seeds(only, image, arch):
    size = ARCHITECTURES[arch].pointer_bytes
    for name in (*CALLER_SAVED[arch], "stack"):
        values = [
            only(Script((), (image.call(f"garbage_{name}", returns=0),)), seed=seed).actual
            for seed in (0, 1, 0)
        ]
        assert values[0] == values[2]
        assert differs_everywhere(*(value.to_bytes(size, "little") for value in values[:2]))


def test_every_arithmetic_flag_differs_between_neighbouring_seeds(only, image):
    script = Script((), (image.call("garbage_flags", returns=0),))
    first, second = (only(script, seed=seed).actual for seed in (6, 7))
    assert (first ^ second) & 0x8D5 == 0x8D5
    assert not (first | second) & 0x400  # the direction flag


def test_every_register_has_a_pattern_of_its_own(output, image, arch):
    out = stored(output, image, "store_registers", 3)
    size, count, vectors = (8, 14, 128) if arch == "x86_64" else (4, 6, 32)
    general = {out[i : i + size] for i in range(0, size * count, size)}
    assert len(general) == count
    words = {out[i : i + 8] for i in range(vectors, len(out), 8)}
    assert len(words) == (len(out) - vectors) // 8
    other = stored(output, image, "store_registers", 2)
    assert differs_everywhere(out[vectors:], other[vectors:])


@pytest.mark.parametrize(
    ("function", "state", "leaf", "word", "bits"),
    [
        ("store_ymm", 0x06, 1, 2, 1 << 28),
        ("store_zmm", 0xE6, 7, 1, 1 << 16 | 1 << 30),
    ],
)
def test_vectors_hold_garbage_as_wide_as_the_cpu_has_them(
    runner, output, image, function, state, leaf, word, bits
):
    has_xgetbv = runner.cpuid(1)[2] & 1 << 27
    if (
        not has_xgetbv
        or runner.xgetbv() & state != state
        or runner.cpuid(leaf)[word] & bits != bits
    ):
        pytest.skip("this CPU has no such vectors")
    first, second = (stored(output, image, function, seed) for seed in (8, 9))
    assert differs_everywhere(first, second)
    assert len({first[i : i + 8] for i in range(0, len(first), 8)}) == len(first) // 8


def test_buffers_without_content_hold_garbage(output):
    script = Script((Buffer("b", 1001),), ())
    first, second, again = (output(script, seed=seed) for seed in (10, 11, 10))
    assert first == again
    assert differs_everywhere(first, second)
    assert len(set(first)) > 200


def test_garbage_goes_by_the_number_of_a_script_not_its_place(runner, image):
    script = Script((Buffer("b", 64, expected=bytes(64)),), ())

    def garbage(data, index):
        batch = runner.batch(data)
        events = runner.run(batch, Prologue(), first=index, count=1, seed=5).events
        runner.drop(batch)
        return events[0].data

    together = [garbage(encode([script] * 3), index) for index in range(3)]
    assert len(set(together)) == 3
    assert garbage(encode([script], number=2), 0) == together[2]
