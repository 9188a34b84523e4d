"""The libraries' own readers of OPENSSL_ia32cap and OPENSSL_armcap, quirks included.

Enters: a dialect's name, the variable's text, the vector that the library would have probed.
Leaves: the vector that the library would then use. Never here: the rig's own grammar, and
correcting anything; what a library does with a text is reproduced or, where it would abort,
read uninitialised memory or not look at the text, a CapabilityError says so.

Facts, from the libraries' sources: `openssl` is 3.4 and later (five fields; 3.0 has two and no
skipping of an empty one), crypto/cpuid.c and crypto/armcap.c; `boringssl` crypto/cpu_intel.cc
since it reads with strtoull; `awslc` crypto/fipsmodule/cpucap/cpu_intel.c and
cpu_aarch64_linux.c since they refuse what was not probed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

from rig.capabilities.bits import X86_ARCHITECTURES, CapabilityError, nearest
from rig.capabilities.grammar import Edit, edited
from rig.capabilities.vector import Vector

_ALL = 0xFFFFFFFFFFFFFFFF
_LOW = 0xFFFFFFFF
_ULONG_MAX = _ALL
_SPACE = " \t\n\v\f\r"
_DIGITS = {8: "[0-7]", 10: "[0-9]", 16: "[0-9a-fA-F]"}

_FXSR = 1 << 24
# What OpenSSL clears with FXSR in words 0 and 1: PCLMULQDQ, XOP, AES, AVX.
_XMM_USERS = (1 << 1 | 1 << 11 | 1 << 25 | 1 << 28) << 32
# OpenSSL's mark in word 0 that the vector is initialised.
_INITIALISED = 1 << 10
_AVX10 = 1 << (32 * 6 + 19)
_WORD9 = _LOW << (32 * 9)
# AWS-LC lets this bit be set though it was not probed: "Intel" in word 0, for its tests. The
# same code reads words 2 and 3, where the bit is avx512bw.
_UNCHECKED = 1 << 30


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one library reads each of the two variables."""

    ia32cap: Callable[[str, Vector], Vector]
    armcap: Callable[[str, Vector], Vector]


def apply_dialect(name: str, text: str, probed: Vector) -> Vector:
    """What the library `name` makes of `text`; the architecture tells which variable.

    Raises CapabilityError for an unknown name, where AWS-LC would abort or use an uninitialised
    value, and for BoringSSL on ARM.
    """
    if name not in DIALECTS:
        raise CapabilityError(f"unknown dialect {name!r}{nearest(name, DIALECTS)}")
    dialect = DIALECTS[name]
    read = dialect.ia32cap if probed.arch in X86_ARCHITECTURES else dialect.armcap
    return read(text, probed)


def _openssl_ia32cap(text: str, probed: Vector) -> Vector:
    """OpenSSL probes only when the text begins with '~' or ':': else every word starts at 0.
    Fields that are missing at the end, or empty there, zero their words."""
    fields = text.split(":")
    is_probed = text[:1] in ("~", ":")
    start = probed if is_probed else Vector.empty(probed.arch)
    later = (_openssl_later(fields[index:]) for index in range(1, 5))
    value = edited(start, (_openssl_first(fields[0], is_probed), *later)).value | _INITIALISED
    return Vector(probed.arch, value if value & _AVX10 else value & ~_WORD9)


def _openssl_first(field: str, is_probed: bool) -> Edit:
    if not is_probed:
        return Edit(0, _openssl_number(field))
    cleared = _openssl_number(field.removeprefix("~"))
    return Edit(_ALL & ~(cleared | (_XMM_USERS if cleared & _FXSR else 0)))


def _openssl_later(fields: list[str]) -> Edit:
    """The edit of the first of these fields, which all follow a ':'."""
    if fields in ([], [""]):
        return Edit(0)
    if not fields[0]:
        return Edit()
    if fields[0].startswith("~"):
        return Edit(_ALL & ~_openssl_number(fields[0][1:]))
    return Edit(0, _openssl_number(fields[0]))


def _openssl_number(text: str) -> int:
    """Digits up to the first that does not fit, modulo 2^64; a leading 0 is octal."""
    base, prefix = (8, "0") if text.startswith("0") else (10, "")
    if text[:2] in ("0x", "0X"):
        base, prefix = 16, text[:2]
    value = 0
    for digit in takewhile(re.compile(_DIGITS[base]).match, text.removeprefix(prefix)):
        value = (value * base + int(digit, base)) & _ALL
    return value


