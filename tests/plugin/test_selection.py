"""The options give the paths that they name."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rig import plan as module
from rig.capabilities.vector import Vector
from rig.data import data_folder
from rig.errors import RigError
from rig.options import Options
from rig.plan import Plan, make_plan

Make = Callable[..., Plan]
NATIVE = data_folder("native") / "rig.toml"


@pytest.fixture
def make(rig_cache: Path, toy: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A plan of the small project, without the controls."""
    monkeypatch.setattr(module, "run_controls", lambda _project: ())

    def plan(manifest: Path = toy, **options: object) -> Plan:
        chosen = Options(cache_dir=str(rig_cache), **options)  # type: ignore[arg-type]
        return make_plan([manifest], chosen)

    return plan


def _names(plan: Plan) -> list[str]:
    return [f"{p.kind} {p.name}" for project in plan.projects for p in plan.paths(project)]


ALL = [f"{kind} chacha20={name}" for kind in ("mask", "direct") for name in ("generic", "ssse3")]
FORCED = "forced fused=-,aes={},ghash={}"


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, ALL),
        ({"variant": ("ssse3",)}, [name for name in ALL if "ssse3" in name]),
        ({"primitive": ("chacha20",)}, ALL),
        ({"cpu": "penryn"}, ["mask chacha20=ssse3"]),
        ({"cpu": "penryn,-ssse3"}, ["mask chacha20=generic"]),
        ({"ia32cap": "~0x20000000000"}, ["mask chacha20=generic"]),
        ({"cap_matrix": "full"}, ALL),
        ({"force": ("chacha20=generic",)}, ["forced chacha20=generic"]),
    ],
)
def test_paths(make: Make, options: dict[str, object], wanted: list[str]) -> None:
    found = _names(make(**options))
    assert sorted(found) == sorted(wanted)


def test_host_takes_this_machines_own_mask(make: Make) -> None:
    plan = make(cap_matrix="host")
    (project,) = plan.projects
    (path,) = plan.paths(project)
    assert (path.kind, path.masks) == ("mask", (project.host,))


def test_full_adds_the_masks_of_models(make: Make) -> None:
    """Every model has SSSE3."""
    plan = make(cap_matrix="full")
    masks = {p.name: len(p.masks) for p in plan.paths(plan.projects[0]) if p.kind == "mask"}
    assert masks["chacha20=generic"] == 1
    assert masks["chacha20=ssse3"] > 20


def test_a_forced_slot_leaves_the_others_to_the_rule(make: Make) -> None:
    """By the mask of the model here, else by this machine's."""
    plan = make(NATIVE, force=("ghash=table4",), cpu="westmere")
    assert _names(plan) == ["forced ghash=table4", FORCED.format("aesni", "table4")]
    plan = make(NATIVE, force=("ghash=table4", "aes=ct64"), primitive=("aes_gcm",))
    assert _names(plan) == [FORCED.format("ct64", "table4")]
    (path,) = plan.paths(plan.projects[0])
    assert path.masks == (Vector.base("x86_64"),)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"primitive": ("chacha",)}, "--primitive chacha: unknown.*did you mean `chacha20`"),
        ({"variant": ("sse3",)}, "--variant sse3: unknown.*did you mean `ssse3`"),
        ({"force": ("chacha20",)}, "--force chacha20: expected SLOT=VARIANT"),
        ({"force": ("chacha20=avx9",)}, "--force chacha20=avx9: chacha20 has generic, ssse3"),
        ({"force": ("ghsh=table4",)}, "--force ghsh=table4: unknown slot"),
        ({"cpu": "penrin"}, "penrin"),
        ({"ia32cap": "0x1:zz"}, "stopped at 'zz'"),
        ({"arch": ("x86",)}, "--arch x86: unknown"),
        ({"require_arch": ("arm",)}, "--arch arm: no variant for it"),
        ({"cc": "tcc"}, "--cc tcc: choose one of zig, gcc, clang"),
        ({"cache_dir": "/proc/nowhere"}, "cannot write the cache.*--cache-dir DIR"),
    ],
)
def test_wrong_values_are_told_in_one_line(
    rig_cache: Path, toy: Path, options: dict[str, object], words: str
) -> None:
    with pytest.raises(RigError, match=words) as caught:
        make_plan([toy], Options(**{"cache_dir": str(rig_cache), **options}))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_plan_that_fails_makes_no_folder(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_run_folder", lambda _cache: pytest.fail("a folder was made"))
    with pytest.raises(RigError):
        make(primitive=("chacha",))


def test_folders_of_runs_that_were_killed_go_after_a_week(make: Make, rig_cache: Path) -> None:
    old, recent = (rig_cache / "runs" / name for name in ("20200101-000000-x", "20200101-000000-y"))
    for folder in (old, recent):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    plan = make()
    assert plan.folder.is_dir() and recent.is_dir() and not old.exists()
    recent.rmdir()
