import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capabilities.bits import CapabilityError
from rig.capabilities.grammar import apply
from rig.capabilities.vector import Vector, parse_absolute

START = Vector.from_words("x86_64", [0xF0 + index for index in range(10)])
ARM_START = Vector("aarch64", 0x7D)
F = 0xFFFFFFFF

# (text, {word: value after it}); the other words are as they were.
ACCEPTED = [
    ("", {}),
    (":", {}),
    ("::::", {}),
    ("0x12", {0: 0x12, 1: 0}),
    ("18", {0: 18, 1: 0}),
    ("0", {0: 0, 1: 0}),
    ("~0", {}),
    ("|0", {}),
    ("~0x30", {0: 0xC0}),
    ("|0x1", {0: 0xF1}),
    ("~0x100000000:", {1: 0xF0}),
    ("0xffffffffffffffff", {0: F, 1: F}),
    ("~18446744073709551615", {0: 0, 1: 0}),
    (":~0x20", {2: 0xD2}),
    (":0x5", {2: 5, 3: 0}),
    ("::|0x800000001", {4: 0xF5, 5: 0xFD}),
    ("~0x0:~0x80100:~0x0:~0x0:~0x0", {}),
    ("1::::2", {0: 1, 1: 0, 8: 2, 9: 0}),
]


@pytest.mark.parametrize(("text", "changed"), ACCEPTED)
def test_accepted(text, changed):
    expected = [changed.get(index, word) for index, word in enumerate(START.words)]
    assert apply(text, START, "--ia32cap") == Vector.from_words("x86_64", expected)


@pytest.mark.parametrize(
    ("text", "value"), [("", 0x7D), ("0x21", 0x21), ("~0x40", 0x3D), ("|2", 0x7F), ("61", 0x3D)]
)
def test_armcap(text, value):
    assert apply(text, ARM_START, "--armcap").value == value


EXPECTED = "expected a decimal or 0x number, optionally after ~ or |"
OCTAL = "a leading 0 is octal only in OpenSSL"
REJECTED = [
    (
        "0x12:zz:1",
        "field 2: stopped at 'zz' (column 6); understood: field 1 = 0x12; " + EXPECTED,
    ),
    ("zz", "field 1: stopped at 'zz' (column 1); understood: nothing; " + EXPECTED),
    (
        "0x12zz",
        f"field 1: stopped at 'zz' (column 5); understood: field 1 begins 0x12; {EXPECTED}",
    ),
    ("~", "field 1: stopped at the end of the field (column 2); understood: field 1 begins ~"),
    ("~~0x1", "field 1: stopped at '~0x1' (column 2); understood: field 1 begins ~"),
    (
        ":~0x20:|:",
        "field 3: stopped at the end of the field (column 9); "
        "understood: field 1 = unchanged, field 2 = ~0x20, field 3 begins |; ",
    ),
    ("-1", "stopped at '-1' (column 1)"),
    (" 1", "stopped at ' 1' (column 1)"),
    ("1 ", "stopped at ' ' (column 2)"),
    ("0x", "stopped at 'x' (column 2); understood: field 1 begins 0"),
    ("0X12", "stopped at 'X12' (column 2)"),
    ("ff", "stopped at 'ff' (column 1)"),
    ("010", f"stopped at '010' (column 1); understood: nothing; {OCTAL}: write 10 or 0x8"),
    ("~010", f"stopped at '010' (column 2); understood: field 1 begins ~; {OCTAL}: write 10 or"),
    ("08", f"{OCTAL}: write 8"),
    ("00", f"{OCTAL}: write 0 or 0x0"),
    ("0x1ffffffffffffffff", "stopped at '0x1ffffffffffffffff' (column 1); understood: nothing; "),
    ("18446744073709551616", "expected at most 64 bits"),
    ("9" * 5000, "expected at most 64 bits"),
    ("1:2:3:4:5:6", "field 6: stopped at '6' (column 11); understood: field 1 = 1, "),
    (":::::", "field 6: stopped at the end of the field (column 6); understood: field 1 ="),
    ("::::::", "expected no more fields, the vector of x86_64 ends here"),
]


@pytest.mark.parametrize(("text", "message"), REJECTED)
def test_rejected(text, message):
    with pytest.raises(CapabilityError) as error:
        apply(text, START, "--ia32cap")
    line = str(error.value)
    assert line.startswith(f"--ia32cap {text!r}: field ")
    assert message in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "message"),
    [("0x100000000", "expected at most 32 bits"), ("1:2", "the vector of aarch64 ends here")],
)
def test_rejected_armcap(text, message):
    with pytest.raises(CapabilityError, match=message):
        apply(text, ARM_START, "--armcap")


@given(st.integers(0, (1 << 320) - 1))
def test_an_absolute_mask_replaces_everything(value):
    mask = str(Vector("x86_64", value))
    assert apply(mask, START, "--ia32cap") == parse_absolute(mask, "x86_64")


@given(st.text("0123456789abcdefxX~|: g", max_size=12))
def test_any_text_is_read_or_refused_in_one_line(text):
    try:
        apply(text, START, "--ia32cap")
    except CapabilityError as error:
        assert "\n" not in str(error)
