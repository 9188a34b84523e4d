"""Capability vectors and what a variant asks of them.

Enters: names and numbers. Leaves: frozen `Vector`s and `Needs`. Never here: where a vector
comes from (options, models, CPUID) or which variant it selects.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from rig.capabilities.bits import CapabilityError, architecture, capability


@dataclass(frozen=True, slots=True)
class Vector:
    """The capability words of one architecture as one number, word 0 lowest.

    `|` is union, `&` intersection, `-` difference. `str()` is the absolute mask: one
    `0x` number for each 64 bits (word 2i low, word 2i+1 high), joined by ':'.
    """

    arch: str
    value: int

    def __post_init__(self) -> None:
        if self.value < 0 or self.value >> (32 * architecture(self.arch).words):
            raise CapabilityError(f"{self.value:#x} is wider than the vector of {self.arch}")

    @classmethod
    def empty(cls, arch: str) -> "Vector":
        """No bit set, not even the base."""
        return cls(arch, 0)

    @classmethod
    def base(cls, arch: str) -> "Vector":
        """The bits that are never masked off."""
        return cls.of(arch, architecture(arch).base)

    @classmethod
    def full(cls, arch: str) -> "Vector":
        """Every bit of every word set, named or not."""
        return cls(arch, (1 << (32 * architecture(arch).words)) - 1)

    @classmethod
    def of(cls, arch: str, names: Iterable[str]) -> "Vector":
        """Exactly the named bits. Raises CapabilityError for an unknown name."""
        return cls(arch, mask_of(arch, frozenset(names)))

    @classmethod
    def from_words(cls, arch: str, words: Iterable[int]) -> "Vector":
        """From 32-bit words, word 0 first; missing words are 0."""
        return cls(arch, sum(word << (32 * index) for index, word in enumerate(words)))

    @property
    def words(self) -> tuple[int, ...]:
        """The 32-bit words, word 0 first: what is written to the vector in memory."""
        count = architecture(self.arch).words
        return tuple(self.value >> (32 * index) & 0xFFFFFFFF for index in range(count))

    @property
    def names(self) -> tuple[str, ...]:
        """Canonical names of the set bits in order of position; bits without a name are left
        out."""
        known = architecture(self.arch).capabilities
        return tuple(each.name for each in known if self.value & each.mask)

    def has(self, name: str) -> bool:
        """Whether that capability is set. Raises CapabilityError for an unknown name."""
        return bool(self.value & capability(name, self.arch).mask)

    def __or__(self, other: "Vector") -> "Vector":
        return Vector(self.arch, self.value | self._same(other))

    def __and__(self, other: "Vector") -> "Vector":
        return Vector(self.arch, self.value & self._same(other))

    def __sub__(self, other: "Vector") -> "Vector":
        return Vector(self.arch, self.value & ~self._same(other))

    def __str__(self) -> str:
        words = architecture(self.arch).words
        fields = range(0, 32 * words, 64)
        return ":".join(f"{self.value >> shift & 0xFFFFFFFFFFFFFFFF:#x}" for shift in fields)

    def _same(self, other: "Vector") -> int:
        if other.arch != self.arch:
            raise CapabilityError(f"vectors of {self.arch} and {other.arch} do not combine")
        return other.value


@dataclass(frozen=True, slots=True)
class Needs:
    """What must be set and what must be clear, canonical names."""

    arch: str
    required: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()

    @property
    def named(self) -> frozenset[str]:
        """Every capability that is looked at."""
        return self.required | self.forbidden


def parse_needs(text: str, arch: str) -> Needs:
    """`"ssse3 pclmul !avx"`: names between spaces, `!` for one that must be clear.

    Raises CapabilityError for an unknown name, for one that is both wanted and forbidden, and
    for `!` before a base capability, which never holds. The caller adds path and line.
    """
    words = text.split()
    required = _canonical(arch, (word for word in words if not word.startswith("!")))
    forbidden = _canonical(arch, (word[1:] for word in words if word.startswith("!")))
    for name in sorted(required & forbidden):
        raise CapabilityError(f"needs {text!r}: {name!r} is both required and forbidden")
    for name in sorted(forbidden.intersection(architecture(arch).base)):
        raise CapabilityError(f"needs {text!r}: {name!r} is always set on {arch}, drop the variant")
    return Needs(arch, required, forbidden)


def holds(vector: Vector, needs: Needs) -> bool:
    """Whether every required bit is set and every forbidden one clear."""
    if vector.arch != needs.arch:
        raise CapabilityError(f"needs of {needs.arch} asked of a vector of {vector.arch}")
    required = mask_of(needs.arch, needs.required)
    forbidden = mask_of(needs.arch, needs.forbidden)
    return vector.value & required == required and not vector.value & forbidden


def parse_absolute(text: str, arch: str) -> Vector:
    """The inverse of `str(vector)`, for replay lines: every field present and a `0x` number.

    Raises CapabilityError where the text is anything else.
    """
    count = (architecture(arch).words + 1) // 2
    fields = text.split(":")
    if len(fields) != count or not all(map(_is_hexadecimal, fields)):
        form = ":".join(["0x..."] * count)
        raise CapabilityError(f"{text!r} is no absolute mask of {arch}: expected {form}")
    return Vector(arch, sum(int(part, 16) << (64 * i) for i, part in enumerate(fields)))


@cache
def mask_of(arch: str, names: frozenset[str]) -> int:
    """The named bits as one number, word 0 lowest."""
    return sum(mask for mask in {capability(name, arch).mask for name in names})


def _canonical(arch: str, names: Iterable[str]) -> frozenset[str]:
    return frozenset(capability(name, arch).name for name in names)


def _is_hexadecimal(text: str) -> bool:
    digits = text.removeprefix("0x")
    return digits != text and 0 < len(digits) <= 16 and set(digits) <= set("0123456789abcdefABCDEF")
