"""`rig bench`: what each path is worth.

Enters: parsed arguments. Leaves: tables or JSON; exit code 1 where a path was not timed because its
answers are wrong. Never here: how calls are timed (`rig.bench`).
"""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from rig import manifest as manifests
from rig.architectures import host_architecture
from rig.bench import compare, costs, document, tables
from rig.bench.against import Against, find
from rig.bench.chosen import check_named, chosen, named
from rig.bench.contest import Ready, Rivals, Row, Untimed, prepare, timed
from rig.bench.costs import Cost
from rig.bench.document import Old
from rig.bench.formats import FORMATS
from rig.bench.rounds import ROUNDS
from rig.bench.workloads import MOST, Workload, workloads
from rig.build.project import build_timing
from rig.build.toolchain import Toolchain, find_toolchain
from rig.cache import cache_folder
from rig.capabilities.paths import Path
from rig.cli import manifest_paths
from rig.errors import RigError
from rig.manifest import Primitive
from rig.options import Options, gather
from rig.plan import check_names, open_projects
from rig.project import Project, enumerate_paths
from rig.report.folder import BENCH, PAGE
from rig.report.merge import read_run
from rig.runner.session import Session

_MOST_ROUNDS = 1000


def main(parsed: argparse.Namespace) -> int:
    """Times what is asked for; 1 where something was wrong."""
    options = gather(vars(parsed))
    _check(parsed)
    if parsed.oracle:
        return _oracle(parsed)
    if parsed.report:
        read_run(parsed.report)  # says now what is wrong with it
    old = document.read(FilePath(parsed.compare)) if parsed.compare else None
    toolchain, cache = find_toolchain(options.cc), cache_folder(options.cache_dir)
    projects, absent = _projects(parsed, options, toolchain, cache)
    if parsed.coverage_cost:
        return _coverage_cost(projects, absent, parsed, options, cache)
    with _against(parsed, toolchain, cache) as (rivals, unfound):
        find_rival = rivals.rival if rivals else None
        found = [one for p in projects for one in _project(p, parsed, options, cache, find_rival)]
    lacking = rivals.lacking if rivals else {}
    rows = [each for each in found if isinstance(each, Row)]
    untimed = [*absent, *unfound, *(each for each in found if isinstance(each, Untimed))]
    untimed += [Untimed("", "", "", f"{title}: {reason}") for title, reason in lacking.items()]
    if not rows and not untimed:
        raise RigError("nothing to time: no primitive has such a path")
    print("\n".join(_lines(parsed, old, rows, untimed)))
    if parsed.report:
        _add_to_report(parsed.report, document.document(rows, untimed, {}))
    return 1 if any(each.wrong for each in untimed) else 0


def _projects(
    parsed: argparse.Namespace, options: Options, toolchain: Toolchain, cache: FilePath
) -> tuple[list[Project], list[Untimed]]:
    """The manifest on each architecture that was asked for, and those that do not run here."""
    (path,) = manifest_paths([parsed.manifest] if parsed.manifest else [])
    read = manifests.read(path)
    check_named(read, parsed.path or ())
    projects, absences = open_projects([read], options, toolchain, cache)
    check_names(projects, options)
    return projects, [Untimed(a.arch, "", "", f"{a.reason}; {a.fix}") for a in absences]


def _oracle(parsed: argparse.Namespace) -> int:
    found = list(costs.oracle(parsed.rounds or ROUNDS))
    return _print_costs(parsed, "oracle", found, ())


def _coverage_cost(
    projects: Sequence[Project],
    absent: Sequence[Untimed],
    parsed: argparse.Namespace,
    options: Options,
    cache: FilePath,
) -> int:
    found: list[Cost] = []
    untimed = [*absent]
    for project in projects:
        with project.session() as session:
            for each, _ in _prepared(project, session, parsed, options, cache):
                untimed += [one for one in each if isinstance(one, Untimed)]
                ready = (one for one in each if isinstance(one, Ready))
                found += [c for one in ready for c in costs.recording(one, parsed.rounds or ROUNDS)]
    return _print_costs(parsed, "coverage_cost", found, untimed)


