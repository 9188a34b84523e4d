"""The rig's own grammar of `--ia32cap` and `--armcap`.

Enters: the option's text and a starting vector. Leaves: a vector, or a CapabilityError whose
one line shows what was understood and where reading stopped. Never here: the libraries'
parsers with their quirks (`dialects`), keeping the base bits (`options`).

    value  = field *( ":" field )        one field for each 64 bits, the lowest first
    field  = "" / [ "~" / "|" ] number   "" leaves those 64 bits as they are
    number = decimal / "0x" hexadecimal  without prefix replaces, "~" clears, "|" sets

A missing field is an empty one. A number with a leading 0 is an error, because OpenSSL reads
it as octal and BoringSSL and AWS-LC as decimal.
"""

import re
from dataclasses import dataclass

from rig.capabilities.bits import CapabilityError, architecture
from rig.capabilities.vector import Vector

_FIELD = re.compile(r"(?P<prefix>[~|]?)(?P<number>0x[0-9a-fA-F]+|[0-9]+)")
_EXPECTED = "expected a decimal or 0x number, optionally after ~ or |"
_ALL = 0xFFFFFFFFFFFFFFFF
_LONGEST = len(str(_ALL))  # digits of any number that fits; int() refuses very long texts


@dataclass(frozen=True, slots=True)
class Edit:
    """What one field does to its 64 bits: keep `kept`, then set `added`."""

    kept: int = _ALL
    added: int = 0

    def of(self, bits: int) -> int:
        """The 64 bits after the edit."""
        return bits & self.kept | self.added


class _StoppedError(Exception):
    """Reading a field stopped after `offset` characters of it."""

    def __init__(self, offset: int, expected: str = _EXPECTED) -> None:
        self.offset = offset
        self.expected = expected


def apply(text: str, start: Vector, option: str) -> Vector:
    """`start` edited by `text`; `option` is how messages call it (`--ia32cap`).

    Raises CapabilityError at the first character that does not fit.
    """
    return edited(start, parse(text, start.arch, option))


def edited(start: Vector, edits: tuple[Edit, ...]) -> Vector:
    """`start` with the edit of each 64 bits applied, the lowest first."""
    value = start.value
    for shift, edit in zip(range(0, 64 * len(edits), 64), edits, strict=True):
        value = value & ~(_ALL << shift) | edit.of(value >> shift & _ALL) << shift
    return Vector(start.arch, value)


def parse(text: str, arch: str, option: str) -> tuple[Edit, ...]:
    """One edit for each field of `text`. Raises CapabilityError as `apply` does."""
    bits = 32 * architecture(arch).words
    fields = text.split(":")
    edits = []
    for index, field in enumerate(fields):
        try:
            edits.append(_edit(field, bits - 64 * index, arch))
        except _StoppedError as stop:
            raise CapabilityError(_message(option, text, fields, index, stop)) from None
    return tuple(edits)


def _edit(field: str, bits_left: int, arch: str) -> Edit:
    if bits_left <= 0:
        raise _StoppedError(0, f"expected no more fields, the vector of {arch} ends here")
    if not field:
        return Edit()
    match = _FIELD.match(field)
    if match is None:
        raise _StoppedError(1 if field[0] in "~|" else 0)
    if match.end() < len(field):
        raise _StoppedError(match.end())
    number = _number(match["number"], match.start("number"), min(64, bits_left))
    return {"": Edit(0, number), "~": Edit(_ALL & ~number), "|": Edit(_ALL, number)}[
        match["prefix"]
    ]


def _number(digits: str, offset: int, width: int) -> int:
    if len(digits) > _LONGEST:
        raise _StoppedError(offset, f"expected at most {width} bits")
    if re.fullmatch("0[0-9]+", digits):
        octal = f" or {int(digits, 8):#x}" if set(digits) <= set("01234567") else ""
        hint = f"write {int(digits)}{octal}"
        raise _StoppedError(offset, f"a leading 0 is octal only in OpenSSL: {hint}")
    number = int(digits, 16 if digits.startswith("0x") else 10)
    if number >> width:
        raise _StoppedError(offset, f"expected at most {width} bits")
    return number


def _message(option: str, text: str, fields: list[str], index: int, stop: _StoppedError) -> str:
    rest = fields[index][stop.offset :]
    column = sum(len(field) + 1 for field in fields[:index]) + stop.offset + 1
    place = repr(rest) if rest else "the end of the field"
    known = [f"field {i + 1} = {field or 'unchanged'}" for i, field in enumerate(fields[:index])]
    if stop.offset:
        known.append(f"field {index + 1} begins {fields[index][: stop.offset]}")
    return (
        f"{option} {text!r}: field {index + 1}: stopped at {place} (column {column}); "
        f"understood: {', '.join(known) or 'nothing'}; {stop.expected}"
    )
