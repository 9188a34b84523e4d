"""Fixtures of the whole suite: one cache of builds and answers for every test and worker."""

import os
from pathlib import Path

import pytest

from rig.cache import cache_folder


@pytest.fixture(scope="session")
def rig_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that all workers of this run share, and that no other run does."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return cache_folder(str(shared / "rig-cache"))
