"""Functions of one file that set up for those of another: key schedules and tables.

Enters: stanzas that lack such functions, and those that have them. Leaves: stanzas that borrow
by what the field pairs. Never here: objects.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rig.survey.stanzas import Stanza, ordered

_AES = ("aes", ("hw", "aesni", "v8"))
# By form of a contract and role: the primitive that has such a function, and its variants in
# order of preference. `{0}` is the borrowing variant's name behind `vaes_`.
_PAIRED: Mapping[str, Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "aesni_gcm": {"set_encrypt_key": _AES, "init": ("ghash", ("avx", "clmul"))},
    "aes_gcm_update": {"set_encrypt_key": _AES, "init": ("ghash", ("vpclmulqdq_{0}",))},
    "aes_gcm_kernel": {"set_encrypt_key": _AES, "init": ("ghash", ("v8",))},
    "aes_bsaes": {"set_encrypt_key": ("aes", ("vpaes", "nohw"))},
}


def set_up(stanza: Stanza, others: Sequence[Stanza]) -> Stanza:
    """With the functions of others that set up for it in the field; as it is where one lacks."""
    borrowed = {
        role: giver.symbols[role]
        for role, (primitive, names) in _PAIRED.get(stanza.contract, {}).items()
        if role not in stanza.symbols
        for giver in _givers(stanza, others, primitive, names)[:1]
    }
    symbols = ordered({**borrowed, **stanza.symbols}, stanza.primitive, stanza.contract)
    doubt = f"{', '.join(sorted(borrowed.values()))}: what sets up for it; as meant?"
    whole = replace(stanza, symbols=symbols, doubts=(*stanza.doubts, doubt))
    return stanza if whole.lacking else whole


def _givers(
    stanza: Stanza, others: Sequence[Stanza], primitive: str, names: Sequence[str]
) -> list[Stanza]:
    """Of these variants first the one that the stanza's own symbols name, as
    `vpaes_encrypt_key_to_bsaes` does."""
    said = " ".join(stanza.symbols.values())
    wanted = [name.format(stanza.name.removeprefix("vaes_")) for name in names]
    wanted.sort(key=lambda name: f"{name}_encrypt_key_to" not in said)
    found = {other.name: other for other in others if other.primitive == primitive}
    return [found[name] for name in wanted if name in found]


def alone(stanzas: Sequence[Stanza], used: set[str]) -> Iterator[tuple[Stanza, str]]:
    """Of stanzas that lack functions those that have some that no other uses: what is missing,
    and the keys that would give it."""
    for stanza in stanzas:
        symbols = sorted(stanza.symbols.values())
        if used.issuperset(symbols):
            continue
        form = f'`contract = "{stanza.contract}"` and ' if stanza.contract else ""
        yield (
            stanza,
            f"{', '.join(symbols)}: alone without {stanza.lacking}; {form}`symbols` may borrow",
        )
