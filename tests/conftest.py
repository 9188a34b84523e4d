"""Fixtures of the whole suite: one cache of builds and answers for every test and worker."""

import contextlib
import os
from pathlib import Path

import pytest

from rig import manifest
from rig.build.toolchain import find_toolchain
from rig.cache import cache_folder
from rig.data import data_folder
from rig.primitives import BUNDLED, PRIMITIVES
from rig.project import Project, build
from rig.vectors.shapes import SHAPES

# A run inside a test forgets the modules that it imported, and this one loads once per process.
with contextlib.suppress(ImportError):
    import iced_x86  # noqa: F401

pytest_plugins = ("pytester",)


@pytest.fixture(scope="module", autouse=True)
def _own_primitives_go_with_their_file():
    """What a manifest's module brought into this process is nothing to the files after it."""
    yield
    for name in PRIMITIVES.keys() - BUNDLED.keys():
        del PRIMITIVES[name], SHAPES[name]


@pytest.fixture(scope="session")
def rig_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that all workers of this run share, and that no other run does."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return cache_folder(str(shared / "rig-cache"))


@pytest.fixture(scope="session")
def controls(rig_cache: Path) -> Project:
    """The bundled controls (native/controls), built for x86_64."""
    read = manifest.read(data_folder("native") / "controls" / "rig.toml")
    return build(read, "x86_64", find_toolchain(), rig_cache, jobs=2)
