"""The report's view of a small run: tests/gold/report.json has a path of every verdict, a source
that could not be read and an object without debugging information."""

import json
from pathlib import Path
from typing import Any

import pytest

from rig.report.executed import Share, gaps, line_mark, reached_by, runs
from rig.report.marked import Group, ListedFunction, SourceFile
from rig.report.reach import images as known_images
from rig.report.view import PathView, View, view

ROOT = Path(__file__).parents[2]
Document = dict[str, Any]


@pytest.fixture
def run() -> Document:
    """`results`, `coverage` and `cases` of the small run."""
    return dict(json.loads((ROOT / "tests" / "gold" / "report.json").read_text()))


def _view(run: Document) -> View:
    return view(run["results"], run["coverage"], run["cases"])


def _path(seen: View, name: str) -> PathView:
    """The path of that name which a mask selects."""
    return next(p for p in seen.paths if p.document["path"] == name and p.kind == "by mask")


def _group(seen: View, title: str) -> Group:
    return next(group for group in seen.images[0].groups if group.title == title)


def _function(group: Group, name: str) -> ListedFunction:
    return next(function for function in group.functions if function.name == name)


def test_the_small_run_is_of_the_schema(run: Document) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "results.schema.json").read_text())
    jsonschema.validate(run["results"], schema)


def test_shares_are_those_of_the_results(run: Document) -> None:
    for path in _view(run).paths:
        if path.instructions and path.directions:
            counts = path.document["coverage"]
            assert counts["instructions"] == {
                "covered": path.instructions.covered,
                "total": path.instructions.total,
            }
            assert counts["branches"] == {
                "covered": path.directions.covered,
                "total": path.directions.total,
            }


@pytest.mark.parametrize(
    ("covered", "total", "text"),
    [(0, 0, "none"), (0, 3, "0.0%"), (999, 1000, "99.9%"), (19999, 20000, "99.9%"), (7, 7, "100%")],
)
def test_a_share_says_100_only_for_every_one(covered: int, total: int, text: str) -> None:
    assert Share(covered, total).text == text


def test_the_head(run: Document) -> None:
    seen = _view(run)
    assert seen.failed
    assert seen.sentence == (
        "2 of 5 paths proven, 1 failed, 1 accepted, 1 not run; 48 cases judged, 3 failed"
    )
    facts = dict(seen.runs[0][1])
    assert facts["arguments"] == "run --seed 1"
    assert facts["prebuilt"] == "clmul.o, SHA-256 00ff"
    assert facts["x86_64 CPU"].endswith("(the base only)")
    assert dict(seen.proof) == {
        "controls": "1 of 1 planted faults caught, the clean twin passes",
        "dispatch": "4 masks asked, 600 undeclared bits flipped, mismatches: 1; "
        "not tested: aes_gcm",
        "race": "40 schedules of two first calls, 1 wrong",
    }


def test_what_fails_on_no_path(run: Document) -> None:
    run["results"] |= {"stale": ["rig.toml:9: finds nothing"]}
    run["results"]["totals"]["failed"] = 0
    seen = _view(run)
    assert seen.failed
    assert seen.alarms == (
        (
            "ghash x86_64: the dispatcher and the manifest disagree",
            ("mask 0x0: chose something else",),
        ),
        (
            "demo_init x86_64: not safe to call at once",
            ("while a call stands, another comes back with half of it",),
        ),
        ("Accepted findings that are found no more", ("rig.toml:9: finds nothing",)),
    )


def test_merged_runs_are_told_apart(run: Document) -> None:
    single = run["results"]["run"]
    run["results"]["runs"] = [{"from": "a", **single}, {"from": "b", **single, "seed": 7}]
    seen = [(name, dict(facts)["seed"][0]) for name, facts in _view(run).runs]
    assert seen == [("a", "1"), ("b", "7")]


def test_the_map_pairs_the_kinds_of_a_path_and_shows_absent_architectures(run: Document) -> None:
    rows = _view(run).map
    assert [row.primitive for row in rows] == ["ghash", "aes_gcm"]
    assert [cell.arch for cell in rows[0].cells] == ["x86_64", "arm"]
    assert [(p.short, p.kind, p.word) for p in rows[0].cells[0].paths] == [
        ("plain", "by mask", "pass"),
        ("plain", "direct", "accepted"),
        ("clmul", "by mask", "FAIL"),
        ("clmul", "direct", "not run"),
    ]
    assert rows[0].cells[1].absent == "no runner for it; run with --arch x86_64"
    assert rows[0].target == ""


