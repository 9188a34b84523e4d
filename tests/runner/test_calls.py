"""Arguments, results, targets, the table, and writes between calls."""

import struct

import pytest

from rig.runner.events import SELECT, Kind
from rig.runner.scripts import (
    Address,
    Buffer,
    Call,
    Pointer,
    Prologue,
    Result,
    Script,
    TableEntry,
    TablePointer,
    Word,
    Write,
)


def passes(result):
    assert (result.events, result.failed_scripts, result.abandoned) == ((), 0, 0)
    return True


def test_ten_arguments_arrive_in_registers_and_on_the_stack(run, image):
    words = [(i + 1) * 0x0101010101010101 for i in range(10)]
    expected = sum((i + 1) * word for i, word in enumerate(words)) % (1 << 64)
    result = run(Script((), (image.call("sum10", *words, returns=expected),)))
    assert passes(result)
    assert result.ran == 1


def test_a_wrong_result_is_reported(only, image):
    event = only(Script((), (image.call("identity", 6, returns=5),)))
    assert (event.kind, event.step, event.expected, event.actual) == (Kind.RETURN, 0, 5, 6)


@pytest.mark.parametrize(("value", "bits"), [(-1, 32), (0xFFFFFFFF, 32), (-1, 8), (0xFFFF, 16)])
def test_only_the_bits_of_a_result_count(run, image, value, bits):
    assert passes(run(Script((), (image.call("minus_one", returns=value, bits=bits),))))


@pytest.mark.parametrize(
    ("word", "low", "sign"),
    [
        (Word(5, 32), 5, 1),
        (Word(-5, 32), 0xFFFFFFFB, -1),
        (Word(0x80, 8), 0x80, 1),
        (Word(-128, 8), 0xFFFFFF80, -1),
        (Word(-2, 16), 0xFFFFFFFE, -1),
        (Word(0, 16), 0, 0),
    ],
)
def test_narrow_words_fill_32_bits_and_garbage_the_rest(run, only, image, word, low, sign):
    seen = only(Script((), (image.call("identity", word, returns=0),)), seed=1)
    assert seen.actual & 0xFFFFFFFF == low
    assert seen.actual >> 32
    again = only(Script((), (image.call("identity", word, returns=0),)), seed=2)
    assert again.actual >> 32 != seen.actual >> 32
    assert passes(run(Script((), (image.call("sign", word, returns=sign, bits=32),))))


def test_narrow_stack_arguments_have_garbage_above(only, image):
    words = [Word(0)] * 6 + [Word(1, 32)] + [Word(0)] * 3
    seen = only(Script((), (image.call("sum10", *words, returns=7),)))
    assert seen.actual % (1 << 32) == 7


def test_64_bit_words_and_pointers_are_whole(run, image):
    buffers = (Buffer("b", 4, bytes([1, 2, 3, 4])),)
    calls = (
        image.call("identity", -1, returns=(1 << 64) - 1),
        image.call("peek", Pointer(0, 1), 2, returns=4, bits=8),
        image.call("peek", Pointer(0, 5), -5, returns=1, bits=8),
    )
    assert passes(run(Script(buffers, calls)))


def test_results_are_arguments_and_targets(run, image):
    calls = (
        image.call("identity", 21, returns=21),
        image.call("choose", Word(0, 32)),
        image.call("choose", Word(1, 32)),
        Call(Result(1), (Result(0),), Word(42)),
        Call(Result(2), (Result(3),), Word(126)),
    )
    assert passes(run(Script((), calls)))


def test_the_table_is_filled_before_each_script(run, image):
    prologue = Prologue(table=(image.symbols["identity"], image.symbols["minus_one"]))
    through = Script(
        (),
        (
            Call(TableEntry(0), (Word(9),), Word(9)),
            Call(TableEntry(1), (), Word(-1, 32)),
            image.call("through_table", TablePointer(), 8, returns=8),
            image.call("select_by_length", TablePointer(), 0),
            image.call("through_table", TablePointer(), 8, returns=16),
        ),
    )
    assert passes(run(through, through, prologue=prologue))


def test_select_sees_the_length_and_rewrites_the_table(run, image):
    prologue = Prologue(table=(0,), select=image.symbols["select_by_length"])
    scripts = [
        Script((), (Call(TableEntry(0), (Word(5),), Word(factor * 5)),), length)
        for length, factor in ((15, 2), (16, 3), (0, 2))
    ]
    assert passes(run(*scripts, prologue=prologue))


def test_what_select_breaks_is_its_own_step(only, image):
    event = only(Script((), ()), prologue=Prologue(select=image.symbols["clobber_r13"]))
    assert (event.kind, event.step, event.register) == (Kind.REGISTER, SELECT, "r13")


def test_writes_come_between_calls(run, image):
    address = image.symbols["vector"] + 4
    steps = (
        image.call("read_vector", returns=0xAABBCCDD, bits=32),
        Write(address, struct.pack("<I", 0x01020304)),
        image.call("read_vector", returns=0x01020304, bits=32),
        Write(address + 1, b"\xff"),
        image.call("read_vector", returns=0x0102FF04, bits=32),
    )
    prologue = Prologue(writes=(Write(address, struct.pack("<I", 0xAABBCCDD)),))
    assert passes(run(Script((), steps), Script((), steps), prologue=prologue))


def test_every_run_starts_with_the_image_as_written(run, image):
    for _ in range(2):
        script = Script((), (image.call("count_up", returns=8, bits=32),))
        assert passes(run(script))


def test_a_call_of_nothing_is_a_crash_there(only):
    event = only(Script((), (Call(Address(0), ()),)))
    assert (event.kind, event.pc, event.address) == (Kind.CRASH, 0, 0)


def test_the_stack_pointer_takes_four_phases_in_turn(only, image):
    call = image.call("stack_pointer", returns=0)
    seen = set()
    for calls in range(4):
        before = (image.call("minus_one"),) * calls
        event = only(Script((), (*before, call)))
        assert event.actual % 16 == 0
        seen.add(event.actual % 64)
    assert seen == {0, 16, 32, 48}


def test_fifty_thousand_scripts_in_one_run(run, image):
    scripts = [Script((), (image.call("identity", i, returns=i),)) for i in range(50_000)]
    scripts[49_999] = Script((), (image.call("identity", 1, returns=2),))
    result = run(*scripts)
    assert (result.ran, result.failed_scripts) == (50_000, 1)
    assert [event.script for event in result.events] == [49_999]
