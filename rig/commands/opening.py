"""A project opened for one command: read, built for this machine, nothing run.

Enters: a manifest's path and parsed arguments. Leaves: a `Project`; RigError where there can be
none. Never here: plans, controls, paths; `rig run` makes those.
"""

import argparse
import os
from pathlib import Path

from rig import manifest as manifests
from rig.architectures import host_architecture
from rig.build.toolchain import find_toolchain
from rig.cache import cache_folder
from rig.errors import RigError
from rig.options import Options
from rig.project import Project, build


def open_project(path: Path, parsed: argparse.Namespace, cc: str | None = None) -> Project:
    """The project, built or reused; `cc` stands where the user names no compiler."""
    manifest = manifests.read(path)
    toolchain = find_toolchain(parsed.cc or cc or Options().cc)
    cache = cache_folder(parsed.cache_dir)
    return build(manifest, runnable_architecture(), toolchain, cache, os.cpu_count() or 1)


def runnable_architecture() -> str:
    """The architecture that runs here; RigError if the rig has no runner for it."""
    arch = host_architecture()
    if arch is None:
        raise RigError("this version of the rig has no runner for this machine; use x86_64 Linux")
    return arch
