"""Every command in README and docs: what stands in a fence is run, the rest is parsed.

A fence is run in the folder that the comment before it names: `<!-- in FOLDER -->` is a copy of
that folder of the project, or what `_STAGED` makes under that name, shared by all fences of a page
that name it; `<!-- by FILE -->` names the script or the test that runs it.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rig import cli

from .small import ROOT

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
_FENCE = re.compile(r"(?:<!-- (in|by) (\S+) -->\n)?```(?:sh|console)\n(.*?)```", re.DOTALL)
_SPAN = re.compile(r"`(rig|variant-rig) ([^`]*)`")
_PLACES = {"ID": "ghash-value-0a1b", "FILE": "case.json", "VARIANT": "ghash/ssse3", "T": "rig.toml"}


def _four_files(folder: Path) -> None:
    """Two primitives in CRYPTOGAMS' convention, each with two variants, one file each."""
    folder.mkdir()
    for source, name, variant in (
        ("generic/ghash_ct64.c", "ghash_nohw-x86_64.c", "nohw"),
        ("x86/ghash_ssse3.S", "ghash_ssse3-x86_64.S", "ssse3"),
        ("generic/chacha20_generic.c", "chacha_nohw-x86_64.c", "nohw"),
        ("x86/chacha20_avx2.c", "chacha_avx2-x86_64.c", "avx2"),
    ):
        code = (ROOT / "native" / source).read_text()
        code = re.sub(r"rig_ghash_(init|gmult|ghash)_\w+", rf"gcm_\1_{variant}", code)
        code = re.sub(r"rig_chacha20_ctr32_\w+", f"ChaCha20_ctr32_{variant}", code)
        (folder / name).write_text(code)


_STAGED = {"four-files": _four_files}


def fences(page: Path) -> Iterator[tuple[str, str, str]]:
    """The kind and the folder of each fence with commands, and its text."""
    yield from _FENCE.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_fence_says_where_it_runs(page: Path) -> None:
    for kind, folder, text in fences(page):
        assert kind, f"{page.name}: no `<!-- in FOLDER -->` before: {text}"
        if kind == "by":
            assert (ROOT / folder).is_file()
        else:
            assert folder in _STAGED or (ROOT / folder).is_dir()


_RUN = [page for page in PAGES if any(kind == "in" for kind, _, _ in fences(page))]


@pytest.mark.parametrize("page", _RUN, ids=lambda page: page.name)
def test_fences_run(page: Path, tmp_path: Path, rig_cache: Path) -> None:
    environment = _environment(tmp_path / "bin", rig_cache)
    for _, folder, text in (fence for fence in fences(page) if fence[0] == "in"):
        here = tmp_path / folder
        if not here.exists() and folder in _STAGED:
            _STAGED[folder](here)
        elif not here.exists():
            shutil.copytree(ROOT / folder, here)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=here,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{page.name}: {text}\n{done.stdout}{done.stderr}"


def _environment(folder: Path, cache: Path) -> dict[str, str]:
    """With a `rig`, a `pytest` and the others as this interpreter has them."""
    folder.mkdir()
    for name in ("rig", "pytest", "coverage"):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {name} "$@"\n')
        script.chmod(0o755)
    path = os.pathsep.join((str(folder), str(Path(sys.executable).parent), os.environ["PATH"]))
    home = str(cache)
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": home}


def spans() -> Iterator[tuple[str, str]]:
    """The arguments of each `rig ...` in running text, with its page."""
    for page in PAGES:
        yield from ((page.name, text) for _, text in _SPAN.findall(page.read_text()))


@pytest.mark.parametrize(("page", "text"), sorted(set(spans())))
def test_what_the_text_names_is_a_command(page: str, text: str) -> None:
    plain = re.sub(r"\[([^\]]*)\]|\.\.\.", r"\1", text).replace("T --x", "T").split(",")[0]
    words = [_PLACES.get(word, word) for word in shlex.split(plain)]
    if words[0] == "coverage" and (len(words) == 1 or words[1].startswith("-")):
        words.insert(1, "ghash/ssse3")
    if words[0] == "report" and len(words) == 1:
        words.append("rig-report")
    try:
        cli._parser().parse_args(words)
    except SystemExit as error:
        assert error.code in (0, None), f"{page}: rig {text}"


def test_the_manifest_of_the_quickstart(tmp_path: Path, rig_cache: Path) -> None:
    _four_files(tmp_path / "four")
    assert cli.main(["init", str(tmp_path / "four"), "--cache-dir", str(rig_cache)]) == 0
    page = (ROOT / "docs" / "quickstart.md").read_text()
    shown = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert shown and (tmp_path / "four" / "rig.toml").read_text() == shown[1]
