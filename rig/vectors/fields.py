"""One field of a published record, checked: the words every reader has for what is wrong.

Enters: values as a file gives them. Leaves: bytes, numbers, tables, arrays. Never here: a file
format, a place in a file.
"""

from typing import cast


class FieldError(ValueError):
    """A record that cannot be used. `field` names the field at fault, when it is one field."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def octets(value: object, name: str) -> bytes:
    """The bytes of a hexadecimal string, two digits a byte and nothing between them.

    Raises FieldError for anything else.
    """
    if not isinstance(value, str):
        wrong = "is missing" if value is None else "is no hexadecimal string"
        raise FieldError(f"{name} {wrong}", name)
    try:
        read = bytes.fromhex(value)
    except ValueError:
        raise FieldError(f"{name} is not hexadecimal, two digits a byte", name) from None
    if 2 * len(read) != len(value):  # fromhex skips spaces
        raise FieldError(f"{name} has a space between its digits", name)
    return read


def whole(value: object, name: str) -> int:
    """A number that is whole and not negative; raises FieldError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FieldError(f"{name} is no whole number", name)
    return value


def size_of_bits(bits: int, name: str) -> int:
    """A length in bits as bytes; raises FieldError when it ends inside a byte."""
    if bits % 8:
        raise FieldError(f"{name} is {bits} bits: a length must end on a byte", name)
    return bits // 8


def table(value: object, name: str) -> dict[str, object]:
    """A JSON object; raises FieldError for anything else."""
    if not isinstance(value, dict):
        raise FieldError(f"{name} is no JSON object", name)
    return cast(dict[str, object], value)


def array(value: object, name: str) -> list[object]:
    """A JSON array; raises FieldError for anything else."""
    if not isinstance(value, list):
        raise FieldError(f"{name} is no JSON array", name)
    return cast(list[object], value)


def demand_size(value: bytes, size: int, name: str, declared: str) -> None:
    """Raises FieldError unless `value` has the size in bytes that `declared` gives it."""
    if len(value) != size:
        raise FieldError(f"{name} has {len(value)} bytes, but {declared} says {size}", name)
