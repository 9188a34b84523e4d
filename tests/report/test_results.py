"""results.json from the rows of workers."""

import json
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest

from rig.capabilities.paths import Sweep, direct_paths
from rig.checks.controls import Control
from rig.checks.findings import CHECKS
from rig.data import data_folder
from rig.options import Options
from rig.plan import Absence, Plan
from rig.project import Project, decoded, functions_of
from rig.report.coverage import coverage
from rig.report.results import ERROR, SCHEMA, results
from rig.tally import skipped_row

NONE = {"code": "not-selected", "text": "no item of this path was selected"}
MISMATCH = "chacha20: mask 0x0, length 0: the dispatcher chose something else"
CLEAN, WRONG = (f"chacha20/x86_64/direct/chacha20={name}" for name in ("clean", "wrong_tail"))


@pytest.fixture
def plan(controls: Project, tmp_path: FilePath) -> Plan:
    """The direct paths of the clean twin and of one fault."""
    paths = direct_paths(controls.manifest.primitives["chacha20"], controls.arch)
    sweep = Sweep("chacha20", "x86_64", 2, 318, True, paths, (MISMATCH,))
    return Plan(
        folder=tmp_path,
        cache=tmp_path,
        options=Options(variant=("clean", "wrong_tail")),
        toolchain="zig 0",
        projects=(replace(controls, sweeps=(sweep,)),),
        controls=(
            Control("x86_64", "crash", "crash", ("crash", "value")),
            Control("x86_64", "clean", "", ("abi",)),
        ),
        absences=(Absence("arm", "no runner", "run with --arch x86_64"),),
        build_seconds=1.0,
        plan_seconds=1.0,
    )


def _row(path: str, source: str = "sweep", cases: int = 10, **changed: Any) -> dict[str, Any]:
    whole = {
        "manifest": str(data_folder("native") / "controls" / "rig.toml"),
        "path": path,
        "source": source,
        "published": {},
        "cases": cases,
        "failed": 0,
        "abandoned": 0,
        "checks": [],
        "findings": [],
        "hits": [],
    }
    return whole | changed


