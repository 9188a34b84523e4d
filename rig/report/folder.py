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
_ATTEMPTS = 20


def replace_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Puts a folder with these files in the place of `target`; RigError if it cannot.

    A folder that is no report is never replaced.
    """
    if target.exists() and any(target.iterdir()) and not (target / MARKER).exists():
        raise RigError(f"{target}: not a report (no {MARKER}); name another with --report DIR")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        new.chmod(0o755)
        for name, data in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        _swap(new, target)
    except OSError as error:
        raise RigError(
            f"{target}: cannot write the report: {error.strerror}; name another with --report DIR"
        ) from error


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
