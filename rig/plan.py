"""What a run will do: built once by the controller, read by every worker.

Enters: manifests and options. Leaves: a frozen `Plan`, pickled into a folder of the cache.
Never here: running cases (but for the controls and the questions to dispatchers).
"""

import contextlib
import itertools
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from rig import manifest as manifests
from rig.architectures import host_architecture
from rig.build.project import build_runner
from rig.build.toolchain import Toolchain, find_toolchain
from rig.cache import cache_folder, write_atomically
from rig.capabilities.bits import LAYOUTS
from rig.capabilities.models import model_vector, models
from rig.capabilities.options import forced_vector
from rig.capabilities.paths import (
    Choice,
    Path,
    Sweep,
    forced_path,
    joined,
    missing,
    slot_variants,
)
from rig.capabilities.vector import Vector
from rig.checks.acceptance import check_entries, sort_out
from rig.checks.controls import Control, run_controls
from rig.checks.race import CHECK as RACE
from rig.checks.race import Race, initialiser, judge_race
from rig.data import data_folder
from rig.emulate import check_emulated, emulator
from rig.errors import ManifestError, RigError
from rig.manifest import Manifest
from rig.options import Options
from rig.primitives.own import adopt, check_alone
from rig.project import Project, build, enumerate_paths, paths_of_masks
from rig.runner.command import AbsentError, parse_prefixes
from rig.runner.session import Session
from rig.toml_table import nearest

PLAN = "plan.pickle"
_WEEK = 7 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Absence:
    """An architecture that cannot run here, and what would bring it."""

    arch: str
    reason: str
    fix: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`folder` takes the parts that workers write; `build_seconds` is wall time. `carried` are
    the paths, as (manifest, id), that earlier runs proved, `resumed` their sources, as (manifest,
    id, source), that earlier sessions of a deep run judged: the rows of both are there already.
    `until` is the time after which no item begins, 0 for none. `races` are the initialisers of
    those projects that have a dispatcher."""

    folder: FilePath
    cache: FilePath
    options: Options
    toolchain: str
    projects: tuple[Project, ...]
    controls: tuple[Control, ...]
    absences: tuple[Absence, ...]
    build_seconds: float
    plan_seconds: float
    carried: frozenset[tuple[str, str]] = frozenset()
    resumed: frozenset[tuple[str, str, str]] = frozenset()
    until: float = 0.0
    races: tuple[Race, ...] = ()

    def paths(self, project: Project) -> tuple[Path, ...]:
        """The paths of a project that this run takes, in order of primitives."""
        return tuple(p for sweep in project.sweeps for p in sweep.paths if self._takes(p))

    def due(self, project: Project) -> tuple[Path, ...]:
        """Those of them that are not carried over."""
        name = str(project.manifest.path)
        return tuple(p for p in self.paths(project) if (name, p.id) not in self.carried)

    def is_due(self, project: Project, path: Path, source: str) -> bool:
        """Whether a source is still to run on a path that is due."""
        return (str(project.manifest.path), path.id, source) not in self.resumed

    def _takes(self, path: Path) -> bool:
        wanted, variants = self.options.primitive, self.options.variant
        names = [name for _, name in path.choice]
        return (not wanted or path.primitive in wanted) and (
            not variants or any(name in variants for name in names)
        )


def make_plan(paths: Sequence[FilePath], options: Options) -> Plan:
    """Builds, runs the controls, enumerates; raises RigError where that cannot be done."""
    began = time.monotonic()
    until = time.time() + options.budget if options.budget else 0.0
    cache = cache_folder(options.cache_dir)
    toolchain = find_toolchain(options.cc)
    read = [manifests.read(path) for path in paths]
    for manifest in read:
        check_entries(manifest)
    check_alone(read)
    projects, absences = open_projects(read, options, toolchain, cache)
    planted = _build_controls(projects, toolchain, cache)
    if options.cpu and options.emulate:
        for project in projects:
            check_emulated(options.cpu, project.host)
    built = time.monotonic()
    controls, with_paths, races = _examined(planted, projects, options)
    plan = Plan(
        folder=cache,
        cache=cache,
        options=options,
        toolchain=toolchain.identity,
        projects=with_paths,
        controls=controls,
        absences=absences,
        build_seconds=built - began,
        plan_seconds=time.monotonic() - built,
        until=until,
        races=races,
    )
    check_names(plan.projects, options)
    plan = replace(plan, folder=_run_folder(cache))
    write_plan(plan)
    return plan


def _examined(
    controls: Sequence[Project], projects: Sequence[Project], options: Options
) -> tuple[tuple[Control, ...], tuple[Project, ...], tuple[Race, ...]]:
    """Runs the controls, enumerates paths and judges initialisers at once, in threads: each waits
    for a runner of its own for the most part."""
    raced = [p for p in projects if p.manifest.dispatch and options.selection.amount(RACE)]
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        held = pool.map(run_controls, controls)
        races = pool.map(_raced, raced)
        with_paths = pool.map(_with_paths, projects, itertools.repeat(options))
        return tuple(itertools.chain(*held)), tuple(with_paths), tuple(races)


def _raced(project: Project) -> Race:
    """What became of a project's initialiser, but for what its manifest accepts."""
    race = judge_race(project, initialiser(project))
    standing, taken = sort_out(race.findings, project.manifest.accept, ())
    for entry in taken:
        race = replace(race, findings=tuple(standing), reason=entry.reason, accepted=entry.place)
    return race


