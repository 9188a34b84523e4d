"""A batch on one path: counts, hits, findings; what a broken run does to the rest."""

from collections.abc import Iterator

import pytest

from rig.capabilities.paths import Path, direct_paths
from rig.cases import Case
from rig.checks.trial import Flow, Outcome, Trial, try_batch, where
from rig.inputs.answers import answer
from rig.inputs.sweeps import sweep
from rig.primitives import PRIMITIVES
from rig.project import Project, binding
from rig.runner.batches import Batch, make_batch
from rig.runner.session import Session

DEFINITION = PRIMITIVES["chacha20"]
BUDGET = 30_000


@pytest.fixture(scope="module")
def session(controls: Project) -> Iterator[Session]:
    with controls.session() as started:
        yield started


def _path(project: Project, name: str) -> Path:
    paths = direct_paths(project.manifest.primitives["chacha20"], project.arch)
    return next(path for path in paths if path.name == f"chacha20={name}")


def _batch(project: Project, path: Path, lengths: range) -> Batch:
    cases = [case for case, _ in zip(sweep("chacha20"), range(lengths.stop), strict=False)]
    cases = [Case(cases[n].name, cases[n].values) for n in lengths]
    answers = [answer(DEFINITION, case) for case in cases]
    return make_batch(DEFINITION, binding(project, path), cases, answers)


def _try(
    project: Project, session: Session, name: str, lengths: range, recorded: bool = True
) -> Outcome:
    path = _path(project, name)
    trial = Trial(path.masks[0], (2, 3), BUDGET, recorded)
    return try_batch(project, session, path, _batch(project, path, lengths), trial)


def test_a_clean_variant(controls: Project, session: Session) -> None:
    outcome = _try(controls, session, "clean", range(66))
    assert (outcome.cases, outcome.failed, outcome.abandoned) == (66, 0, 0)
    assert outcome.findings == ()
    assert controls.image.symbols["control_clean"] in outcome.flow.hits


def test_every_failing_script_is_counted_and_judged(controls: Project, session: Session) -> None:
    outcome = _try(controls, session, "wrong_tail", range(66))
    wrong = [n for n in range(66) if n % 16]
    assert outcome.failed == len(wrong)
    assert [finding.script for finding in outcome.findings] == wrong
    assert {finding.check for finding in outcome.findings} == {"value"}


def test_nothing_is_lost_after_a_crash(controls: Project, session: Session) -> None:
    outcome = _try(controls, session, "crash", range(66))
    assert (outcome.cases, outcome.failed, outcome.abandoned) == (66, 1, 0)
    (finding,) = outcome.findings
    assert (finding.script, finding.check) == (63, "crash")
    assert finding.summary.startswith("SIGSEGV at control_crash+0x")
    assert "faults.c:" in finding.summary
    assert finding.symbol == "control_crash"


def test_a_timeout_ends_the_batch_and_says_how_much_is_left(
    controls: Project, session: Session
) -> None:
    outcome = _try(controls, session, "endless", range(63, 70))
    assert [(f.script, f.check) for f in outcome.findings] == [(2, "timeout")]
    assert (outcome.cases, outcome.abandoned) == (3, 4)
    assert outcome.findings[0].symbol == "control_endless"


def test_the_session_lives_on(controls: Project, session: Session) -> None:
    for name in ("exits", "crash", "endless"):
        _try(controls, session, name, range(63, 66))
    assert _try(controls, session, "clean", range(3)).findings == ()


def test_an_empty_batch_proves_nothing_and_fails_nothing(
    controls: Project, session: Session
) -> None:
    outcome = _try(controls, session, "clean", range(0))
    assert outcome == Outcome(0, 0, 0, (), Flow())


def test_without_recording_there_is_no_path_check(controls: Project, session: Session) -> None:
    recorded = _try(controls, session, "borrows", range(1, 3))
    assert {finding.check for finding in recorded.findings} == {"path"}
    assert recorded.failed == recorded.cases == 2
    unrecorded = _try(controls, session, "borrows", range(1, 3), recorded=False)
    assert unrecorded.findings == () and unrecorded.flow == Flow()


def test_two_runs_are_needed_to_see_what_depends_on_garbage(
    controls: Project, session: Session
) -> None:
    outcome = _try(controls, session, "stale", range(1, 30))
    assert {finding.check for finding in outcome.findings} == {"uninitialised"}


def test_an_address_in_words(controls: Project) -> None:
    words = where(controls, controls.image.symbols["control_wrong_tail"])
    assert words.startswith("control_wrong_tail")
    assert "faults.c:" in words
