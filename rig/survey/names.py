"""What the names of functions say, in the conventions of the field.

Enters: a symbol. Leaves: the primitive, role and variant that it names, or None. Never here:
reading of files; whether the function keeps the contract, which only a run can tell.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rig.primitives import PRIMITIVES

PLAIN = "plain"

# In the order of the contracts.
ROLES: Mapping[str, tuple[str, ...]] = {
    "ghash": ("init", "gmult", "ghash"),
    "chacha20": ("ctr32",),
    "poly1305": ("init", "blocks", "emit"),
    "aes": ("set_encrypt_key", "encrypt", "ctr32_encrypt_blocks"),
    "aes_gcm_fused": ("set_encrypt_key", "init", "seal", "open"),
}
_SPELLINGS = {"encrypt": "seal", "decrypt": "open"}  # of fused kernels
# Before each may stand a prefix that ends in `_`, as `GFp_`, `p_`, `private_`, `ossl_`.
_PREFIX = r"(?P<prefix>(?:\w*?_)?)"
_FORMS = tuple(
    (primitive, re.compile(_PREFIX + form.replace("ROLE", "|".join(ROLES[primitive])), re.I))
    for primitive, form in (
        ("ghash", r"gcm_(?P<role>ROLE)_(?P<name>\w+)"),
        ("ghash", r"ghash_(?P<role>ROLE)_(?P<name>\w+)"),
        ("chacha20", r"chacha20_(?P<role>ROLE)(?:_(?P<name>\w+))?"),
        ("poly1305", r"(?<!chacha20_)poly1305_(?P<role>ROLE)(?:_(?P<name>\w+))?"),
        ("aes_gcm_fused", r"aes_gcm_fused_(?P<role>ROLE)_(?P<name>\w+)"),
        ("aes_gcm_fused", r"(?P<name>aesni|armv8_aes)_gcm_(?P<role>encrypt|decrypt)"),
        ("aes", r"aes_(?P<role>ROLE)_(?P<name>\w+)"),
        ("aes", r"aes_(?P<name>hw|nohw|v8)_(?P<role>ROLE)"),
        ("aes", r"(?P<name>aesni|[vb][ps]aes|aes)_(?P<role>ROLE)"),
    )
)
_VECTOR = re.compile(r"\w*(ia32|arm)cap(_P)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a symbol names; `prefix` is what stands before the convention's own name."""

    symbol: str
    primitive: str
    role: str
    variant: str
    prefix: str


def meaning(symbol: str) -> Meaning | None:
    """What a symbol names; a name without a variant is called `plain`."""
    for primitive, form in _FORMS:
        match = form.fullmatch(symbol)
        if match and primitive in PRIMITIVES:
            name = match["name"] or PLAIN
            variant = PLAIN if name.lower() == "aes" else name
            role = match["role"].lower()
            if role not in ROLES[primitive]:
                role = _SPELLINGS[role]
            return Meaning(symbol, primitive, role, variant, match["prefix"])
    return None


def is_vector(symbol: str) -> bool:
    """Whether a symbol is called as a capability vector."""
    return _VECTOR.fullmatch(symbol) is not None
