"""A small project of real code: two variants of ChaCha20, quick to build and run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from rig.data import data_folder

ROOT = Path(__file__).parents[1]
MANIFEST = """\
rig      = 1
include  = ["include"]
dispatch = "rules"
{allow}
[chacha20]
symbols  = {{ ctr32 = "rig_chacha20_ctr32_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "generic", source = "chacha20_generic.c" }},
  {{ arch = "x86_64", name = "ssse3", source = "chacha20_ssse3.c", needs = "ssse3" }},
]
"""
Done = subprocess.CompletedProcess[str]


def make(folder: Path) -> None:
    """Puts the project into a folder that is not there yet."""
    native = data_folder("native")
    shutil.copytree(native / "include", folder / "include")
    shutil.copy(native / "generic" / "chacha20_generic.c", folder)
    shutil.copy(native / "x86" / "chacha20_ssse3.c", folder)
    (folder / "rig.toml").write_text(MANIFEST.format(allow=""))


def command(folder: Path, *words: str, **environment: str) -> Done:
    """Runs a Python program (`-m NAME ...`) in a folder, with the checkout's rig."""
    hidden = {"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **hidden, "PYTHONPATH": str(ROOT), **environment},
        check=False,
    )


def run(folder: Path, cache: Path, *arguments: str, source: str = "sweep") -> Done:
    """`rig run` with one source only."""
    options = ("-j1", f"--cache-dir={cache}", "--", "-k", source)
    return command(folder, "-m", "rig", "run", *arguments, *options)
