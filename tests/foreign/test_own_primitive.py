"""A primitive that the rig does not know: a contract, and one module beside the manifest."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from rig.errors import ManifestError, RigError
from rig.inputs.sources import ALIGNMENTS, EDGES, LONG, PUBLISHED, SWEEP, sources
from rig.inputs.strategies import has_strategy
from rig.lab import takes
from rig.manifest import read
from rig.primitives import PRIMITIVES
from rig.primitives.own import ModuleError, adopt, check_alone
from rig.project import binding
from rig.runner.batches import make_batch

ROOT = Path(__file__).parents[2]
SHA256 = Path(__file__).parent / "sha256"


@pytest.fixture(scope="module")
def project(bench):
    return bench.project("sha256/rig.toml")


def digest_of(compress, message):
    """SHA-256 over the module's function (FIPS 180-4 clauses 5.1.1 and 6.2)."""
    bits = (8 * len(message)).to_bytes(8, "big")
    padded = message + b"\x80" + bytes(-(len(message) + 9) % 64) + bits
    words = compress(padded)
    return b"".join(words[i : i + 4][::-1] for i in range(0, 32, 4)).hex()


def test_the_oracle_is_sha256(project):
    vectors = sources("sha256", None)[0].load()
    initial = vectors[0].values.inputs["state"]
    answer = PRIMITIVES["sha256"].operations["blocks"].answer
    chance = random.Random(7)
    for length in (0, 1, 55, 56, 63, 64, 65, 200):
        message = chance.randbytes(length)
        found = digest_of(
            lambda data: answer({"state": initial, "data": data}).outputs["state_out"], message
        )
        assert found == hashlib.sha256(message).hexdigest()
    for case in vectors:
        assert answer(case.values.inputs) == case.expected, case.name


def test_every_variant_passes_on_every_source(bench, project):
    for path, judged in bench.judged(project).items():
        assert judged.findings == (), path
        assert judged.cases > 100, path


@pytest.mark.parametrize("arch", ["aarch64", "arm"])
def test_every_variant_on_arm_passes(bench, arch):
    project = bench.project("sha256/rig.toml", arch)
    for path in (p for s in project.sweeps for p in s.paths):
        found = bench.judge(project, path, path.masks[0], every=3)
        assert found.findings == (), path.id
        assert found.cases > 30, path.id


def test_what_the_shapes_give(project):
    found = {source.name: source.load() for source in sources("sha256", None)}
    assert list(found) == [PUBLISHED, EDGES, ALIGNMENTS, SWEEP, LONG]
    moved = Counter(name for case in found[ALIGNMENTS] for name in case.placement.skews)
    assert moved == {"state": 63, "in": 63}
    assert {len(c.values.inputs["data"]) for c in found[SWEEP]} == set(range(0, 2101, 64))
    assert {len(c.values.inputs["state"]) for c in found[SWEEP]} == {32}
    assert [len(c.values.inputs["data"]) for c in found[LONG]] == [4 << 10, 24 << 10]
    assert len(found[EDGES]) == 80
    assert has_strategy("sha256")
    (path, *_) = project.sweeps[0].paths
    assert all(takes(path, case) for cases in found.values() for case in cases)