def _paths(plan: Plan, *rows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {path["id"]: path for path in results(plan, rows, NONE)["paths"]}


def test_the_document_is_json_with_the_designed_keys(plan: Plan) -> None:
    document = json.loads(json.dumps(results(plan, [_row(CLEAN)], NONE)))
    assert document["schema"] == SCHEMA == 1
    assert {"schema", "run", "totals", "variants", "paths"} <= set(document)
    assert {"host", "seed", "profile", "rig", "toolchain", "absent"} <= set(document["run"])
    keys = {"id", "target", "arch", "toolchain", "opt", "emulator", "primitive", "path", "kind"}
    keys |= {"variants", "masks", "verdict", "reason", "cases", "failed", "checks", "coverage"}
    for path in document["paths"]:
        assert keys <= set(path)
        assert all(mask.startswith("0x") for mask in path["masks"])
        assert set(path["coverage"]["instructions"]) == {"covered", "total"}
    assert document["run"]["absent"][0]["arch"] == "arm"


def test_ids_and_variants_refer_to_each_other(plan: Plan) -> None:
    document = results(plan, [], NONE)
    ids = [path["id"] for path in document["paths"]]
    assert sorted(ids) == [CLEAN, WRONG]
    named = {v["variant"]: v["paths"] for v in document["variants"]}
    assert named["clean"] == [CLEAN] and named["wrong_tail"] == [WRONG]
    assert named["crash"] == []


@pytest.mark.parametrize(
    ("rows", "verdict", "failed", "code"),
    [
        ([], "skipped", 0, "not-selected"),
        ([_row(CLEAN)], "pass", 0, None),
        ([_row(CLEAN), _row(CLEAN, "edges", failed=3, checks=["value"])], "fail", 3, None),
        ([_row(CLEAN, failed=1, checks=["memory"]), _row(CLEAN, "edges")], "fail", 1, None),
        ([_row(CLEAN, cases=0, abandoned=9, failed=1, checks=["timeout"])], "fail", 1, None),
    ],
)
def test_verdicts(
    plan: Plan, rows: list[dict[str, Any]], verdict: str, failed: int, code: str | None
) -> None:
    path = _paths(plan, *rows)[CLEAN]
    assert (path["verdict"], path["failed"]) == (verdict, failed)
    assert (path["reason"] or {"code": None})["code"] == code


def test_the_rigs_own_failure_is_no_skip(plan: Plan) -> None:
    (path,) = (p for p in plan.paths(plan.projects[0]) if p.id == CLEAN)
    error = skipped_row(path, "sweep", ERROR, "RunnerError: it broke")
    found = _paths(plan, _row(CLEAN, "edges"), {**_row(CLEAN), **error})[CLEAN]
    assert (found["verdict"], found["failed"]) == ("fail", 1)
    assert found["reason"] == {"code": "error", "text": "RunnerError: it broke"}


def test_what_this_cpu_cannot_run_says_so_even_if_nothing_was_selected(plan: Plan) -> None:
    project = plan.projects[0]
    paths = tuple(replace(p, needs=frozenset({"avx512f"})) for p in project.sweeps[0].paths)
    bare = replace(
        project,
        host=type(project.host).base("x86_64"),
        sweeps=(replace(project.sweeps[0], paths=paths),),
    )
    found = _paths(replace(plan, projects=(bare,)))[CLEAN]
    assert found["verdict"] == "skipped"
    assert found["reason"] == {"code": "cpu", "text": "this CPU lacks avx512f"}


def test_checks_name_what_fired(plan: Plan) -> None:
    checks = _paths(plan, _row(WRONG, failed=2, checks=["value", "abi"]))[WRONG]["checks"]
    assert {name for name, verdict in checks.items() if verdict == "fail"} == {"value", "abi"}
    apart = {"dispatch", "constant-time", "unwind", "stack", "object", "race"}
    assert set(checks) == set(CHECKS) - apart
    for name in ("constant-time", "unwind", "stack"):
        alone = _paths(plan, {**_row(WRONG), "source": name})[WRONG]["checks"]
        assert alone[name] == "pass"


def test_totals_count_cases_mismatches_and_absences(plan: Plan) -> None:
    rows = [_row(CLEAN), _row(CLEAN, "edges", 5), _row(WRONG, failed=2, checks=["value"])]
    document = results(plan, rows, NONE)
    assert document["totals"] == {"cases": 25, "carried": 0, "failed": 3, "skipped": 1}
    cases = {path["id"]: path["cases"] for path in document["paths"]}
    assert cases == {CLEAN: {"sweep": 10, "edges": 5}, WRONG: {"sweep": 10}}
    assert document["dispatch"][0]["mismatches"] == [MISMATCH]
    assert [control["held"] for control in document["controls"]] == [True, False]


def test_coverage_counts_instructions_of_the_variants_functions_once(plan: Plan) -> None:
    project = plan.projects[0]
    base = project.image.text.address
    (stanza,) = (v for v in project.manifest.variants("x86_64") if v.name == "wrong_tail")
    own = {function.address for function in functions_of(project, stanza)}
    functions = [f for f in decoded(project.image).functions if f.address in own]
    offsets = sorted({i.address - base for f in functions for i in f.instructions})
    rows = [_row(WRONG, hits=offsets[:2]), _row(WRONG, "edges", hits=[offsets[1], 1 << 30])]
    document = results(plan, rows, NONE)
    wanted = {"covered": 2, "total": len(offsets)}
    (path,) = (p for p in document["paths"] if p["id"] == WRONG)
    (variant,) = (v for v in document["variants"] if v["variant"] == "wrong_tail")
    assert path["coverage"]["instructions"] == variant["coverage"]["instructions"] == wanted


def test_two_manifests_with_the_same_paths_are_kept_apart(plan: Plan) -> None:
    project = plan.projects[0]
    other = replace(project, manifest=replace(project.manifest, path=FilePath("/other/rig.toml")))
    rows = [_row(CLEAN, failed=1, checks=["value"]), _row(CLEAN, manifest="/other/rig.toml")]
    document = results(replace(plan, projects=(project, other)), rows, NONE)
    assert [p["verdict"] for p in document["paths"] if p["id"] == CLEAN] == ["fail", "pass"]


def test_coverage_of_two_manifests_with_the_same_paths_is_kept_apart(plan: Plan) -> None:
    project = plan.projects[0]
    other = replace(project, manifest=replace(project.manifest, path=FilePath("/other/rig.toml")))
    rows = [_row(CLEAN, hits=[0]), _row(CLEAN, manifest="/other/rig.toml", hits=[4])]
    document = coverage(replace(plan, projects=(project, other)), rows)
    assert [p["hits"] for p in document["paths"] if p["id"] == CLEAN] == [[0], [4]]
