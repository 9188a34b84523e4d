"""The controls: on every architecture each planted fault is caught, by the check that is for it."""

from pathlib import Path

import pytest

from rig import manifest
from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.checks.controls import (
    CLEAN,
    DISPATCHER,
    EXPECTED,
    INITIALISERS,
    TOLD,
    UNRUN,
    run_controls,
)
from rig.data import data_folder
from rig.project import build
from rig.runner.command import AbsentError

READ = manifest.read(data_folder("native") / "controls" / "rig.toml")
COMMON = {
    *("value", "memory", "input", "uninitialised", "crash", "timeout", "path", "exit", "abi"),
    *("constant-time", "unwind", "object", "stack"),
}


@pytest.mark.parametrize("arch", list(ARCHITECTURES))
def test_every_planted_fault_is_caught(rig_cache: Path, arch: str) -> None:
    try:
        project = build(READ, arch, find_toolchain(), rig_cache, 2)
    except AbsentError as error:
        pytest.skip(str(error))
    found = run_controls(project)
    assert [control for control in found if not control.held] == []
    names = {v.name for v in READ.variants(arch)} | {DISPATCHER, *INITIALISERS}
    assert names - {TOLD} <= {c.fault for c in found} <= names


@pytest.mark.parametrize("arch", list(ARCHITECTURES))
def test_every_check_has_its_planted_fault(arch: str) -> None:
    names = {variant.name for variant in READ.variants(arch)}
    assert names - set(CLEAN) <= EXPECTED.keys()
    assert {EXPECTED[name] for name in names - set(CLEAN)} == COMMON | {"capability"}
    assert names.intersection(UNRUN) and "clean" in names


def test_arm_has_the_faults_of_its_own() -> None:
    for arch in ("aarch64", "arm"):
        names = {variant.name for variant in READ.variants(arch)}
        assert {"clobber_d", "pool", "beside_pool"} <= names
