"""Code that reads input which its output has run over, on every architecture: what shares memory
in part shows it, in place and apart do not. That AEADs refuse is in test_faults.py."""

import re

import pytest

from rig.architectures import ARCHITECTURES

pytestmark = pytest.mark.parametrize("arch", list(ARCHITECTURES))
CASES = 150


@pytest.mark.parametrize("name", ["backwards", "pairs"])
def test_fault_is_named(bench, arch, name):
    target = bench.target("overlap", arch=arch)
    path = target.path("aes", name)
    outcome = bench.outcome(target, path, "overlaps")
    assert {finding.check for finding in outcome.findings} == {"value"}
    assert re.match(r"`in` differs from byte \d+ of ", outcome.findings[0].summary)
    assert not bench.outcome(target, path, "sweep", CASES).findings


@pytest.mark.parametrize("source", ["overlaps", "sweep"])
def test_twin_passes(bench, arch, source):
    target = bench.target("overlap", arch=arch)
    outcome = bench.outcome(target, target.path("aes", "clean"), source, CASES)
    assert (outcome.findings, outcome.failed, outcome.abandoned) == ((), 0, 0)
    assert outcome.cases > 50
