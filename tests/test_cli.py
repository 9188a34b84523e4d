"""The command line: one clear line for what is wrong, and the right exit code."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rig import __version__, cli
from rig.build import toolchain
from rig.errors import BuildError, RigError
from rig.options import OPTIONS

Told = Callable[..., tuple[int, str, str]]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Exit code and what was printed."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = cli.main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_without_a_command_the_help_is_shown(told: Told) -> None:
    code, out, err = told()
    assert (code, out) == (2, "")
    for command in cli.COMMANDS:
        assert f"  {command.name} " in err


def test_version(told: Told) -> None:
    assert told("--version") == (0, f"variant-rig {__version__}\n", "")


@pytest.mark.parametrize("command", [command.name for command in cli.COMMANDS])
def test_every_command_has_help_and_a_function(told: Told, command: str) -> None:
    code, out, _ = told(command, "--help")
    assert code == 0 and out.startswith(f"usage: rig {command}")
    module, _, name = next(c.function for c in cli.COMMANDS if c.name == command).partition(":")
    assert callable(getattr(importlib.import_module(module), name))


def test_the_help_of_run_names_every_option(told: Told) -> None:
    _, out, _ = told("run", "--help")
    assert all(f"  --{option.name}" in out for option in OPTIONS)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["rnu"], "rig: argument COMMAND: invalid choice: 'rnu' (choose from "),
        (
            ["run", "--primitve=x"],
            "rig run: unknown argument --primitve=x; did you mean --primitive?",
        ),
        (["run", "--zzz"], "rig run: unknown argument --zzz; see rig run --help"),
        (["run", "--seed=x"], "rig run: argument --seed: invalid int value: 'x'"),
        (["run", "--seed=-1"], "rig: --seed -1: a number from 0 to 4294967295"),
        (["run", "--cap-matrix=x"], "rig run: argument --cap-matrix: invalid choice: 'x'"),
        (["run", "-j", "0"], "rig: -j 0: a number of processes, 1 or more"),
        (["run", "-j", "many"], "rig: -j many: a number of processes, 1 or more"),
        (["run", "nowhere.toml"], "rig: nowhere.toml: no such manifest; name a rig.toml, or run"),
        (["run", "empty"], "rig: empty/rig.toml: no such manifest; name a rig.toml, or run"),
        (["run", "--cache-dir=/proc/x"], "rig: /proc/x: cannot write the cache: "),
        (["paths", "nowhere.toml"], "rig: nowhere.toml: no such manifest"),
        (["coverage"], "rig coverage: the following arguments are required: variant"),
        (["replay", "--emit=go", "x"], "rig replay: argument --emit: invalid choice: 'go'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    told: Told,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    code, out, err = told(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(line)
    assert err.count("\n") == 1


def test_rig_toml_here_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (bundled,) = cli.manifest_paths([])
    assert bundled.parts[-2:] == ("native", "rig.toml")
    (tmp_path / "rig.toml").touch()
    assert cli.manifest_paths([]) == [Path("rig.toml")]
    assert cli.manifest_paths([str(tmp_path)]) == [tmp_path / "rig.toml"]


def test_a_folder_of_the_name_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rig.toml").mkdir()
    with pytest.raises(RigError, match="no such manifest"):
        cli.manifest_paths([])


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (RigError("it is broken"), 2, "rig: it is broken\n"),
        (KeyboardInterrupt(), 2, "rig: interrupted\n"),
    ],
)
def test_errors_of_commands(
    told: Told, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, line: str
) -> None:
    def broken(_parsed: object) -> int:
        raise error

    monkeypatch.setattr(cli, "run", broken)
    assert told("run") == (code, "", line)


def test_what_follows_two_dashes_goes_to_pytest(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[list[str]] = []

    def pytest_main(arguments: list[str]) -> int:
        seen.append(arguments)
        return 0

    monkeypatch.setattr(pytest, "main", pytest_main)
    options = ["--force=ghash=table4", "--ia32cap=~1:", f"--cache-dir={tmp_path}", "-j", "3"]
    assert told("run", *options, "--", "-k", "a or b", "--x")[0] == 0
    (arguments,) = seen
    assert arguments[-3:] == ["-k", "a or b", "--x"]
    assert {"--rig-force=ghash=table4", "--ia32cap=~1:"} <= set(arguments)
    assert arguments[arguments.index("-n") + 1] == "3"


@pytest.mark.parametrize(("ended", "code"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 2)])
def test_exit_codes(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ended: int, code: int
) -> None:
    monkeypatch.setattr(pytest, "main", lambda _arguments: ended)
    assert told("run", f"--cache-dir={tmp_path}")[0] == code


def test_a_missing_compiler_is_told_with_the_line_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(BuildError, match="ziglang wheel is missing: `pip install ziglang`"):
        toolchain.find_toolchain()


def test_the_help_imports_nothing_heavy() -> None:
    look = (
        "import sys; from rig.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'pytest', 'hypothesis', 'cffi', 'elftools', 'iced_x86'} & set(sys.modules)))"
    )
    root = Path(cli.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, cwd=root, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
