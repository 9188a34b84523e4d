"""The controls: planted faults that each run must catch before it gives a verdict.

Enters: a project built from native/controls. Leaves: one `Control` per fault, caught or not,
and the clean twin, passed or not. Never here: the user's project.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rig.capabilities.paths import Path, direct_paths
from rig.cases import Case, Placement
from rig.checks.audit import audit
from rig.checks.capability import static_findings
from rig.checks.constant_time import CHECK as CONSTANT_TIME
from rig.checks.constant_time import examine
from rig.checks.race import CHECK as RACE
from rig.checks.race import initialiser, judge_race
from rig.checks.stack import watch_stack
from rig.checks.trial import Trial, try_batch
from rig.checks.unwind import judge_frames, observe, watching
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep as length_sweep
from rig.inputs.twins import twins
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, enumerate_paths
from rig.runner.batches import Batch, make_batch
from rig.runner.client import RunFlag
from rig.runner.encode import encode
from rig.runner.scripts import Prologue, Script
from rig.runner.session import Session

CLEAN = ("clean", "pool", "framed")
EXPECTED: Mapping[str, str] = {
    "wrong_tail": "value",
    "over_read": "memory",
    "over_write": "memory",
    "scribble": "input",
    "undoes": "input",
    "null": "memory",
    "stale": "uninitialised",
    "crash": "crash",
    "endless": "timeout",
    "borrows": "path",
    "branches": "constant-time",
    "looks_up": "constant-time",
    "divides": "constant-time",
    "table4": "constant-time",
    "addresses": "object",
    "exits": "exit",
    "above": "abi",
    "below": "stack",
    "uppers": "abi",
    "clobber": "abi",
    "clobber_d": "abi",
    "misframed": "unwind",
    "sse41": "capability",
    "sse41_unrun": "capability",
    "aes": "capability",
    "aes_unrun": "capability",
    "neon": "capability",
    "neon_unrun": "capability",
    "beside_pool": "capability",
}
DISPATCHER = "dispatcher"
INITIALISERS = {"initialiser": RACE, "initialiser_clean": ""}  # the manifest's, and its twin
# Where the CPU does not tell, and no emulator does, there is nothing to catch.
TOLD = "uppers"
# Found in the code alone, so that neither half of the check hides the other.
UNRUN = ("sse41_unrun", "aes_unrun", "neon_unrun")
STEPPED = (*CLEAN, *(name for name, check in EXPECTED.items() if check == CONSTANT_TIME))
AUDITED = (*CLEAN, "addresses")
UNWOUND = ("framed", "misframed")
WATCHED = (*CLEAN, "below")
_PRIMITIVE, _VARIABLE_TIME = "chacha20", "ghash"
_LENGTHS = range(66)
_SHORT = (1, 65)  # scripts of the batch that are watched besides the last
_BUDGET_US = 60_000


@dataclass(frozen=True, slots=True)
class Control:
    """A planted fault on an architecture: the check that must fire, and those that did."""

    arch: str
    fault: str
    expected: str
    fired: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether the fault was named rightly; the clean twin must fire nothing."""
        return self.expected in self.fired if self.expected else not self.fired


def run_controls(project: Project) -> tuple[Control, ...]:
    """Runs every planted fault and the clean twin."""
    primitive = project.manifest.primitives[_PRIMITIVE]
    variable = project.manifest.primitives[_VARIABLE_TIME]
    with project.session() as session:
        found = enumerate_paths(project, session, primitive)
        fired = ("dispatch",) if found.mismatches else ()
        controls = [Control(project.arch, DISPATCHER, "dispatch", fired)]
        controls += _raced(project)
        static = static_findings(project, primitive, hex)
        audited = audit(project, primitive, hex)
        batches = _Batches(project)
        for path in found.paths:
            name = dict(path.choice)[_PRIMITIVE]
            if path.kind == "direct" and (name != TOLD or _tells_uppers(session)):
                checks = _fired(project, session, path, batches.of(path))
                if name in CLEAN + UNRUN:
                    checks += tuple(sorted({f.check for f in static.get(name, ())}))
                if name in AUDITED:
                    checks += tuple(sorted({f.check for f in audited.get(name, ())}))
                if name in STEPPED:
                    checks += _stepped(project, session, path)
                if name in WATCHED:
                    checks += _watched(project, session, path, batches.of(path))
                if name in UNWOUND:
                    checks += _unwound(project, path, batches.of(path))
                controls.append(Control(project.arch, name, EXPECTED.get(name, ""), checks))
        for path in direct_paths(variable, project.arch):
            checks = _stepped(project, session, path)
            controls.append(Control(project.arch, path.choice[0][1], CONSTANT_TIME, checks))
    return tuple(controls)


def _raced(project: Project) -> Iterator[Control]:
    """The initialisers: what could not be judged is no clean one."""
    named = initialiser(project)
    symbols = (named, f"{named}_clean")
    for (name, expected), symbol in zip(INITIALISERS.items(), symbols, strict=True):
        race = judge_race(project, symbol)
        fired = tuple(finding.check for finding in race.findings)
        yield Control(project.arch, name, expected, fired or (("unjudged",) if race.reason else ()))


def _tells_uppers(session: Session) -> bool:
    nothing = encode([Script((), ())])
    return session.run(nothing, Prologue(), flags=RunFlag.CLEAN_UPPERS).uppers_told


def _stepped(project: Project, session: Session, path: Path) -> tuple[str, ...]:
    definition, bound = PRIMITIVES[path.primitive], binding(project, path)
    found: set[str] = set()
    for group in twins(path.primitive, 1 if path.primitive == _PRIMITIVE else 16, edges=False):
        batches = [make_batch(definition, bound, [c], [answer(definition, c)]) for c in group]
        leaks = examine(project, session, path, path.masks[0], 1, batches, hex)
        found.update(leak.finding.check for leak in leaks)
    return tuple(sorted(found))


def _fired(project: Project, session: Session, path: Path, batch: Batch) -> tuple[str, ...]:
    trial = Trial(path.masks[0], (1, 2), _BUDGET_US)
    outcome = try_batch(project, session, path, batch, trial)
    return tuple(sorted({finding.check for finding in outcome.findings}))


def _unwound(project: Project, path: Path, batch: Batch) -> tuple[str, ...]:
    with watching(project) as session:
        frames = observe(project, session, path, batch.data, 1, _BUDGET_US)
    found = judge_frames(project, frames, hex).findings if frames else ()
    return tuple(finding.check for finding in found)


def _watched(project: Project, session: Session, path: Path, batch: Batch) -> tuple[str, ...]:
    scripts = (*_SHORT, batch.size - 1)
    found = watch_stack(project, session, path, 1, batch, scripts).findings
    return tuple(sorted({finding.check for finding in found}))


class _Batches:
    """The same cases for every fault: one batch where the bindings are equal."""

    def __init__(self, project: Project) -> None:
        cases = [case for case, _ in zip(length_sweep(_PRIMITIVE), _LENGTHS, strict=False)]
        self._cases = [Case(c.name, c.values) for c in cases]  # out of place
        self._cases.append(Case("NULL", cases[0].values, Placement(null=True)))
        self._answers = [answer(PRIMITIVES[_PRIMITIVE], case) for case in self._cases]
        self._project, self._made = project, list[Batch]()

    def of(self, path: Path) -> Batch:
        """The batch for a path."""
        bound = binding(self._project, path)
        for made in self._made:
            if made.binding == bound:
                return made
        made = make_batch(PRIMITIVES[_PRIMITIVE], bound, self._cases, self._answers)
        self._made.append(made)
        return made
