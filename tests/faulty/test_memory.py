"""Faults against memory that outputs do not show, on every architecture: each is named by its
check, and its twin passes."""

import re

import pytest

from rig.architectures import ARCHITECTURES

STEPPED = (0, 1, 2, 65)  # scripts of the sweep
CASES = 80  # of the sweep: the shortest, no bytes at NULL among them
WRITTEN = r"wrote `{}`, which it may only read, at byte {} .*SIGSEGV at faulty_memory_{}\+0x.*\.c:"
FAULTS = {
    "undone": ("input", WRITTEN.format("counter", 0, "undone")),
    "undone_in": ("input", WRITTEN.format("in", 0, "undone_in")),
    "null_last": ("memory", "read through `out` or `in`, NULL for 0 bytes .*memory.c:"),
    "null_refused": ("crash", r"SIG(ILL|TRAP) at faulty_memory_null_refused\+0x"),
    "above": ("abi", r"call 1 \(ctr32\): the caller's stack changed, 8 bytes above the arguments"),
    "above_far": (
        "abi",
        r"call 1 \(ctr32\): the caller's stack changed, 303 bytes above the arguments",
    ),
}

pytestmark = pytest.mark.parametrize("arch", list(ARCHITECTURES))


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_named(bench, arch, name):
    check, says = FAULTS[name]
    target = bench.target("memory", arch=arch)
    outcome = bench.outcome(target, target.path("chacha20", name), "sweep", CASES)
    assert {finding.check for finding in outcome.findings} == {check}
    first = outcome.findings[0]
    assert re.match(says, " ".join((first.summary, *first.details))), first
    assert outcome.abandoned == 0


@pytest.mark.parametrize("name", ["undone", "null_last", "null_refused"])
def test_published_vectors_stay_quiet_but_for_what_is_written(bench, arch, name):
    target = bench.target("memory", arch=arch)
    outcome = bench.outcome(target, target.path("chacha20", name), "published")
    assert {f.check for f in outcome.findings} == ({"input"} if name == "undone" else set())


BELOW = {
    "below": {"x86_64": "129 bytes", **dict.fromkeys(("i386", "aarch64", "arm"), "1 byte")},
    "below_late": {
        **dict.fromkeys(("x86_64", "i386"), "400 bytes"),
        **dict.fromkeys(("aarch64", "arm"), "16 bytes"),
    },
}


@pytest.mark.parametrize("name", BELOW)
def test_a_write_below_the_stack_pointer_names_its_instruction(bench, arch, name):
    target = bench.target("memory", arch=arch)
    watched = bench.watched(target, target.path("chacha20", name), STEPPED)
    assert watched.cases == len(STEPPED)
    assert {f.script for f in watched.findings} == set(STEPPED)
    for finding in watched.findings:
        assert (finding.check, finding.symbol) == ("stack", f"faulty_memory_{name}")
        distance = BELOW[name][arch]
        assert finding.summary == f"call 1 (ctr32): wrote {distance} below the stack pointer"
        assert re.match(rf"at faulty_memory_{name}(\+0x[0-9a-f]+)?: .*sp", finding.details[0])
    outcome = bench.outcome(target, target.path("chacha20", name), "sweep", CASES)
    assert not outcome.findings


@pytest.mark.parametrize("name", ["clean", "below_twin"])
def test_what_is_on_the_stack_is_nobodys_business(bench, arch, name):
    target = bench.target("memory", arch=arch)
    watched = bench.watched(target, target.path("chacha20", name), STEPPED)
    assert (watched.findings, watched.cases) == ((), len(STEPPED))


@pytest.mark.parametrize("name", ["clean", "above_twin", "below_twin"])
def test_twin_passes(bench, arch, name):
    target = bench.target("memory", arch=arch)
    outcome = bench.outcome(target, target.path("chacha20", name), "sweep", CASES)
    assert (outcome.findings, outcome.failed, outcome.abandoned) == ((), 0, 0)
