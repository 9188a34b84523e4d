"""`rig coverage PRIMITIVE/VARIANT`: what was executed of a variant, instruction by instruction.

Enters: parsed arguments. Leaves: totals and annotated disassembly, or JSON. Never here:
verdicts. The published vectors, edges, negatives and sweep are run now, on the path that `--path`
names or on every path of the variant's primitive, as a union: so the listing is of the code as it
is.
"""

import argparse
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from rig.cache import cache_folder
from rig.capabilities.paths import UNUSED, Path
from rig.checks.trial import Flow, Trial, lines_of, try_batch
from rig.cli import manifest_paths
from rig.commands.opening import one_architecture, open_project
from rig.commands.table import labelled, table
from rig.errors import RigError
from rig.inputs.answers import answers, with_inverses
from rig.inputs.sources import EDGES, NEGATIVES, PUBLISHED, SWEEP, sources
from rig.lab import takes
from rig.manifest import Manifest, Variant
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, decoded, enumerate_paths, functions_of
from rig.runner.batches import make_batch
from rig.runner.session import Session
from rig.toml_table import nearest
from rig.trace.architecture import Instruction
from rig.trace.instructions import FunctionCode
from rig.trace.lines import function_lines
from rig.trace.listing import LEGEND, Gone, annotate, cover, one_way

_SEEDS = (2, 3)
_SOURCES = (PUBLISHED, EDGES, NEGATIVES, SWEEP)


@dataclass(frozen=True, slots=True)
class Measured:
    """What ran, the addresses that were executed, the ways that jumps went."""

    paths: tuple[Path, ...]
    cases: int
    failed: int
    hits: frozenset[int]
    gone: Gone


def main(parsed: argparse.Namespace) -> int:
    """Prints the coverage of one variant; RigError for a name that is none."""
    named = [parsed.manifest] if parsed.manifest else []
    project = open_project(manifest_paths(named)[0], parsed, one_architecture(parsed))
    variant = find_variant(project.manifest, project.arch, parsed.variant)
    with project.session() as session:
        paths = _paths(project, session, variant, parsed.path)
        measured = measure(project, session, paths, cache_folder(parsed.cache_dir))
    functions = _functions(project, variant)
    if parsed.json:
        print(json.dumps(_document(project, variant, functions, measured), indent=1))
    else:
        for line in _lines(project, variant, functions, measured, parsed.missing):
            print(line)
    return 0


def find_variant(manifest: Manifest, arch: str, name: str) -> Variant:
    """The variant that `PRIMITIVE/VARIANT` names; RigError with the nearest ones."""
    variants = {f"{v.primitive}/{v.name}": v for v in manifest.variants(arch)}
    if name in variants:
        return variants[name]
    primitive = manifest.primitives.get(name.partition("/")[0])
    if primitive and primitive.composed:
        slots = ", ".join(primitive.slots)
        raise RigError(
            f"{name}: {primitive.name} has no variants of its own, it is composed over {slots}; "
            f"name one of theirs, and --path for the composition's path"
        )
    own = [n for n in variants if primitive and n.startswith(f"{primitive.name}/")]
    if "/" not in name and own:
        raise RigError(f"{name}: name a variant: {', '.join(own)}")
    raise RigError(f"{name}: no such variant{nearest(name, own or variants)}")


def _paths(
    project: Project, session: Session, variant: Variant, named: str | None
) -> tuple[Path, ...]:
    """Those of the given name, else every path of the variant's own primitive that runs it;
    each must run here."""
    if named:
        found = _named(project, session, variant, named)
    else:
        primitive = project.manifest.primitives[variant.primitive]
        own = enumerate_paths(project, session, primitive).paths
        found = [p for p in own if (variant.primitive, variant.name) in p.choice]
    for path in found:
        if reason := unrunnable(project, path):
            raise RigError(f"{path.name}: {reason}")
    return tuple(found)


def _named(project: Project, session: Session, variant: Variant, named: str) -> list[Path]:
    wanted = (variant.primitive, variant.name)
    every = [
        path
        for primitive in project.manifest.primitives.values()
        for path in enumerate_paths(project, session, primitive).paths
        if wanted in path.choice
    ]
    found = [path for path in every if named in _spellings(path)]
    if not found:
        valid = dict.fromkeys(_short(path) for path in every)
        raise RigError(
            f"--path {named}: no such path runs {'/'.join(wanted)}{nearest(named, valid)}"
        )
    return found


def _short(path: Path) -> str:
    return ",".join(f"{slot}={name}" for slot, name in path.choice if name != UNUSED)


def _spellings(path: Path) -> tuple[str, ...]:
    short = _short(path)
    return path.id, path.name, short, f"{path.primitive}/{path.name}", f"{path.primitive}/{short}"


def measure(project: Project, session: Session, paths: Sequence[Path], cache: FilePath) -> Measured:
    """Runs the sources that every installation has on each path, under each of its masks."""
    cases = failed = 0
    flow = Flow()
    for path in paths:
        definition = PRIMITIVES[path.primitive]
        for source in sources(path.primitive, None):
            if source.name not in _SOURCES:
                continue
            loaded = source.load()
            pairs = with_inverses(definition, loaded, answers(definition, loaded, cache))
            taken = [(c, a) for c, a in zip(*pairs, strict=True) if takes(path, c)]
            batch = make_batch(
                definition, binding(project, path), [c for c, _ in taken], [a for _, a in taken]
            )
            for mask in path.masks:
                outcome = try_batch(project, session, path, batch, Trial(mask, _SEEDS))
                cases, failed = cases + outcome.cases, failed + outcome.failed
                flow |= outcome.flow
    gone: Counter[int] = Counter()
    for address, way in flow.ways:
        gone[address] |= way
    return Measured(tuple(paths), cases, failed, flow.hits, gone)


