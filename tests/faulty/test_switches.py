"""Masks that change between two calls: what only that shows is found, and its twins pass."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import Path
from rig.cases import Answer, Case, case_id, from_json, to_json
from rig.checks.findings import Finding
from rig.checks.switching import sharing, switched, under
from rig.checks.trial import Trial, try_batch
from rig.inputs.answers import answers, with_inverses
from rig.inputs.contexts import switches
from rig.manifest import read
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, enumerate_paths
from rig.runner.batches import script_of
from rig.runner.command import AbsentError
from rig.runner.scripts import Call, Script, Write

from .conftest import BUDGET_US, HERE, SEEDS, Target

MANIFEST = """
rig = 1
[poly1305]
dir = "{dir}"
[poly1305.symbols]
init   = "faulty_poly1305_init_{{name}}"
blocks = "faulty_poly1305_blocks_{{name}}"
emit   = "faulty_poly1305_emit_{{name}}"
[[poly1305.variants]]
arch   = "x86_64"
name   = "clean"
source = "poly1305.c"
[[poly1305.variants]]
arch   = "x86_64"
name   = "{name}"
source = "poly1305.c"
needs  = "ssse3"
layout = "{layout}"
"""


def project_of(folder: FilePath, cache: FilePath, name: str, layout: str = "clean") -> Project:
    """Poly1305's clean variant and another of that layout."""
    file = folder / "rig.toml"
    file.write_text(MANIFEST.format(dir=HERE / "sources", name=name, layout=layout))
    try:
        return build(read(file), "x86_64", find_toolchain("zig"), cache, 2)
    except AbsentError as error:
        pytest.skip(str(error))


def findings(target: Target, primitive: str, cache: FilePath) -> Iterator[tuple[Finding, ...]]:
    """What each path of masks gives with the others in turn."""
    paths = target.sweeps[primitive].paths
    definition = PRIMITIVES[primitive]
    cases = switches(primitive)
    contents = with_inverses(definition, cases, answers(definition, cases, cache))
    for path in paths:
        others = sharing(target.project, path, paths)
        if others:
            batch = switched(target.project, path, others, *contents)
            trial = Trial(path.masks[0], SEEDS, BUDGET_US, others=others)
            yield try_batch(target.project, target.session, path, batch, trial).findings


def target_of(project: Project) -> Iterator[Target]:
    with project.session() as session:
        sweeps = {
            primitive.name: enumerate_paths(project, session, primitive)
            for primitive in project.manifest.primitives.values()
        }
        yield Target(project, session, sweeps)


@pytest.mark.parametrize(("name", "checks"), [("same", set()), ("turned", {"value"})])
def test_a_context_of_another_form_is_found(
    tmp_path: FilePath, rig_cache: FilePath, name: str, checks: set[str]
) -> None:
    for target in target_of(project_of(tmp_path, rig_cache, name)):
        each = list(findings(target, "poly1305", rig_cache))
        assert len(each) == 2
        assert [{finding.check for finding in found} for found in each] == [checks, checks]


def test_alone_it_passes(bench, tmp_path: FilePath, rig_cache: FilePath) -> None:
    """So that it is known what finds it."""
    for target in target_of(project_of(tmp_path, rig_cache, "turned")):
        for source in ("published", "edges", "contexts"):
            assert not bench.outcome(target, target.path("poly1305", "turned"), source).findings


def test_other_layouts_do_not_meet(tmp_path: FilePath, rig_cache: FilePath) -> None:
    for target in target_of(project_of(tmp_path, rig_cache, "turned", layout="turned")):
        assert not list(findings(target, "poly1305", rig_cache))


def test_a_slot_that_keeps_nothing_may_be_any(bench, rig_cache: FilePath) -> None:
    """ChaCha20 has no context: its variants meet beside one of Poly1305."""
    each = list(findings(bench.target("parts"), "chacha20_poly1305", rig_cache))
    assert each == [(), ()]


def test_a_mask_that_has_no_effect_is_found(bench, rig_cache: FilePath) -> None:
    """What calls through the slots of `init` for ever: nothing of the other path runs."""
    each = list(findings(bench.target("parts", "kept"), "chacha20_poly1305", rig_cache))
    assert [{finding.check for finding in found} for found in each] == [{"path"}, {"path"}]
    assert {f.summary.partition(":")[0] for found in each for f in found} == {
        "chacha20/clean did not run",
        "chacha20/wide did not run",
    }


def test_each_mask_comes_to_each_place() -> None:
    """However few calls a case has: key, key, message, message are all of `aes`'s."""
    masks, cases = ("a", "b", "c"), switches("aes")
    found = [case.placement.masks for case in under(masks, cases)]
    assert found[:3] == [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    assert len(found) == len(cases)


def test_a_case_says_its_masks(bench) -> None:
    target = bench.target("parts")
    path, other = target.sweeps["chacha20_poly1305"].paths
    case = switches("chacha20_poly1305")[0]
    answer = PRIMITIVES["chacha20_poly1305"].operations["seal_parts"].answer(case.values.inputs)
    batch = switched(target.project, path, (other,), [case], [answer])
    masks = (str(other.masks[0]), str(path.masks[0]))
    placed = replace(case, placement=replace(case.placement, masks=masks))
    assert batch.case(0) == placed == from_json(to_json(placed))
    assert case_id(placed.values, placed.placement) != case_id(case.values, case.placement)
    assert all(isinstance(step, Call) for step in _script(target, path, case, answer).steps)
    writes = [step for step in batch.script(0).steps if isinstance(step, Write)]
    calls = [step for step in batch.script(0).steps if isinstance(step, Call)]
    assert len(writes) == 2 * (len(calls) - 1)  # the vector and the table


def _script(target: Target, path: Path, case: Case, answer: Answer) -> Script:
    bound = binding(target.project, path)
    return script_of(PRIMITIVES["chacha20_poly1305"], bound, case, answer)
