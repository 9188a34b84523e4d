"""Whole runs: what is printed, written and returned; with workers and without."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Run = Callable[..., pytest.RunResult]
Load = Callable[[], dict[str, Any]]

FAULT = "chacha20/x86_64/direct/chacha20=wrong_tail"


def test_a_passing_run(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path, document: Load
) -> None:
    chosen = ("-p", "no:xdist", "-k", "generic and published")
    result = under_pytest("-v", toy, *chosen, "--junitxml=junit.xml")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "rig: seed 1, cache *",
            "rig: */rig.toml x86_64: * compiled, * reused, 4 paths",
            "controls   * of * planted faults caught, *clean twin*",
            "paths      2 by mask + 2 direct: 2 proven, 0 failed, 2 not run",
            "cases      28 judged in *, 0 failed",
            "not run    no item of this path was selected: chacha20=ssse3",
            "report     rig-report/index.html, results.json",
        ]
    )
    totals = document()["totals"]
    assert (totals["cases"], totals["failed"]) == (28, 0)
    names = [
        case.get("name") for case in ElementTree.parse(pytester.path / "junit.xml").iter("testcase")
    ]
    assert "chacha20/x86_64/mask/chacha20=generic/published" in names
    assert not list((pytester.path).glob("**/part-*"))


def test_a_failing_run_says_what_and_how_to_replay(
    pytester: pytest.Pytester, under_pytest: Run, faulty: Path, document: Load
) -> None:
    """With two workers, which write into one plan: the last screen and the report are whole."""
    result = under_pytest("-n", "2", faulty, "-k", "edges or published", "--junitxml=junit.xml")
    assert result.ret == 1
    text = result.stdout.str()
    assert "value: `out` differs from byte " in text
    assert re.search(r"^  right .*chacha20=clean", text, re.MULTILINE)
    assert re.search(r"^  wrong .*chacha20=wrong_tail", text, re.MULTILINE)
    replay = re.search(r"^  replay +(rig replay .*)$", text, re.MULTILINE)
    assert replay is not None
    case = pytester.path / shlex.split(replay[1])[2]
    assert case.is_file()
    found = (pytester.path / "junit.xml").read_text()
    assert "differs from byte" in found and "rig replay" in found
    assert "Traceback" not in text and "items.py" not in text
    verdicts = {path["id"]: path["verdict"] for path in document()["paths"]}
    assert verdicts.pop(FAULT) == "fail"
    assert set(verdicts.values()) == {"pass"}


COUNTS = """
    import os
    from pathlib import Path

    import rig.build.project
    import rig.plan
    import rig.project

    LOG = Path({log!r})

    def counted(module, name):
        function = getattr(module, name)
        def wrapper(*arguments, **keywords):
            with LOG.open("a") as file:
                file.write(f"{{name}} {{os.environ.get('PYTEST_XDIST_WORKER', 'controller')}}\\n")
            return function(*arguments, **keywords)
        setattr(module, name, wrapper)

    counted(rig.plan, "make_plan")
    counted(rig.plan, "enumerate_paths")
    counted(rig.plan, "run_controls")
    counted(rig.plan, "build")
"""


def test_workers_neither_build_nor_enumerate(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path, document: Load
) -> None:
    log = pytester.path / "log"
    pytester.makeconftest(COUNTS.format(log=str(log)))
    result = under_pytest("-n", "2", toy, "-k", "published or edges")
    result.assert_outcomes(passed=8)
    lines = log.read_text().split("\n")
    assert {line.split()[1] for line in lines if line} == {"controller"}
    assert lines.count("enumerate_paths controller") == 1
    assert lines.count("build controller") == 2, "the project, and the controls"
    cases = {path["id"]: path["cases"] for path in document()["paths"]}
    assert len(cases) == 4
    assert all(set(counts) == {"published", "edges"} for counts in cases.values())


def test_stopping_at_the_first_failure_keeps_the_old_report(
    pytester: pytest.Pytester, under_pytest: Run, faulty: Path
) -> None:
    old = pytester.mkdir("rig-report")
    (old / "results.json").write_text("old")
    result = under_pytest("-x", faulty, "-k", "wrong_tail")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["report     cut short: the report was not replaced"])
    assert (old / "results.json").read_text() == "old"


def test_an_item_that_breaks_is_neither_a_pass_nor_a_skip(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path, document: Load
) -> None:
    """A fault of the rig itself, here a compiled batch that cannot be read."""
    pytester.makeconftest(
        """
        import rig.lab

        def broken(*_):
            raise RuntimeError("the batch is broken")

        rig.lab.unpack = broken
        """
    )
    result = under_pytest(toy, "-k", "mask and generic and published")
    assert result.ret == 1
    (path,) = (p for p in document()["paths"] if p["failed"])
    assert path["verdict"] == "fail"
    assert path["reason"] == {"code": "error", "text": "RuntimeError: the batch is broken"}


def test_what_a_user_can_put_right_is_one_line(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path
) -> None:
    pytester.makeconftest(
        """
        import rig.errors, rig.lab

        def broken(*_):
            raise rig.errors.RigError("the disk is full")

        rig.lab.unpack = broken
        """
    )
    result = under_pytest(toy, "-k", "mask and generic and published")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["the disk is full"])
    result.stdout.no_fnmatch_line("*conftest.py*")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rig-force=chacha20=avx9"], "rig: --force chacha20=avx9: chacha20 has generic, ssse3"),
        (["--rig-vectors=nowhere"], "rig: --vectors nowhere: no such folder"),
        (["--rig-arch=arm"], "rig: --arch arm: no variant for it in *rig.toml"),
        (
            ["--rig-primitive=chacha20", "--rig-variant=generic", "--ia32cap=0x20000000000"],
            "rig: no path to run on x86_64; asked for: *--ia32cap=0x20000000000*",
        ),
    ],
)
def test_wrong_values_end_pytest_with_one_line(
    under_pytest: Run, toy: Path, arguments: list[str], words: str
) -> None:
    result = under_pytest(toy, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words}*"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert len(result.stderr.str().strip().splitlines()) == 1
