"""`rig replay ID|FILE`: one case again, on the same path under the same mask and garbage.

Enters: parsed arguments. Leaves: the failure in words and exit code 1, or "passes now" and 0;
with `--emit` a program. RigError for a case file that cannot be replayed. Never here: other
cases; what depends on the calls before a case does not show alone.
"""

import argparse
import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from rig.build.toolchain import COMPILERS
from rig.capabilities.paths import Choice, Path, direct_paths, forced_path
from rig.capabilities.vector import Vector, parse_absolute
from rig.cases import Answer, Case, from_json
from rig.checks.constant_time import examine
from rig.checks.findings import Finding
from rig.checks.stack import CHECK as STACK
from rig.checks.stack import watch_stack
from rig.checks.trial import CPU_BUDGET_US, Trial, try_batch, where
from rig.checks.unwind import CHECK as UNWIND
from rig.checks.unwind import judge_frames, observe, watching
from rig.commands.emit import Subject, emit
from rig.commands.opening import open_project
from rig.commands.table import labelled
from rig.errors import RigError
from rig.lab import takes
from rig.manifest import Primitive
from rig.options import Options
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, enumerate_paths, paths_of_masks, turns
from rig.report.failures import Failure, describe
from rig.runner.batches import Batch, make_batch, script_of
from rig.runner.command import AbsentError
from rig.runner.encode import encode
from rig.runner.session import Session
from rig.toml_table import nearest

KINDS = ("mask", "direct", "forced")
_BUDGET_US = 500_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """A case file as it was written: see `rig.report.failures.document`."""

    file: FilePath
    manifest: FilePath
    arch: str
    toolchain: str
    primitive: str
    kind: str
    choice: Choice
    mask: Vector
    seeds: tuple[int, int]
    number: int
    case: Case
    answer: Answer
    check: str
    summary: str
    twin: Case | None = None


def main(parsed: argparse.Namespace) -> int:
    """Replays one case: 1 if it fails, 0 if it passes now, 0 for an emitted program."""
    recorded = read_case(find_case(parsed.case, parsed.report or Options().report))
    manifest = FilePath(parsed.manifest) if parsed.manifest else recorded.manifest
    _check_place(recorded, manifest)
    project = _open(recorded, manifest, parsed)
    with project.session() as session:
        path = find_path(project, session, recorded)
        if parsed.emit and recorded.twin:
            raise RigError(f"{recorded.file}: {recorded.check} takes two cases, a program has one")
        if parsed.emit:
            print(emit(parsed.emit, _subject(project, path, recorded)), end="")
            return 0
        findings = replay(project, session, path, recorded)
        alone = findings and not recorded.twin
        right, wrong = _agreement(project, session, recorded) if alone else ([], [])
        if recorded.check == STACK:
            batch, seed = _batch(project, path, recorded), recorded.seeds[0]
            findings += watch_stack(project, session, path, seed, batch, (0,)).findings
    if recorded.check == UNWIND:
        findings += _unwound(project, path, recorded)
    if not findings:
        print("\n".join(_passes(project, path, recorded)))
        return 0
    for finding in findings:
        failure = _failure(project, path, recorded, finding)
        print("\n".join(describe(replace(failure, right=tuple(right), wrong=tuple(wrong)))))
    return 1


