"""The content-addressed cache on disk: where it lies and how files come into it.

Enters: `--cache-dir` or nothing. Leaves: paths; files that are whole or absent. Never here:
what the files mean.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

from rig.errors import RigError


def cache_folder(chosen: str | None) -> Path:
    """The cache folder, made if need be; RigError if it cannot be written."""
    folder = Path(chosen) if chosen else platformdirs.user_cache_path("variant-rig")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RigError(
            f"{folder}: cannot write the cache: {error.strerror}; name another with --cache-dir DIR"
        ) from error
    return folder.resolve()


def write_atomically(path: Path, data: bytes) -> None:
    """Puts a whole file in place; a reader sees the old one, or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def digest(*parts: bytes | str) -> str:
    """The key of some content: SHA-256 over the parts with their lengths, 40 hex digits."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()[:40]
