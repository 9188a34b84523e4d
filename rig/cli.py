"""The `rig` command: a thin door to pytest, and to the stations that need no pytest.

Enters: arguments. Leaves: an exit code (0 passed, 1 a failure, 2 could not run). Never here:
what a command does; each is one function elsewhere, imported when it is asked for.
"""

import argparse
import difflib
import importlib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from rig import __version__
from rig.errors import RigError
from rig.options import OPTIONS, Option, Options, gather, pytest_arguments

COULD_NOT_RUN = 2
DEFAULT_MANIFEST = "rig.toml"


@dataclass(frozen=True, slots=True)
class Command:
    """`function` is module:name; it takes the parsed arguments and gives an exit code."""

    name: str
    help: str
    function: str


# Items are no test functions: there are no asserts to rewrite (pytest would rewrite all of
# Hypothesis on the way), and Hypothesis's plugin would be imported by each process in vain.
_FIXED = (
    *("-p", "no:cacheprovider", "-p", "no:hypothesispytest"),
    *("--import-mode=importlib", "--assert=plain"),
)

COMMANDS = (
    Command("init", "a first rig.toml for a folder of native code", "rig.commands.init:main"),
    Command("run", "build, force, prove, replay, judge and report", "rig.cli:run"),
    Command("list", "the variants, `list checks`, `list cpus`", "rig.commands.listing:main"),
    Command("paths", "masks asked, paths, mismatches", "rig.commands.paths:main"),
    Command("doctor", "whether this machine can run the rig", "rig.commands.doctor:main"),
    Command("coverage", "annotated disassembly of a variant", "rig.commands.coverage:main"),
    Command("replay", "one case again", "rig.commands.replay:main"),
    Command("report", "the runs of several machines as one", "rig.commands.report:main"),
    Command("bench", "what each path is worth: speed, in turn", "rig.commands.bench:main"),
    Command("gate", "whether a run is good enough", "rig.commands.gate:main"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The entry point."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        _parser().print_help(sys.stderr)
        return COULD_NOT_RUN
    parsed = _parse(given)
    module, _, name = parsed.function.partition(":")
    try:
        code: int = getattr(importlib.import_module(module), name)(parsed)
        sys.stdout.flush()  # where nobody reads any more, this says so, not the exit
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        print("rig: interrupted", file=sys.stderr)
        return COULD_NOT_RUN
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COULD_NOT_RUN
    return code


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What stands behind `--` goes to pytest as it is."""
    if "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def _parse(given: list[str]) -> argparse.Namespace:
    given, passed = _split(given)
    parsed, unknown = _parser().parse_known_args(given)
    if unknown:
        flags = re.findall(r"--[\w-]+", parsed.parser.format_usage())
        close = difflib.get_close_matches(unknown[0].partition("=")[0], flags, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        parsed.parser.error(f"unknown argument {unknown[0]}{hint}")
    parsed.passed = passed
    return parsed


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage would hide it."""

    def error(self, message: str) -> NoReturn:
        self.exit(COULD_NOT_RUN, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rig", description="Every variant of native code, on every path, judged and covered."
    )
    parser.add_argument("--version", action="version", version=f"variant-rig {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=command.help)
        sub.set_defaults(function=command.function, parser=sub)
        _ARGUMENTS[command.name](sub)
    return parser


def _init_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", help="default: this one")
    _chosen(parser, "cc", "cache-dir")


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    _manifests(parser)
    for option in OPTIONS:
        _add(parser, option)
    parser.add_argument("-j", metavar="N", help="processes (default: one per core)")
    parser.add_argument("-v", action="store_true", help="print the pytest line, name each item")


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", help="variants, checks, cpus, or manifests")
    _machine_readable(parser)


def _paths_arguments(parser: argparse.ArgumentParser) -> None:
    _manifests(parser)
    _chosen(parser, "primitive", "variant", "arch", "require-arch", "runner", "cc", "cache-dir")
    _machine_readable(parser)


def _doctor_arguments(parser: argparse.ArgumentParser) -> None:
    _chosen(parser, "cc", "cache-dir")
    _machine_readable(parser)


def _coverage_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("variant", help="PRIMITIVE/VARIANT")
    parser.add_argument("manifest", nargs="?", help="default ./rig.toml, else the bundled project")
    _chosen(parser, "arch", "runner", "cc", "cache-dir")
    parser.add_argument(
        "--path", metavar="PATH", help="count this path only: aes=ssse3,ghash=pclmul"
    )
    parser.add_argument("--missing", action="store_true", help="only what was not executed")
    _machine_readable(parser)


def _replay_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", metavar="ID|FILE", help="a case of the report, or its file")
    parser.add_argument("manifest", nargs="?", help="where the project's rig.toml is now")
    _chosen(parser, "runner", "cc", "cache-dir", "report")
    parser.add_argument("--emit", choices=("c", "python"), help="print a stand-alone reproducer")


def _report_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", nargs="+", metavar="RESULTS", help="report folders, or the results.json in them"
    )
    parser.add_argument(
        "--into", metavar="DIR", default=Options().report, help="where the report is put"
    )
    parser.add_argument(
        "--format",
        metavar="NAMES",
        default="html,lcov,xml,markdown",
        help="what is made beside JSON and coverage.py's data: %(default)s",
    )


def _gate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", nargs="*", metavar="RESULTS", help="report folders (default rig-report)"
    )
    parser.add_argument(
        "--baseline", metavar="FILE", help="default: rig-baseline.json beside the manifest"
    )
    parser.add_argument("--update", action="store_true", help="write the baseline, show its diff")
    _machine_readable(parser)


def _bench_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("manifest", nargs="?", help="default ./rig.toml, else the bundled project")
    _chosen(parser, "primitive", "variant", "arch", "require-arch", "runner", "cc", "cache-dir")
    parser.add_argument(
        "--path",
        action="append",
        metavar="SLOT=VARIANT,...",
        help="only this path, whether a mask selects it or not: aes=ssse3,ghash=table4 "
        "(repeatable; the first is the base)",
    )
    parser.add_argument(
        "--size", action="append", type=int, metavar="BYTES", help="of messages (repeatable)"
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="measurements of each (default 15)")
    parser.add_argument(
        "--format",
        choices=("table", "bssl", "go"),
        default="table",
        help="lines as `bssl speed` prints them, or as `go test -bench` does, for benchstat",
    )
    parser.add_argument(
        "--against",
        metavar="LIBRARY",
        help="a library here does the same, in turn, under each path's mask: the path of a "
        "libcrypto, or libcrypto or libsodium",
    )
    parser.add_argument(
        "--coverage-cost",
        action="store_true",
        help="instead: what recording instructions and directions costs on each path",
    )
    parser.add_argument(
        "--oracle", action="store_true", help="instead: what the oracle costs, beside purepycrypto"
    )
    parser.add_argument(
        "--report", metavar="DIR", help="add charts to the report that `rig run` left there"
    )
    parser.add_argument(
        "--compare", metavar="OLD", help="old, new and delta against what --json wrote before"
    )
    _machine_readable(parser)


_ARGUMENTS = {
    "init": _init_arguments,
    "run": _run_arguments,
    "list": _list_arguments,
    "paths": _paths_arguments,
    "doctor": _doctor_arguments,
    "coverage": _coverage_arguments,
    "replay": _replay_arguments,
    "report": _report_arguments,
    "gate": _gate_arguments,
    "bench": _bench_arguments,
}


def _manifests(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "manifests",
        nargs="*",
        metavar="rig.toml",
        help="manifests (default ./rig.toml, else the bundled project)",
    )


def _machine_readable(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _chosen(parser: argparse.ArgumentParser, *names: str) -> None:
    for option in OPTIONS:
        if option.name in names:
            _add(parser, option)


def _add(parser: argparse.ArgumentParser, option: Option) -> None:
    flag = f"--{option.name}"
    if option.choices:
        parser.add_argument(flag, choices=option.choices, help=option.help)
    elif option.kind is bool:
        parser.add_argument(flag, action="store_true", default=None, help=option.help)
    elif option.kind is list:
        parser.add_argument(flag, action="append", metavar=option.metavar, help=option.help)
    else:
        parser.add_argument(flag, type=option.kind, metavar=option.metavar, help=option.help)


def manifest_paths(named: Sequence[str]) -> list[Path]:
    """The manifests of a command; RigError for one that is not there."""
    if not named:
        here = Path(DEFAULT_MANIFEST)
        if here.exists():
            return manifest_paths([DEFAULT_MANIFEST])
        from rig.data import data_folder

        return [data_folder("native") / DEFAULT_MANIFEST]
    paths = [Path(name) / DEFAULT_MANIFEST if Path(name).is_dir() else Path(name) for name in named]
    for path in paths:
        if not path.is_file():
            raise RigError(f"{path}: no such manifest; name a rig.toml, or run without a name")
    return paths


def run(parsed: argparse.Namespace) -> int:
    """`rig run`: the same items and options as pytest has."""
    from rig.cache import cache_folder

    options = gather(vars(parsed))
    command = _pytest_command(parsed, options)
    if parsed.v:
        print("pytest", shlex.join(command), flush=True)
    # What Hypothesis keeps goes into the cache, not into the folder that the user stands in.
    home = cache_folder(options.cache_dir) / "hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(home))
    return _run_pytest(command, manifest_paths(parsed.manifests)[0].resolve().parent)


def _pytest_command(parsed: argparse.Namespace, options: Options) -> list[str]:
    jobs = parsed.j or str(os.cpu_count() or 1)
    if not jobs.isdigit() or jobs == "0":
        raise RigError(f"-j {jobs}: a number of processes, 1 or more")
    return [
        *_plugin(),
        *(str(path) for path in manifest_paths(parsed.manifests)),
        *pytest_arguments(options),
        *(("-n", jobs, "--maxschedchunk=1") if jobs != "1" else ()),
        *(("-v",) if parsed.v else ("-q",)),
        *parsed.passed,
    ]


def _run_pytest(command: Sequence[str], root: Path) -> int:
    import pytest

    from rig.interrupt import interruptible

    fixed = [*_FIXED, "-c", os.devnull, f"--rootdir={root}"]
    with interruptible() as interrupted:
        code = pytest.main([*fixed, *command])
    if interrupted:
        raise KeyboardInterrupt
    return 0 if code == 0 else 1 if code == pytest.ExitCode.TESTS_FAILED else COULD_NOT_RUN


def _plugin() -> tuple[str, ...]:
    """The plugin by name where the installation has no entry point (a bare checkout)."""
    from importlib.metadata import entry_points

    known = {point.value for point in entry_points(group="pytest11")}
    return () if "rig.plugin" in known else ("-p", "rig.plugin")