def _functions(project: Project, variant: Variant) -> tuple[FunctionCode, ...]:
    addresses = {function.address for function in functions_of(project, variant)}
    return tuple(f for f in decoded(project.image).functions if f.address in addresses)


def _incomplete(function: FunctionCode, measured: Measured) -> bool:
    return bool(_missed(function, measured.hits) or one_way(function, measured.gone))


def _missed(function: FunctionCode, hits: Collection[int]) -> list[int]:
    return [i.address for i in function.instructions if i.address not in hits]


def _document(
    project: Project, variant: Variant, functions: Sequence[FunctionCode], measured: Measured
) -> dict[str, Any]:
    counted = [cover(function, measured.hits, measured.gone) for function in functions]
    return {
        "primitive": variant.primitive,
        "variant": variant.name,
        "arch": variant.arch,
        "paths": [path.id for path in measured.paths],
        "cases": measured.cases,
        "failed": measured.failed,
        "executed": sum(c.executed for c in counted),
        "total": sum(c.total for c in counted),
        "directions": {
            "gone": sum(c.gone for c in counted),
            "total": sum(c.directions for c in counted),
        },
        "functions": [_function_row(project, function, measured) for function in functions],
    }


def _function_row(project: Project, function: FunctionCode, measured: Measured) -> dict[str, Any]:
    counted = cover(function, measured.hits, measured.gone)
    missed, half = _missed(function, measured.hits), one_way(function, measured.gone)
    return {
        "name": function.name,
        "executed": counted.executed,
        "total": counted.total,
        "directions": {"gone": counted.gone, "total": counted.directions},
        "one_way": [
            {
                "offset": address - function.address,
                "never": never.removeprefix("never "),
                "line": str(lines_of(project).at(address) or ""),
            }
            for address, never in half.items()
        ],
        "blocks": _block_rows(function, measured.hits),
        "missed": [hex(address) for address in missed],
        "missed_offsets": [address - function.address for address in missed],
        "missed_lines": [str(line) for line in function_lines(lines_of(project), missed)],
    }


def _block_rows(function: FunctionCode, hits: Collection[int]) -> list[dict[str, int]]:
    return [
        {
            "offset": block[0].address - function.address,
            "executed": sum(i.address in hits for i in block),
            "total": len(block),
        }
        for block in _blocks(function)
    ]


def _lines(
    project: Project,
    variant: Variant,
    functions: Sequence[FunctionCode],
    measured: Measured,
    missing: bool,
) -> Iterator[str]:
    yield from _head(variant, functions, measured)
    shown = [f for f in functions if not missing or _incomplete(f, measured)]
    if shown:
        yield ""
        yield LEGEND
    for function in shown:
        yield ""
        yield from _listing(project, function, measured, missing)


def _head(variant: Variant, functions: Sequence[FunctionCode], measured: Measured) -> Iterator[str]:
    counted = [cover(function, measured.hits, measured.gone) for function in functions]
    executed, total = sum(c.executed for c in counted), sum(c.total for c in counted)
    percent = executed * 1000 // total / 10 if total else 100.0
    yield (
        f"{variant.primitive}/{variant.name} {variant.arch}: {executed} of {total} instructions "
        f"executed ({percent:.1f}%),"
    )
    gone, directions = sum(c.gone for c in counted), sum(c.directions for c in counted)
    yield f"  {gone} of {directions} directions of conditional jumps"
    names = "; ".join(f"{path.primitive} {_short(path)} ({path.kind})" for path in measured.paths)
    yield from labelled("", f"{measured.cases:,} cases ({', '.join(_SOURCES)}) on {names}", 2)
    if measured.failed:
        again = f"rig run --primitive {variant.primitive} --variant {variant.name}"
        yield from labelled("", f"{measured.failed:,} of them failed: {again}", 2)
    yield ""
    rows = [
        (f"{c.executed}", f"{c.total}", f"{c.percent:.1f}%", f"{c.gone}/{c.directions}", c.name)
        for c in counted
    ]
    yield from table([("executed", "of", "", "jumps", "function"), *rows])


def _listing(
    project: Project, function: FunctionCode, measured: Measured, missing: bool
) -> Iterator[str]:
    shown = _missing_blocks(function, measured) if missing else function
    lines = annotate(
        decoded(project.image),
        shown,
        measured.hits,
        lines_of(project),
        project.image.root,
        gone=measured.gone,
    )
    if missing:
        counted = cover(function, measured.hits, measured.gone)
        yield (
            f"{function.name}: {counted.total - counted.executed} of {counted.total} instructions "
            f"missing, {counted.directions - counted.gone} of {counted.directions} directions"
        )
        next(lines)
    yield from lines


def _blocks(function: FunctionCode) -> list[list[Instruction]]:
    blocks: list[list[Instruction]] = []
    leaders = frozenset(function.leaders)
    for instruction in function.instructions:
        if not blocks or instruction.address in leaders:
            blocks.append([])
        blocks[-1].append(instruction)
    return blocks


def _missing_blocks(function: FunctionCode, measured: Measured) -> FunctionCode:
    """The function with those basic blocks only that hold an instruction that was missed, or
    end in a jump that went one way only."""
    half = one_way(function, measured.gone)
    kept = [
        block
        for block in _blocks(function)
        if any(i.address not in measured.hits or i.address in half for i in block)
    ]
    return replace(function, instructions=tuple(i for b in kept for i in b), data=())
