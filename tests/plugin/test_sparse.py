"""On which paths a profile takes what it takes once for each variant."""

from dataclasses import replace

import pytest

from rig.capabilities.paths import Path, direct_paths
from rig.items import sparse_paths
from rig.manifest import Length
from rig.project import Project

LACKING = frozenset({"avx512pf"})


@pytest.fixture
def model(controls: Project) -> Path:
    """Any path that can run, to be changed."""
    path = direct_paths(controls.manifest.primitives["chacha20"], controls.arch)[0]
    return replace(path, primitive="aes_gcm", kind="mask", needs=frozenset())


def over(model: Path, aes: str, ghash: str, **others: object) -> Path:
    return replace(model, choice=(("aes", aes), ("ghash", ghash)), **others)  # type: ignore[arg-type]


def test_each_variant_is_on_one_path(controls: Project, model: Path) -> None:
    paths = [over(model, aes, ghash) for aes in "abc" for ghash in "xy"]
    chosen = [path for path in paths if path.id in sparse_paths(controls, paths)]
    assert len(chosen) == 3
    assert {part for path in chosen for part in path.choice} == {
        *(("aes", name) for name in "abc"),
        *(("ghash", name) for name in "xy"),
    }


def test_what_can_run_here_goes_first(controls: Project, model: Path) -> None:
    runs = [over(model, "a", "x"), over(model, "b", "y")]
    lacks = [over(model, "a", "y", needs=LACKING), over(model, "c", "x", needs=LACKING)]
    assert sparse_paths(controls, [*lacks, *runs]) == {runs[0].id, runs[1].id, lacks[1].id}


def test_a_choice_keeps_the_paths_of_all_its_lengths(controls: Project, model: Path) -> None:
    short = over(model, "a", "x", lengths=(Length(0, 63),), part="len=0-63")
    long = over(model, "a", "x", lengths=(Length(64),), part="len=64-")
    assert short.id != long.id
    assert sparse_paths(controls, [short, long]) == {short.id, long.id}


def test_a_direct_path_stands_for_that_of_a_mask(controls: Project, model: Path) -> None:
    choice = (("chacha20", "clean"),)
    mask = replace(model, primitive="chacha20", choice=choice)
    direct = replace(mask, kind="direct")
    assert sparse_paths(controls, [mask, direct]) == {direct.id}
    assert sparse_paths(controls, [mask]) == {mask.id}
