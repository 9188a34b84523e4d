"""Arguments of mixed widths arrive as each architecture's ABI has it."""

import pytest

from rig.runner.scripts import Script, Word

pytestmark = pytest.mark.parametrize(
    "arch", ["x86_64", "i386", "aarch64", "arm"], indirect=True, scope="session"
)

MIXED = [(200, 8), (1 << 40, 64), (-300, 16), (3 << 50, 64), (1 << 31, 32), (-5, 8)]
MIXED += [((1 << 64) - 7, 64), (40_000, 16), (1 << 33, 64)]
LATE = [(1, 32), (1 << 31, 32), (77, 32), (5 << 44, 64), (99, 32)]


@pytest.mark.parametrize(
    ("name", "arguments", "factors"),
    [
        ("mixed", MIXED, [1, 3, 5, 7, 11, 13, 17, 19, 23]),
        ("late", LATE, [1, 3, 5, 7, 11]),
        ("sum10", [((i + 1) * 0x0101010101010101, 64) for i in range(10)], range(1, 11)),
    ],
)
def test_every_argument_has_its_place(run, image, name, arguments, factors):
    words = [Word(value, bits) for value, bits in arguments]
    total = sum(f * value for f, (value, _) in zip(factors, arguments, strict=True)) % (1 << 64)
    call = image.call(name, *words, returns=total, bits=64)
    for seed in range(4):
        assert run(Script((), (call,) * 5), seed=seed).events == ()


@pytest.mark.parametrize(
    ("word", "low"),
    [
        (Word(5, 32), 5),
        (Word(-5, 32), 0xFFFFFFFB),
        (Word(0x80, 8), 0x80),
        (Word(-128, 8), 0xFFFFFF80),
        (Word(-2, 16), 0xFFFFFFFE),
    ],
)
def test_a_caller_extends_as_far_as_it_must(only, image, arch, word, low):
    """To 32 bits, on aarch64 not at all (AAPCS64 6.4.2); what is left is garbage."""
    filled = word.bits if arch == "aarch64" else 32
    script = Script((), (image.call("identity", word, returns=0x123456),))
    seen, other = (only(script, seed=seed).actual for seed in (2, 3))
    assert seen % (1 << filled) == low % (1 << filled)
    whole = image.word(0).bits
    differing = seen >> filled ^ other >> filled
    assert (differing != 0) == (filled < whole)
