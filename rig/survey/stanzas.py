"""The variants that one object holds, by the names of its functions and what they lead to.

Enters: an object's content. Leaves: `Stanza`s, some without all that their contract asks for.
Never here: other objects.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rig.capabilities.bits import CapabilityError, capability
from rig.primitives import PRIMITIVES
from rig.survey.functions import Content
from rig.survey.names import (
    FORM_ROLES,
    PLAIN,
    ROLES,
    Meaning,
    given_lengths,
    is_vector,
    meaning,
)
from rig.trace.isa import allowed

_TABLES = ("4bit", "table", "t4")
_OPENSSLS = {
    form: f'OpenSSL has the table behind Xi, `contract = "{form}_openssl"`'
    for form in ("aesni_gcm", "aes_gcm_kernel")
}

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Found:
    """An object and what is in it; `asked` are the features that its compile needs."""

    file: Path
    arch: str
    content: Content
    asked: frozenset[str]

    @property
    def vectors(self) -> tuple[str, ...]:
        """The capability vectors that it reads or has."""
        names = (self.content.undefined | self.content.defined) - self.content.functions.keys()
        return tuple(name for name in sorted(names) if is_vector(name, self.arch))


@dataclass(frozen=True, slots=True)
class Stanza:
    """A variant as far as it can be told; `shares` are at first the entries of others that it
    leads into, then their names. `contract` names a form, `length` is as `len` in a manifest.
    `doubts` are the guesses that need a look."""

    primitive: str
    arch: str
    name: str
    file: Path
    needs: tuple[str, ...]
    symbols: Mapping[str, str]
    shares: tuple[str, ...] = ()
    constant_time: bool = True
    doubts: tuple[str, ...] = ()
    contract: str = ""
    length: Mapping[str, int] = field(default_factory=dict)
    ran: str = ""

    @property
    def lacking(self) -> str:
        """The roles without which no operation of its primitive can be done; empty if one can.
        A schedule made from another's is needed in each."""
        asked = {"convert_key"} if self.contract == "aes_bsaes" else set()
        operations = PRIMITIVES[self.primitive].operations.values()
        wanted = [sorted({*o.roles, *asked} - self.symbols.keys()) for o in operations]
        least = min(wanted, key=len)
        return " and ".join(least)


def variants(found: Found) -> Iterator[Stanza]:
    """The variants that the names of an object's functions say."""
    groups: dict[_Key, list[Meaning]] = {}
    for name in sorted(found.content.exported):
        said = meaning(name)
        if said:
            groups.setdefault((said.primitive, said.prefix, said.variant), []).append(said)
    for key, means in groups.items():
        yield _stanza(found, key, means, groups)


def _stanza(
    found: Found,
    key: _Key,
    means: Sequence[Meaning],
    groups: Mapping[_Key, Sequence[Meaning]],
) -> Stanza:
    primitive, _, name = key
    symbols = {m.role: m.symbol for m in means}
    borrowed = {m.role: m.symbol for m in _kin(key, groups) if m.role not in symbols}
    contract = _contract(found, means)
    entries = {m.symbol for k, each in groups.items() if k[0] == primitive for m in each}
    needed, shares = reached(found.content, set(symbols.values()), entries)
    needs, nameless = capabilities(needed | found.asked, found.arch)
    slow = any(word in name.lower() for word in _TABLES)
    length = next((g for s in symbols.values() if (g := given_lengths(s))), {})
    doubts = (*_doubts(found, name, borrowed, nameless, slow), *_narrowed(contract, length))
    return Stanza(
        primitive=primitive,
        arch=found.arch,
        name=name,
        file=found.file,
        needs=needs,
        symbols=ordered({**borrowed, **symbols}, primitive, contract),
        shares=shares,
        constant_time=not slow,
        doubts=doubts,
        contract=contract,
        length=length,
    )


def ordered(symbols: Mapping[str, str], primitive: str, contract: str) -> dict[str, str]:
    """The symbols in the order of the contract, without those of roles that it has not."""
    roles = FORM_ROLES.get(contract, ROLES[primitive])
    return {role: symbols[role] for role in roles if role in symbols}


def _contract(found: Found, means: Sequence[Meaning]) -> str:
    named = next((m.contract for m in means if m.contract), "")
    init = next((m.symbol for m in means if (m.primitive, m.role) == ("poly1305", "init")), None)
    return "poly1305_func" if init and _hands_out(found, init) else named


def _hands_out(found: Found, init: str) -> bool:
    """Whether an init of Poly1305 seems to give functions for the others: its file reads the
    capability vector, and it knows such functions."""
    content = found.content
    known = filter(None, map(meaning, {*content.functions[init].near, *content.undefined}))
    blocks = any((said.primitive, said.role) == ("poly1305", "blocks") for said in known)
    return blocks and bool(found.vectors)


def _kin(key: _Key, groups: Mapping[_Key, Sequence[Meaning]]) -> Sequence[Meaning]:
    """The functions of the variant whose name is the longest beginning of this one's, such as
    `avx2` for `avx2_16`; else of that without a name."""
    primitive, prefix, name = key
    near = [k for k in groups if k[:2] == (primitive, prefix) and k != key]
    begun = [k for k in near if name.startswith(f"{k[2]}_")] or [k for k in near if k[2] == PLAIN]
    return groups[max(begun, key=lambda k: len(k[2]))] if begun else ()


def reached(
    content: Content, symbols: Collection[str], entries: Collection[str]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """What the functions need that a variant's symbols lead to, and the entries of others that
    they jump into: code behind those is theirs."""
    needs: set[str] = set()
    shares: set[str] = set()
    others = set(entries)
    seen, waiting = set(symbols), list(symbols)
    while waiting:
        code = content.functions[waiting.pop()]
        needs |= code.needs
        shares |= (code.near & others) - set(symbols)
        new = code.near - others - seen
        seen |= new
        waiting += new
    return frozenset(needs), tuple(sorted(shares))


def capabilities(features: Collection[str], arch: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fewest capabilities that bring these features; and those that have no bit."""
    known = {name for name in features if has_bit(name, arch)}
    least = {n for n in known if n not in allowed(frozenset(known - {n}), arch)}
    return tuple(sorted(least)), tuple(sorted(set(features) - known))


def has_bit(name: str, arch: str) -> bool:
    """Whether a name is that of a capability, as manifests spell it."""
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
    if found.vectors:
        yield "its file reads the capability vector: `ran` tells variants behind one entry apart"


def _narrowed(contract: str, length: Mapping[str, int]) -> Iterator[str]:
    if contract in _OPENSSLS:
        yield _OPENSSLS[contract]
    if contract == "poly1305_func":
        yield "its init seems to hand out functions; one without func[2] needs no `contract`"
    if length:
        yield "`len` is what a function of that name is given by its callers; without it, any"
