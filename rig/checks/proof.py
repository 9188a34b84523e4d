"""The path check: the chosen slots' code ran, and no function of another variant.

Enters: what was executed. Leaves: findings. Never here: output; equal output is no evidence
of the path.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.build.image import Function, Image
from rig.build.objects import relative
from rig.capabilities.paths import Path, chosen_variants
from rig.checks.findings import Finding
from rig.manifest import Manifest, Variant


@dataclass(frozen=True, slots=True)
class Claim:
    """What a path may and must run. `strangers` belong to variants that the path has not
    chosen; `proofs` holds, per slot variant, the names of functions one of which must run."""

    strangers: frozenset[Function]
    proofs: tuple[tuple[str, frozenset[str]], ...]


def claim(manifest: Manifest, image: Image, path: Path) -> Claim:
    """The claim of a path. Functions outside every variant's sources (compositions, the
    dispatcher, what compilers call) are nobody's: they may run on every path."""
    variants = manifest.variants(path.arch)
    chosen = chosen_variants(manifest, manifest.primitives[path.primitive], path.arch, path.choice)
    lent = [v for c in chosen for v in variants if _lends(c, v)]
    strangers = set()
    for function in image.functions:
        owners = _owners(function, variants, image)
        if owners and not any(v in owners for v in (*chosen, *lent)):
            strangers.add(function)
    proofs = tuple((f"{v.primitive}/{v.name}", _proof(v)) for v in chosen)
    return Claim(frozenset(strangers), proofs)


def _lends(chosen: Variant, other: Variant) -> bool:
    return other.primitive == chosen.primitive and other.name in chosen.shares


def owned(image: Image, variants: Sequence[Variant], variant: Variant) -> tuple[Function, ...]:
    """The functions of a variant: its entries, and what its sources hold beside the entries
    of others."""
    return tuple(f for f in image.functions if variant in _owners(f, variants, image))


def _owners(function: Function, variants: Sequence[Variant], image: Image) -> list[Variant]:
    entries = [v for v in variants if function.name in _entries(v)]
    if entries:
        return entries
    return [
        v
        for v in variants
        if function.source in [relative(s.resolve(), image.root) for s in v.sources]
    ]


def _entries(variant: Variant) -> tuple[str, ...]:
    ran = (variant.ran,) if variant.ran else ()
    return (*variant.symbols.values(), *ran)


def _proof(variant: Variant) -> frozenset[str]:
    if variant.ran:
        return frozenset((variant.ran,))
    return frozenset(variant.symbols.values())


def prove(claimed: Claim, ran: Mapping[Function, str]) -> list[Finding]:
    """Findings of the path check over the functions that ran, each with what instruction ran
    for the first time just before it (wanted for strangers only)."""
    findings = [
        Finding(
            "path",
            None,
            f"{stranger.name} ran, which belongs to a variant that this path has not chosen",
            (f"reached from {ran[stranger]}",) if ran[stranger] else (),
            stranger.name,
        )
        for stranger in ran
        if stranger in claimed.strangers
    ]
    names = {function.name for function in ran}
    findings += [
        Finding("path", None, f"{variant} did not run: none of {', '.join(sorted(functions))}")
        for variant, functions in claimed.proofs
        if not names & functions
    ]
    return findings
