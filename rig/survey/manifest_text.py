"""Writes a draft as a commented rig.toml.

Enters: a `Draft`. Leaves: text that `rig.manifest` reads. Never here: guessing.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rig.build.project import DEFAULT_VECTOR
from rig.survey.drafts import Draft, Note
from rig.survey.objects import FLAVOURS, GENERATE, SCRIPT
from rig.survey.stanzas import Stanza

_HEAD = """\
# A first draft by `rig init`. Symbols are what the sources define; needs are what the instructions
# ask for. A line with `# ?` says what is a guess. docs/manifest.md describes every key.
"""
_ADVICE = {
    "chacha20": 'undefined = ["counter-wrap"] if no caller lets the 32-bit block counter wrap',
}


def write_manifest(draft: Draft, root: Path, include: Sequence[Path], notes: Sequence[Note]) -> str:
    """The whole text; paths are relative to `root`."""
    lines = [_HEAD + "rig      = 1"]
    lines += _top(draft, root, include)
    for primitive in dict.fromkeys(stanza.primitive for stanza in draft.stanzas):
        lines += ["", *_table(primitive, draft, root)]
    lines += _untested((*notes, *draft.notes), root)
    return "\n".join(lines) + "\n"


def _top(draft: Draft, root: Path, include: Sequence[Path]) -> Iterator[str]:
    if include:
        yield f"include  = {_list(_relative(path, root) for path in include)}"
    yield "# ? paths follow from needs and len; `dispatch` may name your own dispatcher instead"
    yield 'dispatch = "rules"'
    vector = {a: n for a, n in draft.vector.items() if DEFAULT_VECTOR.get(a) != n}
    if vector:
        yield f"vector   = {_inline(vector)}"
    archs = [s.arch for s in draft.stanzas if _scripted(draft, s.arch)]
    if archs:
        yield f"generate = {_inline(GENERATE)}"
        yield f"flavour  = {_inline({arch: FLAVOURS[arch] for arch in dict.fromkeys(archs)})}"
    if draft.link:
        links = {a: [_relative(p, root) for p in paths] for a, paths in draft.link.items()}
        yield "# what variants call and no variant owns"
        yield f"link     = {_inline(links)}"


def _scripted(draft: Draft, arch: str) -> bool:
    files = [stanza.file for stanza in draft.stanzas if stanza.arch == arch]
    return any(path.suffix == SCRIPT for path in (*files, *draft.link.get(arch, ())))


def _table(primitive: str, draft: Draft, root: Path) -> Iterator[str]:
    stanzas = [stanza for stanza in draft.stanzas if stanza.primitive == primitive]
    patterns = _patterns(stanzas)
    yield f"[{primitive}]"
    if patterns:
        yield f"symbols  = {_inline(patterns)}"
    if primitive in _ADVICE:
        yield f"# ? {_ADVICE[primitive]}"
    if len(stanzas) > 1:
        yield "# ? lowest preference first, by the age of the CPUs that have what they need"
    yield "variants = ["
    for stanza in stanzas:
        yield from (f"  # ? {stanza.name}: {doubt}" for doubt in stanza.doubts)
        yield f"  {{ {', '.join(_keys(stanza, patterns, root))} }},"
    yield "]"


def _patterns(stanzas: Sequence[Stanza]) -> dict[str, str]:
    """For each role that all have the most frequent form of its symbol."""
    found = {}
    for role in stanzas[0].symbols:
        if all(role in stanza.symbols for stanza in stanzas):
            forms = Counter(s.symbols[role].replace(s.name, "{name}") for s in stanzas)
            found[role] = forms.most_common(1)[0][0]
    return found


def _keys(stanza: Stanza, patterns: Mapping[str, str], root: Path) -> Iterator[str]:
    yield f'arch = "{stanza.arch}"'
    yield f'name = "{stanza.name}"'
    yield f"source = {json.dumps(_relative(stanza.file, root), ensure_ascii=False)}"
    if stanza.contract:
        yield f'contract = "{stanza.contract}"'
    if stanza.needs:
        yield f'needs = "{" ".join(stanza.needs)}"'
    if stanza.length:
        sizes = ", ".join(f"{name} = {value}" for name, value in stanza.length.items())
        yield f"len = {{ {sizes} }}"
    said = {role: pattern.replace("{name}", stanza.name) for role, pattern in patterns.items()}
    own = {role: name for role, name in stanza.symbols.items() if said.get(role) != name}
    if own:
        yield f"symbols = {_inline(own)}"
    if stanza.ran:
        yield f'ran = "{stanza.ran}"'
    if stanza.shares:
        yield f"shares = {_list(stanza.shares)}"
    if not stanza.constant_time:
        yield "constant_time = false"


def _untested(notes: Sequence[Note], root: Path) -> Iterator[str]:
    if notes:
        yield ""
        yield "# Not tested:"
        yield from (f"#   {_relative(note.file, root)}: {note.text}" for note in notes)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _list(values: Iterable[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)


def _inline(values: Mapping[str, str | Sequence[str]]) -> str:
    """An inline table; JSON's strings and lists are TOML's too."""
    rows = (
        f"{_key(name)} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()
    )
    return f"{{ {', '.join(rows)} }}"


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)
