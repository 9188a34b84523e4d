"""Where no manifest is named the plugin does nothing, and costs nothing."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rig.options import OPTIONS

Run = Callable[..., pytest.RunResult]

LOOKS = """
    import sys

    HEAVY = ("hypothesis", "elftools", "iced_x86", "cffi", "filelock", "ziglang", "rich", "tomllib")

    def test_nothing_is_imported():
        assert sorted(set(HEAVY) & set(sys.modules)) == []
        ours = sorted(name for name in sys.modules if name.partition(".")[0] == "rig")
        assert ours == ["rig", "rig.errors", "rig.options", "rig.plugin"]
"""


def test_a_run_without_a_manifest_imports_the_table_of_options_only(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path
) -> None:
    pytester.makepyfile(LOOKS)
    result = under_pytest("-p", "no:hypothesispytest", "-p", "no:xdist", "-p", "no:pytest_cov")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*rig:*")
    assert not (pytester.path / "rig-report").exists()


def test_rig_toml_is_not_collected_by_itself(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path
) -> None:
    pytester.makepyfile("def test_own(): pass")
    under_pytest(".").assert_outcomes(passed=1)


def test_the_ini_key_means_a_bare_run_and_folders_but_no_other_file(
    pytester: pytest.Pytester, under_pytest: Run, toy: Path
) -> None:
    """One test file of the user builds nothing."""
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own(): pass")
    pytester.makeini("[pytest]\nrig_manifest = rig.toml\ntestpaths = tests")
    under_pytest("tests/test_own.py").assert_outcomes(passed=1)
    for arguments in ((), (".",)):
        result = under_pytest("-k", "own or (direct and generic and published)", *arguments)
        result.assert_outcomes(passed=2)


def test_the_help_shows_each_option_once(pytester: pytest.Pytester, under_pytest: Run) -> None:
    text = under_pytest("--help").stdout.str()
    _, _, group = text.partition("variant rig: native variants")
    for option in OPTIONS:
        assert len(re.findall(rf"^  {option.pytest_flag}\b", text, re.MULTILINE)) == 1
        assert f"  {option.pytest_flag}" in group
    assert {o.pytest_flag for o in OPTIONS if not o.pytest_flag.startswith("--rig-")} == {
        "--cap-matrix",
        "--ia32cap",
        "--armcap",
    }


def test_a_conftest_may_have_options_of_these_names(
    pytester: pytest.Pytester, under_pytest: Run
) -> None:
    names = ("cpu", "seed", "arch", "force", "report", "variant", "cc", "vectors")
    lines = "".join(f'    parser.addoption("--{name}")\n' for name in names)
    pytester.makeconftest(f"def pytest_addoption(parser):\n{lines}")
    pytester.makepyfile("def test_own(request): assert request.config.getoption('cpu') == 'x'")
    under_pytest("--cpu", "x").assert_outcomes(passed=1)


def test_marks_are_registered(under_pytest: Run) -> None:
    text = under_pytest("--markers").stdout.str()
    for mark in ("primitive", "variant", "arch", "isa", "kind"):
        assert f"@pytest.mark.{mark}(" in text
