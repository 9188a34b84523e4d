"""A project opened for one command: read, built for this machine, nothing run.

Enters: a manifest's path and parsed arguments. Leaves: a `Project`; RigError where there can be
none. Never here: plans, controls, paths; `rig run` makes those.
"""

import argparse
import os
from pathlib import Path

from rig import manifest as manifests
from rig.build.toolchain import find_toolchain
from rig.cache import cache_folder
from rig.errors import RigError
from rig.options import Options
from rig.plan import wanted_architectures
from rig.project import Project, build
from rig.runner.command import parse_prefixes


def open_project(
    path: Path, parsed: argparse.Namespace, arch: str, cc: str | None = None
) -> Project:
    """The project, built or reused; `cc` stands where the user names no compiler."""
    manifest = manifests.read(path)
    toolchain = find_toolchain(parsed.cc or cc or Options().cc)
    cache = cache_folder(parsed.cache_dir)
    prefix = parse_prefixes(parsed.runner or ()).get(arch, ())
    return build(manifest, arch, toolchain, cache, os.cpu_count() or 1, prefix)


def one_architecture(parsed: argparse.Namespace) -> str:
    """The one that `--arch` names, else this machine's own."""
    archs = wanted_architectures(parsed.arch or ())
    if len(archs) > 1:
        raise RigError(f"--arch: one of {', '.join(archs)}")
    return archs[0]
