"""Several runs as one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rig.errors import RigError
from rig.report.merge import Run, merge, read_run

from ..synthetic import FULL, GENERIC, WIDE, Paths, documents, failed, image, ran, skipped, write


def run(name: str, paths: Paths = FULL, *images: Any, **rest: Any) -> Run:
    results, coverage = documents(paths, *images, **rest)
    return Run(name, results, coverage, {f"{name}.json": b"{}"})


def path(merged: Run, id: str = "chacha20/x86_64/direct/chacha20=wide") -> dict[str, Any]:
    (found,) = (row for row in merged.results["paths"] if row["id"] == id)
    return dict(found)


def test_one_run_is_itself() -> None:
    alone = run("a")
    assert merge([alone]) is alone


def test_the_same_build_unites_hits_and_counts_cases() -> None:
    merged = merge([run("a", (ran(WIDE, [16, 19], 1),)), run("b", (ran(WIDE, [16, 28], 2),))])
    (covered,) = merged.coverage["paths"]
    assert (covered["hits"], covered["branches"]) == ([16, 19, 28], [[19, 3]])
    assert len(merged.coverage["images"]) == 1
    found = path(merged)
    assert found["cases"] == {"published": 20}
    assert found["coverage"] == {
        "instructions": {"covered": 3, "total": 6},
        "branches": {"covered": 2, "total": 2},
    }
    (wide,) = (v for v in merged.results["variants"] if v["variant"] == "wide")
    assert wide["coverage"] == found["coverage"]
    assert merged.results["totals"]["cases"] == 20
    assert [row["from"] for row in merged.results["runs"]] == ["a", "b"]
    assert sorted(merged.cases) == ["a.json", "b.json"]


def test_a_run_beats_a_skip_and_a_failure_beats_all() -> None:
    skips = run("a", (skipped(WIDE), failed(GENERIC)))
    runs = run("b", (ran(WIDE), ran(GENERIC)))
    for order in ([skips, runs], [runs, skips]):
        merged = merge(order)
        assert (path(merged)["verdict"], path(merged)["reason"]) == ("pass", None)
        generic = path(merged, "chacha20/x86_64/direct/chacha20=generic")
        assert (generic["verdict"], generic["failed"]) == ("fail", 2)
        assert generic["checks"] == {"value": "fail"}
        assert merged.results["totals"] == {"cases": 30, "carried": 0, "failed": 2, "skipped": 0}


def test_a_race_that_was_judged_beats_one_that_was_not() -> None:
    one, two, three = run("a"), run("b"), run("c")
    one.results["races"][0] |= {"schedules": 0, "reason": "alone it leaves the vector as it is"}
    three.results["races"][0] |= {"findings": ["half a vector"]}
    (race,) = merge([one, two]).results["races"]
    assert (race["schedules"], race["findings"], race["reason"]) == (20, [], None)
    merged = merge([one, two, three])
    assert [row["findings"] for row in merged.results["races"]] == [["half a vector"]]
    assert merged.results["totals"]["failed"] == 1


def test_architectures_stand_side_by_side() -> None:
    absent = {"reason": "another machine", "fix": "run there"}
    archs = {"architectures": ["aarch64", "x86_64"]}
    one = run("a", FULL, image(**archs), absent=[{"arch": "aarch64", **absent}])
    rows = (ran(WIDE, arch="aarch64"),)
    two = run("b", rows, image("aarch64", **archs), absent=[{"arch": "arm", **absent}])
    merged = merge([one, two])
    assert {row["arch"] for row in merged.results["paths"]} == {"x86_64", "aarch64"}
    assert [row["arch"] for row in merged.results["run"]["absent"]] == ["arm"]
    assert merged.results["totals"]["skipped"] == 1
    assert len(merged.results["dispatch"]) == 2
    assert len([v for v in merged.results["variants"] if v["variant"] == "wide"]) == 2


def test_different_sources_are_refused() -> None:
    with pytest.raises(RigError) as error:
        merge([run("a"), run("b/rig-report", FULL, image(digest="0ther"))])
    assert str(error.value) == (
        "a and b/rig-report: proj x86_64 zig 0 was built from different sources (code d1cex86_ "
        "and 0ther); run both on one commit"
    )


def test_an_emulated_path_stands_beside_the_native_one() -> None:
    row, covered = ran(WIDE)
    emulated = run("b", ((row | {"emulator": "qemu-x86_64"}, covered),))
    merged = merge([run("a", (ran(WIDE),)), emulated])
    assert [p["emulator"] for p in merged.results["paths"]] == [None, "qemu-x86_64"]
    assert len(merged.coverage["paths"]) == 1


def test_reading(tmp_path: Path) -> None:
    folder = write(tmp_path / "rig-report")
    (folder / "cases").mkdir()
    (folder / "cases" / "1-value.json").write_text("{}")
    for named in (folder, folder / "results.json"):
        found = read_run(str(named))
        assert found.cases == {"1-value.json": b"{}"} and len(found.results["paths"]) == 3


def _cut(folder: Path) -> None:
    (folder / "results.json").write_text("{")


def _newer(folder: Path) -> None:
    (folder / "results.json").write_text('{"schema": 2, "paths": []}')


def _older(folder: Path) -> None:
    (folder / "coverage.json").write_text('{"schema": 1, "paths": [], "images": [{}]}')


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "results.json").unlink(), "no report: "),
        (lambda folder: (folder / "coverage.json").unlink(), "coverage.json: No such file"),
        (_cut, "results.json: not JSON"),
        (_newer, "results.json: not a report of schema 1; run `rig run` again"),
        (_older, "coverage.json: written by an older rig; run `rig run` again"),
    ],
)
def test_what_is_no_report(tmp_path: Path, spoil: Callable[[Path], Any], message: str) -> None:
    folder = write(tmp_path / "rig-report")
    spoil(folder)
    with pytest.raises(RigError) as error:
        read_run(str(folder))
    assert message in str(error.value)


def test_a_merged_document_keeps_to_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    path = Path(__file__).parents[2] / "docs" / "results.schema.json"
    schema = jsonschema.Draft202012Validator(json.loads(path.read_text()))
    schema.validate(merge([run("a"), run("b", (ran(WIDE, [16]),))]).results)
