"""Which paths are timed: of a composition those that masks select, of a leaf each variant.

Enters: a project, its sweep of a primitive, what the user asks for. Leaves: paths, the base first;
ManifestError for names that are not there. Never here: running them.
"""

from collections.abc import Sequence

from rig.capabilities.paths import (
    UNUSED,
    Choice,
    Path,
    Sweep,
    forced_path,
    slot_variants,
)
from rig.errors import ManifestError
from rig.manifest import FUSED, Manifest, Primitive
from rig.project import Project
from rig.toml_table import nearest


def chosen(project: Project, sweep: Sweep, variants: Sequence[str]) -> tuple[Path, ...]:
    """The paths of a primitive that use one of the variants, if any are named."""
    kind = "mask" if project.manifest.primitives[sweep.primitive].composed else "direct"
    return tuple(
        path
        for path in sweep.paths
        if path.kind == kind and (not variants or any(name in variants for _, name in path.choice))
    )


def named(project: Project, primitive: Primitive, texts: Sequence[str]) -> tuple[Path, ...]:
    """The paths that `--path` names, as far as the primitive has all of their slots. A slot that is
    left open is filled as on this machine, `fused` by nothing."""
    slots = [slot for slot, _ in slot_variants(project.manifest, primitive, project.arch)]
    asked = [_choice(text) for text in texts]
    fitting = (choice for choice in asked if all(slot in slots for slot, _ in choice))
    return tuple(_path(project, primitive, choice) for choice in fitting)


def _path(project: Project, primitive: Primitive, choice: Choice) -> Path:
    alone = {FUSED: UNUSED} if FUSED in primitive.slots else {}
    whole = tuple({**alone, **dict(choice)}.items())
    try:
        return forced_path(project.manifest, primitive, project.host, whole)
    except ManifestError as error:
        raise ManifestError(str(error).replace("--force", "--path", 1)) from error


def _choice(text: str) -> Choice:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(slot and variant for slot, _, variant in pairs):
        raise ManifestError(f"--path {text}: SLOT=VARIANT,... as in aes=ssse3,ghash=table4")
    return tuple((slot, variant) for slot, _, variant in pairs)


def check_named(manifest: Manifest, texts: Sequence[str]) -> None:
    """ManifestError for a path with slots that no primitive has together."""
    slots = [{*p.slots} or {p.name} for p in manifest.primitives.values()]
    for text in texts:
        wanted = {slot for slot, _ in _choice(text)}
        if not any(wanted <= own for own in slots):
            every = sorted(set().union(*slots))
            hints = [nearest(slot, every) for slot in sorted(wanted) if slot not in every]
            hint = hints[0] if hints else "; no primitive has them together"
            raise ManifestError(f"--path {text}: unknown slots{hint}")
