"""A run as the gate sees it: the variants of a project, measured, and its paths.

Enters: the documents of a run, merged where there were several. Leaves: one `Scope` per project.
Never here: rules.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.errors import RigError
from rig.report.reach import (
    NOT_EXECUTED,
    Count,
    Gap,
    Image,
    allowed,
    branch_count,
    gaps,
    images,
    instruction_count,
    reached,
    variants_of,
)

UNAVAILABLE = ("cpu", "arch")  # codes of reasons that lie in the machine, not in the run

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """A variant over every path that runs it. `gaps` are those that no `allow` entry takes, and
    counts leave out what one takes; `branches` is None where they were not recorded. `reasons`
    is why it did not run at all, empty if it ran."""

    image: Image
    variant: str
    instructions: Count
    branches: Count | None
    gaps: tuple[Gap, ...]
    allowed: int
    reasons: tuple[Document, ...]

    @property
    def name(self) -> str:
        """Variant and architecture, as messages have them."""
        return f"{self.variant} {self.image.arch}"

    @property
    def unavailable(self) -> bool:
        """Whether this machine could not have run it."""
        codes = [reason["code"] for reason in self.reasons]
        return bool(codes) and all(code in UNAVAILABLE for code in codes)


@dataclass(frozen=True, slots=True)
class Scope:
    """One project in a run."""

    target: str
    root: Path
    images: tuple[Image, ...]
    paths: tuple[Document, ...]
    dispatch: tuple[Document, ...]
    races: tuple[Document, ...]
    absent: Mapping[str, str]
    stale: tuple[str, ...]
    variants: tuple[Measured, ...]
    seen: Mapping[str, tuple[Gap, ...]]

    @property
    def archs(self) -> frozenset[str]:
        """The architectures that were built."""
        return frozenset(image.arch for image in self.images)

    @property
    def wanted(self) -> frozenset[str]:
        """The architectures that the manifest has variants for."""
        return frozenset(arch for image in self.images for arch in image.architectures)


def scopes(results: Document, coverage: Document) -> tuple[Scope, ...]:
    """The projects of a run; RigError for one whose folder is not here."""
    found: dict[str, list[Image]] = {}
    for image in images(coverage):
        found.setdefault(image.target, []).append(image)
    return tuple(_scope(t, built, results, coverage) for t, built in found.items())


def _scope(target: str, built: Sequence[Image], results: Document, coverage: Document) -> Scope:
    paths = tuple(row for row in results["paths"] if row["target"] == target)
    primitives = {row["primitive"] for row in paths}
    absent = {a["arch"]: f"{a['reason']}; {a['fix']}" for a in results["run"]["absent"]}
    return Scope(
        target=target,
        root=_root(target, built),
        images=tuple(built),
        paths=paths,
        dispatch=tuple(r for r in results["dispatch"] if r["primitive"] in primitives),
        races=tuple(row for row in results["races"] if row["target"] == target),
        absent=absent,
        stale=tuple(s for s in results["stale"] if _manifest(s).parent.name == target),
        variants=tuple(m for image in built for m in _variants(image, paths, coverage)),
        seen={i.digest: gaps(i.functions, reached(coverage, i)) for i in built},
    )


def _manifest(line: str) -> Path:
    """The manifest of a line `path:number: ...`."""
    return Path(line.partition(": ")[0].rpartition(":")[0])


def _root(target: str, built: Iterable[Image]) -> Path:
    roots = [Path(image.root) for image in built]
    here = next((root for root in roots if root.is_dir()), None)
    if here is None:
        raise RigError(
            f"{target}: no folder {roots[0]} from here; stand where the run began, in a checkout"
        )
    return here


def _variants(image: Image, paths: Sequence[Document], coverage: Document) -> Iterator[Measured]:
    own = [p for p in paths if (p["arch"], p["toolchain"]) == (image.arch, image.toolchain)]
    for variant in image.variants:
        users = [p for p in own if variant in variants_of(_slots(p))]
        yield _measure(image, variant, users, coverage)


def _slots(path: Document) -> Document:
    """A path of the results, its slots as the coverage document has them."""
    named = [f"{slot}/{name}" for slot, name in path["variants"].items()]
    return {"primitive": path["primitive"], "variants": named}


def _measure(image: Image, variant: str, paths: Sequence[Document], coverage: Document) -> Measured:
    functions, seen = image.of(variant), reached(coverage, image, variant)
    known = gaps(functions, seen)
    taken = [gap for gap in known if entry_of(image, gap)]
    instructions, branches = instruction_count(functions, seen), branch_count(functions, seen)
    ran = any(path["verdict"] != "skipped" for path in paths)
    return Measured(
        image=image,
        variant=variant,
        instructions=_without(instructions, taken, executed=True),
        branches=_without(branches, taken, executed=False) if branches else None,
        gaps=tuple(gap for gap in known if gap not in taken),
        allowed=len(taken),
        reasons=() if ran else tuple(path["reason"] for path in paths),
    )


def entry_of(image: Image, gap: Gap) -> Document | None:
    """The `allow` entry that takes a gap."""
    owners = [f for f in image.functions if f.name == gap.symbol]
    return next(
        (e for e in image.allow if any(allowed(e, f, gap.file, gap.line) for f in owners)), None
    )


def _without(count: Count, gaps: Iterable[Gap], executed: bool) -> Count:
    left_out = sum(gap.count for gap in gaps if (gap.what == NOT_EXECUTED) == executed)
    return Count(count.covered, count.total - left_out)
