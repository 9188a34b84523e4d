"""Puts what was found together: which functions are variants, and which files they need.

Enters: the content of every object. Leaves: a `Draft` of a manifest in which every variant can
be linked, and a note for whatever is left out. Never here: reading objects, writing TOML.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rig.capabilities.bits import CapabilityError, capability
from rig.capabilities.models import model_vector, models
from rig.capabilities.vector import Vector
from rig.primitives import PRIMITIVES
from rig.survey.functions import Content
from rig.survey.names import PLAIN, ROLES, Meaning, is_vector, meaning
from rig.trace.isa import allowed

_TABLES = ("4bit", "table", "t4")
_LATEST = 9999
_LINKERS_OWN = frozenset({"_GLOBAL_OFFSET_TABLE_", "_DYNAMIC", "__ehdr_start"})


@dataclass(frozen=True, slots=True)
class Found:
    """An object and what is in it; `asked` are the features that its compile needs."""

    file: Path
    arch: str
    content: Content
    asked: frozenset[str]


@dataclass(frozen=True, slots=True)
class Stanza:
    """A variant as far as it can be told; `shares` are at first the entries of others that it
    leads into, then their names. `doubts` are the guesses that need a look."""

    primitive: str
    arch: str
    name: str
    file: Path
    needs: tuple[str, ...]
    symbols: Mapping[str, str]
    shares: tuple[str, ...] = ()
    constant_time: bool = True
    doubts: tuple[str, ...] = ()


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
    vector = next((n for f in mine for n in _vectors(f)), None)
    given = supplied | _LINKERS_OWN | {vector or ""}
    stanzas, notes = _stanzas(mine)
    files = list(dict.fromkeys(stanza.file for stanza in stanzas))
    files, link, left = _linkable(mine, files, given)
    kept = _unique([stanza for stanza in stanzas if stanza.file in files])
    contents = {f.file: f.content for f in mine}
    kept = [_sharing(stanza, kept, contents[stanza.file]) for stanza in kept]
    return Draft(
        stanzas=tuple(sorted(kept, key=_rank)),
        link={arch: tuple(link)} if link else {},
        vector={arch: vector} if vector and kept else {},
        notes=(*notes, *left),
    )


def _sharing(stanza: Stanza, others: Sequence[Stanza], content: Content) -> Stanza:
    """With names of variants for the entries of theirs that its code leads into, and with the
    variants of other files whose entries its file calls."""
    entered = {*stanza.shares, *content.undefined}
    shares = {
        other.name
        for other in others
        if other.primitive == stanza.primitive and other is not stanza
        if entered.intersection(other.symbols.values())
    }
    if not shares:
        return replace(stanza, shares=())
    doubt = f"its code leads into {', '.join(sorted(shares))}; as meant?"
    return replace(stanza, shares=tuple(sorted(shares)), doubts=(*stanza.doubts, doubt))


def _vectors(found: Found) -> Iterator[str]:
    content = found.content
    names = (content.undefined | content.defined) - content.functions.keys()
    return (name for name in sorted(names) if is_vector(name))


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
    stanzas: list[Stanza] = []
    notes: list[Note] = []
    for each in found:
        notes += _unmarked(each)
        for stanza in _variants(each):
            lacking = _lacking(stanza)
            if lacking:
                symbols = ", ".join(sorted(stanza.symbols.values()))
                notes.append(
                    Note(each.file, f"{symbols}: alone without {lacking}; `symbols` may borrow")
                )
            else:
                stanzas.append(stanza)
    return stanzas, notes


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


def _lacking(stanza: Stanza) -> str:
    """The roles without which no operation of its primitive can be done; empty if one can."""
    wanted = [
        set(o.roles) - stanza.symbols.keys()
        for o in PRIMITIVES[stanza.primitive].operations.values()
    ]
    least = min(wanted, key=len)
    return " and ".join(sorted(least))


def _variants(found: Found) -> Iterator[Stanza]:
    groups: dict[tuple[str, str, str], list[Meaning]] = {}
    for name in sorted(found.content.exported):
        said = meaning(name)
        if said:
            groups.setdefault((said.primitive, said.prefix, said.variant), []).append(said)
    for key, means in groups.items():
        yield _stanza(found, key, means, groups)


def _stanza(
    found: Found,
    key: tuple[str, str, str],
    means: Sequence[Meaning],
    groups: Mapping[tuple[str, str, str], Sequence[Meaning]],
) -> Stanza:
    primitive, _, name = key
    symbols = {m.role: m.symbol for m in means}
    borrowed = {m.role: m.symbol for m in _kin(key, groups) if m.role not in symbols}
    all_symbols = {**borrowed, **symbols}
    entries = {m.symbol for k, each in groups.items() if k[0] == primitive for m in each}
    needed, shares = _reached(found.content, set(symbols.values()), entries)
    needs, nameless = _asked(needed | found.asked, found.arch)
    slow = any(word in name.lower() for word in _TABLES)
    doubts = _doubts(found, name, borrowed, nameless, slow)
    return Stanza(
        primitive=primitive,
        arch=found.arch,
        name=name,
        file=found.file,
        needs=needs,
        symbols={r: all_symbols[r] for r in ROLES[primitive] if r in all_symbols},
        shares=shares,
        constant_time=not slow,
        doubts=tuple(doubts),
    )


def _kin(
    key: tuple[str, str, str], groups: Mapping[tuple[str, str, str], Sequence[Meaning]]
) -> Sequence[Meaning]:
    """The functions of the variant whose name is the longest beginning of this one's, such as
    `avx2` for `avx2_16`; else of that without a name."""
    primitive, prefix, name = key
    near = [k for k in groups if k[:2] == (primitive, prefix) and k != key]
    begun = [k for k in near if name.startswith(f"{k[2]}_")] or [k for k in near if k[2] == PLAIN]
    return groups[max(begun, key=lambda k: len(k[2]))] if begun else ()


def _reached(
    content: Content, symbols: set[str], entries: set[str]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """What the functions need that a variant's symbols lead to, and the entries of others that
    they jump into: code behind those is theirs."""
    needs: set[str] = set()
    shares: set[str] = set()
    seen, waiting = set(symbols), list(symbols)
    while waiting:
        code = content.functions[waiting.pop()]
        needs |= code.needs
        shares |= (code.near & entries) - symbols
        new = code.near - entries - seen
        seen |= new
        waiting += new
    return frozenset(needs), tuple(sorted(shares))


def _asked(features: frozenset[str], arch: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fewest capabilities that bring these features; and those that have no bit."""
    known = {name for name in features if _has_bit(name, arch)}
    least = {n for n in known if n not in allowed(frozenset(known - {n}), arch)}
    return tuple(sorted(least)), tuple(sorted(features - known))


def _has_bit(name: str, arch: str) -> bool:
    try:
        return capability(name, arch).name == name
    except CapabilityError:
        return False


def _doubts(
    found: Found,
    name: str,
    borrowed: Mapping[str, str],
    nameless: Sequence[str],
    slow: bool,
) -> Iterator[str]:
    if name == PLAIN:
        yield "its symbols name no variant"
    if borrowed:
        yield f"{', '.join(sorted(borrowed.values()))}: taken from another variant, as it has none"
    if nameless:
        yield f"it uses {', '.join(nameless)}, for which the capability vector has no bit"
    if slow:
        yield "constant_time = false because of its name"
    if found.content.opaque and found.file.suffix != ".c":
        yield f"needs are not known: {found.content.opaque}"
    if any(is_vector(symbol) for symbol in found.content.undefined):
        yield "its file reads the capability vector: `ran` tells variants behind one entry apart"


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
