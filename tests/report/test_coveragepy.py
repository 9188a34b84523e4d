"""Native coverage as coverage.py's data, read back by coverage.py's and diff-cover's commands."""

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from coverage import CoverageData

import rig as package
from rig.report.coveragepy import context, native_files, native_parts

from ..synthetic import FULL, GENERIC, LINES, OF, SHIPPED, WIDE, Paths, documents, image, ran

PACKAGE = Path(package.__file__).parent.parent


def put(folder: Path, paths: Paths = FULL, *images: Any, name: str = "rig-report") -> Path:
    """A report folder as a run leaves it; the sources beside it."""
    _, coverage = documents(paths, *images)
    report = folder / name
    report.mkdir(parents=True)
    (report / "coverage.json").write_text(json.dumps(coverage))
    for file, data in native_parts(coverage, name).items():
        (report / file).write_bytes(data)
    for file, text in LINES.items():
        (folder / "proj" / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / "proj" / file).write_text(text)
    return report


def coverage(folder: Path, *arguments: str, rcfile: str = "rig-report/native.coveragerc") -> str:
    """Runs coverage.py in a folder, with the rig importable."""
    name, *rest = arguments
    return run(folder, (sys.executable, "-m", "coverage", name, f"--rcfile={rcfile}", *rest))


def run(folder: Path, command: Sequence[str]) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "arning" not in done.stderr, done.stderr
    return done.stdout


def rows(text: str) -> dict[str, list[str]]:
    """A text report by file."""
    return {line.split()[0]: line.split()[1:] for line in text.splitlines() if "proj/" in line}


PARTLY: Paths = (ran(GENERIC, [0, 2, 8, 11], ways=1), ran(WIDE, [16, 19, 28, 31], ways=1))


def test_report(tmp_path: Path) -> None:
    put(tmp_path, PARTLY)
    found = rows(coverage(tmp_path, "report", "-m"))
    assert found["proj/c/chacha.c"] == [
        "5",
        "2",
        "4",
        "2",
        "56%",
        "3->exit,",
        "4,",
        "9->exit,",
        "10",
    ]
    assert found["proj/c/twice.h"] == ["1", "0", "0", "0", "100%"]
    assert found["proj/shipped.o.lst"] == ["3", "3", "2", "0", "0%", "2-4"]
    assert not any("support" in file for file in found)


def test_a_full_run_is_full(tmp_path: Path) -> None:
    put(tmp_path)
    text = coverage(tmp_path, "report", "--fail-under=100")
    assert text.splitlines()[-1].split() == ["TOTAL", "9", "0", "6", "0", "100%"]


def test_branches_that_were_not_recorded_are_none(tmp_path: Path) -> None:
    put(tmp_path, tuple(ran(name, ways=None) for name in OF))
    text = coverage(tmp_path, "report")
    assert text.splitlines()[-1].split() == ["TOTAL", "9", "0", "0", "0", "100%"]


def test_xml_and_lcov(tmp_path: Path) -> None:
    report = put(tmp_path, PARTLY)
    coverage(tmp_path, "xml")
    classes = {
        row.get("filename"): row
        for row in ElementTree.parse(report / "coverage.xml").getroot().iter("class")
    }
    lines = {row.get("number"): row for row in classes["proj/c/chacha.c"].iter("line")}
    assert {number: row.get("hits") for number, row in lines.items()} == {
        "3": "1", "4": "0", "9": "1", "10": "0", "11": "1",
    }  # fmt: skip
    assert lines["3"].get("condition-coverage") == "50% (1/2)"
    coverage(tmp_path, "lcov")
    records = (report / "coverage.lcov").read_text().split("end_of_record\n")
    (text,) = (record for record in records if "SF:proj/c/chacha.c\n" in record)
    assert "DA:4,0\n" in text
    assert "BRDA:3,0,generic+0x2 taken,1\nBRDA:3,0,generic+0x2 not taken,0\n" in re.sub(
        r"(BRDA:3.*not taken.*\n)(BRDA:3.* taken.*\n)", r"\2\1", text
    )
    assert "FN:3,4,generic\n" in text and "FN:9,11,wide\n" in text


def test_html(tmp_path: Path) -> None:
    report = put(tmp_path, PARTLY)
    coverage(tmp_path, "html")
    pages = [page.read_text() for page in (report / "htmlcov").glob("*.html")]
    (page,) = (p for p in pages if "return</span>" in p or "return twice(n)" in p)
    assert "generic+0x2 jne generic+8: the way `not taken` was not seen" in page
    assert "chacha20/wide|x86_64|direct" in page
    assert any("shipped.o.lst" in p and "+0x2  je shipped+4" in p for p in pages)