def run(folder, cache, *words):
    return subprocess.run(
        [sys.executable, "-m", "rig", *words, "--cache-dir", str(cache)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path):
    """The project as somebody's own, with SHA-NI left out."""
    folder = shutil.copytree(SHA256, tmp_path / "sha256", ignore=shutil.ignore_patterns("__*"))
    path = folder / "rig.toml"
    lines = [line for line in path.read_text().splitlines() if "shani" not in line]
    path.write_text("\n".join(lines) + "\n")
    return folder


def test_a_fault_is_found_and_replayed(copy, rig_cache):
    source = copy / "sha256_generic.c"
    text = source.read_text()
    source.write_text(text.replace("rotr(x, 18)", "rotr(x, 19)"))
    done = run(copy, rig_cache, "run", "-j", "1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FIPS 180-4 SHA-256 example 1: blocks, state 32 bytes, data 64 bytes" in done.stdout
    (case, *_) = sorted((copy / "rig-report" / "cases").glob("*.json"))
    again = run(copy, rig_cache, "replay", str(case))
    assert again.returncode == 1, again.stdout + again.stderr
    assert "wrong     sha256=generic" in again.stdout
    source.write_text(text)
    assert run(copy, rig_cache, "replay", str(case)).returncode == 0


def test_a_pointer_that_must_be_aligned_is_found_where_blocks_are_whole(copy, rig_cache):
    """Blocks of 64 bytes end and begin at a page aligned: no length moves them."""
    source = copy / "sha256_generic.c"
    wrong = "if ((uintptr_t)in % 16) num_blocks = 0; for (; num_blocks;"
    source.write_text(source.read_text().replace("for (; num_blocks;", wrong))
    passing = run(copy, rig_cache, "run", "-j", "1", "--checks", "published,edges,sweep,long,value")
    assert passing.returncode == 0, passing.stdout + passing.stderr
    done = run(copy, rig_cache, "run", "-j", "1", "--checks", "alignments,value")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "check     value: `state` differs from byte 0" in done.stdout


def test_a_changed_module_is_asked_again(bench, copy):
    """Answers and batches of the module before it are none of the one after."""
    module = copy / "sha256.py"
    text = module.read_text()
    adopt(read(SHA256 / "rig.toml"))
    first = PRIMITIVES["sha256"]
    module.write_text(text.replace("_rotr(e, 25)", "_rotr(e, 24)"))
    project = bench.project(copy / "rig.toml")
    changed = PRIMITIVES["sha256"]
    assert changed is not first
    cases = sources("sha256", None)[2].load()[:3]
    (path, *_) = project.sweeps[0].paths
    found = [changed.operations["blocks"].answer(case.values.inputs) for case in cases]
    assert found != [first.operations["blocks"].answer(case.values.inputs) for case in cases]
    assert make_batch(changed, binding(project, path), cases, found).size == 3
    adopt(read(SHA256 / "rig.toml"))
    assert PRIMITIVES["sha256"] is first


WRONG = {
    "syntax": ("def plan(", "def plan ?(", "sha256.py:"),
    "import": ("from struct import", "from no_such import", "ModuleNotFoundError: No module named"),
    "nothing assigned": ("PRIMITIVE = ", "OTHER = ", "1: assigns no rig.define.Primitive"),
    "no shape": ('        "blocks": Shape(', '        "block": Shape(', "PRIMITIVE has no"),
    "no role": (
        '("block_data_order",)',
        '("block_data",)',
        "`blocks` calls `block_data`, which sha256.h has not; did you mean `block_data_order`?",
    ),
    "size of a vector": (
        '{"state": INITIAL, "data": padded}',
        '{"state": INITIAL, "data": message}',
        "1: vector `FIPS 180-4 SHA-256 example 1`: data has 3 bytes, not whole blocks of 64 bytes",
    ),
    "field of a vector": (
        '{"state_out": state_out}',
        '{"out": state_out}',
        "1: vector `FIPS 180-4 SHA-256 example 1`: ",
    ),
}


def line_of(text, part):
    return 1 + text[: text.index(part)].count("\n")


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_with_its_place(bench, copy, name):
    old, new, words = WRONG[name]
    module = copy / "sha256.py"
    text = module.read_text()
    assert text.count(old) == 1
    module.write_text(text.replace(old, new))
    with pytest.raises(RigError) as caught:
        bench.project(copy / "rig.toml")
    said = str(caught.value)
    assert said.startswith(f"{module}:")
    assert words in said
    if name in ("syntax", "import"):
        assert said.startswith(f"{module}:{line_of(text, old)}: ")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("+ K[t] + w[t]", "+ K[t] + w[t + 99]", "IndexError: list index out of range"),
        ('"num_blocks": len(data) // 64}', "}", "the plan of `blocks`: no value for 'num_blocks'"),
        (
            "len(data) // 64}",
            "len(data) // 32}",
            "`blocks`: block_data_order: in has 64 bytes, the",
        ),
    ],
)
def test_what_goes_wrong_later_is_named_too(bench, copy, old, new, words):
    module = copy / "sha256.py"
    text = module.read_text()
    module.write_text(text.replace(old, new))
    project = bench.project(copy / "rig.toml")
    (path, *_) = project.sweeps[0].paths
    definition = PRIMITIVES["sha256"]
    case = sources("sha256", None)[0].load()[0]
    with pytest.raises(RigError) as caught:
        found = definition.operations["blocks"].answer(case.values.inputs)
        make_batch(definition, binding(project, path), [case], [found])
    assert str(caught.value).startswith(f"{module}:")
    assert words in str(caught.value)
    if "IndexError" in words:
        assert isinstance(caught.value, ModuleError)
        assert f":{line_of(text, old)}: " in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[sha256]", "[ghash]", "the rig knows [ghash]"),
        ('contract = "sha256.h"\n', "", "[sha256] has a `module`, so it needs `contract`"),
        ('module   = "sha256.py"\n', "", "no oracle for [sha256]"),
    ],
)
def test_a_table_that_cannot_bring_a_module(bench, copy, old, new, words):
    path = copy / "rig.toml"
    path.write_text(path.read_text().replace(old, new))
    PRIMITIVES.pop("sha256", None)
    with pytest.raises(ManifestError) as caught:
        bench.project(path)
    assert words in str(caught.value)


def test_two_modules_of_one_name_in_one_run(copy):
    ours, theirs = read(SHA256 / "rig.toml"), read(copy / "rig.toml")
    check_alone([ours, ours])
    with pytest.raises(ManifestError, match=r"\[sha256\] has another `module` than at .*rig.toml"):
        check_alone([ours, theirs])


def test_a_module_is_run_only_for_a_manifest_that_names_it(copy, rig_cache, tmp_path):
    module = copy / "sha256.py"
    module.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n" + module.read_text())
    path = copy / "rig.toml"
    assert read(path).primitives["sha256"].module == module
    assert not (tmp_path / "ran").exists(), "reading a manifest runs nothing"
    plain = copy / "plain.toml"
    plain.write_text(
        f'rig = 1\ninclude = ["{ROOT}/native/include"]\n[chacha20]\n'
        'symbols = { ctr32 = "rig_chacha20_ctr32_generic" }\n'
        f'variants = [{{ arch = "x86_64", name = "g", source = "{ROOT}/native/generic/'
        'chacha20_generic.c" }]\n'
    )
    assert run(copy, rig_cache, "paths", str(plain)).returncode == 0
    assert not (tmp_path / "ran").exists()
    done = run(copy, rig_cache, "paths", str(path), "--json")
    assert json.loads(done.stdout)["primitives"][0]["primitive"] == "sha256"
    assert (tmp_path / "ran").exists()


def test_the_page_shows_the_files_as_they_are():
    page = (ROOT / "docs" / "own-primitive.md").read_text()
    for name in ("sha256.h", "sha256.py", "rig.toml"):
        assert (SHA256 / name).read_text() in page, name
