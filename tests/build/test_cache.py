"""What is compiled again, and what is not."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rig.build.objects import Unit, compile_all
from rig.build.toolchain import find_toolchain
from rig.errors import BuildError

UNITS = 4  # two sources, the capability vector, what compilers call
ROOT = Path(__file__).parents[2]


def test_a_second_build_compiles_nothing(build):
    first = build()
    assert (first.compiled, first.reused) == (UNITS, 0)
    second = build()
    assert (second.compiled, second.reused, second.path) == (0, UNITS, first.path)


def test_a_changed_header_compiles_what_includes_it(build, project):
    before = build()
    (project / "include" / "turn.h").write_text("#define turn(x) ((x) << 5)\n")
    after = build()
    assert (after.compiled, after.reused) == (1, UNITS - 1)
    assert after.path != before.path
    (project / "include" / "turn.h").write_text("#define turn(x) ((x) << 3)\n")
    again = build()
    assert (again.compiled, again.path) == (0, before.path)


def test_a_touched_header_compiles_nothing(build, project):
    build()
    os.utime(project / "include" / "turn.h", (0, 0))
    assert build().compiled == 0


def test_a_header_that_is_gone_is_the_compilers_to_report(build, project):
    build()
    (project / "include" / "turn.h").unlink()
    with pytest.raises(BuildError, match=r"first\.c:1:10: fatal error: 'turn\.h' file not found"):
        build()


@pytest.mark.parametrize("needs", ["avx2", "ssse3 pclmul"])
def test_other_flags_compile_again(build, project, needs):
    before = build()
    text = (project / "rig.toml").read_text()
    changed = text.replace('source = "first.c"', f'source = "first.c", needs = "{needs}"')
    (project / "rig.toml").write_text(changed)
    after = build()
    assert (after.compiled, after.reused) == (1, UNITS - 1)
    assert after.path != before.path


def test_a_comment_in_the_manifest_compiles_nothing(build, project):
    build()
    with (project / "rig.toml").open("a") as file:
        file.write("# a remark\n")
    assert build().compiled == 0


def test_an_object_that_went_missing_is_made_again(build, tmp_path):
    before = build()
    for path in (tmp_path / "cache" / "objects").glob("*.o"):
        path.unlink()
    before.path.unlink()
    after = build()
    assert (after.compiled, after.functions) == (UNITS, before.functions)


def test_a_damaged_list_of_headers_is_made_again(build, tmp_path):
    build()
    for path in (tmp_path / "cache" / "headers").glob("*.json"):
        path.write_text("{")
    assert build().compiled == UNITS


BUILDER = """
import sys
from pathlib import Path
from rig.build.project import build_image
from rig.build.toolchain import find_toolchain
from rig.manifest import read
image = build_image(read(Path(sys.argv[1])), "x86_64", find_toolchain(), Path(sys.argv[2]), 2)
print(image.compiled, image.path)
"""


def test_two_builds_at_once_share_the_work(project, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    command = (sys.executable, "-c", BUILDER, str(project / "rig.toml"), str(cache))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(int(compiled) for compiled, _ in said) == [0, UNITS]
    assert said[0][1] == said[1][1]
    assert not [p for p in cache.rglob(".*") if p.is_dir()]


def test_every_error_is_told_at_once(project, build):
    for name in ("first.c", "second.S"):
        (project / name).write_text("#error not today\n")
    with pytest.raises(BuildError) as caught:
        build()
    assert "first.c: cannot compile for chacha20/first:" in str(caught.value)
    assert "second.S: cannot compile for chacha20/second:" in str(caught.value)


def test_assembly_without_a_preprocessor(tmp_path):
    """A .s file has no headers, and no list of them."""
    source = tmp_path / "plain.s"
    source.write_text("# include nothing\n.text\nret\n")
    toolchain, cache = find_toolchain(), tmp_path / "cache"
    cache.mkdir()
    command = (*toolchain.compiler, "--target=x86_64-linux-gnu")
    for reused in (False, True):
        (made,) = compile_all([Unit(source, tmp_path, command, "test")], toolchain, cache, 1)
        assert (made.source, made.reused) == ("plain.s", reused)


@pytest.mark.parametrize("name", ["a b.h", "a#b.h", "a$b.h"])
def test_headers_with_signs_in_their_names(build, project, name):
    shutil.copy(project / "include" / "turn.h", project / "include" / name)
    source = project / "first.c"
    source.write_text(source.read_text().replace("turn.h", name))
    build()
    records = (project.parent / "cache" / "headers").glob("*.json")
    assert f"include/{name}" in {
        header for path in records for header in json.loads(path.read_text())
    }
    (project / "include" / name).write_text("#define turn(x) ((x) << 7)\n")
    assert build().compiled == 1
