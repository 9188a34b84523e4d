"""A failure in words, and the file that replays it."""

import json
import shlex
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from rig.capabilities.paths import Path, direct_paths
from rig.capabilities.vector import Vector
from rig.cases import Answer, Case, Placement, Values, from_json
from rig.checks.findings import Finding
from rig.project import Project
from rig.report.failures import Failure, document, render
from rig.runner.scripts import Side

Gold = Callable[[str, Iterable[str]], None]

ANSWER = Answer({"output": bytes(40)})
CASE = Case(
    "sweep 40",
    Values("chacha20", "ctr32", {"key": bytes(32), "counter": bytes(16), "data": bytes(40)}),
    Placement(Side.START, {"in": 1}, in_place=True),
)
FINDING = Finding(
    "value",
    40,
    "`out` differs from byte 37 of 40",
    ("expected  +32    00 01 02 03 04 05 06 07", "actual    +32    00 01 02 03 04 ff 06 07"),
)


def _paths(project: Project) -> dict[str, Path]:
    primitive = project.manifest.primitives["chacha20"]
    return {path.name: path for path in direct_paths(primitive, project.arch)}


@pytest.fixture
def failure(controls: Project) -> Failure:
    path = _paths(controls)["chacha20=wrong_tail"]
    return Failure(controls, path, Vector.base("x86_64"), (2, 3), FINDING, CASE, ANSWER)


def test_a_failure_in_words(gold: Gold, failure: Failure) -> None:
    agreed = replace(
        failure,
        right=tuple(f"chacha20={name} (direct)" for name in ("clean", "scribble", "borrows")),
        wrong=("chacha20=wrong_tail (direct)",),
        more=12,
    )
    lines = render(agreed, "rig-report")
    gold("failure.txt", [line.replace(failure.id, "ID") for line in lines])
    assert max(map(len, lines)) <= 80


def test_a_failure_of_the_whole_batch_has_no_case(gold: Gold, failure: Failure) -> None:
    finding = Finding("path", None, "chacha20/avx2 did not run: none of rig_chacha20_ctr32_avx2")
    lines = render(replace(failure, finding=finding, case=None, answer=None), "rig-report")
    gold("failure_of_path.txt", lines)
    assert "replay" not in "".join(lines)


def test_the_replay_line_is_quoted_for_a_shell(failure: Failure) -> None:
    line = render(failure, "a report's folder")[-1]
    assert shlex.split(line)[1:] == [
        "rig",
        "replay",
        f"a report's folder/cases/{failure.id}.json",
    ]


def test_the_case_file_holds_all_that_a_replay_needs(failure: Failure) -> None:
    found = json.loads(json.dumps(document(failure)))
    assert found["path"] == {
        "primitive": "chacha20",
        "kind": "direct",
        "slots": {"chacha20": "wrong_tail"},
        "mask": str(failure.mask),
    }
    assert found["seeds"] == [2, 3]
    assert found["manifest"] == str(failure.project.manifest.path)
    assert from_json(found["case"]) == replace(CASE, expected=ANSWER)
    assert found["finding"]["check"] == "value"


def test_each_case_path_mask_and_check_has_a_file_of_its_own(failure: Failure) -> None:
    paths = _paths(failure.project)
    others = [
        failure,
        replace(failure, path=paths["chacha20=clean"]),
        replace(failure, mask=Vector.full("x86_64")),
        replace(failure, finding=replace(FINDING, check="memory")),
        replace(failure, case=replace(CASE, placement=Placement())),
    ]
    assert len({other.id for other in others}) == len(others)
    assert replace(failure, seeds=(4, 5)).id == failure.id