@pytest.mark.parametrize(
    ("kind", "variants", "primitive", "name"),
    [
        ("direct", ["chacha20/wide"], "chacha20", "chacha20/wide|x86_64|direct"),
        ("mask", ["chacha20/wide"], "chacha20", "chacha20/wide|x86_64|0x1:0x0,0x3:0x0"),
        (
            "mask",
            ["fused/-", "aes/ssse3", "ghash/pclmul"],
            "aes_gcm",
            "aes_gcm/aes=ssse3,ghash=pclmul|x86_64|0x1:0x0,0x3:0x0",
        ),
    ],
)
def test_contexts(kind: str, variants: list[str], primitive: str, name: str) -> None:
    _, path = ran(WIDE)
    masks = ["0x1:0x0", "0x3:0x0"]
    changed = {"kind": kind, "variants": variants, "primitive": primitive, "masks": masks}
    assert context(path | changed) == name


def test_a_context_holds_what_its_path_executed(tmp_path: Path) -> None:
    report = put(tmp_path, PARTLY)
    data = CoverageData(basename=str(report / "native.coverage"))
    data.read()
    assert data.measured_contexts() >= {f"{v}|x86_64|direct" for v in (GENERIC, WIDE)}
    data.set_query_contexts(["chacha20/wide.*direct"])
    assert sorted(data.lines("proj/c/chacha.c") or []) == [9, 11]
    assert data.file_tracer("proj/c/chacha.c") == "rig.coverage_plugin.NativePlugin"


def test_machines_merge(tmp_path: Path) -> None:
    """One machine sees one way of the jump, the other the other; arm's jumps are its own."""
    put(tmp_path, (ran(GENERIC, ways=1),), name="a")
    put(tmp_path, (ran(GENERIC, ways=2),), name="b")
    put(tmp_path, (ran(GENERIC, ways=1, arch="aarch64"),), image("aarch64"), name="c")
    text = (tmp_path / "a" / "native.coveragerc").read_text().replace("a/native", "all/native")
    (tmp_path / "all").mkdir()
    (tmp_path / "two.rc").write_text(text)
    (tmp_path / "three.rc").write_text(text.replace("a/coverage.json", "?/coverage.json"))
    names = [f"{name}/native.coverage" for name in "abc"]
    coverage(tmp_path, "combine", "--keep", *names[:2], rcfile="two.rc")
    found = rows(coverage(tmp_path, "report", rcfile="two.rc"))["proj/c/chacha.c"]
    assert found == ["5", "3", "4", "0", "44%"]
    coverage(tmp_path, "combine", "--keep", *names, rcfile="three.rc")
    found = rows(coverage(tmp_path, "report", rcfile="three.rc"))["proj/c/chacha.c"]
    assert found == ["5", "3", "8", "1", "38%"]


def test_a_document_that_is_missing_is_said(tmp_path: Path) -> None:
    report = put(tmp_path)
    (report / "coverage.json").unlink()
    with pytest.raises(AssertionError, match=r"no coverage document: rig-report/coverage\.json"):
        coverage(tmp_path, "report")


def test_sources_that_cannot_be_read_show_their_code() -> None:
    built = image()
    built["files"][0]["lines"] = None
    _, coverage = documents(FULL, built)
    text = native_files([coverage])["proj/c/chacha.c"].text.splitlines()
    assert text[2] == "test edi, edi; jne generic+8"
    assert native_files([coverage])["proj/shipped.o.lst"].text.startswith("shipped:\n  +0x0  test")


def test_a_line_of_two_functions_belongs_to_none() -> None:
    _, coverage = documents(FULL)
    files = native_files([coverage])
    assert files["proj/c/twice.h"].functions == {}
    assert files["proj/c/chacha.c"].functions == {
        "generic": frozenset((3, 4)),
        "wide": frozenset((9, 10, 11)),
    }


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_diff_cover_reads_both(tmp_path: Path) -> None:
    """A commit adds the body of `wide`; diff-cover names the line that was not executed."""
    pytest.importorskip("diff_cover")
    report = put(tmp_path, PARTLY)
    source = tmp_path / "proj" / "c" / "chacha.c"
    whole = source.read_text()
    source.write_text("".join(whole.splitlines(keepends=True)[:6]))
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@x")
    run(tmp_path, (*git, "init", "-q", "-b", "main"))
    run(tmp_path, (*git, "add", "proj"))
    run(tmp_path, (*git, "commit", "-q", "-m", "before"))
    source.write_text(whole)
    for kind in ("xml", "lcov"):
        coverage(tmp_path, kind)
        made = str(report.relative_to(tmp_path) / f"coverage.{kind}")
        program = "from diff_cover.diff_cover_tool import main; import sys; sys.exit(main())"
        command = (sys.executable, "-c", program, made, "--compare-branch=main")
        text = run(tmp_path, command)
        assert "proj/c/chacha.c (66.7%): Missing lines 10" in text, text


def test_only_the_objects_of_a_file_that_was_built(tmp_path: Path) -> None:
    """Nothing of `shipped` ran: its file is there all the same, at 0%."""
    put(tmp_path, (ran(GENERIC),))
    assert rows(coverage(tmp_path, "report"))["proj/shipped.o.lst"][0] == "3"
    assert set(native_files([documents((ran(SHIPPED),))[1]])) == {
        "proj/c/chacha.c",
        "proj/c/twice.h",
        "proj/shipped.o.lst",
    }
