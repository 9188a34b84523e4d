"""What one process keeps: batches in memory and on disk, rows in a part file."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from rig import lab as module
from rig.architectures import ARCHITECTURES
from rig.capabilities.paths import Path, Sweep, direct_paths
from rig.cases import Answer, Case, Inputs, Values
from rig.inputs.sources import PUBLISHED, SWEEP, Source
from rig.lab import Lab, code_digest, longest, pack, rows, takes, unpack
from rig.manifest import Length
from rig.options import Options
from rig.plan import Plan
from rig.primitives import PRIMITIVES
from rig.project import Project

MakeLab = Callable[..., Lab]


@pytest.fixture
def project(controls: Project) -> Project:
    paths = direct_paths(controls.manifest.primitives["chacha20"], controls.arch)
    return replace(controls, sweeps=(Sweep("chacha20", "x86_64", 0, 0, False, paths, ()),))


@pytest.fixture
def make_lab(project: Project, tmp_path: FilePath) -> Iterator[MakeLab]:
    """Labs of one run."""
    made: list[Lab] = []

    def make(worker: str = "gw0", **options: object) -> Lab:
        chosen = Options(**options)  # type: ignore[arg-type]
        plan = Plan(tmp_path, tmp_path, chosen, "zig 0", (project,), (), (), 0.0, 0.0)
        made.append(Lab(plan, worker))
        return made[-1]

    yield make
    for lab in made:
        lab.close()


def _path(project: Project, name: str) -> Path:
    return next(p for p in project.sweeps[0].paths if p.name == f"chacha20={name}")


def _source(lab: Lab, name: str = PUBLISHED) -> Source:
    return next(source for source in lab.sources("chacha20") if source.name == name)


def _files(folder: FilePath) -> set[str]:
    return {path.name for path in (folder / "batches").iterdir() if path.suffix != ".lock"}


def test_paths_with_the_same_calls_share_a_batch(
    project: Project, make_lab: MakeLab, tmp_path: FilePath
) -> None:
    lab = make_lab()
    source = _source(lab)
    first = lab.batch(project, _path(project, "clean"), source)
    assert lab.batch(project, _path(project, "crash"), source) is first
    assert first.size == 14 and sum(first.published.values()) == 14
    assert len(_files(tmp_path)) == 1


def test_another_process_takes_the_batch_from_disk(
    project: Project, make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_lab("gw0").batch(project, _path(project, "clean"), _source(make_lab()))

    def never(*_: object) -> None:
        raise AssertionError("made again")

    monkeypatch.setattr(module, "make_batch", never)
    other = make_lab("gw1")
    second = other.batch(project, _path(project, "clean"), _source(other))
    assert (second.data, second.size) == (first.data, first.size)
    assert second.case(3) == first.case(3) and second.answer(3) == first.answer(3)
    assert second.script(3) == first.script(3)


@pytest.mark.parametrize(("arch", "files"), [("aarch64", 1), ("i386", 2)])
def test_architectures_share_bytes_but_not_addresses(
    project: Project,
    make_lab: MakeLab,
    tmp_path: FilePath,
    monkeypatch: pytest.MonkeyPatch,
    arch: str,
    files: int,
) -> None:
    lab = make_lab()
    path, source = _path(project, "clean"), _source(lab)
    lab.batch(project, path, source)
    bound = replace(module.binding(project, path), arch=ARCHITECTURES[arch])
    monkeypatch.setattr(module, "binding", lambda *_: bound)
    other = replace(project, image=replace(project.image, arch=arch))
    assert lab.batch(other, path, source).binding.arch.name == arch
    assert len(_files(tmp_path)) == files


@pytest.mark.parametrize(
    "changed",
    [{"lengths": (Length(min=64),)}, {"undefined": frozenset({"counter-wrap"})}],
)
def test_what_a_path_leaves_out_makes_another_batch(
    project: Project, make_lab: MakeLab, tmp_path: FilePath, changed: dict[str, object]
) -> None:
    lab = make_lab()
    path, source = _path(project, "clean"), _source(lab, "edges")
    whole = lab.batch(project, path, source)
    narrowed = lab.batch(project, replace(path, **changed), source)  # type: ignore[arg-type]
    assert narrowed.size <= whole.size
    assert len(_files(tmp_path)) == 2


def test_batches_of_other_code_are_not_taken(
    project: Project,
    make_lab: MakeLab,
    tmp_path: FilePath,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = make_lab()
    first.batch(project, _path(project, "clean"), _source(first))
    monkeypatch.setattr(module, "code_digest", lambda: "other code")
    second = make_lab()
    second.batch(project, _path(project, "clean"), _source(second))
    assert len(_files(tmp_path)) == 2


def test_a_changed_vector_file_makes_another_batch(
    project: Project, make_lab: MakeLab, tmp_path: FilePath
) -> None:
    file = tmp_path / "mine.json"
    lab = make_lab()
    source = replace(_source(lab), files=(file,))
    for text in ("{}", "{ }"):
        file.write_text(text)
        lab.batch(project, _path(project, "clean"), source)
    assert len(_files(tmp_path)) == 2


def test_memory_holds_few_batches(
    project: Project, make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCHES_KEPT", 2)
    lab = make_lab()
    path, source = _path(project, "clean"), _source(lab)
    for low in range(4):
        lab.batch(project, replace(path, lengths=(Length(min=low),)), source)
    assert len(lab._batches) == 2


def test_packing(project: Project, make_lab: MakeLab) -> None:
    lab = make_lab()
    batch = lab.batch(project, _path(project, "clean"), _source(lab))
    assert unpack(pack(batch)) == (batch.size, dict(batch.published), batch.called, batch.data)
    assert batch.called == {"ctr32"} or not batch.called
    assert code_digest() == code_digest()


def test_rows_of_all_workers_are_merged(
    project: Project, make_lab: MakeLab, tmp_path: FilePath
) -> None:
    for worker in ("gw1", "gw0"):
        for number in range(2):
            make_lab(worker).record(project, {"path": f"{worker}-{number}"})
    assert [row["path"] for row in rows(tmp_path)] == ["gw0-0", "gw0-1", "gw1-0", "gw1-1"]
    assert {row["manifest"] for row in rows(tmp_path)} == {str(project.manifest.path)}
    assert json.loads((tmp_path / "part-gw0.jsonl").read_text().splitlines()[0])


def test_seeds_differ_between_runs_and_within_one(make_lab: MakeLab) -> None:
    seeds = [make_lab(seed=seed).seeds() for seed in range(3)]
    assert len({seed for pair in seeds for seed in pair}) == 6


def test_agreement_names_who_is_right(project: Project, make_lab: MakeLab) -> None:
    """On every path of the primitive, also those that this run does not take."""
    lab = make_lab(variant=("wrong_tail",))
    contents = lab.batch(project, _path(project, "clean"), _source(lab, "sweep")).contents()
    case, answer = next(
        pair
        for pair in zip(*contents, strict=True)
        if len(pair[0].values.inputs["data"]) == 5  # type: ignore[arg-type]
    )
    right, wrong = lab.agreement(project, case, answer)
    assert any("=clean" in name for name in right)
    assert any("=wrong_tail" in name for name in wrong)
    assert not set(right) & set(wrong)


@pytest.mark.parametrize(
    ("primitive", "operation", "inputs", "length"),
    [
        ("chacha20", "ctr32", {"key": bytes(32), "counter": bytes(16), "data": bytes(70)}, 70),
        ("poly1305", "mac", {"key": bytes(32), "message": bytes(33)}, 33),
        ("ghash", "gmult", {"h": bytes(16), "xi": bytes(16)}, 16),
    ],
)
def test_the_length_that_a_dispatcher_is_told(
    primitive: str, operation: str, inputs: Inputs, length: int
) -> None:
    assert len(longest(inputs)) == length


def test_a_path_takes_what_it_is_defined_for(project: Project) -> None:
    path = _path(project, "clean")
    inputs = {"key": bytes(32), "counter": b"\xff" * 4 + bytes(12), "data": bytes(128)}
    case = Case("", Values("chacha20", "ctr32", inputs), expected=Answer({}))
    assert takes(path, case)
    assert not takes(replace(path, lengths=(Length(min=129),)), case)
    assert not takes(replace(path, roles=frozenset()), case)
    assert not takes(replace(path, undefined=frozenset({"counter-wrap"})), case)


def test_the_oracle_is_asked_once_of_the_last_values(
    make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab, asked = make_lab(), list[Case]()
    monkeypatch.setattr(module, "ANSWERS_KEPT", 2)
    known = module.answer
    monkeypatch.setattr(module, "answer", lambda d, case: asked.append(case) or known(d, case))
    distinct = {case.values.key(): case for case in _source(lab, SWEEP).load()}
    first = [replace(case, expected=None) for case in distinct.values()][:3]
    for case in (*first[:2], *first[:2], first[2], first[1], first[0]):
        assert lab.answer(case) == known(PRIMITIVES["chacha20"], case)
    assert asked == [*first, first[0]]
    brought = Answer({"out": b"another"})
    assert lab.answer(replace(first[0], expected=brought)) == brought
    assert len(asked) == 4
