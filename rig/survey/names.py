"""What the names of functions say, in the conventions of the field.

Enters: a symbol. Leaves: the primitive, role and variant that it names, or None. Never here:
reading of files; whether the function keeps the contract, which only a run can tell.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PLAIN = "plain"
AEAD = "chacha20_poly1305_fused"

# In the order of the contracts; those of the forms in native/include/field stand by their names.
ROLES: Mapping[str, tuple[str, ...]] = {
    "ghash": ("init", "gmult", "ghash"),
    "chacha20": ("ctr32",),
    "poly1305": ("init", "blocks", "emit"),
    "aes": ("set_encrypt_key", "encrypt", "ctr32_encrypt_blocks"),
    "aes_gcm_fused": ("set_encrypt_key", "init", "seal", "open"),
    AEAD: ("seal", "open"),
}
FORM_ROLES: Mapping[str, tuple[str, ...]] = {
    "aes_bsaes": ("set_encrypt_key", "convert_key", "ctr32_encrypt_blocks"),
    "aes_block": (*ROLES["aes"], "set_decrypt_key", "decrypt", "cbc_encrypt"),
    "poly1305_func": ROLES["poly1305"],
    **dict.fromkeys(("aesni_gcm", "aes_gcm_update", "aes_gcm_kernel"), ROLES["aes_gcm_fused"]),
}
_SPELLINGS = {
    "encrypt": "seal",
    "decrypt": "open",
    "enc": "seal",
    "dec": "open",
    "encrypt_key_to": "convert_key",
}
_BACK = "set_decrypt_key|decrypt|cbc_encrypt"
# Before each may stand a prefix that ends in `_`, as `GFp_`, `p_`, `private_`, `ossl_`.
_PREFIX = r"(?P<prefix>(?:\w*?_)?)"
# The first that fits is taken: primitive, form of its contract, name.
_FORMS = tuple(
    (primitive, form, re.compile(_PREFIX + name.replace("ROLE", "|".join(ROLES[primitive])), re.I))
    for primitive, form, name in (
        ("ghash", "", r"gcm_(?P<role>ROLE)_(?P<name>\w+)"),
        ("ghash", "", r"ghash_(?P<role>ROLE)_(?P<name>\w+)"),
        ("chacha20", "", r"chacha20_(?P<role>ROLE)(?:_(?P<name>\w+))?"),
        ("poly1305", "", r"(?<!chacha20_)poly1305_(?P<role>ROLE)(?:_(?P<name>\w+))?"),
        ("aes_gcm_fused", "", r"aes_gcm_fused_(?P<role>ROLE)_(?P<name>\w+)"),
        ("aes_gcm_fused", "aesni_gcm", r"(?P<name>aesni)_gcm_(?P<role>encrypt|decrypt)"),
        ("aes_gcm_fused", "aes_gcm_update", r"aes_gcm_(?P<role>enc|dec)_update_(?P<name>\w+)"),
        ("aes_gcm_fused", "aes_gcm_kernel", r"aes_gcm_(?P<role>enc|dec)_(?P<name>kernel)"),
        # The rig's own function of that name is a composition.
        (AEAD, "", r"(?<!rig_)chacha20_poly1305_(?P<role>ROLE)(?:_(?P<name>\w+))?"),
        ("aes", "aes_bsaes", r"(?P<name>bsaes)_(?P<role>ctr32_encrypt_blocks)"),
        ("aes", "aes_bsaes", r"(?:aes_)?[a-z]+_(?P<role>encrypt_key_to)_(?P<name>bsaes)"),
        ("aes", "", r"aes_(?P<role>ROLE)_(?P<name>\w+)"),
        ("aes", "", r"aes_(?P<name>hw|nohw|v8)_(?P<role>ROLE)"),
        ("aes", "", r"(?P<name>aesni|vpaes|aes)_(?P<role>ROLE)"),
        ("aes", "aes_block", rf"aes_(?P<name>hw|nohw|v8)_(?P<role>{_BACK})"),
        ("aes", "aes_block", rf"(?P<name>aesni|vpaes|aes)_(?P<role>{_BACK})"),
    )
)
# What the field's callers give a function, in bytes: others of theirs do the rest.
_LENGTHS: tuple[tuple[re.Pattern[str], Mapping[str, int]], ...] = tuple(
    (re.compile(name), length)
    for name, length in (
        (r"\w*ChaCha20_ctr32_nohw", {"min": 1}),
        (r"\w*ChaCha20_ctr32_(ssse3_4x|avx2)", {"min": 129}),
        (r"\w*ChaCha20_ctr32_neon", {"min": 192}),
        (r"\w*gcm_ghash_\w+_16", {"min": 16, "max": 16}),
        (r"\w*bsaes_ctr32_encrypt_blocks", {"min": 128}),
    )
)
_VECTORS = {
    **dict.fromkeys(("x86_64", "i386"), re.compile(r"\w*ia32cap(_P)?", re.IGNORECASE)),
    **dict.fromkeys(("aarch64", "arm"), re.compile(r"\w*armcap(_P)?", re.IGNORECASE)),
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a symbol names; `prefix` is what stands before the convention's own name, `contract`
    the form of the contract where it is not the primitive's own."""

    symbol: str
    primitive: str
    role: str
    variant: str
    prefix: str
    contract: str = ""


def meaning(symbol: str) -> Meaning | None:
    """What a symbol names; a name without a variant is called `plain`."""
    for primitive, contract, form in _FORMS:
        match = form.fullmatch(symbol)
        if match:
            name = match["name"] or PLAIN
            variant = PLAIN if name.lower() == "aes" else name
            role = match["role"].lower()
            if role not in FORM_ROLES.get(contract, ROLES[primitive]):
                role = _SPELLINGS[role]
            return Meaning(symbol, primitive, role, variant, match["prefix"], contract)
    return None


def given_lengths(symbol: str) -> Mapping[str, int]:
    """What the callers of a function of the field give it, as `len` of a manifest; empty if they
    give it any length."""
    return next((length for name, length in _LENGTHS if name.fullmatch(symbol)), {})


def is_vector(symbol: str, arch: str) -> bool:
    """Whether a symbol is called as a capability vector of an architecture."""
    return _VECTORS[arch].fullmatch(symbol) is not None
