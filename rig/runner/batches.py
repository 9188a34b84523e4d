"""Cases made ready for a runner: answers asked, scripts composed and encoded.

Enters: cases, answers, a binding. Leaves: a `Batch`, which runs on every path of a primitive
alike. Never here: which path.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rig.cases import Answer, Case
from rig.errors import RigError
from rig.primitives.definition import DONE, Definition, Own, Plan, octets
from rig.runner.compose import Binding, compose
from rig.runner.encode import encode
from rig.runner.scripts import Script

Contents = tuple[Sequence[Case], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Scripts as bytes. `contents` gives the cases and answers behind them, by position; it is
    asked only where something failed. `published` counts cases by the document they stand in;
    `called` are the functions, by role, that cases call after the first, which sets up, and do not
    refuse."""

    definition: Definition
    binding: Binding
    size: int
    data: bytes
    contents: Callable[[], Contents]
    published: Mapping[str, int]
    called: frozenset[str]

    def case(self, index: int) -> Case:
        """One case."""
        return self.contents()[0][index]

    def answer(self, index: int) -> Answer:
        """What that case must give."""
        return self.contents()[1][index]

    def script(self, index: int) -> Script:
        """The script of one case, composed anew."""
        return script_of(self.definition, self.binding, self.case(index), self.answer(index))


def plan_of(definition: Definition, binding: Binding, case: Case, answer: Answer) -> Plan:
    """The calls of a case."""
    operation, inputs = definition.operations[case.values.operation], case.values.inputs
    if operation.part:
        role, name = operation.part
        size = len(octets(inputs, name))
        inputs = {**inputs, DONE: binding.doing[role].done(size) if role in binding.doing else size}
    return operation.plan(inputs, answer)


def script_of(definition: Definition, binding: Binding, case: Case, answer: Answer) -> Script:
    """The script of a case."""
    plan = plan_of(definition, binding, case, answer)
    try:
        return compose(plan, case.placement, binding)
    except (KeyError, ValueError) as error:
        if definition.own is None:
            raise
        raise _misfit(definition.own, case, error) from error


def _misfit(own: Own, case: Case, error: Exception) -> RigError:
    """A plan of a project's module that does not fit its contract."""
    text = f"no value for {error}" if isinstance(error, KeyError) else str(error)
    return RigError(f"{own.module}:1: the plan of `{case.values.operation}`: {text}")


def make_batch(
    definition: Definition, binding: Binding, cases: Sequence[Case], answers: Sequence[Answer]
) -> Batch:
    """The batch of some cases; cases and answers go by position."""
    scripts = [
        script_of(definition, binding, case, answer)
        for case, answer in zip(cases, answers, strict=True)
    ]
    contents = (tuple(cases), tuple(answers))
    called = _called(definition, cases, answers)
    return Batch(definition, binding, len(cases), encode(scripts), lambda: contents, {}, called)


def _called(
    definition: Definition, cases: Sequence[Case], answers: Sequence[Answer]
) -> frozenset[str]:
    both = zip(cases, answers, strict=True)
    names = {case.values.operation for case, answer in both if not answer.refused}
    return frozenset(role for name in names for role in definition.operations[name].roles[1:])