def test_what_did_not_run_stands_with_its_fix(run: Document) -> None:
    ((reason, paths),) = _view(run).skipped
    assert (reason.code, reason.text) == ("cpu", "this CPU lacks pclmul")
    assert reason.fix == "run on a CPU that has them"
    assert [(path.slots, path.instructions) for path in paths] == [("ghash=clmul", None)]


def test_a_path_has_the_gaps_of_its_own_functions(run: Document) -> None:
    path = _path(_view(run), "ghash=plain")
    assert [(f.name, f.gaps) for f in path.functions] == [
        (
            "init_plain",
            (
                "+0x3 je +0x8: always taken (plain.c:3)",
                "+0x5 to +0x6: 2 instructions not executed (words.h:2)",
            ),
        ),
        ("step", ()),
    ]
    assert path.common == ()


def test_a_composition_counts_its_slots_and_names_its_own_code(run: Document) -> None:
    path = _path(_view(run), "fused=-,ghash=plain")
    assert [f.name for f in path.functions] == ["init_plain", "step"]
    assert path.functions[1].gaps == ("never entered",)
    assert [(f.name, f.instructions.text) for f in path.common] == [("seal", "100%")]


def test_masks_have_names(run: Document) -> None:
    masks = _path(_view(run), "ghash=clmul").masks
    assert [mask.names for mask in masks] == ["pclmul", "pclmul movbe bits without a name"]
    run["results"]["paths"][0]["masks"] = ["0x1:0x2"]
    assert _view(run).paths[0].masks[0].names == ""


def test_a_failure_has_its_case(run: Document) -> None:
    seen = _view(run)
    (failed,) = seen.failures
    assert failed.anchor == _path(seen, "ghash=clmul").anchor
    (case,) = _path(seen, "ghash=clmul").failures
    assert case.replay == "rig replay cases/0a1b-value.json"
    rows = dict(case.rows)
    assert rows["data"] == f"100 bytes: {'ab' * 32}..."
    assert (rows["count"], rows["seeds"]) == ("7", "2, 3")
    assert rows["mask"] == "0x207808111:0x0:0x0:0x0:0x0 (pclmul)"


def test_a_case_of_no_path_is_shown_all_the_same(run: Document) -> None:
    run["cases"]["0a1b-value"]["path"]["slots"]["ghash"] = "gone"
    (failed,) = _view(run).failures
    assert (failed.anchor, failed.title) == ("", "ghash x86_64 ghash=gone (by mask)")


def test_the_listing_is_of_all_paths_together(run: Document) -> None:
    function = _function(_group(_view(run), "ghash/plain"), "init_plain")
    assert [(row.mark, row.offset, row.text, row.note) for row in function.rows] == [
        ("+", "+0x0", "test rdi, rdi", ""),
        ("+", "+0x3", "je +0x8", ""),
        ("+", "+0x5", "nop", ""),
        ("+", "+0x6", "inc eax", ""),
        ("+", "+0x8", "ret", ""),
    ]
    assert [row.first for row in function.rows] == [False, False, False, True, False]
    labels = [row.place.label if row.place else "" for row in function.rows]
    assert labels == [":3", "", "words.h:2", ":4", ":5"]


def test_each_way_of_running_a_function_is_kept_once(run: Document) -> None:
    function = _function(_group(_view(run), "ghash/plain"), "init_plain")
    assert function.sets == (((2, 2, 1), "1"), ((5,), "2"), ((5,), "3"))
    assert function.by == {0: 0, 2: 1, 4: 0, -1: 2}
    assert function.jumps == (1,)
    assert function.lines == (0, 3, 2, 1, 2, 1, 0, 4, 1, 0, 5, 1)


def test_an_object_without_debugging_information_has_its_disassembly(run: Document) -> None:
    group = _group(_view(run), "ghash/clmul")
    function = _function(group, "init_clmul")
    assert [row.place for row in function.rows] == [None, None, None]
    assert function.rows[1].note == "never taken"
    assert function.lines == (-1, 0, 3)
    assert group.files == ()