def find_case(name: str, report: str) -> FilePath:
    """The file of that name, else the report's one case whose ID begins so."""
    if FilePath(name).is_file():
        return FilePath(name)
    folder = FilePath(report) / "cases"
    found = [] if "/" in name else [p for p in folder.glob("*.json") if p.stem.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(sorted(path.stem for path in found))
        raise RigError(f"{name}: several cases begin so: {names}")
    there = sorted(path.stem for path in folder.glob("*.json"))
    near = nearest(name, there) if there else f"; {folder} holds no case"
    raise RigError(f"{name}: neither a file nor the ID of a case in {folder}{near}")


def read_case(file: FilePath) -> Recorded:
    """A case file; RigError with what is wrong in it."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RigError(f"{file}: cannot read the case: {error.strerror}") from error
    except ValueError as error:
        raise RigError(f"{file}: not JSON: {error}") from error
    try:
        return _recorded(file, document)
    except KeyError as error:
        raise RigError(f"{file}: not a whole case file: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError, RigError) as error:
        raise RigError(f"{file}: not a case file: {error}") from error


def _recorded(file: FilePath, document: Mapping[str, Any]) -> Recorded:
    if document["rig"] != 1:
        raise ValueError(f"this rig reads version 1, not {document['rig']!r}")
    path, case = document["path"], from_json(document["case"])
    first, second = document["seeds"]
    if case.expected is None:
        raise ValueError("the case has no expected answer")
    if path["kind"] not in KINDS:
        raise ValueError(f"a path is one of {', '.join(KINDS)}, not {path['kind']!r}")
    return Recorded(
        file=file,
        manifest=FilePath(document["manifest"]),
        arch=document["arch"],
        toolchain=document["toolchain"],
        primitive=path["primitive"],
        kind=path["kind"],
        choice=tuple(path["slots"].items()),
        mask=parse_absolute(path["mask"], document["arch"]),
        seeds=(int(first), int(second)),
        number=int(document["number"]),
        case=case,
        answer=case.expected,
        check=document["finding"]["check"],
        summary=document["finding"]["summary"],
        twin=from_json(document["twin"]) if "twin" in document else None,
    )


def _check_place(recorded: Recorded, manifest: FilePath) -> None:
    if not manifest.is_file():
        raise RigError(
            f"{recorded.file}: its manifest {manifest} is not there; say where it is now: "
            "rig replay CASE path/to/rig.toml"
        )


def _open(recorded: Recorded, manifest: FilePath, parsed: argparse.Namespace) -> Project:
    try:
        return open_project(manifest, parsed, recorded.arch, _compiler(recorded.toolchain))
    except AbsentError as error:
        raise RigError(f"{recorded.file}: a case of {error}") from error


def _compiler(toolchain: str) -> str:
    """The compiler that the case was found with, by the name of its toolchain."""
    words = toolchain.lower().split()
    return next((name for name in COMPILERS if name in words), Options().cc)


def find_path(project: Project, session: Session, recorded: Recorded) -> Path:
    """The recorded path under the recorded mask; RigError where there is no such path now or
    this machine cannot run it."""
    primitive = project.manifest.primitives.get(recorded.primitive)
    if primitive is None:
        raise RigError(f"{recorded.file}: {project.manifest.path} has no [{recorded.primitive}]")
    operation = recorded.case.values.operation
    if operation not in PRIMITIVES[primitive.name].operations:
        raise RigError(f"{recorded.file}: {primitive.name} has no operation {operation!r}")
    path = _same(_candidates(project, session, primitive, recorded), recorded)
    if reason := unrunnable(project, path):
        raise RigError(f"{recorded.file}: {path.name}: {reason}")
    return replace(path, masks=(recorded.mask,))


def _candidates(
    project: Project, session: Session, primitive: Primitive, recorded: Recorded
) -> Sequence[Path]:
    if recorded.kind == "forced":
        return (forced_path(project.manifest, primitive, project.host, recorded.choice),)
    if recorded.kind == "direct":
        return direct_paths(primitive, project.arch)
    return paths_of_masks(project, session, primitive, (recorded.mask,))


def _same(candidates: Sequence[Path], recorded: Recorded) -> Path:
    fitting = [p for p in candidates if takes(p, recorded.case)]
    for path in fitting:
        if path.choice == recorded.choice:
            return path
    wanted = ",".join(f"{slot}={name}" for slot, name in recorded.choice)
    now = ", ".join(path.name for path in fitting) or "none"
    what = f"mask {recorded.mask} selects" if recorded.kind == "mask" else "those for its case are"
    raise RigError(f"{recorded.file}: no {recorded.kind} path {wanted} any more; {what} {now}")


def replay(
    project: Project,
    session: Session,
    path: Path,
    recorded: Recorded,
    budget_us: int = CPU_BUDGET_US,
) -> tuple[Finding, ...]:
    """What the checks find on the recorded case alone, with the garbage that it met, or, if it has
    a twin, on these two."""
    others = _others(project, session, path, recorded)
    trial = Trial(path.masks[0], recorded.seeds, budget_us, others=others)
    try:
        if recorded.twin:
            return _compare(project, session, path, recorded)
        batch = _batch(project, path, recorded, others)
    except (KeyError, ValueError) as error:
        raise RigError(f"{recorded.file}: does not fit the contract: {error}") from error
    findings = try_batch(project, session, path, batch, trial).findings
    if others and recorded.check != "path":  # one case need not reach all of them
        findings = tuple(f for f in findings if f.check != "path")
    return findings


def _others(project: Project, session: Session, path: Path, recorded: Recorded) -> tuple[Path, ...]:
    """What the case's further masks select now: none on any path but that of its own mask."""
    masks = [parse_absolute(text, recorded.arch) for text in recorded.case.placement.masks]
    if not masks or (path.kind, path.choice) != (recorded.kind, recorded.choice):
        return ()
    primitive = project.manifest.primitives[path.primitive]
    found = (paths_of_masks(project, session, primitive, (mask,)) for mask in masks)
    return tuple(replace(p, masks=(mask,)) for (p,), mask in zip(found, masks, strict=True))


def _batch(project: Project, path: Path, recorded: Recorded, others: Sequence[Path] = ()) -> Batch:
    definition, bound = PRIMITIVES[path.primitive], binding(project, path)
    bound = replace(bound, turns=turns(project, others))
    script = script_of(definition, bound, recorded.case, recorded.answer)
    batch = make_batch(definition, bound, (recorded.case,), (recorded.answer,))
    return replace(batch, data=encode((script,), number=recorded.number))


def _unwound(project: Project, path: Path, recorded: Recorded) -> tuple[Finding, ...]:
    """What call frame information gets wrong on the recorded case."""
    data, seed = _batch(project, path, recorded).data, recorded.seeds[0]
    with watching(project) as session:
        frames = observe(project, session, path, data, seed, CPU_BUDGET_US)
    return judge_frames(project, frames, functools.partial(where, project)).findings


def _compare(
    project: Project, session: Session, path: Path, recorded: Recorded
) -> tuple[Finding, ...]:
    definition, bound = PRIMITIVES[path.primitive], binding(project, path)
    assert recorded.twin and recorded.twin.expected
    pairs = ((recorded.twin, recorded.twin.expected), (recorded.case, recorded.answer))
    group = [make_batch(definition, bound, (case,), (answer,)) for case, answer in pairs]
    describe = functools.partial(where, project)
    seed = recorded.seeds[0]
    leaks = examine(project, session, path, path.masks[0], seed, group, describe)
    return tuple(leak.finding for leak in leaks)


def _agreement(
    project: Project, session: Session, recorded: Recorded
) -> tuple[list[str], list[str]]:
    """Which paths of the primitive pass the case, and which do not, by name. Another path that
    never ends must not keep the user waiting for the whole budget."""
    right: list[str] = []
    wrong: list[str] = []
    primitive = project.manifest.primitives[recorded.primitive]
    for path in enumerate_paths(project, session, primitive).paths:
        if takes(path, recorded.case) and not unrunnable(project, path):
            each = [replace(path, masks=(mask,)) for mask in path.masks]
            failed = any(replay(project, session, p, recorded, _BUDGET_US) for p in each)
            (wrong if failed else right).append(f"{path.name} ({path.kind})")
    return right, wrong


def _failure(project: Project, path: Path, recorded: Recorded, finding: Finding) -> Failure:
    mask, case, twin = recorded.mask, recorded.case, recorded.twin
    failure = Failure(project, path, mask, recorded.seeds, finding, case, recorded.answer)
    return replace(failure, twin=(twin, twin.expected) if twin and twin.expected else None)


def _subject(project: Project, path: Path, recorded: Recorded) -> Subject:
    return Subject(
        project=project,
        path=path,
        mask=recorded.mask,
        case=recorded.case,
        answer=recorded.answer,
        check=recorded.check,
        summary=recorded.summary,
        name=f"case-{recorded.file.stem}",
    )


def _passes(project: Project, path: Path, recorded: Recorded) -> list[str]:
    lines = [f"passes now: {path.primitive} {path.arch} {path.name} ({path.kind})"]
    lines += labelled("  recorded", f"{recorded.check}: {recorded.summary}", 12)
    if project.image.toolchain != recorded.toolchain:
        text = f"{recorded.toolchain} then, {project.image.toolchain} now"
        lines += labelled("  compiler", text, 12)
    else:
        text = "if the code is unchanged, it depends on calls before this case"
        lines += labelled("  note", text, 12)
    return lines
