"""The path check: the chosen slots' code ran, and no function of another variant.

Enters: what was executed. Leaves: findings. Never here: output; equal output is no evidence
of the path.
"""

from dataclasses import dataclass

from rig.build.image import Function
from rig.capabilities.paths import Path, chosen_variants
from rig.checks.findings import Finding
from rig.manifest import Variant
from rig.project import Project


@dataclass(frozen=True, slots=True)
class Claim:
    """What a path may and must run. `strangers` belong to variants that the path has not
    chosen; `proofs` holds, per slot variant, the names of functions one of which must run."""

    strangers: frozenset[Function]
    proofs: tuple[tuple[str, frozenset[str]], ...]


def claim(project: Project, path: Path) -> Claim:
    """The claim of a path. Functions outside every variant's sources (compositions, the
    dispatcher, what compilers call) are nobody's: they may run on every path."""
    manifest = project.manifest
    variants = manifest.variants(path.arch)
    chosen = chosen_variants(manifest, manifest.primitives[path.primitive], path.arch, path.choice)
    lent = [v for c in chosen for v in variants if _lends(c, v)]
    allowed = {(v.primitive, v.name) for v in (*chosen, *lent)}
    strangers = frozenset(
        function
        for function in project.image.functions
        if (owners := project.owners.get(function.address)) and not owners & allowed
    )
    return Claim(strangers, tuple((f"{v.primitive}/{v.name}", _proof(v, project)) for v in chosen))


def _lends(chosen: Variant, other: Variant) -> bool:
    return other.primitive == chosen.primitive and other.name in chosen.shares


def _proof(variant: Variant, project: Project) -> frozenset[str]:
    """The functions of which one must run; several symbols may stand for one function."""
    symbols = (variant.ran,) if variant.ran else variant.symbols.values()
    found = (project.image.function_at(project.image.symbols[s]) for s in symbols)
    return frozenset(function.name for function in found if function)


def prove(claimed: Claim, ran: frozenset[Function]) -> list[Finding]:
    """Findings of the path check over the functions that ran."""
    strangers = sorted(ran & claimed.strangers, key=lambda function: function.address)
    findings = [
        Finding(
            "path",
            None,
            f"{stranger.name} ran, which belongs to a variant that this path has not chosen",
            symbol=stranger.name,
        )
        for stranger in strangers
    ]
    names = {function.name for function in ran}
    findings += [
        Finding("path", None, f"{variant} did not run: none of {', '.join(sorted(functions))}")
        for variant, functions in claimed.proofs
        if not names & functions
    ]
    return findings
