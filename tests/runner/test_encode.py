"""Limits that scripts must keep, and constants that C and Python must share."""

import re
from pathlib import Path

import pytest

from rig.architectures import ARCHITECTURES
from rig.runner import client, encode, events, placement, scripts
from rig.runner.encode import ScriptError
from rig.runner.scripts import (
    SLOT_CAPACITY,
    Address,
    Buffer,
    Call,
    Later,
    Point,
    Pointer,
    Result,
    Script,
    TableEntry,
    Watch,
    Word,
    Write,
)

HEADER = Path(__file__).parents[2] / "native" / "runner" / "protocol.h"


def calling(*arguments):
    return (Call(Address(1), arguments),)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (Script((Buffer("b", 1),) * 17, ()), "17 buffers: at most 16"),
        (Script((Buffer("b", 2, b"x"),), ()), "buffer b: 1 bytes for a size of 2"),
        (Script((Buffer("b", 2, expected=b"xyz"),), ()), "buffer b: 3 bytes"),
        (Script((Buffer("b", SLOT_CAPACITY, skew=1),), ()), "does not fit a slot"),
        (Script((Buffer("b", 1, align=3),), ()), "align 3 is no power of two"),
        (Script((Buffer("b", 1, align=8192),), ()), "align 8192"),
        (Script((Buffer("b", 1, alias=0),), ()), "alias 0 is no buffer"),
        (Script((Buffer("a", 1), Buffer("b", 2, alias=0)), ()), "b: larger than a"),
        (Script((Buffer("a", 1), Buffer("b", 1, constant=True, alias=0)), ()), "needs content"),
        (Script((), calling(*[Word(0)] * 17)), "17 arguments: at most 16"),
        (
            Script((), (Watch(0, 200_000), Watch(0, 200_000))),
            "2 pieces of 400000 bytes watched: at most 8 pieces of 262144 bytes together",
        ),
        (Script((), (Later(0, 0, b""),) * 513), "513 writes for later: at most 512"),
        (Script((), calling(Pointer(0))), "pointer to buffer 0 of 0"),
        (
            Script((Buffer("b", 16385),), calling(Pointer(0, kept=True))),
            "16385 bytes cannot be kept: at most 16384",
        ),
        (Script((), calling(Word(256, 8))), "256 is no word of 8 bits"),
        (Script((), calling(Word(1, 24))), "1 is no word of 24 bits"),
        (Script((), calling(Result(0))), "the result of call 0, which has not run yet"),
        (Script((), (Call(Result(0), ()),)), "the result of call 0"),
        (Script((), (Call(TableEntry(128), ()),)), "table entry 128"),
        (Script((Buffer("b", 8),), (Point(0, 0, 1),)), "a point to buffer 1 of 1"),
        (Script((Buffer("b", 8),), (Point(0, 1, 0),)), "no address fits at its byte 1"),
        (Script((), calling() * 4097), "more than 4096 calls"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(script, words):
    with pytest.raises(ScriptError, match=f"script 1: .*{words}"):
        encode.encode([Script((), ()), script])


def constant(text, name):
    value = re.search(rf"#define {name} (.+)", text).group(1)
    value = re.sub(r"(?<=[0-9a-f])(ull|u)\b", "", value)
    return eval(value, {"PAGE": placement.PAGE, "SLOT_CAPACITY": SLOT_CAPACITY})


def test_constants_agree_with_the_protocol_header():
    text = HEADER.read_text()
    shared = {
        "PROTOCOL_MAGIC": client.MAGIC,
        "PROTOCOL_VERSION": client.VERSION,
        "SLOT_COUNT": scripts.SLOT_COUNT,
        "SLOT_CAPACITY": scripts.SLOT_CAPACITY,
        "SPAN": placement.SPAN,
        "STACK_SIZE": placement.STACK_SIZE,
        "TABLE_WORDS": placement.TABLE_WORDS,
        "ARGUMENT_LIMIT": encode.ARGUMENT_LIMIT,
        "CALL_LIMIT": encode.CALL_LIMIT,
        "TIMED_LIMIT": client.TIMED_LIMIT,
        "KEPT_LIMIT": scripts.KEPT_LIMIT,
        "ACTUAL_LIMIT": events.ACTUAL_LIMIT,
    }
    assert {name: constant(text, name) for name in shared} == shared


@pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_places_agree_with_the_platforms_header(arch):
    text = HEADER.with_name(f"{arch.name}_platform.h").read_text()
    found = [constant(text, name) for name in ("ARCHITECTURE", "ARENA", "TABLE", "STACK")]
    assert found == [arch.number, arch.places.arena, arch.places.table, arch.places.stack]


def test_event_kinds_agree_with_the_protocol_header():
    names = re.findall(r"EVENT_([A-Z]+)[, ]", HEADER.read_text().split("enum event_kind")[1])
    assert names[: len(events.Kind)] == [kind.name for kind in events.Kind]


def question(data: bytes, expected: bytes) -> Script:
    buffer = Buffer("table", len(expected), expected=expected, align=8)
    return Script((buffer,), (Write(64, data), *calling(Pointer(0), Word(len(expected)))))


def test_rewritten_templates_are_as_if_each_were_encoded():
    templates = [question(bytes(4), bytes(8)), question(bytes(4), b"x" * 16)]
    rewrites = [(0, b"abcd"), (1, b"efgh"), (0, b"ijkl"), (0, bytes(4))]
    whole = [question(data, (bytes(8), b"x" * 16)[which]) for which, data in rewrites]
    assert encode.encode_rewritten(templates, rewrites) == encode.encode(whole)


def test_a_template_is_rewritten_by_as_many_bytes():
    with pytest.raises(ScriptError, match="script 1: 3 bytes where the template has 4"):
        encode.encode_rewritten([question(bytes(4), bytes(8))], [(0, bytes(4)), (0, b"abc")])
