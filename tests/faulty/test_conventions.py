"""Faults against conventions that outputs do not show: upper halves of vectors in use, Microsoft's
x64 convention. Each is named, and its twin passes."""

import re

import pytest

from rig.runner.client import RunFlag
from rig.runner.encode import encode
from rig.runner.scripts import Prologue, Script

CASES = 80  # of the sweep: the shortest
WIN64 = {
    "xmm6": r"call 1 \(ctr32\): xmm6\[63:0\] is 0xf{16} after the call, was 0x",
    "xmm15": r"call 1 \(ctr32\): xmm15\[127:64\] is 0xf{16} after the call, was 0x",
    "rdi": r"call 1 \(ctr32\): rdi is 0x0 after the call, was 0x",
    "rsi": r"call 1 \(ctr32\): rsi is 0x",
    "home": r"call 1 \(ctr32\): the caller's stack changed, 0 bytes above the arguments",
}
UPPERS = "call 1 (ctr32): ymm registers above bit 127 are in use after the call: no vzeroupper"


def judged(bench, target, name):
    return bench.outcome(target, target.path("chacha20", name), "sweep", CASES)


@pytest.mark.parametrize("name", WIN64)
def test_what_microsofts_convention_keeps(bench, name):
    outcome = judged(bench, bench.target("win64"), name)
    assert {finding.check for finding in outcome.findings} == {"abi"}
    assert re.match(WIN64[name], outcome.findings[0].summary), outcome.findings[0]
    assert outcome.failed == outcome.cases


def test_microsofts_convention_has_no_red_zone(bench):
    target = bench.target("win64")
    found = bench.watched(target, target.path("chacha20", "zone"), (2,)).findings
    assert [(f.check, f.symbol) for f in found] == [("stack", "faulty_win64_zone")]
    assert found[0].summary == "call 1 (ctr32): wrote 8 bytes below the stack pointer"


def uppers(bench, arch):
    """The project, where the CPU tells what it is about."""
    target = bench.target("uppers", arch=arch)
    asked = target.session.run(encode([Script((), ())]), Prologue(), flags=RunFlag.CLEAN_UPPERS)
    if not asked.uppers_told:
        pytest.skip("this CPU does not tell which vector registers are in use")
    return target


@pytest.mark.parametrize("arch", ["x86_64", "i386"])
@pytest.mark.parametrize("name", ["left", "short"])
def test_upper_halves_in_use_are_named(bench, arch, name):
    outcome = judged(bench, uppers(bench, arch), name)
    assert {(finding.check, finding.summary) for finding in outcome.findings} == {("abi", UPPERS)}
    assert (len(outcome.findings) == outcome.cases) == (name == "left")


@pytest.mark.parametrize("target", [("win64", "x86_64"), ("uppers", "x86_64"), ("uppers", "i386")])
def test_twin_passes(bench, target):
    name, arch = target
    found = uppers(bench, arch) if name == "uppers" else bench.target(name)
    outcome = judged(bench, found, "twin")
    assert (outcome.findings, outcome.failed, outcome.abandoned) == ((), 0, 0)
