"""Code that is right and not constant-time is named by the constant-time check and by no other, on
every architecture, with the instruction, its line and the way it shows; its twin that does the
same with what is public passes."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path as FilePath

import pytest

from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import Path, direct_paths
from rig.checks.constant_time import CHECK, Leak, examine
from rig.checks.trial import where
from rig.lab import twin_batches
from rig.manifest import read
from rig.project import Project, build

from ..small import command

READ = read(FilePath(__file__).parent / "timed.toml")
SEED = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """What a fault's finding must say, in its summary and in its details."""

    summary: str
    detail: str
    symbol: str = ""


BRANCHES = Shown("branches on a secret", "under one secret: to ")
TOUCHES = Shown("touches an address that depends on a secret", " under one secret, 0x")
TIMES = Shown(
    "takes a time that depends on its operands, and these on a secret", "under one secret"
)
FAULTS = {
    "branch": BRANCHES,
    "zero_key": BRANCHES,
    "lookup": TOUCHES,
    "store": TOUCHES,
    "copies": Shown("a secret", "under the other: to "),
    "prefetch": TOUCHES,
    "divide": TIMES,
    "helper": Shown("takes a time that depends on", "reached from faulty_timed_helper+0x"),
    "predicate": Shown("touches memory or not: its condition depends on a secret", ""),
    "reduces": BRANCHES,
    "table4": TOUCHES,
}


@pytest.fixture(scope="session")
def project(request: pytest.FixtureRequest, rig_cache: FilePath) -> Project:
    arch = ARCHITECTURES[request.param]
    prefix = () if "x86_64" in arch.native_machines else (arch.emulator,)
    if prefix and not shutil.which(arch.emulator):
        pytest.skip(f"{arch.emulator} is not on PATH: apt-get install qemu-user")
    return build(READ, arch.name, find_toolchain("zig"), rig_cache, 2, prefix)


def leaks(project: Project, path: Path, cache: FilePath) -> list[Leak]:
    found: list[Leak] = []
    with project.session() as session:
        for group in twin_batches(project, path, cache):
            found += examine(
                project, session, path, path.masks[0], SEED, group, lambda pc: where(project, pc)
            )
            if found:
                break
    return found


CASES = [
    pytest.param(v.arch, v.primitive, v.name, id=f"{v.arch}-{v.name}")
    for arch in ARCHITECTURES
    for v in READ.variants(arch)
]


@pytest.mark.parametrize(("project", "primitive", "name"), CASES, indirect=["project"])
def test_what_time_tells_is_named(rig_cache, project, primitive, name):
    paths = direct_paths(READ.primitives[primitive], project.arch)
    path = next(p for p in paths if p.choice == ((primitive, name),))
    found = leaks(project, path, rig_cache)
    assert {leak.finding.check for leak in found} == (set() if name == "clean" else {CHECK})
    if name != "clean":
        finding, shown = found[0].finding, FAULTS[name]
        assert shown.summary in finding.summary
        assert ".c:" in finding.summary
        assert shown.detail in " ".join((*finding.details, ""))
        assert found[0].twin is not None


def test_every_fault_is_on_some_architecture():
    names = {v.name for arch in ARCHITECTURES for v in READ.variants(arch)}
    assert names == FAULTS.keys() | {"clean"}


@pytest.mark.parametrize("fault", ["clean", "bytewise", "wordwise"])
def test_a_tag_is_compared_whole(bench, fault):
    """Both forgeries are refused; how soon tells which byte is wrong."""
    target = bench.target("aead", fault)
    path = target.path("chacha20_poly1305", "clean")
    found = leaks(target.project, path, bench.cache)
    symbols = set() if fault == "clean" else {f"faulty_open_{fault}"}
    assert {leak.finding.symbol for leak in found} == symbols
    assert all("aead.c:" in leak.finding.summary for leak in found)


def test_a_finding_is_replayed_with_both_secrets(rig_cache, tmp_path):
    """From a run to the case file, and from there, byte for byte, to the same finding."""
    manifest = str(FilePath(__file__).parent / "timed.toml")
    cache = f"--cache-dir={rig_cache}"
    chosen = ("--variant=zero_key", "--arch=x86_64", "-j1", cache, "--", "-k", CHECK)
    ran = command(tmp_path, "-m", "rig", "run", manifest, *chosen)
    assert ran.returncode == 1, ran.stdout
    assert "against   secrets 0.0, which differs in its secrets" in ran.stdout
    (file,) = (tmp_path / "rig-report" / "cases").glob("*.json")
    case = json.loads(file.read_text())
    secrets = [case[name]["inputs"]["key"] for name in ("twin", "case")]
    assert secrets[1] == 64 * "0" != secrets[0]
    again = command(tmp_path, "-m", "rig", "replay", str(file), cache)
    assert again.returncode == 1, again.stdout
    assert case["finding"]["summary"] in " ".join(again.stdout.split())
    emitted = command(tmp_path, "-m", "rig", "replay", str(file), "--emit", "c", cache)
    assert (emitted.returncode, emitted.stdout) == (2, "")
    assert "takes two cases" in emitted.stderr


def test_what_a_manifest_accepts_passes(rig_cache, tmp_path):
    text = (FilePath(__file__).parent / "timed.toml").read_text()
    entry = 'accept = [{ check = "constant-time", symbol = "faulty_timed_zero_key", reason = "x" }]'
    here = FilePath(__file__).parent
    text = text.replace("../../../native", str(here.parents[1] / "native"))
    text = text.replace("../../native", str(here.parents[1] / "native"))
    text = text.replace('dir      = "sources"', f'dir = "{here / "sources"}"')
    (tmp_path / "rig.toml").write_text(text.replace("rig = 1", f"rig = 1\n{entry}"))
    chosen = ("--variant=zero_key", "--arch=x86_64", "-j1", f"--cache-dir={rig_cache}")
    ran = command(tmp_path, "-m", "rig", "run", *chosen, "--", "-k", CHECK)
    assert ran.returncode == 0, ran.stdout
    assert "0 new, 1 accepted" in ran.stdout
