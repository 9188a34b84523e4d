"""The race check, on every architecture that runs here: initialisers that look safe to call from
any thread, each with a schedule in which a call comes back to half a vector."""

import json
import re
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from rig.architectures import ARCHITECTURES
from rig.checks.race import Race, initialiser, judge_race
from rig.errors import BuildError
from rig.manifest import Acceptance
from rig.report.staleness import stale_races

from ..small import command

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


ACCEPT = 'accept = [{ check = "race", symbol = "race_early", reason = "one thread" }]'


@pytest.mark.parametrize("state", ["new", "accepted"])
def test_a_manifest_may_know_a_race(tmp_path, rig_cache, state):
    here = Path(__file__).parent
    shutil.copytree(here / "sources", tmp_path / "sources")
    text = (here / "race.toml").read_text().replace('"race_once"', '"race_early"')
    head = f"{ACCEPT}\n" if state == "accepted" else ""
    (tmp_path / "rig.toml").write_text(head + text)
    options = ("--checks=race", "--arch=x86_64", "-j1", f"--cache-dir={rig_cache}")
    ran = command(tmp_path, "-m", "rig", "run", *options)
    assert ran.returncode == (state == "new"), ran.stdout
    document = json.loads((tmp_path / "rig-report" / "results.json").read_text())
    ((race,), (known,)) = document["races"], document["known"]
    assert (known["state"], known["paths"]) == (state, ["race_early/x86_64/race"])
    assert bool(race["accepted"]) == (race["findings"] == []) == (state == "accepted")
    if state == "new":
        proposed = tomllib.loads((tmp_path / "rig-report" / "accept.toml").read_text())
        assert (
            proposed["accept"][0] | {"reason": "one thread"} == tomllib.loads(ACCEPT)["accept"][0]
        )


@pytest.mark.parametrize(("found", "stale"), [("", True), ("accepted before", False)])
def test_an_entry_that_finds_no_race_any_more_is_stale(found, stale):
    entry = Acceptance("race", "race_once", "one thread", "rig.toml:1")
    project = SimpleNamespace(manifest=SimpleNamespace(accept=(entry,)))
    race = Race("rig.toml", "x86_64", "race_once", 20, (), found)
    plan = SimpleNamespace(projects=(project, project), races=(race, race))
    assert list(stale_races(plan)) == [entry] * stale
