"""coverage.py's plugin for native code: which lines and ways of jumps a file has.

Enters: coverage documents that the rcfile names. Leaves: a reporter per .c or .S file, for
`coverage report`, `html`, `xml`, `lcov`. Never here: measuring; the rig has done that.
"""

import glob
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from coverage import CoveragePlugin, FileReporter
from coverage.exceptions import ConfigError
from coverage.plugin import CodeRegion
from coverage.plugin_support import Plugins
from coverage.types import TArc, TConfigurable, TLineNo

from rig.report.coveragepy import NativeFile, native_files
from rig.report.reach import WAYS


class NativePlugin(CoveragePlugin):
    """`documents` names coverage.json files, one a line; patterns are allowed. As a configurer
    it measures nothing, so that every core of coverage.py takes it."""

    def __init__(self, documents: str) -> None:
        self._patterns = documents.split()

    @cached_property
    def _files(self) -> dict[str, NativeFile]:
        return native_files([_read(path) for path in _paths(self._patterns)])

    def configure(self, config: TConfigurable) -> None:
        """Nothing: the rcfile says it all."""

    def file_reporter(self, filename: str) -> FileReporter | str:
        """The reporter of a file that the data file names."""
        if filename not in self._files:
            named = ", ".join(self._patterns)
            raise ConfigError(f"{filename} is in none of {named}; add the document of its run")
        return NativeReporter(filename, self._files[filename])


class NativeReporter(FileReporter):
    """One file; a line that a conditional jump stands on has two exits for each."""

    def __init__(self, filename: str, file: NativeFile) -> None:
        super().__init__(filename)
        self._file = file

    def source(self) -> str:
        """The text as it was when it was built."""
        return self._file.text

    def lines(self) -> set[TLineNo]:
        """The lines that code was made of."""
        return set(self._file.lines)

    def arcs(self) -> set[TArc]:
        """The ways that jumps may go, where a run recorded any."""
        return set(self._file.ways)

    def exit_counts(self) -> dict[TLineNo, int]:
        """How many ways lead from each line."""
        counts = dict.fromkeys(self._file.lines, 1)
        for line in {line for line, _ in self._file.ways}:
            counts[line] = sum(start == line for start, _ in self._file.ways)
        return counts

    def arc_description(self, start: TLineNo, end: TLineNo) -> str:
        """The jump and the way, without a comma: lcov has no escape for one."""
        way = self._file.ways[start, end]
        return f"{way.where} {WAYS[way.mask]}".replace(",", ";")

    def missing_arc_description(
        self, start: TLineNo, end: TLineNo, executed_arcs: Iterable[TArc] | None = None
    ) -> str:
        """A sentence for a way that was never gone."""
        way = self._file.ways[start, end]
        return f"{way.where} {way.code}: the way `{WAYS[way.mask]}` was not seen"

    def code_regions(self) -> Iterable[CodeRegion]:
        """The functions; a line that several of them hold (inlined) belongs to none."""
        for name, lines in self._file.functions.items():
            yield CodeRegion("function", name, min(lines), set(lines))

    def code_region_kinds(self) -> Iterable[tuple[str, str]]:
        """Functions only."""
        return [("function", "functions")]


def coverage_init(reg: Plugins, options: dict[str, Any]) -> None:
    """What coverage.py calls with the rcfile's section."""
    reg.add_configurer(NativePlugin(options.get("documents", "rig-report/coverage.json")))


def _paths(patterns: Iterable[str]) -> list[Path]:
    found = [Path(name) for pattern in patterns for name in sorted(_matches(pattern))]
    if not found:
        raise ConfigError(f"no coverage document: {', '.join(patterns)}; run `rig run` first")
    return found


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern)  # noqa: PTH207  (Path.glob takes no absolute pattern)


def _read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot read the coverage document: {error}") from error
    return document
