"""`rig report RESULTS...`: the runs of several machines as one report.

Enters: parsed arguments. Leaves: a report folder. Never here: judging; `rig gate` reads it next.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rig.errors import RigError
from rig.report.coveragepy import cobertura, lcov, native_parts
from rig.report.folder import (
    COVERAGE,
    COVERAGE_LCOV,
    COVERAGE_XML,
    MARKER,
    NATIVE_CONFIG,
    PAGE,
    SUMMARY,
    replace_folder,
)
from rig.report.markdown import markdown
from rig.report.merge import Run, merge, read_run
from rig.toml_table import nearest


def main(parsed: argparse.Namespace) -> int:
    """Merges, writes the folder, says what is in it."""
    formats = parsed.format.split(",")
    for name in formats:
        if name not in FORMATS:
            raise RigError(f"--format {name}: unknown{nearest(name, FORMATS)}")
    run = merge([read_run(name) for name in parsed.results])
    files = _files(run, parsed.into, formats)
    replace_folder(Path(parsed.into), files, option="--into")
    archs = " ".join(dict.fromkeys(path["arch"] for path in run.results["paths"]))
    ran = sum(path["verdict"] != "skipped" for path in run.results["paths"])
    print(f"{parsed.into}: {ran} of {len(run.results['paths'])} paths ran ({archs})")
    for name in formats:
        print(f"{parsed.into}/{FORMATS[name][0]}")
    return 0


def _files(run: Run, into: str, formats: Sequence[str]) -> Mapping[str, bytes]:
    files = {
        MARKER: json.dumps(run.results, indent=1).encode(),
        COVERAGE: json.dumps(run.coverage, separators=(",", ":")).encode(),
        **native_parts(run.coverage, into),
        **{f"cases/{name}": data for name, data in run.cases.items()},
    }
    return files | {FORMATS[name][0]: FORMATS[name][1](run, files) for name in formats}


def _html(run: Run, _: Mapping[str, bytes]) -> bytes:
    from rig.report.html import html

    cases = {name.removesuffix(".json"): json.loads(data) for name, data in run.cases.items()}
    return html(run.results, run.coverage, cases).encode()


def _markdown(run: Run, _: Mapping[str, bytes]) -> bytes:
    return ("\n".join(markdown(run.results)) + "\n").encode()


def _by_coverage(make: Callable[[Path, Path], None]) -> Callable[[Run, Mapping[str, bytes]], bytes]:
    """What coverage.py makes of the folder's data file."""

    def made(run: Run, files: Mapping[str, bytes]) -> bytes:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            parts = native_parts(run.coverage, place)
            for name, data in {COVERAGE: files[COVERAGE], **parts}.items():
                (folder / name).write_bytes(data)
            make(folder / NATIVE_CONFIG, folder / "out")
            return (folder / "out").read_bytes()

    return made


FORMATS: Mapping[str, tuple[str, Callable[[Run, Mapping[str, bytes]], bytes]]] = {
    "html": (PAGE, _html),
    "lcov": (COVERAGE_LCOV, _by_coverage(lcov)),
    "xml": (COVERAGE_XML, _by_coverage(cobertura)),
    "markdown": (SUMMARY, _markdown),
}
