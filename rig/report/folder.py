"""The report folder: put in place whole, the old one kept until then.

Enters: files by name. Leaves: a folder. Never here: what the files say.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rig.errors import RigError

MARKER = "results.json"
COVERAGE, BENCH = "coverage.json", "bench.json"
NATIVE_DATA, NATIVE_CONFIG = "native.coverage", "native.coveragerc"
PAGE, SUMMARY, ACCEPT = "index.html", "summary.md", "accept.toml"
COVERAGE_XML, COVERAGE_LCOV, COVERAGE_PAGES = "coverage.xml", "coverage.lcov", "htmlcov"
PARTS = frozenset(
    (
        *(MARKER, COVERAGE, BENCH, NATIVE_DATA, NATIVE_CONFIG, PAGE, SUMMARY, ACCEPT, "cases"),
        *(COVERAGE_XML, COVERAGE_LCOV, COVERAGE_PAGES),  # by coverage.py, later
    )
)
_ATTEMPTS = 20


def replace_folder(target: Path, files: Mapping[str, bytes], option: str = "--report") -> None:
    """Puts a folder with these files in the place of `target`; RigError, with the option that
    names another, if it cannot.

    A folder that holds anything but a report is never replaced.
    """
    target = target.resolve()
    try:
        _check(target, option)
        target.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        try:
            _fill(new, files)
            _swap(new, target)
        finally:
            shutil.rmtree(new, ignore_errors=True)  # where it has not become the report
    except OSError as error:
        raise RigError(
            f"{target}: cannot write the report: {error.strerror}; name another with {option} DIR"
        ) from error


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.chmod(0o755)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _check(target: Path, option: str) -> None:
    found: set[str] = set()
    with contextlib.suppress(FileNotFoundError):
        found.update(path.name for path in target.iterdir())
    strange = sorted(found - PARTS)
    if strange or (found and MARKER not in found):
        why = f"holds {strange[0]}" if strange else f"lacks {MARKER}"
        raise RigError(f"{target}: not a report ({why}); name another with {option} DIR")


def _swap(new: Path, target: Path) -> None:
    """Renames into place; where another run was faster its report makes way too."""
    for _ in range(_ATTEMPTS):
        try:
            new.rename(target)
            return
        except OSError:
            old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-old-"))
            with contextlib.suppress(FileNotFoundError):
                target.rename(old)
            shutil.rmtree(old, ignore_errors=True)
    raise OSError(0, "another run replaces it all the time", str(target))
