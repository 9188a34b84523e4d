"""ACVP vector sets of AES-GCM (ACVP-AES-GCM, revision 1.0).

Enters: a JSON vector set, bare or in the array with its acvVersion: internalProjection.json, which
holds everything, or prompt.json, whose answers stand in expectedResults.json beside it. Leaves:
vectors and problems. Never here: the other ACVP algorithms, registration and validation files.
Source: draft-celi-acvp-block-ciph. Lengths are in bits.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rig.vectors import aead
from rig.vectors.fields import FieldError, demand_size, octets, size_of_bits, table, whole
from rig.vectors.groups import Test, tests
from rig.vectors.records import Problem, Vector
from rig.vectors.source_file import SourceFile, load

SOURCE = "ACVP"
ALGORITHM = "ACVP-AES-GCM"

_PROMPT, _RESULTS = "prompt", "expectedResults"
_LENGTHS = {
    "key": ("keyLen",),
    "iv": ("ivLen",),
    "aad": ("aadLen",),
    "tag": ("tagLen",),
    "ct": ("payloadLen", "ptLen"),
}

Answers = Mapping[str, Mapping[str, object]]


def knows(file: SourceFile) -> bool:
    """Whether this is an ACVP vector set, of whatever algorithm."""
    members = _vector_set(file.document)
    return "testGroups" in members and bool({"vsId", "algorithm"} & members.keys())


def read(file: SourceFile) -> Iterator[Vector | Problem]:
    """The tests in the order of the file.

    An expectedResults file beside its prompt gives nothing: it is read with the prompt.
    """
    members = _vector_set(file.document)
    if members.get("algorithm", ALGORITHM) != ALGORITHM:
        message = f"ACVP algorithm {members['algorithm']!r} is not {ALGORITHM}"
        yield Problem(file.place(next(file.lines_of_key("algorithm"))), message)
    elif _RESULTS in file.path.name:
        if not read_with_prompt(file):
            wanted = _beside(file.path, _RESULTS, _PROMPT).name
            yield Problem(file.place(1), f"answers without their questions: put {wanted} beside")
    else:
        yield from _questions(file, members)


def read_with_prompt(file: SourceFile) -> bool:
    """Whether the file holds answers only, and its questions lie beside it."""
    return _RESULTS in file.path.name and _beside(file.path, _RESULTS, _PROMPT).is_file()


def _vector_set(document: object) -> dict[str, object]:
    parts = document if isinstance(document, list) else [document]
    found = [part for part in parts if isinstance(part, dict) and "testGroups" in part]
    return table(found[0], "the vector set") if len(found) == 1 else {}


def _beside(path: Path, word: str, other: str) -> Path:
    return path.with_name(path.name.replace(word, other))


def _questions(file: SourceFile, members: dict[str, object]) -> Iterator[Vector | Problem]:
    answers: Answers = {}
    if _PROMPT in file.path.name:
        results = load(_beside(file.path, _PROMPT, _RESULTS))
        if isinstance(results, Problem):
            yield Problem(file.place(1), f"its answers are missing: {results}")
            return
        answers = _answers(results)
    for test in tests(file, members):
        yield from _judged(file, answers, test)


def _answers(results: SourceFile) -> Answers:
    found = tests(results, _vector_set(results.document))
    return {test.name: test.fields for test in found if isinstance(test, Test)}


def _judged(file: SourceFile, answers: Answers, test: Test | Problem) -> Iterator[Vector | Problem]:
    if isinstance(test, Problem):
        yield test
        return
    fields = {**test.fields, **answers.get(test.name, {})}
    origin = aead.Origin("aes_gcm", SOURCE, f"{file.path.stem} {test.name}", test.place)
    try:
        yield from _vectors(origin, test.group, fields)
    except FieldError as error:
        yield Problem(test.place, f"{test.name}: {error}")


def _vectors(
    origin: aead.Origin, group: Mapping[str, object], fields: Mapping[str, object]
) -> Iterator[Vector]:
    if group.get("direction") not in ("encrypt", "decrypt"):
        raise FieldError(f"direction {group.get('direction')!r} is neither encrypt nor decrypt")
    sized = {name: _sized(group, fields, name, lengths) for name, lengths in _LENGTHS.items()}
    sealed = aead.Sealed(sized["key"], sized["iv"], sized["aad"], sized["ct"], sized["tag"])
    if fields.get("testPassed", True) is not False:
        yield from aead.genuine(origin, sealed, octets(fields.get("pt"), "pt"))
    elif group["direction"] == "decrypt":
        yield aead.forged(origin, sealed)
    else:
        raise FieldError("testPassed is false, but an encryption cannot fail")


def _sized(
    group: Mapping[str, object], fields: Mapping[str, object], name: str, lengths: tuple[str, ...]
) -> bytes:
    value = octets(fields.get(name), name)
    for length in lengths:
        if length in group:
            size = size_of_bits(whole(group[length], length), length)
            demand_size(value, size, name, f"the group's {length}")
    return value
