"""Each check has two planted faults and more on x86 and on ARM. Those that test_faults plants on
x86_64 only, of checks that have one elsewhere, are planted here on the other architectures."""

import re
from collections.abc import Iterator

import pytest

from rig.architectures import ARCHITECTURES
from rig.capabilities.bits import X86_ARCHITECTURES
from rig.checks.controls import EXPECTED
from rig.checks.findings import CHECKS
from rig.data import data_folder
from rig.manifest import read

from . import (
    test_capability,
    test_constant_time,
    test_faults,
    test_known_bugs,
    test_memory,
    test_objects,
    test_race,
    test_unwind,
)

CONTROLS = read(data_folder("native") / "controls" / "rig.toml")
FEWEST = 2
# Where else than on x86_64: the AEAD's numbers have 64 bits.
ELSEWHERE = {"endings": ("i386", "aarch64", "arm"), "aead": ("aarch64",)}
# target, variant, source: check, words
PLANTED = {
    ("endings", "illegal", "sweep"): ("crash", r"SIGILL at faulty_chacha20_illegal\+0x"),
    ("endings", "endless", "sweep"): ("timeout", r"still running at faulty_chacha20_endless\+0x"),
    ("endings", "exits", "sweep"): ("exit", "the code ended the process with status 3"),
    ("endings", "strays", "sweep"): ("path", "faulty_chacha20_finishes ran, "),
    ("aead", "long_tag", "negatives"): ("return", r"call 2 \(open\) returned 0x0, not 0xffffffff"),
    ("aead", "last_byte", "negatives"): ("return", r"call 2 \(open\) returned 0x0, not 0xffffffff"),
}
TWINS = {"endings": "finishes", "aead": "clean"}
PRIMITIVES = {"endings": "chacha20", "aead": "chacha20_poly1305"}


@pytest.mark.parametrize(
    ("name", "variant", "source", "arch"),
    [(*planted, arch) for planted in PLANTED for arch in ELSEWHERE[planted[0]]],
)
def test_fault_is_named(bench, arch, name, variant, source):
    check, says = PLANTED[name, variant, source]
    target = bench.target(name, variant, arch)
    outcome = bench.outcome(target, target.path(PRIMITIVES[name], variant), source)
    first = next(finding for finding in outcome.findings if finding.check == check)
    assert re.match(says, first.summary), first
    also = {"value"} if check == "return" else set()
    assert {finding.check for finding in outcome.findings} <= {check, *also}


@pytest.mark.parametrize(
    ("name", "source", "arch"),
    [("aead", "negatives", "aarch64"), *(("endings", "sweep", a) for a in ELSEWHERE["endings"])],
)
def test_twin_passes(bench, arch, name, source):
    target = bench.target(name, arch=arch)
    outcome = bench.outcome(target, target.path(PRIMITIVES[name], TWINS[name]), source)
    assert (outcome.findings, outcome.failed, outcome.abandoned) == ((), 0, 0)


def _planted() -> Iterator[tuple[str, str, str]]:
    """(check, architecture, fault) of every table of faults."""
    for arch in ARCHITECTURES:
        yield from (("dispatch", arch, "control"), ("race", arch, "control"))
        yield from ((check, arch, name) for name, (check, _) in test_memory.FAULTS.items())
        yield from (("stack", arch, name) for name in test_memory.BELOW)
        yield from (("unwind", arch, name) for name in test_unwind.FAULTS[arch])
        yield from (("race", arch, name) for name in test_race.FAULTS)
    for arch in test_objects.ARCHS:
        yield from (("object", arch, name) for name in ("executable stack", "types", "exports"))
    for fault in test_faults.FAULTS:
        yield fault.check, "x86_64", fault.id
    for fault in test_capability.FAULTS:
        yield "capability", "x86_64", fault.name
    for arch in ARCHITECTURES:
        timed = test_constant_time.READ.variants(arch)
        yield from (("constant-time", arch, v.name) for v in timed if v.name != "clean")
        every = (v.name for v in CONTROLS.variants(arch) if v.name in EXPECTED)
        yield from ((EXPECTED[name], arch, f"control {name}") for name in every)
    for defect in test_known_bugs.DEFECTS:
        yield defect.check, defect.arch, defect.id
    for (target, name, _), (check, _) in PLANTED.items():
        yield from ((check, arch, name) for arch in ELSEWHERE[target])


@pytest.mark.parametrize("family", ["x86", "ARM"])
@pytest.mark.parametrize("check", CHECKS)
def test_each_check_can_fail_on_each_family(check, family):
    x86 = family == "x86"
    found = {
        name for of, arch, name in _planted() if of == check and (arch in X86_ARCHITECTURES) == x86
    }
    assert len(found) >= FEWEST, sorted(found)
