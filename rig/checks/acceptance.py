"""Findings that a project knows: the manifest's `accept`.

Enters: findings of a path, the manifest's entries. Leaves: the findings that stand and the
entries that took the others, and what entries no longer find. Never here: verdicts.
"""

from collections.abc import Collection, Iterable, Sequence

from rig.capabilities.paths import Path, chosen_variants
from rig.checks.findings import CHECKS, Finding
from rig.errors import ManifestError
from rig.manifest import Acceptance, Manifest
from rig.project import Project, functions_of
from rig.toml_table import nearest

DISPATCH = "dispatch"  # what it says is about the manifest as much as about the code


def check_entries(manifest: Manifest) -> None:
    """Raises ManifestError for an entry that names no check, or one that it cannot be of."""
    for entry in manifest.accept:
        if entry.check == DISPATCH:
            raise ManifestError(
                f"{entry.place}: `accept` takes no `{DISPATCH}`: say in `needs`, `len` and the "
                "order of variants what the dispatcher does"
            )
        if entry.check not in CHECKS:
            raise ManifestError(
                f"{entry.place}: `accept` names no check `{entry.check}`"
                f"{nearest(entry.check, CHECKS)}"
            )


def symbols_of(project: Project, path: Path) -> frozenset[str]:
    """What an entry may name for a path: the functions of its variants, and their symbols."""
    primitive = project.manifest.primitives[path.primitive]
    variants = chosen_variants(project.manifest, primitive, project.arch, path.choice)
    functions = (f.name for v in variants for f in functions_of(project, v))
    symbols = (s for v in variants for s in v.symbols.values())
    return frozenset((*functions, *symbols, *primitive.symbols.values()))


def sort_out(
    findings: Iterable[Finding], accept: Sequence[Acceptance], symbols: Collection[str]
) -> tuple[list[Finding], list[Acceptance]]:
    """The findings that no entry takes, and the entries that took one. An entry takes a finding
    of its check about its symbol; one that is about no symbol is about all of its path's."""
    standing: list[Finding] = []
    taken: dict[Acceptance, None] = {}
    for finding in findings:
        about = (finding.symbol,) if finding.symbol else symbols
        entry = next((a for a in accept if a.check == finding.check and a.symbol in about), None)
        if entry is None:
            standing.append(finding)
        else:
            taken[entry] = None
    return standing, list(taken)


def stale(
    accept: Iterable[Acceptance], taken: Collection[Acceptance], judged: Collection[str]
) -> tuple[Acceptance, ...]:
    """The entries that took nothing although their symbol was judged on every path; `judged`
    are the symbols of the paths of which that is so."""
    return tuple(a for a in accept if a not in taken and a.symbol in judged)
