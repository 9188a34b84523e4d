"""Variants behind one entry, which looks at the capability vector and chooses.

Enters: a stanza, all objects. Leaves: a stanza per variant, told apart by `ran`. Never here:
whether the entry does choose so; the run's path check tells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rig.survey.names import PLAIN, meaning
from rig.survey.stanzas import Found, Stanza, capabilities, has_bit, reached

# The role whose functions an entry chooses between, where their names say one.
_CHOSEN = {"chacha20": "ctr32", "ghash": "ghash", "poly1305": "blocks"}


def with_inner(
    stanza: Stanza, others: Sequence[Stanza], found: Sequence[Found]
) -> Iterator[Stanza]:
    """The stanza and, where its file reads the capability vector, one for each function behind
    its entries that needs more than these."""
    mine = next(each for each in found if each.file == stanza.file)
    inner = tuple(_inner(stanza, others, mine, found)) if mine.vectors else ()
    yield _outer(stanza, mine, {each.ran for each in inner}) if inner else stanza
    yield from inner


def _outer(stanza: Stanza, mine: Found, behind: set[str]) -> Stanza:
    """What is left for the stanza itself; where that is one local function, this proves it."""
    functions, own = mine.content.functions, _own(stanza, mine)
    needed, _ = reached(mine.content, own, own | behind)
    near = {name for entry in own for name in functions[entry].near} - own - behind
    plain = [n for n in near if n not in mine.content.exported and not functions[n].needs]
    needs, _ = capabilities(needed, stanza.arch)
    return replace(stanza, needs=needs, ran=plain[0] if len(plain) == 1 else "")


def _own(stanza: Stanza, mine: Found) -> set[str]:
    return {name for name in stanza.symbols.values() if name in mine.content.functions}


def _inner(
    stanza: Stanza, others: Sequence[Stanza], mine: Found, found: Sequence[Found]
) -> Iterator[Stanza]:
    functions, own = mine.content.functions, _own(stanza, mine)
    entries = {name for other in others for name in other.symbols.values()}
    near = {name for entry in own for name in functions[entry].near} - entries
    base = {need for entry in own for need in functions[entry].needs}
    seen: set[str] = set()
    for name in sorted(near | mine.content.undefined - entries):
        holder = next((f for f in (mine, *found) if name in f.content.functions), None)
        if holder is None or not _may_be_chosen(name, stanza, holder is mine):
            continue
        variant = _name(name, stanza)
        features, shares = reached(holder.content, {name}, near | own)
        said = {word for word in (variant.rpartition("_")[2],) if has_bit(word, stanza.arch)}
        needs, _ = capabilities(features | said, stanza.arch)
        if not base.issuperset(needs) and variant not in seen:
            seen.add(variant)
            doubt = f"{name} stands behind the same entry; as meant?"
            yield replace(
                stanza,
                name=variant,
                file=holder.file,
                needs=needs,
                shares=shares,
                ran=name,
                doubts=(doubt,),
            )


def _may_be_chosen(name: str, stanza: Stanza, local: bool) -> bool:
    said = meaning(name)
    if said is None:
        return local
    role = _CHOSEN.get(stanza.primitive, "seal")
    return (said.primitive, said.role) == (stanza.primitive, role)


def _name(function: str, stanza: Stanza) -> str:
    said = meaning(function)
    if said and said.variant != PLAIN:
        return said.variant
    for entry in stanza.symbols.values():
        if function.startswith(f"{entry}_"):
            return function.removeprefix(f"{entry}_")
    return function.rpartition("_")[2]