def _print_costs(
    parsed: argparse.Namespace, name: str, found: Sequence[Cost], untimed: Sequence[Untimed]
) -> int:
    if parsed.json:
        extra = {name: costs.document(found)}
        print(json.dumps(document.document((), untimed, extra), indent=1))
    else:
        print("\n".join((*costs.lines(found), *tables.untimed_lines(untimed))))
    return 1 if any(each.wrong for each in untimed) else 0


def _check(parsed: argparse.Namespace) -> None:
    if parsed.rounds is not None and not 1 <= parsed.rounds <= _MOST_ROUNDS:
        raise RigError(f"--rounds {parsed.rounds}: 1 to {_MOST_ROUNDS}")
    if parsed.format != "table" and (parsed.json or parsed.compare):
        raise RigError(f"--format {parsed.format}: of its own, without --json and --compare")
    if parsed.oracle and parsed.coverage_cost:
        raise RigError("--oracle --coverage-cost: one of them, each has a table of its own")
    for size in parsed.size or ():
        if not 1 <= size <= MOST:
            raise RigError(f"--size {size}: 1 to {MOST} bytes")


@contextlib.contextmanager
def _against(
    parsed: argparse.Namespace, toolchain: Toolchain, cache: FilePath
) -> Iterator[tuple[Against | None, list[Untimed]]]:
    """The library of `--against`, or a line that says that it is not here."""
    library = find(parsed.against) if parsed.against else None
    if library is None:
        reason = f"--against {parsed.against}: no such library here"
        yield None, [Untimed("", "", "", reason)] if parsed.against else []
        return
    timing = build_timing(host_architecture() or "x86_64", toolchain, cache)
    with Against(library, timing) as rivals:
        yield rivals, []


def _add_to_report(named: str, bench: Mapping[str, Any]) -> None:
    """Puts the document into the folder that a run left, and its charts onto the page."""
    from rig.report.html import html

    run = read_run(named)
    cases = {name.removesuffix(".json"): json.loads(data) for name, data in run.cases.items()}
    page = html(run.results, run.coverage, cases, bench)
    folder = FilePath(named)
    try:
        (folder / BENCH).write_text(json.dumps(bench, indent=1), encoding="utf-8")
        (folder / PAGE).write_text(page, encoding="utf-8")
    except OSError as error:
        raise RigError(f"--report {named}: cannot write: {error.strerror}") from error


def _lines(
    parsed: argparse.Namespace, old: Old | None, rows: Sequence[Row], untimed: Sequence[Untimed]
) -> Iterator[str]:
    if parsed.json:
        extra = {"compare": compare.document(old, rows)} if old else {}
        yield json.dumps(document.document(rows, untimed, extra), indent=1)
    elif parsed.format in FORMATS:
        yield from FORMATS[parsed.format](rows)
        for line in tables.untimed_lines(untimed):
            print(line, file=sys.stderr)
    elif old:
        yield from compare.lines(old, document.cpu_name(), rows)
        yield from tables.untimed_lines(untimed)
    else:
        yield from tables.lines(rows, untimed)


def _project(
    project: Project,
    parsed: argparse.Namespace,
    options: Options,
    cache: FilePath,
    rivals: Rivals | None,
) -> Iterator[Row | Untimed]:
    with project.session() as session:
        for each, asked in _prepared(project, session, parsed, options, cache):
            yield from (one for one in each if isinstance(one, Untimed))
            ready = [one for one in each if isinstance(one, Ready)]
            yield from timed(ready, asked, parsed.rounds or ROUNDS, rivals)


def _prepared(
    project: Project,
    session: Session,
    parsed: argparse.Namespace,
    options: Options,
    cache: FilePath,
) -> Iterator[tuple[list[Ready | Untimed], Sequence[Workload]]]:
    """Of each primitive that is asked for, its paths as far as they are right, and what to time."""
    for primitive in project.manifest.primitives.values():
        if options.primitive and primitive.name not in options.primitive:
            continue
        if paths := _paths(project, session, primitive, parsed):
            asked = workloads(primitive.name, parsed.size or ())
            yield [prepare(project, session, path, asked, cache) for path in paths], asked


def _paths(
    project: Project, session: Session, primitive: Primitive, parsed: argparse.Namespace
) -> tuple[Path, ...]:
    if parsed.path:
        return named(project, primitive, parsed.path)
    return chosen(project, enumerate_paths(project, session, primitive), parsed.variant or ())
