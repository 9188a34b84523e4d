"""The path check: the chosen slots' code ran, and no function of another variant.

Enters: what was executed. Leaves: findings. Never here: output; equal output is no evidence
of the path.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from rig.build.image import Function
from rig.capabilities.paths import Path, chosen_variants
from rig.checks.findings import Finding
from rig.manifest import FUSED, Manifest, Primitive, Variant, fused_name
from rig.primitives import PRIMITIVES
from rig.project import Project


@dataclass(frozen=True, slots=True)
class Claim:
    """What a path may and must run. `strangers` belong to variants that the path has not
    chosen; `proofs` holds, per slot variant, what must run."""

    strangers: frozenset[Function]
    proofs: tuple["Proof", ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """The names of functions of a slot's variant, one of which must run where a message of a
    composition has `least` bytes: a fused variant may leave shorter ones to the other slots. With
    `roles` it must only where one of these functions of the composition is called."""

    variant: str
    functions: frozenset[str]
    least: int = 0
    roles: frozenset[str] | None = None

    def due(self, longest: Callable[[], int], called: frozenset[str]) -> bool:
        """Whether it must run in a batch that calls these functions of the composition."""
        if self.roles is not None and not self.roles & called:
            return False
        return not self.least or longest() >= self.least


def claim(project: Project, path: Path, others: Sequence[Path] = ()) -> Claim:
    """The claim of a path, and of those that take turns with it. Functions outside every
    variant's sources (compositions, the dispatcher, what compilers call) are nobody's: they may
    run on every path."""
    manifest = project.manifest
    variants = manifest.variants(path.arch)
    primitive = manifest.primitives[path.primitive]
    each = [chosen_variants(manifest, primitive, path.arch, p.choice) for p in (path, *others)]
    chosen = {(v.primitive, v.name): v for taken in each for v in taken}.values()
    lent = [v for c in chosen for v in variants if _lends(c, v)]
    allowed = {(v.primitive, v.name) for v in (*chosen, *lent)}
    strangers = frozenset(
        function
        for function in project.image.functions
        if (owners := project.owners.get(function.address)) and not owners & allowed
    )
    alone = _alone(manifest, primitive, path, chosen)
    proofs = tuple(_shared_out(_proof(v, path, project), v, path, alone) for v in chosen)
    return Claim(strangers, proofs)


def _alone(
    manifest: Manifest, primitive: Primitive, path: Path, chosen: Iterable[Variant]
) -> Variant | None:
    """The fused variant of a path that does whole messages by itself, if it has one."""
    if FUSED not in primitive.slots:
        return None
    for variant in chosen:
        if variant.primitive == fused_name(primitive.name):
            operations = PRIMITIVES[variant.primitive].operations.values()
            return None if any(operation.part for operation in operations) else variant
    return None


def _shared_out(proof: Proof, variant: Variant, path: Path, alone: Variant | None) -> Proof:
    """Of a composition whose messages a fused variant does alone, that one does the operations
    that are called as its own functions are; what is left, messages in parts, is the others'."""
    if alone is None:
        return proof
    own = frozenset(alone.symbols)
    return replace(proof, roles=own if variant is alone else path.roles - own)


def _lends(chosen: Variant, other: Variant) -> bool:
    """Whether a variant's code may run for the chosen one: it is declared, or it has one of its
    functions for a primitive that the chosen one is none of: its key schedule, say."""
    if other.primitive == chosen.primitive:
        return other.name in chosen.shares
    return bool({*chosen.symbols.values()}.intersection(other.symbols.values()))


def _proof(variant: Variant, path: Path, project: Project) -> Proof:
    """What proves a variant: its `ran`, else the functions that end the primitive's operations,
    for what sets up may be another variant's. Several symbols may stand for one function."""
    operations = PRIMITIVES[variant.primitive].operations.values()
    last = {operation.roles[-1] for operation in operations}
    own = [symbol for role, symbol in variant.symbols.items() if role in last]
    symbols = [variant.ran] if variant.ran else own or variant.symbols.values()
    found = (project.image.function_at(project.image.symbols[s]) for s in symbols)
    functions = frozenset(function.name for function in found if function)
    fused = variant.primitive != path.primitive
    lengths = [doing.length for doing in variant.doing.values()] if fused else []
    least = max((max(length.first(), length.step) for length in lengths), default=0)
    return Proof(f"{variant.primitive}/{variant.name}", functions, least)


def prove(
    claimed: Claim,
    ran: frozenset[Function],
    longest: Callable[[], int],
    called: frozenset[str] = frozenset(),
) -> list[Finding]:
    """Findings of the path check over the functions that ran; `longest` is the length of the
    longest message, asked only where it decides, `called` which functions of the primitive were."""
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
        Finding("path", None, f"{p.variant} did not run: none of {', '.join(sorted(p.functions))}")
        for p in claimed.proofs
        if not names & p.functions and p.due(longest, called)
    ]
    return findings
