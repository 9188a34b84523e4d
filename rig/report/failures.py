"""A failure as people read it, and the file that replays it anywhere.

Enters: a finding on a case. Leaves: lines of at most 80 columns where values allow, and a
JSON document. Never here: deciding what is a failure.
"""

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rig.architectures import ARCHITECTURES
from rig.cache import digest
from rig.capabilities.paths import Path
from rig.capabilities.vector import Vector
from rig.cases import Answer, Case, case_id, shifted_text, to_json
from rig.checks.findings import Finding
from rig.project import Project


@dataclass(frozen=True, slots=True)
class Failure:
    """A finding with its case, where it was found, and which paths give the right answer. `twin`
    is what the case was compared with where it takes two to show the finding."""

    project: Project
    path: Path
    mask: Vector
    seeds: tuple[int, int]
    finding: Finding
    case: Case | None
    answer: Answer | None
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    more: int = 0
    twin: tuple[Case, Answer] | None = None

    @property
    def id(self) -> str:
        """Names the case file: one per case, path, mask and check."""
        if self.case is None:
            return ""
        case = case_id(self.case.values, self.case.placement)
        return f"{digest(case, self.path.id, str(self.mask))[:12]}-{self.finding.check}"


def document(failure: Failure) -> dict[str, Any]:
    """The case file: all that `rig replay` needs. `number` is the case's place in its batch,
    which its garbage goes by; the second of `seeds` runs with the guard sides flipped. A `twin` is
    the case that it is compared with."""
    assert failure.case is not None and failure.answer is not None
    document = _document(failure, _answered(failure.case, failure.answer))
    return document | {"twin": to_json(_answered(*failure.twin))} if failure.twin else document


def _answered(case: Case, answer: Answer) -> Case:
    return Case(case.name, case.values, case.placement, answer)


def _document(failure: Failure, case: Case) -> dict[str, Any]:
    return {
        "rig": 1,
        "manifest": str(failure.project.manifest.path.resolve()),
        "arch": failure.project.arch,
        "toolchain": failure.project.image.toolchain,
        "path": {
            "primitive": failure.path.primitive,
            "kind": failure.path.kind,
            "slots": dict(failure.path.choice),
            "mask": str(failure.mask),
        },
        "seeds": list(failure.seeds),
        "number": failure.finding.script or 0,
        "case": to_json(case),
        "finding": {"check": failure.finding.check, "summary": failure.finding.summary},
    }


def render(failure: Failure, folder: str) -> list[str]:
    """The failure in words, the replay line last."""
    lines = describe(failure)
    if failure.case is not None:
        file = shlex.quote(f"{folder}/cases/{failure.id}.json")
        lines.append(f"  replay    rig replay {file}{_runner(failure.project)}")
    return lines


def _runner(project: Project) -> str:
    """The option that names the prefix, where it is not what is found by itself."""
    prefix = project.runner[:-1]
    if prefix in ((), (ARCHITECTURES[project.arch].emulator,)):
        return ""
    return f" --runner {shlex.quote(f'{project.arch}={shlex.join(prefix)}')}"


def describe(failure: Failure) -> list[str]:
    """The failure in words."""
    path, finding = failure.path, failure.finding
    lines = [f"{path.primitive} {path.arch}  {path.name} ({path.kind})"]
    lines += _wrapped("check", f"{finding.check}: {finding.summary}")
    lines += [f"  {'':9} {detail}" for detail in finding.details]
    if failure.case is not None:
        lines += _wrapped("case", f"{failure.case.name}: {_shape(failure.case)}")
    if failure.twin is not None:
        lines += _wrapped("against", f"{failure.twin[0].name}, which differs in its secrets")
    lines += _wrapped("mask", str(failure.mask))
    if failure.right or failure.wrong:
        lines += _wrapped("right", ", ".join(failure.right) or "no path")
        lines += _wrapped("wrong", ", ".join(failure.wrong) or "no path, this time")
    if failure.more:
        lines += _wrapped("more", f"{failure.more} further cases fail here")
    return lines


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        width=80,
        initial_indent=f"  {label:9} ",
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _shape(case: Case) -> str:
    inputs: Mapping[str, bytes | int] = case.values.inputs
    sizes: Sequence[str] = [
        f"{name} {len(value)} bytes" if isinstance(value, bytes) else f"{name} {value}"
        for name, value in inputs.items()
    ]
    place = f"guard page at {case.placement.side.name.lower()}"
    in_place = ", in place" if case.placement.in_place else shifted_text(case.placement.shift)
    null = ", NULL for 0 bytes" if case.placement.null else ""
    turns = ", each call under the next of its masks" if case.placement.masks else ""
    return f"{case.values.operation}, {', '.join(sizes)}, {place}{in_place}{null}{turns}"
