"""Generated inputs: Hypothesis on a primitive, each example on every selected path.

Enters: a lab, a project, paths of one primitive. Leaves: sums per path, and the failures of the
smallest case. Never here: strategies (see `rig.inputs.strategies`), rows, words.
"""

from collections.abc import Sequence
from functools import cached_property

from hypothesis import HealthCheck, given, seed, settings, target

from rig.capabilities.paths import Path
from rig.cases import Answer, Case
from rig.inputs import strategies
from rig.inputs.answers import answer, with_inverses
from rig.lab import Lab, takes
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project, binding
from rig.report.failures import Failure
from rig.runner.batches import Batch
from rig.tally import Tally
from rig.verdicts import FoundFault, failures_of

GENERATED = "generated"
RECORDED = 20  # generated cases whose instructions are recorded: 3 ms a path and case


class Search:
    """What Hypothesis tries on some paths of one primitive. After `run`, `failed` holds the
    failures of the smallest case by path: Hypothesis replays that case last. A path that has
    run into its budget of time is not tried again."""

    def __init__(self, lab: Lab, project: Project, paths: Sequence[Path]) -> None:
        self.lab, self.project = lab, project
        self.primitive = paths[0].primitive
        self.runnable = [path for path in paths if not unrunnable(project, path)]
        self.failed: dict[str, list[Failure]] = {}
        self._hung: dict[str, list[Failure]] = {}
        self._tallies = {path.id: Tally() for path in self.runnable}

    def run(self, name: str) -> None:
        """Tries examples; raises FoundFault if a path fails."""
        chosen = settings(
            max_examples=self.lab.selection.amount(GENERATED),
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )

        def every_path_agrees(case: Case) -> None:
            tried = [path for path in self.runnable if path.id not in self._hung]
            known, batches = self._reached(), _Batches(self.lab, self.project, case)
            self.failed = self._hung | {
                path.id: found for path in tried if (found := self._try(path, batches))
            }
            target(float(self._reached() - known), label="newly reached")
            if self.failed:
                raise FoundFault(name)

        test = given(strategies.cases(self.primitive, self._has))(every_path_agrees)
        seed(self.lab.plan.options.seed)(chosen(test))()

    def _has(self, operation: str) -> bool:
        """Whether some path has the functions of an operation: no example is wasted on others."""
        roles = PRIMITIVES[self.primitive].operations[operation].roles
        return any(path.roles.issuperset(roles) for path in self.runnable)

    def tally(self, path: Path) -> Tally:
        """What a path ran; only the smallest case counts as failed."""
        found, total = self.failed.get(path.id, ()), self._tallies[path.id]
        tally = Tally(
            cases=total.cases, failed=len(found), accepted=total.accepted, flow=total.flow
        )
        tally.found(failure.finding for failure in found)
        return tally

    def _reached(self) -> int:
        """How many instructions and directions of jumps all recorded examples reached."""
        flows = (tally.flow for tally in self._tallies.values())
        return sum(len(flow.hits) + len(flow.ways) for flow in flows)

    def _try(self, path: Path, batches: "_Batches") -> list[Failure]:
        if not takes(path, batches.case):
            return []
        batch = batches.of(path)
        failures: list[Failure] = []
        tally = self._tallies[path.id]
        recorded = tally.cases < RECORDED
        for mask, outcome in self.lab.run(self.project, path, batch, recorded):
            tally.add(outcome)
            failures += failures_of(self.lab, self.project, path, batch, mask, outcome)
        if any(failure.finding.check == "timeout" for failure in failures):
            self._hung[path.id] = failures
        return failures


class _Batches:
    """One case for every path: the oracle is asked once, and paths of one binding share a batch."""

    def __init__(self, lab: Lab, project: Project, case: Case) -> None:
        self.case, self._lab, self._project = case, lab, project
        self._made: list[Batch] = []

    def of(self, path: Path) -> Batch:
        """The batch of the case and its inverse for a path."""
        bound = binding(self._project, path)
        for made in self._made:
            if made.binding == bound:
                return made
        self._made.append(self._lab.several(self._project, path, *self._contents))
        return self._made[-1]

    @cached_property
    def _contents(self) -> tuple[tuple[Case, ...], tuple[Answer, ...]]:
        definition = PRIMITIVES[self.case.values.primitive]
        return with_inverses(definition, [self.case], [answer(definition, self.case)])
