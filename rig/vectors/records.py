"""What the vector readers give: published records, and problems with a place.

Enters: nothing. Leaves: the two record types. Never here: parsing, judging.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vector:
    """One published record.

    `inputs` and `outputs` use the names that the primitive's operation has (see
    `rig.primitives`); bytes are bytes, lengths are numbers. A record that must be refused
    has `valid` False and no outputs.
    """

    primitive: str
    operation: str
    source: str
    name: str
    place: str
    inputs: Mapping[str, bytes | int]
    outputs: Mapping[str, bytes]
    valid: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or record that could not be read: `place` is path:line."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"
