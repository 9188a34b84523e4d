"""Puts what was found together: which functions are variants, and which files they need.

Enters: the content of every object. Leaves: a `Draft` of a manifest in which every variant can
be linked, and a note for whatever is left out. Never here: reading objects, writing TOML.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rig.capabilities.models import model_vector, models
from rig.capabilities.vector import Vector
from rig.survey.functions import Content
from rig.survey.inner import with_inner
from rig.survey.names import meaning
from rig.survey.set_up import alone, set_up
from rig.survey.stanzas import Found, Stanza, variants
from rig.trace.isa import allowed

_LATEST = 9999
_LINKERS_OWN = frozenset({"_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "__ehdr_start"})


@dataclass(frozen=True, slots=True)
class Note:
    """Why something of a file is not tested."""

    file: Path
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What a manifest can be written from; `link` and `vector` by architecture."""

    stanzas: tuple[Stanza, ...] = ()
    link: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    vector: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def draft(found: Sequence[Found], supplied: Mapping[str, frozenset[str]]) -> Draft:
    """The draft for all architectures; `supplied` are the symbols that the rig itself gives
    each."""
    parts = [_of_one(found, arch, given) for arch, given in supplied.items()]
    named = {(s.file, symbol) for p in parts for s in p.stanzas for symbol in s.symbols.values()}
    return Draft(
        stanzas=tuple(stanza for part in parts for stanza in part.stanzas),
        link={arch: paths for part in parts for arch, paths in part.link.items()},
        vector={arch: name for part in parts for arch, name in part.vector.items()},
        notes=(*dict.fromkeys(n for part in parts for n in part.notes), *_unnamed(found, named)),
    )


def _unnamed(found: Sequence[Found], named: set[tuple[Path, str]]) -> Iterator[Note]:
    """The functions of each file whose names mean nothing to the rig."""
    for file in dict.fromkeys(f.file for f in found):
        exported = {name for f in found if f.file == file for name in f.content.exported}
        other = sorted(n for n in exported if (file, n) not in named and not meaning(n))
        if other:
            more = f" and {len(other) - 8} more" if len(other) > 8 else ""
            text = f"no primitive of the rig by the names of {', '.join(other[:8])}{more}"
            yield Note(file, text)


def _of_one(found: Sequence[Found], arch: str, supplied: frozenset[str]) -> Draft:
    mine = [f for f in found if f.arch == arch]
    vector = next((name for f in mine for name in f.vectors), None)
    given = supplied | _LINKERS_OWN | {vector or ""}
    stanzas, notes = _stanzas(mine)
    files = list(dict.fromkeys(stanza.file for stanza in stanzas))
    files, link, left = _linkable(mine, files, given)
    kept = _unique([stanza for stanza in stanzas if stanza.file in files])
    contents = {f.file: f.content for f in mine}
    kept = [_sharing(stanza, kept, contents) for stanza in kept]
    return Draft(
        stanzas=tuple(sorted(kept, key=_rank)),
        link={arch: tuple(link)} if link else {},
        vector={arch: vector} if vector and kept else {},
        notes=(*notes, *left),
    )


def _sharing(stanza: Stanza, others: Sequence[Stanza], contents: Mapping[Path, Content]) -> Stanza:
    """With names of variants for the entries of theirs that its code leads into, and with the
    variants of other files whose entries its file calls or it has for its own."""
    entered = {*stanza.shares, *contents[stanza.file].undefined}
    shares = {
        other.name
        for other in others
        if other.primitive == stanza.primitive and other is not stanza
        if entered.intersection(_leading(other, stanza))
        or (other.file != stanza.file and _borrows(stanza, other, contents[other.file]))
    }
    if not shares:
        return replace(stanza, shares=())
    doubt = f"its code leads into {', '.join(sorted(shares))}; as meant?"
    return replace(stanza, shares=tuple(sorted(shares)), doubts=(*stanza.doubts, doubt))


def _leading(other: Stanza, stanza: Stanza) -> set[str]:
    """The names by which code enters a variant. An entry that chooses between both is neither's
    way into the other."""
    if not other.ran:
        return {*other.symbols.values()}
    return {other.ran} if other.ran in stanza.shares or other.symbols != stanza.symbols else set()


