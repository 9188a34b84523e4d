"""NIST CAVP response files (.rsp) of AES-GCM, encrypt and decrypt.

Enters: the file's text: sections of `[Keylen = 128]` and four more lengths in bits, then cases of
`Name = hex` lines with a blank line between them; a case that must be refused has FAIL in place of
PT. Leaves: vectors and problems. Never here: other CAVP files (CBC, CCM, XPN ...).
Source: "The Galois/Counter Mode (GCM) and GMAC Validation System (GCMVS)", NIST, 2012.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rig.vectors import aead
from rig.vectors.fields import FieldError, demand_size, octets, size_of_bits
from rig.vectors.records import Problem, Vector
from rig.vectors.source_file import SourceFile

SOURCE = "NIST CAVP"

_LENGTHS = {"Keylen": "Key", "IVlen": "IV", "PTlen": "CT", "AADlen": "AAD", "Taglen": "Tag"}
_GENUINE = {"Count", "Key", "IV", "PT", "AAD", "CT", "Tag"}
_FORGED = _GENUINE - {"PT"} | {"FAIL"}
_LENGTH_LINE = re.compile(r"\[(\w+) = (\d+)\]\s*")


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    sizes: Mapping[str, int]


def knows(file: SourceFile) -> bool:
    """Whether this is a GCM response file: its sections state the length of a tag and of an IV."""
    return file.path.suffix == ".rsp" and all(
        f"[{length} =" in file.text for length in ("Keylen", "IVlen", "Taglen")
    )


def read(file: SourceFile) -> Iterator[Vector | Problem]:
    """The cases in the order of the file. A genuine one gives a seal and an open vector; without
    a plaintext it is one of GMAC (GCMVS section 1), and gives a mac and an open."""
    stem = file.path.stem
    section: _Section | None = None
    for first, lines in _blocks(file.text):
        try:
            if lines[0].startswith("["):
                section = None
                section = _section(stem, lines)
            else:
                yield from _case(file.place(first), lines, section)
        except FieldError as error:
            yield Problem(file.place(first + _offset(lines, error.field)), str(error))


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """What stands between blank lines, except comments: its first line's number, its lines."""
    first = 1
    for block in text.split("\n\n"):
        body = block.strip("\n")
        lines = body.split("\n")
        if body and not all(line.startswith("#") for line in lines):
            yield first + len(block) - len(block.lstrip("\n")), lines
        first += block.count("\n") + 2


def _offset(lines: list[str], field: str) -> int:
    """The last line of that field, which is the one at fault where it stands twice."""
    at = [i for i, line in enumerate(lines) if line.partition("=")[0].strip("[ ") == field]
    return at[-1] if at else 0


def _section(stem: str, lines: list[str]) -> _Section:
    bits: dict[str, int] = {}
    for line in lines:
        found = _LENGTH_LINE.fullmatch(line)
        if not found or found[1] not in _LENGTHS or found[1] in bits:
            name = line.partition("=")[0].strip("[ ")
            raise FieldError(f"{line!r} is no line of a section's five lengths", name)
        bits[found[1]] = int(found[2])
    for name in _LENGTHS:
        if name not in bits:
            raise FieldError(f"the section has no [{name} = ...]")
    sizes = {field: size_of_bits(bits[name], name) for name, field in _LENGTHS.items()}
    title = "iv{IVlen} pt{PTlen} aad{AADlen} tag{Taglen}".format_map(bits)
    return _Section(f"{stem} {title}", {**sizes, "PT": sizes["CT"]})


def _case(place: str, lines: list[str], section: _Section | None) -> Iterator[Vector]:
    fields = _fields(lines)
    if section is None:
        raise FieldError("the case stands under no section with five valid lengths")
    read = _decoded(fields, section.sizes)
    origin = aead.Origin("aes_gcm", SOURCE, f"{section.title} #{fields['Count']}", place)
    sealed = aead.Sealed(read["Key"], read["IV"], read["AAD"], read["CT"], read["Tag"])
    if "FAIL" in fields:
        return iter((aead.forged(origin, sealed),))
    if not sealed.ciphertext:
        return aead.authentic(origin, sealed)
    return aead.genuine(origin, sealed, read["PT"])


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition("=")
        name = name.rstrip()
        if name in fields:
            raise FieldError(f"{name} stands twice in one case", name)
        fields[name] = value.strip()
    if fields.keys() != _GENUINE and fields.keys() != _FORGED:
        raise _wrong_names(fields)
    return fields


def _decoded(fields: Mapping[str, str], sizes: Mapping[str, int]) -> dict[str, bytes]:
    read = {}
    for name, size in sizes.items():
        if name in fields:  # PT is not, where the case is a FAIL
            read[name] = octets(fields[name], name)
            demand_size(read[name], size, name, "its section")
    return read


def _wrong_names(fields: Mapping[str, str]) -> FieldError:
    for name in fields:
        if name not in _GENUINE | _FORGED:
            return FieldError(f"a GCM case has no {name!r}", name)
    missing = [name for name in ("Count", "Key", "IV", "AAD", "CT", "Tag") if name not in fields]
    if missing:
        return FieldError(f"the case has no {missing[0]}")
    return FieldError("the case needs either PT or FAIL")