def test_indirect_jumps_name_where_they_went(run: Document) -> None:
    function = _function(_group(_view(run), "ghash/plain"), "step")
    assert function.rows[2].note == "went on some path to +0x4"


def _marks(file: SourceFile) -> list[tuple[int, str]]:
    assert file.rows is not None
    return [(row.number, row.mark) for row in file.rows if row.mark]


def test_source_lines_have_marks_and_files_of_several_stand_apart(run: Document) -> None:
    run["coverage"]["paths"][2]["hits"] = []
    run["coverage"]["paths"][2]["branches"] = []
    image = _view(run).images[0]
    (own,) = _group(_view(run), "ghash/plain").files
    assert (own.path, _marks(own)) == (
        "plain.c",
        [(3, "!"), (4, "-"), (5, "+"), (8, "+"), (9, "+")],
    )
    assert own.rows is not None and own.rows[7].text == "        b();"
    assert [(f.path, _marks(f)) for f in image.shared] == [("words.h", [(2, "~")])]
    assert [(f.path, f.rows) for f in image.common.files] == [("gcm.c", None)]
    assert image.unused == ("unused",)
    assert image.allowed == ("step plain.c:8-9: only on overflow (rig.toml:12)",)


def test_variants_that_no_path_is_of_are_named_and_not_listed(run: Document) -> None:
    kept = [path for path in run["coverage"]["paths"] if "ghash/plain" in path["variants"]]
    run["coverage"]["paths"] = kept
    image = _view(run).images[0]
    assert [group.title for group in image.groups] == ["ghash/plain"]
    assert image.left == ("ghash/clmul",)


def test_without_any_branch_directions_are_not_counted_as_missing(run: Document) -> None:
    for path in run["coverage"]["paths"]:
        path["branches"] = []
    seen = _view(run)
    assert [path.directions for path in seen.paths] == [None] * 5
    function = _function(_group(seen, "ghash/clmul"), "init_clmul")
    assert (function.directions, function.rows[1].mark, function.rows[1].note) == (None, "+", "")


def test_nothing_executed(run: Document) -> None:
    for path in run["coverage"]["paths"]:
        path |= {"hits": [], "branches": [], "indirect": []}
    seen = _view(run)
    assert _path(seen, "ghash=plain").instructions == Share(0, 8)
    assert seen.images[0].common.functions == ()
    assert {row.mark for f in _group(seen, "ghash/plain").functions for row in f.rows} == {"-"}


def test_a_path_without_a_row_of_coverage_claims_nothing(run: Document) -> None:
    run["coverage"] = {"schema": 1, "images": [], "paths": []}
    seen = _view(run)
    assert {path.instructions for path in seen.paths} == {None}
    assert seen.images == ()


def test_an_emulated_path_has_the_hits_of_the_same_build(run: Document) -> None:
    run["results"]["paths"].append(run["results"]["paths"][0] | {"emulator": "qemu-x86_64"})
    assert _view(run).paths[-1].instructions == Share(6, 8)


@pytest.mark.parametrize(
    ("marks", "mark"),
    [("+", "+"), ("-", "-"), ("+-", "~"), ("!-", "~"), ("+!", "!"), ("!", "!")],
)
def test_the_mark_of_a_line(marks: str, mark: str) -> None:
    assert line_mark(set(marks)) == mark


def test_runs_begin_with_what_was_executed(run: Document) -> None:
    function = known_images(run["coverage"])[0].functions[0]
    assert runs(function, reached_by([], True)) == (0, 5)
    row = run["coverage"]["paths"][0] | {"hits": [3, 5]}
    assert runs(function, reached_by([row], True)) == (0, 1, 2, 2)


def test_many_gaps_are_cut(run: Document) -> None:
    row = run["coverage"]["images"][0]["functions"][0]
    row["instructions"] = [[n, "nop", None, None, "other", None] for n in range(100)]
    function = known_images(run["coverage"])[0].functions[0]
    seen = reached_by([{"hits": list(range(0, 100, 2)), "branches": []}], False)
    found = gaps(function, seen)
    assert (len(found), found[-1]) == (41, "and 10 more, in the listing")
