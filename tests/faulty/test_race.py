"""The race check, on every architecture that runs here: initialisers that look safe to call from
any thread, each with a schedule in which a call comes back to half a vector."""

import re
from dataclasses import replace

import pytest

from rig.architectures import ARCHITECTURES
from rig.checks.race import Race, initialiser, judge_race
from rig.errors import BuildError

BEFORE = r"while a call stands before race_{}(\+0x[0-9a-f]+)?: [^(]+(\(sources/race\.c:\d+\))?, "
BACK = "another call comes back with word"
# What a second call that came back has, or what the first makes of it.
FAULTS = {
    "early": BACK,
    "hasty": BACK,
    "both": "another call has come back when this one goes on to word 0",
    "turns": "another call has come back when this one goes on to word 0",
}


@pytest.fixture(params=sorted(ARCHITECTURES))
def arch(request: pytest.FixtureRequest) -> str:
    return request.param


def raced(bench, arch: str, name: str) -> Race:
    return judge_race(bench.target("race", arch=arch).project, f"race_{name}")


@pytest.mark.parametrize("name", FAULTS)
def test_a_finding_names_the_stop_and_what_is_half(bench, arch, name):
    race = raced(bench, arch, name)
    (finding,) = race.findings
    assert (finding.check, finding.symbol, race.reason) == ("race", f"race_{name}", "")
    assert re.match(BEFORE.format(name) + FAULTS[name], finding.summary), finding.summary
    assert re.search(r"word \d of the capability vector 0x\w+, not 0x10\d$", finding.summary)
    assert raced(bench, arch, name) == race


@pytest.mark.parametrize("name", ["once", "same"])
def test_twin_passes(bench, arch, name):
    race = raced(bench, arch, name)
    assert (race.findings, race.reason) == ((), "")
    assert race.schedules > 8


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("idle", "alone it leaves the vector as it is"),
        ("busy", "it changes memory more than 250 times"),
    ],
)
def test_what_cannot_be_judged_says_why(bench, name, reason):
    race = raced(bench, "x86_64", name)
    assert (race.findings, race.reason) == ((), reason)


def test_the_manifest_names_the_initialiser(bench):
    project = bench.target("race").project
    assert initialiser(project) == "race_once"
    assert judge_race(project, "").reason.startswith("the manifest names no `init`")
    by_vector = replace(project.manifest.dispatch, init="{vector}_absent")
    other = replace(project, manifest=replace(project.manifest, dispatch=by_vector))
    with pytest.raises(BuildError, match=r"nothing defines `race_vector_absent` on x86_64"):
        initialiser(other)