def _openssl_armcap(text: str, probed: Vector) -> Vector:
    """strtoul in base 0, truncated to 32 bits, replaces everything; nothing is probed."""
    return Vector(probed.arch, (_strtoull(text, 0)[0] or 0) & _LOW)


def _boringssl_ia32cap(text: str, probed: Vector) -> Vector:
    """Two fields; one that is no whole number is left out, so a third field voids the second."""
    first, colon, second = text.partition(":")
    fields = (first, second) if colon else (first,)
    return edited(probed, tuple(_boringssl_edit(field) for field in fields))


def _boringssl_edit(field: str) -> Edit:
    prefix, base, digits = _prefix_and_base(field)
    number, rest, clamped = _strtoull(digits, base)
    if number is None or rest or clamped:
        return Edit()
    return _edit(prefix, number)


def _boringssl_armcap(text: str, _probed: Vector) -> Vector:
    raise CapabilityError(f"BoringSSL does not read OPENSSL_armcap, so {text!r} changes nothing")


def _awslc_ia32cap(text: str, probed: Vector) -> Vector:
    """Two fields, each read as far as it goes; what was not probed is refused."""
    first, colon, second = text.partition(":")
    low = _awslc_edit(first + colon, probed.value & _ALL, _UNCHECKED)
    if not colon:
        return edited(probed, (low,))
    return edited(probed, (low, _awslc_edit(second, probed.value >> 64 & _ALL, _UNCHECKED)))


def _awslc_armcap(text: str, probed: Vector) -> Vector:
    return Vector(probed.arch, _awslc_edit(text, probed.value, 0, _LOW).of(probed.value))


def _awslc_edit(text: str, probed: int, unchecked: int, width: int = _ALL) -> Edit:
    prefix, base, digits = _prefix_and_base(text)
    digits = digits[2:] if base == 16 else digits
    if not digits.strip(_SPACE):
        raise CapabilityError(
            f"AWS-LC reads {text!r} with sscanf, which returns EOF there, and then uses an"
            " uninitialised value: write a number or leave out the last ':'"
        )
    number = _strtoull(digits, base)[0]
    if number is None:
        return Edit()
    number &= width
    if prefix != "~" and probed and number & ~(probed | unchecked):
        raise CapabilityError(
            f"AWS-LC aborts on {text!r}: it sets {number & ~(probed | unchecked):#x} beyond the"
            f" probed {probed:#x}"
        )
    return _edit(prefix, number)


def _edit(prefix: str, number: int) -> Edit:
    return {"": Edit(0, number), "~": Edit(_ALL & ~number), "|": Edit(_ALL, number)}[prefix]


def _prefix_and_base(field: str) -> tuple[str, int, str]:
    prefix = field[:1] if field[:1] in ("~", "|") else ""
    digits = field.removeprefix(prefix)
    return prefix, 16 if digits.startswith("0x") else 10, digits


def _strtoull(text: str, base: int) -> tuple[int | None, str, bool]:
    """C's strtoull on 64 bits: the number (None: no digit), what follows it, and whether it was
    clamped. White space and a sign may precede; a minus negates modulo 2^64."""
    match = re.match(rf"[{_SPACE}]*([+-]?)", text)
    assert match is not None
    sign, body = match[1], text[match.end() :]
    if base in (0, 16) and re.match("0[xX][0-9a-fA-F]", body):
        base, body = 16, body[2:]
    base = base or (8 if body.startswith("0") else 10)
    digits = re.match(f"{_DIGITS[base]}+", body)
    if digits is None:
        return None, text, False
    significant, rest = digits[0].lstrip("0"), body[digits.end() :]
    number = int(significant[:23] or "0", base)  # 2^64 has 23 octal digits, the most of all
    if number > _ULONG_MAX:
        return _ULONG_MAX, rest, True
    return (-number if sign == "-" else number) & _ALL, rest, False


DIALECTS = {
    "openssl": Dialect(_openssl_ia32cap, _openssl_armcap),
    "boringssl": Dialect(_boringssl_ia32cap, _boringssl_armcap),
    "awslc": Dialect(_awslc_ia32cap, _awslc_armcap),
}
