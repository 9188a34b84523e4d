"""Each project of this folder runs by its manifest alone."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rig.capabilities.vector import Vector
from rig.manifest import Length, Manifest, read
from rig.options import Options
from rig.plan import make_plan
from rig.primitives import PRIMITIVES

HERE = Path(__file__).parent
CLEAN = {
    "stitched/rig.toml": {"nohw", "ssse3"},
    "ring/rig.toml": {"nohw", "ssse3_4x"},
    "ring/blocks.toml": {"nohw", "blocks"},
    "ring/undefined.toml": {"carries"},
    "dispatching/default.toml": {"scalar", "ssse3"},
    "dispatching/common.toml": {"scalar", "ssse3"},
    "dispatching/owned.toml": {"scalar", "ssse3"},
    "renamed/rig.toml": {"powers"},
    "generated/rig.toml": {"nohw", "printed"},
    "win64/rig.toml": {"sse2"},
    "perlasm/rig.toml": {"nohw", "lib"},
}


@pytest.mark.parametrize("name", CLEAN)
def test_every_path_of_a_clean_project_passes(bench, name):
    project = bench.project(name)
    (sweep,) = project.sweeps
    assert sweep.mismatches == ()
    assert {p.choice[0][1] for p in sweep.paths if p.kind == "mask"} == CLEAN[name]
    for path, judged in bench.judged(project).items():
        assert judged.findings == (), path
        assert judged.cases > 100, path


def runnable(judged, *path):
    if path not in judged:
        pytest.skip("this CPU lacks a capability of the path")
    return judged[path]


def test_an_undeclared_jump_into_another_variant_is_named(bench):
    judged = bench.judged(bench.project("stitched/undeclared.toml"))
    assert judged["mask", "nohw"].findings == ()
    for kind in ("mask", "direct"):
        (finding,) = runnable(judged, kind, "ssse3").findings
        assert (finding.check, finding.symbol) == ("path", "ChaCha20_ctr32_nohw")
        assert "which belongs to a variant that this path has not chosen" in finding.summary
        assert "reached from ChaCha20_ctr32_ssse3+0x" in finding.details[0]
        assert "jb ChaCha20_ctr32_nohw (chacha-x86_64.S:10)" in finding.details[0]


def with_variants(manifest: Manifest, **changes: object) -> Manifest:
    """The manifest with changed stanzas."""
    primitives = {
        name: replace(p, variants=tuple(replace(v, **changes) for v in p.variants))
        for name, p in manifest.primitives.items()
    }
    return replace(manifest, primitives=primitives)


def test_a_variant_is_never_called_outside_of_its_lengths(bench):
    """The code traps there: with `len` left out, it shows."""
    project = bench.project("ring/rig.toml")
    lengths = {p.choice[0][1]: p.lengths for p in project.sweeps[0].paths if p.kind == "mask"}
    assert lengths == {"nohw": (Length(1),), "ssse3_4x": (Length(129),)}
    free = bench.project(with_variants(read(HERE / "ring/rig.toml"), length=Length()))
    judged = bench.judged(free)
    for kind, name in judged:
        if (kind, name) != ("mask", "nohw"):  # now hidden by the other at every length
            (finding, *_) = judged[kind, name].findings
            assert (finding.check, finding.symbol) == ("crash", f"ChaCha20_ctr32_{name}")


def test_whole_blocks_up_to_a_limit(bench):
    judged = runnable(bench.judged(bench.project("ring/blocks.toml")), "mask", "blocks")
    taken = {
        len(case.values.inputs["data"])
        for case in bench.cases("chacha20")
        if case not in judged.declined
    }
    assert {64, 128, 512, 1024} <= taken
    assert all(n % 64 == 0 and 64 <= n <= 1024 for n in taken)


def test_what_a_manifest_leaves_undefined_is_not_asked(bench):
    wraps = PRIMITIVES["chacha20"].undefined["counter-wrap"]
    wrapping = [case for case in bench.cases("chacha20") if wraps(case.values)]
    judged = bench.judged(bench.project("ring/undefined.toml"))["mask", "carries"]
    assert list(judged.declined) == wrapping
    held = bench.judged(bench.project("ring/held.toml"))["mask", "carries"]
    assert held.checks == {"value"}
    assert held.declined == ()
    assert all(bench.cases("chacha20")[f.script] in wrapping for f in held.findings)


@pytest.mark.parametrize(("name", "words"), [("default", 10), ("common", 2), ("owned", 4)])
def test_a_capability_vector_has_the_size_that_its_project_gave_it(bench, name, words):
    """owned.S has a word behind its vector that the dispatcher looks at."""
    assert bench.project(f"dispatching/{name}.toml").image.vector.words == words


def test_what_ran_behind_a_shared_entry_is_proven(bench):
    project = bench.project("dispatching/default.toml")
    path = next(p for p in project.sweeps[0].paths if p.choice[0][1] == "ssse3")
    judged = bench.judge(project, path, Vector.base("x86_64"))
    wrong = [f for f in judged.findings if f.check == "path"]
    assert [f.summary for f in wrong] == [
        "chacha20_scalar ran, which belongs to a variant that this path has not chosen",
        "chacha20/ssse3 did not run: none of chacha20_ssse3",
    ]


@pytest.mark.parametrize("name", ["old", "new"])
def test_each_of_two_names_for_one_function_may_be_an_entry(bench, tmp_path, name):
    (tmp_path / "chacha.S").write_text(
        '#include "chacha20.inc"\n.globl chacha_old\n.type chacha_old, @function\nchacha_old:\n'
        "GLOBAL_FUNCTION chacha_new\n CHACHA20_SCALAR incl\nEND chacha_new\n"
        ".size chacha_old, .-chacha_old\n"
    )
    path = tmp_path / "rig.toml"
    path.write_text(
        f'rig = 1\ninclude = ["{HERE / "macros"}"]\n[chacha20]\n'
        'symbols = { ctr32 = "chacha_{name}" }\n'
        f'variants = [{{ arch = "x86_64", name = "{name}", source = "chacha.S" }}]\n'
    )
    judged = bench.judged(bench.project(path))
    assert {key: found.findings for key, found in judged.items()} == {
        ("mask", name): (),
        ("direct", name): (),
    }


def test_a_variant_without_a_function_is_spared_the_cases_that_call_it(bench):
    judged = bench.judged(bench.project("renamed/rig.toml"))
    declined = judged["direct", "stream"].declined
    assert {case.values.operation for case in declined} == {"gmult"}
    assert judged["direct", "bits"].declined == ()


@pytest.mark.parametrize(("name", "check"), [("small.toml", "memory"), ("unaligned.toml", "crash")])
def test_sizes_and_align_are_needed_where_the_code_needs_them(bench, name, check):
    judged = bench.judged(bench.project(f"renamed/{name}"))
    assert judged["direct", "bits"].findings == ()
    for kind in ("mask", "direct"):
        assert judged[kind, "powers"].checks == {check}
        assert judged[kind, "powers"].findings[0].symbol == "powers_set_up"


def test_layout_and_flags_arrive(bench):
    powers = read(HERE / "renamed/rig.toml").variants("x86_64")[2]
    assert (powers.layout, powers.sizes, powers.align) == (
        "multiples", {"Htable": 2064}, {"Htable": 64},
    )  # fmt: skip
    (path, *_) = bench.project("ring/undefined.toml").sweeps[0].paths
    assert not path.constant_time


def test_folders_with_spaces_and_signs_in_their_names(bench, tmp_path):
    for name in ("stitched", "macros"):
        shutil.copytree(HERE / name, tmp_path / "a b #1 $x" / name)
    project = bench.project(tmp_path / "a b #1 $x" / "stitched" / "rig.toml")
    assert all(judged.findings == () for judged in bench.judged(project).values())
    sources = {f.source for f in project.image.functions if f.name.startswith("ChaCha20")}
    assert sources == {"chacha-x86_64.S"}
    again = bench.project(tmp_path / "a b #1 $x" / "stitched" / "rig.toml")
    assert again.image.compiled == 0


@pytest.mark.parametrize("option", [{"cpu": "penryn"}, {"cap_matrix": "full"}])
def test_length_classes_under_forced_masks(bench, option):
    plan = make_plan([HERE / "ring/rig.toml"], Options(cache_dir=str(bench.cache), **option))
    (sweep,) = plan.projects[0].sweeps
    paths = [p for p in sweep.paths if p.kind == "mask"]
    assert {p.choice[0][1] for p in paths} == {"nohw", "ssse3_4x"}
    for path in paths:
        vectors = {mask.has("ssse3") for mask in path.masks}
        assert len(vectors) == 1
        if path.choice[0][1] == "nohw":
            wanted = (Length(1, 128),) if vectors == {True} else (Length(1),)
            assert path.lengths == wanted
        else:
            assert path.lengths == (Length(129),)
