"""Cases made ready for a runner: answers asked, scripts composed and encoded.

Enters: cases, answers, a binding. Leaves: a `Batch`, which runs on every path of a primitive
alike. Never here: which path.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rig.cases import Answer, Case
from rig.primitives.definition import Definition
from rig.runner.compose import Binding, compose
from rig.runner.encode import encode
from rig.runner.scripts import Script


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases with their answers, and their scripts as bytes."""

    definition: Definition
    binding: Binding
    cases: tuple[Case, ...]
    answers: tuple[Answer, ...]
    data: bytes

    def script(self, index: int) -> Script:
        """The script of one case, composed anew."""
        return script_of(self.definition, self.binding, self.cases[index], self.answers[index])


def script_of(definition: Definition, binding: Binding, case: Case, answer: Answer) -> Script:
    """The script of a case."""
    operation = definition.operations[case.values.operation]
    return compose(operation.plan(case.values.inputs, answer), case.placement, binding)


def make_batch(
    definition: Definition, binding: Binding, cases: Sequence[Case], answers: Sequence[Answer]
) -> Batch:
    """The batch of some cases; cases and answers go by position."""
    scripts = [
        script_of(definition, binding, case, answer)
        for case, answer in zip(cases, answers, strict=True)
    ]
    return Batch(definition, binding, tuple(cases), tuple(answers), encode(scripts))
