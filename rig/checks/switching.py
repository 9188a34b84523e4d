"""Calls of one message under several masks in turn, on the contexts that they share.

Enters: a project, a path, the paths of its primitive. Leaves: those that can carry on what the
path has begun, and batches in which they do. Never here: choosing cases, or judging.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rig.capabilities.paths import Choice, Path, slot_variants
from rig.cases import Answer, Case
from rig.contracts import Contract
from rig.manifest import FUSED
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, contract_of, turns
from rig.runner.batches import Batch, make_batch
from rig.runner.compose import Binding

_Layouts = tuple[tuple[str, str], ...]


def sharing(project: Project, path: Path, every: Sequence[Path]) -> tuple[Path, ...]:
    """The other paths of masks whose contexts have the path's layouts: of a slot that keeps none
    any variant will do, and the slot `fused` goes by the others."""
    layouts = _layouts(project, path.primitive, path.choice)
    if path.kind != "mask" or path.part or not layouts:
        return ()
    return tuple(
        other
        for other in every
        if (other.primitive, other.kind, other.part) == (path.primitive, "mask", "")
        if other.choice != path.choice and other.roles == path.roles
        if _layouts(project, path.primitive, other.choice) == layouts
    )


def _layouts(project: Project, name: str, choice: Choice) -> _Layouts:
    """The layout of each slot of a choice that keeps a context."""
    return tuple(_each_layout(project, name, dict(choice)))


def _each_layout(project: Project, name: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    manifest = project.manifest
    for slot, variants in slot_variants(manifest, manifest.primitives[name], project.arch):
        if slot != FUSED and _keeps(contract_of(manifest.primitives[slot])):
            yield from ((slot, v.layout) for v in variants if v.name == names[slot])


def _keeps(contract: Contract) -> bool:
    return any(argument.opaque for f in contract.functions for argument in f.arguments)


def switched(
    project: Project,
    path: Path,
    others: Sequence[Path],
    cases: Sequence[Case],
    answers: Sequence[Answer],
) -> Batch:
    """A batch whose scripts begin on the path and go on under the first mask of each of the
    others, of the path, and so on, a call each."""
    bound, masks = ring(project, path, others)
    return make_batch(PRIMITIVES[path.primitive], bound, under(masks, cases), answers)


def ring(project: Project, path: Path, others: Sequence[Path]) -> tuple[Binding, tuple[str, ...]]:
    """The binding by which others and the path take turns, and their masks in that order."""
    paths = (*others, path)
    bound = replace(binding(project, path), turns=turns(project, paths))
    return bound, tuple(str(each.masks[0]) for each in paths)


def under(masks: tuple[str, ...], cases: Sequence[Case]) -> list[Case]:
    """Cases whose calls go on under masks in turn, each from another one on: a case has few calls,
    and each mask must come to what the first calls do not do."""
    starts = (number % len(masks) for number in range(len(cases)))
    return [_under(masks[at:] + masks[:at], case) for at, case in zip(starts, cases, strict=True)]


def _under(masks: tuple[str, ...], case: Case) -> Case:
    return replace(case, placement=replace(case.placement, masks=masks))
