"""The controls: planted faults that each run must catch before it gives a verdict.

Enters: a project built from native/controls. Leaves: one `Control` per fault, caught or not,
and the clean twin, passed or not. Never here: the user's project.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rig.capabilities.paths import Path
from rig.cases import Case
from rig.checks.capability import static_findings
from rig.checks.trial import Trial, try_batch
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep as length_sweep
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, enumerate_paths
from rig.runner.batches import make_batch
from rig.runner.session import Session

CLEAN = ("clean", "pool")
EXPECTED: Mapping[str, str] = {
    "wrong_tail": "value",
    "over_read": "memory",
    "over_write": "memory",
    "scribble": "input",
    "stale": "uninitialised",
    "crash": "crash",
    "endless": "timeout",
    "borrows": "path",
    "exits": "exit",
    "clobber": "abi",
    "clobber_d": "abi",
    "sse41": "capability",
    "sse41_unrun": "capability",
    "aes": "capability",
    "aes_unrun": "capability",
    "neon": "capability",
    "neon_unrun": "capability",
    "beside_pool": "capability",
}
DISPATCHER = "dispatcher"
# Found in the code alone, so that neither half of the check hides the other.
UNRUN = ("sse41_unrun", "aes_unrun", "neon_unrun")
_PRIMITIVE = "chacha20"
_LENGTHS = range(66)
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
    with project.session() as session:
        found = enumerate_paths(project, session, primitive)
        fired = ("dispatch",) if found.mismatches else ()
        controls = [Control(project.arch, DISPATCHER, "dispatch", fired)]
        static = static_findings(project, primitive, hex)
        for path in found.paths:
            if path.kind == "direct":
                name = dict(path.choice)[_PRIMITIVE]
                checks = _fired(project, session, path)
                if name in CLEAN + UNRUN:
                    checks += tuple(sorted({f.check for f in static.get(name, ())}))
                controls.append(Control(project.arch, name, EXPECTED.get(name, ""), checks))
    return tuple(controls)


def _fired(project: Project, session: Session, path: Path) -> tuple[str, ...]:
    definition = PRIMITIVES[_PRIMITIVE]
    cases = [case for case, _ in zip(length_sweep(_PRIMITIVE), _LENGTHS, strict=False)]
    out_of_place = [Case(c.name, c.values) for c in cases]
    answers = [answer(definition, case) for case in out_of_place]
    batch = make_batch(definition, binding(project, path), out_of_place, answers)
    outcome = try_batch(project, session, path, batch, Trial(path.masks[0], (1, 2), _BUDGET_US))
    return tuple(sorted({finding.check for finding in outcome.findings}))
