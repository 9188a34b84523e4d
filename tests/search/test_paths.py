"""Planted faults that no sweep of lengths meets are found by the search, within its budget."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from rig.capabilities.paths import Path
from rig.cases import Case
from rig.inputs.sources import EDGES, NEGATIVES, PUBLISHED, SWEEP
from rig.lab import Lab
from rig.options import Options
from rig.plan import Plan, make_plan
from rig.search.corpus import read
from rig.search.novelty import Budget
from rig.search.paths import Explored, explore_path, exported, proposed

MANIFEST = FilePath(__file__).parent / "deep" / "rig.toml"
AEAD = "fused=-,chacha20=clean,poly1305=clean"


@pytest.fixture(scope="module")
def plan(rig_cache: FilePath) -> Plan:
    return make_plan([MANIFEST], Options(cache_dir=str(rig_cache)))


@pytest.fixture
def lab(plan: Plan, tmp_path: FilePath) -> Iterator[Lab]:
    """A lab with an empty cache: no corpus of another test."""
    made = Lab(replace(plan, cache=tmp_path), "test")
    yield made
    made.close()


def _path(lab: Lab, name: str) -> Path:
    paths = lab.plan.paths(lab.plan.projects[0])
    kind = "direct" if "," not in name else "mask"
    return next(p for p in paths if (p.kind, p.name) == (kind, name))


def _explore(lab: Lab, name: str) -> Explored:
    return explore_path(lab, lab.plan.projects[0], _path(lab, name))


def _failed(explored: Explored) -> list[Case]:
    return [
        batch.case(finding.script)
        for batch, _, outcome in explored.failures
        for finding in outcome.findings
        if finding.script is not None
    ]


FAULTS = {
    "chacha20=wide": lambda case: len(case.values.inputs["data"]) > 4999,
    "chacha20=exact": lambda case: len(case.values.inputs["data"]) == 7777,
    "chacha20=placed": lambda case: case.placement.skews.get("key") in (12, 20),
    "poly1305=resumed": lambda case: case.values.inputs.get("split", 0) >= 16,
    AEAD: lambda case: len(case.values.inputs["aad"]) == 4097,
}


@pytest.mark.parametrize("name", FAULTS)
def test_search_finds_what_the_other_sources_miss(lab: Lab, name: str) -> None:
    project, path = lab.plan.projects[0], _path(lab, name)
    for source in lab.sources(path.primitive):
        if source.name in (PUBLISHED, EDGES, NEGATIVES, SWEEP):
            batch = lab.batch(project, path, source)
            assert not any(outcome.findings for _, outcome in lab.run(project, path, batch))
    explored = explore_path(lab, project, path)
    assert "value" in explored.tally.checks
    assert explored.tally.failed
    cases = _failed(explored)
    assert cases and all(map(FAULTS[name], cases))
    assert any(map(FAULTS[name], explored.corpus))


@pytest.mark.parametrize("name", ["chacha20=clean", "poly1305=clean"])
def test_twin_is_clean_and_the_search_ends(lab: Lab, name: str) -> None:
    explored = _explore(lab, name)
    assert (explored.failures, explored.tally.failed, explored.tally.abandoned) == ([], 0, 0)
    assert 0 < explored.tally.cases < 4000


def test_finders_lead_to_what_lies_behind(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Length, then a place, then an edge word: no single change meets all three."""
    monkeypatch.setattr("rig.search.paths.Budget", lambda _, seconds: Budget(60, seconds))
    explored = _explore(lab, "chacha20=nested")
    (case, *_) = _failed(explored)
    data, counter = case.values.inputs["data"], case.values.inputs["counter"]
    assert isinstance(data, bytes) and isinstance(counter, bytes)
    assert len(data) >= 3000 and counter[4:8] == b"\xff" * 4 and case.placement.skews["key"]


def test_the_same_seed_runs_the_same_cases(plan: Plan, tmp_path: FilePath) -> None:
    found = []
    for number, seed in enumerate((5, 5, 6)):
        options = replace(plan.options, seed=seed)
        lab = Lab(replace(plan, cache=tmp_path / str(number), options=options), "test")
        explored = _explore(lab, "chacha20=wide")
        found.append((explored.tally.cases, explored.corpus))
        lab.close()
    assert found[0] == found[1] != found[2]


def test_the_corpus_reaches_at_once_what_the_search_reached(lab: Lab) -> None:
    first = _explore(lab, "chacha20=placed")
    second = _explore(lab, "chacha20=placed")
    assert second.tally.flow.hits >= first.tally.flow.hits
    assert second.failures[0][1:] and "corpus" in _failed(second)[0].name
    grew = second.tally.flow != first.tally.flow
    assert grew or len(second.corpus) <= len(first.corpus)


def test_an_exported_corpus_is_one_to_commit(lab: Lab, tmp_path: FilePath) -> None:
    lab.plan = replace(lab.plan, options=replace(lab.plan.options, export_corpus=str(tmp_path)))
    explored = _explore(lab, "poly1305=clean")
    file = exported(tmp_path, _path(lab, "poly1305=clean"))
    assert file == tmp_path / "poly1305" / "x86_64_direct_poly1305=clean.json"
    assert [c.values for c in read(file, "poly1305")] == [c.values for c in explored.corpus]


def test_reasons_name_the_place_in_the_code(lab: Lab) -> None:
    found = {
        p.length: p.reason for p in proposed(lab.plan.projects[0], _path(lab, "chacha20=exact"))
    }
    assert found[7777].startswith("compare 7777, deep_chacha20_exact+0x")
    of_aead = {p.length: p.reason for p in proposed(lab.plan.projects[0], _path(lab, AEAD))}
    assert of_aead[4097].startswith("compare 4097, deep_aead_seal+0x")