def write_plan(plan: Plan) -> None:
    """Puts the plan where workers find it."""
    write_atomically(plan.folder / PLAN, pickle.dumps(plan))


def load_plan(folder: FilePath) -> Plan:
    """The plan that the controller wrote; it is trusted, as both are one user's."""
    plan: Plan = pickle.loads((folder / PLAN).read_bytes())
    for project in plan.projects:
        adopt(project.manifest)
    return plan


def open_projects(
    read: Sequence[Manifest], options: Options, toolchain: Toolchain, cache: FilePath
) -> tuple[list[Project], tuple[Absence, ...]]:
    """Each manifest on each architecture that is wanted, and what cannot run here."""
    given, jobs = parse_prefixes(options.runner), os.cpu_count() or 1
    projects, absences = [], {}
    for arch in wanted_architectures(options.arch, options.require_arch):
        _check_asked(read, arch, options)
        prefix = _emulated(arch, toolchain, cache, options) or given.get(arch, ())
        for manifest in read:
            try:
                _check_named(_controls(), arch)
                _check_named(manifest, arch)
                projects.append(build(manifest, arch, toolchain, cache, jobs, prefix))
            except AbsentError as error:
                absences[arch, error.reason] = Absence(arch, error.reason, error.fix)
    required = _named(options.require_arch)
    for absence in absences.values():
        if absence.arch in required or "all" in required:
            text = f"{absence.reason}; {absence.fix}"
            raise RigError(f"--require-arch {absence.arch}: {text}")
    return projects, tuple(absences.values())


def _emulated(
    arch: str, toolchain: Toolchain, cache: FilePath, options: Options
) -> tuple[str, ...]:
    if not options.emulate:
        return ()
    return emulator(options.cpu, arch, build_runner(arch, toolchain, cache))


def _named(texts: Sequence[str]) -> list[str]:
    """The names in options that take one, or several with commas between."""
    return [name for text in texts for name in text.split(",")]


def wanted_architectures(arch: Sequence[str], required: Sequence[str] = ()) -> tuple[str, ...]:
    """The architectures that `--arch` and `--require-arch` ask for, by default this machine's
    own."""
    host = host_architecture()
    asked = _named((*arch, *required))
    for name in asked:
        if name not in (*LAYOUTS, "all"):
            raise RigError(f"--arch {name}: unknown{nearest(name, LAYOUTS)}")
    if "all" in asked:
        return tuple(LAYOUTS)
    if not asked and not host:
        raise RigError("this version of the rig has no runner for this machine; name one by --arch")
    return tuple(dict.fromkeys(asked)) or (host or "",)


def _check_asked(read: Sequence[Manifest], arch: str, options: Options) -> None:
    """RigError for an architecture asked for by name that no manifest has."""
    asked = _named((*options.arch, *options.require_arch))
    if arch in asked and not any(manifest.variants(arch) for manifest in read):
        paths = ", ".join(str(manifest.path) for manifest in read)
        raise RigError(f"--arch {arch}: no variant for it in {paths}")


def _check_named(manifest: Manifest, arch: str) -> None:
    if not manifest.variants(arch):
        raise AbsentError(arch, f"no variant for it in {manifest.path}", "add one")


