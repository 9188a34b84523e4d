"""The rig's own vector files.

Enters: a JSON document with `format`, `primitive`, `source` and `records`; each record has `name`,
`operation`, `inputs` and `outputs`, or `"valid": false` and no outputs where it must be refused.
Bytes are hexadecimal, in one string or an array of rows. The operation `aead` stands for a seal and
the open that undoes it. Leaves: vectors and problems. Never here: provenance, which SOURCES.toml
states.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from rig.vectors import aead
from rig.vectors.fields import FieldError, array, octets, table, whole
from rig.vectors.records import Problem, Vector
from rig.vectors.shapes import SHAPES, Shape, Size
from rig.vectors.source_file import SourceFile

FORMAT = "variant-rig vectors 1"

_HEADER = {"format", "primitive", "source", "records"}
_RECORD = {"name", "operation", "inputs", "outputs", "valid"}


def knows(file: SourceFile) -> bool:
    """Whether this is a file of the rig's own format, of whatever version."""
    document = file.document
    return isinstance(document, dict) and str(document.get("format")).startswith("variant-rig ")


def read(file: SourceFile) -> Iterator[Vector | Problem]:
    """The records in the order of the file."""
    document = table(file.document, "the file")
    try:
        primitive, source = _header(document)
        records = array(document["records"], "records")
    except FieldError as error:
        yield Problem(file.place(next(file.lines_of_key(error.field), 1)), str(error))
        return
    lines = file.lines_of_key("name")
    place = file.place(1)
    for record in records:
        if isinstance(record, dict) and "name" in record:
            place = file.place(next(lines, 1))
        try:
            yield from _record(primitive, source, place, table(record, "a record here or next"))
        except FieldError as error:
            yield Problem(place, str(error))


def _header(document: Mapping[str, object]) -> tuple[str, str]:
    if document["format"] != FORMAT:
        raise FieldError(f"format {document['format']!r} is not {FORMAT!r}", "format")
    _demand_names(document, _HEADER, _HEADER, "the file")
    primitive, source = str(document["primitive"]), document["source"]
    if primitive not in SHAPES:
        raise FieldError(
            f"no primitive is named {primitive!r}{_near(primitive, SHAPES)}", "primitive"
        )
    if not isinstance(source, str) or not source:
        raise FieldError("source is no text", "source")
    return primitive, source


def _near(word: str, words: Iterable[str]) -> str:
    close = get_close_matches(word, words, 1)
    return f": did you mean {close[0]!r}?" if close else f", only {', '.join(sorted(words))}"


def _demand_names(
    given: Mapping[str, object], allowed: set[str], needed: set[str], what: str
) -> None:
    for name in given:
        if name not in allowed:
            raise FieldError(f"{what} has no {name!r}{_near(name, allowed)}", name)
    for name in sorted(needed - given.keys()):
        raise FieldError(f"{what} lacks {name!r}")


def _record(
    primitive: str, source: str, place: str, record: Mapping[str, object]
) -> Iterator[Vector]:
    _demand_names(record, _RECORD, _RECORD - {"outputs", "valid"}, "a record")
    name, operation = str(record["name"]), str(record["operation"])
    shapes = SHAPES[primitive]
    if operation not in shapes:
        raise FieldError(f"{primitive} has no operation {operation!r}{_near(operation, shapes)}")
    inputs = _values(record["inputs"], shapes[operation].inputs, "inputs")
    outputs = _outputs(record, shapes[operation])
    _demand_equal(shapes[operation], inputs | outputs)
    if operation == "aead":
        yield from _both(aead.Origin(primitive, source, name, place), inputs, outputs)
    else:
        valid = bool(outputs)
        answer = {field: value for field, value in outputs.items() if isinstance(value, bytes)}
        yield Vector(primitive, operation, source, name, place, inputs, answer, valid)


def _outputs(record: Mapping[str, object], shape: Shape) -> dict[str, bytes | int]:
    valid = record.get("valid", True)
    if not isinstance(valid, bool):
        raise FieldError("valid is neither true nor false")
    if valid:
        return _values(record.get("outputs"), shape.outputs, "outputs")
    if "outputs" in record or record["operation"] not in ("seal", "open"):
        raise FieldError("valid is false: only a seal or an open without outputs can be refused")
    return {}


def _values(given: object, sizes: Mapping[str, Size], what: str) -> dict[str, bytes | int]:
    fields = table(given, what)
    _demand_names(fields, set(sizes), set(sizes), what)
    return {name: _value(fields[name], size, name) for name, size in sizes.items()}


def _value(given: object, size: Size, name: str) -> bytes | int:
    if size.number:
        return whole(given, name)
    rows = given if isinstance(given, list) else [given]
    value = b"".join(octets(row, name) for row in rows)
    if not size.fits(len(value)):
        raise FieldError(f"{name} has {len(value)} bytes, not {size.words}")
    return value


def _demand_equal(shape: Shape, values: Mapping[str, bytes | int]) -> None:
    sizes = {name: values[name] for name in shape.equal if name in values}
    lengths = {name: len(value) for name, value in sizes.items() if isinstance(value, bytes)}
    if len(set(lengths.values())) > 1:
        stated = " and ".join(f"{name} has {size} bytes" for name, size in lengths.items())
        raise FieldError(f"{stated}: they must be equal")


def _both(
    origin: aead.Origin, inputs: Mapping[str, bytes | int], outputs: Mapping[str, bytes | int]
) -> Iterator[Vector]:
    read = {name: v for name, v in {**inputs, **outputs}.items() if isinstance(v, bytes)}
    plaintext = read.pop("plaintext")
    yield from aead.genuine(origin, aead.Sealed(**read), plaintext)