def _borrows(stanza: Stanza, other: Stanza, content: Content) -> bool:
    common = {*stanza.symbols.values()}.intersection(other.symbols.values())
    return bool(common & content.exported)


def _linkable(
    found: Sequence[Found], wanted: Sequence[Path], given: frozenset[str]
) -> tuple[list[Path], list[Path], list[Note]]:
    """The files that link together, those to link beside them, and why others are left out."""
    contents = {f.file: f.content for f in found}
    notes: list[Note] = []
    files: list[Path] = []
    for file in wanted:
        other = next((f for f in files if contents[f].defined & contents[file].defined), None)
        if other is None:
            files.append(file)
        else:
            same = sorted(contents[other].defined & contents[file].defined)
            notes.append(Note(file, f"{same[0]} is defined by {other.name} too"))
    while True:
        link, missing = _beside(contents, files, given)
        lacking = [f for f in files if missing.get(f)]
        if not lacking:
            return files, link, notes
        for file in lacking:
            names = ", ".join(missing[file])
            notes.append(Note(file, f"nothing here defines {names}; `link` may name a file"))
        files = [f for f in files if f not in lacking]


def _beside(
    contents: Mapping[Path, Content], files: Sequence[Path], given: frozenset[str]
) -> tuple[list[Path], dict[Path, list[str]]]:
    """The files that define what these want, and what then is missing, by the file it is for."""
    link: list[Path] = []
    missing: dict[Path, list[str]] = {file: [] for file in files}
    waiting = [(file, file) for file in files]
    while waiting:
        root, file = waiting.pop()
        present = given.union(*(contents[f].defined for f in (*files, *link)))
        for name in sorted(contents[file].undefined - present):
            giver = next((f for f in contents if name in contents[f].defined), None)
            if giver is None or any(contents[giver].defined & contents[f].defined for f in files):
                missing[root].append(name)
            elif giver not in link:
                link.append(giver)
                waiting.append((root, giver))
    return link, missing


def _stanzas(found: Sequence[Found]) -> tuple[list[Stanza], list[Note]]:
    each = [stanza for one in found for stanza in variants(one)]
    whole = [stanza for stanza in each if not stanza.lacking]
    mended = [set_up(stanza, whole) for stanza in each if stanza.lacking]
    whole += [stanza for stanza in mended if not stanza.lacking]
    stanzas = [inner for stanza in whole for inner in with_inner(stanza, whole, found)]
    used = {name for s in stanzas for name in (s.ran, *s.symbols.values())}
    notes = [note for one in found for note in _unmarked(one)]
    left = alone([stanza for stanza in mended if stanza.lacking], used)
    return stanzas, [*notes, *(Note(stanza.file, text) for stanza, text in left)]


def _unmarked(found: Found) -> Iterator[Note]:
    for name in sorted(filter(meaning, found.content.unmarked)):
        mark = f"`.type {name}, @function` and `.size {name}, .-{name}`"
        yield Note(found.file, f"{name} is not marked as a function; add {mark}")


def _unique(stanzas: Sequence[Stanza]) -> list[Stanza]:
    """Variants of one name are told apart by their files."""
    named: dict[tuple[str, str], Stanza] = {}
    for stanza in stanzas:
        taken = (stanza.primitive, stanza.name) in named
        name = f"{stanza.name}_{stanza.file.stem}" if taken else stanza.name
        named[stanza.primitive, name] = replace(stanza, name=name)
    return list(named.values())


def _rank(stanza: Stanza) -> tuple[int, int, str]:
    """Lowest preference first: by the first CPU model that has all that it needs."""
    wanted = frozenset(stanza.needs)
    base = Vector.base(stanza.arch)
    years = [
        model.year
        for model in models(stanza.arch)
        if all(map((model_vector(model, stanza.arch) | base).has, wanted))
    ]
    return (
        min(years, default=_LATEST) if wanted else 0,
        len(allowed(wanted, stanza.arch)),
        stanza.name,
    )