def _controls() -> Manifest:
    return manifests.read(data_folder("native") / "controls" / "rig.toml")


def _build_controls(
    projects: Sequence[Project], toolchain: Toolchain, cache: FilePath
) -> list[Project]:
    """The planted faults for every way in which something is run."""
    manifest = _controls()
    ways = dict.fromkeys((project.arch, project.runner[:-1]) for project in projects)
    jobs = os.cpu_count() or 1
    return [build(manifest, arch, toolchain, cache, jobs, prefix) for arch, prefix in ways]


def _run_folder(cache: FilePath) -> FilePath:
    """A new folder. What killed runs left, and batches, go after a week: a batch is soon made
    anew."""
    runs = cache / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    for old in (*runs.iterdir(), *(cache / "batches").glob("*")):
        with contextlib.suppress(FileNotFoundError):
            if old.stat().st_mtime < time.time() - _WEEK:
                shutil.rmtree(old) if old.is_dir() else old.unlink()
    return FilePath(tempfile.mkdtemp(dir=runs, prefix=time.strftime("%Y%m%d-%H%M%S-")))


def _with_paths(project: Project, options: Options) -> Project:
    forced = forced_vector(
        project.host,
        cpu=options.cpu,
        ia32cap=options.ia32cap,
        armcap=options.armcap,
        dialect=options.cap_dialect,
    )
    if options.cap_matrix == "host" and forced is None:
        forced = project.host
    with project.session() as session:
        sweeps = [
            _sweep_of(project, session, name, options, forced)
            for name in project.manifest.primitives
        ]
    if not options.selection.amount("dispatch"):
        sweeps = [replace(sweep, dispatched=False, mismatches=()) for sweep in sweeps]
    return replace(project, sweeps=tuple(sweeps))


def _sweep_of(
    project: Project, session: Session, name: str, options: Options, forced: Vector | None
) -> Sweep:
    primitive = project.manifest.primitives[name]
    sweep = enumerate_paths(project, session, primitive)
    force = _force(options.force, project, name)
    if force:
        under = forced or project.host
        return replace(sweep, paths=(forced_path(project.manifest, primitive, under, force),))
    if options.force:
        return replace(sweep, paths=())
    if forced is not None:
        return replace(sweep, paths=paths_of_masks(project, session, primitive, (forced,)))
    if options.cap_matrix == "full":
        extra = paths_of_masks(project, session, primitive, _masks_of_models(project))
        return replace(sweep, paths=joined((*sweep.paths, *extra)))
    return sweep


def _force(texts: Sequence[str], project: Project, name: str) -> Choice:
    """The forced slots that this primitive has."""
    primitive = project.manifest.primitives[name]
    slots = [slot for slot, _ in slot_variants(project.manifest, primitive, project.arch)]
    every = {s for p in project.manifest.primitives.values() for s in (*p.slots, p.name)}
    choice = []
    for text in texts:
        slot, _, variant = text.partition("=")
        if not variant:
            raise ManifestError(f"--force {text}: expected SLOT=VARIANT, as in ghash=table4")
        if slot not in every:
            raise ManifestError(f"--force {text}: unknown slot{nearest(slot, every)}")
        if slot in slots:
            choice.append((slot, variant))
    return tuple(choice)


def _masks_of_models(project: Project) -> tuple[Vector, ...]:
    """Every CPU model's mask, and this machine's."""
    base = Vector.base(project.arch)
    masks = [model_vector(model, project.arch) | base for model in models(project.arch)]
    return tuple(dict.fromkeys((*masks, project.host)))


def check_names(projects: Sequence[Project], options: Options) -> None:
    """ManifestError for a primitive or a variant that no project has, where there are projects."""
    names = {n for project in projects for n in project.manifest.primitives}
    for name in options.primitive:
        if projects and name not in names:
            raise ManifestError(f"--primitive {name}: unknown{nearest(name, sorted(names))}")
    variants = {v.name for p in projects for v in p.manifest.variants(p.arch)}
    for name in options.variant:
        if projects and name not in variants:
            raise ManifestError(f"--variant {name}: unknown{nearest(name, sorted(variants))}")


def unrunnable(project: Project, path: Path) -> str:
    """Why this machine cannot run a path; empty if it can."""
    lacking = missing(path, project.host)
    return f"{project.emulator or 'this CPU'} lacks {' '.join(lacking)}" if lacking else ""
