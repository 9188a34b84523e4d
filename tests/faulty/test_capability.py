"""Instructions beyond `needs`: each is found in the code and where it runs, named with what would
fault; code that only looks so is not."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from rig.checks.capability import static_findings
from rig.checks.trial import where

HERE = Path(__file__).parent
AT = r"^faulty_chacha20_{name}(\+0x[0-9a-f]+)?: {code} \(sources/capability\.S:\d+\)"
SSSE3, AES = ('`needs = "ssse3"` does not allow', '`needs = "aes"` does not allow')
FAULT, NONE = "it would fault on ", "no CPU model that the rig knows has the one without the other"


@dataclass(frozen=True, slots=True)
class Fault:
    """A variant with an instruction `code` that needs `lacks`, at `bit` of the vector; what
    the finding in the code says further, and whether the instruction is executed."""

    name: str
    code: str
    lacks: str
    bit: str
    says: str
    effect: str
    runs: bool = True


FAULTS = (
    Fault("sse41", "ptest xmm0, xmm0", "sse4.1", "word 1 bit 19", SSSE3, FAULT + "core2duo$"),
    Fault(
        *("movbe", r"movbe eax, \[r8\]", "movbe", "word 1 bit 22", SSSE3),
        FAULT + "core2duo, penryn, nehalem, westmere, sandybridge, bulldozer, .*ivybridge$",
    ),
    Fault("rorx", "rorx eax, eax, 1", "bmi2", "word 2 bit 8", SSSE3, FAULT + "core2duo, penryn,"),
    Fault("pshufb", "pshufb xmm0, xmm0", "ssse3", "word 1 bit 9", AES, NONE),
    Fault(
        *("scan", "tzcnt rax, rdx", "bmi1", "word 2 bit 3", "code without `needs` may not use"),
        "it would run as bsf, with another result for 0, on core2duo, ",
    ),
    Fault(
        *("zeros", "lzcnt rax, rdx", "lzcnt", "no bit", '`needs = "bmi1"` does not allow'),
        "the capability vector has no bit for it, so no `needs` can ask for it$",
    ),
    Fault("unrun", "ptest xmm0, xmm0", "sse4.1", "", SSSE3, FAULT + "core2duo$", runs=False),
)
TWINS = ("clean", "benign", "avx")
by_name = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)


@pytest.fixture(scope="module")
def target(bench):
    return bench.target("capability")


@pytest.fixture(scope="module")
def static(target):
    project = target.project
    primitive = project.manifest.primitives["chacha20"]
    return static_findings(project, primitive, functools.partial(where, project))


def ran(bench, target, name):
    """The findings of the check; a CPU without the capability adds a crash."""
    outcome = bench.outcome(target, target.path("chacha20", name), "published")
    return [finding for finding in outcome.findings if finding.check == "capability"]


@by_name
def test_found_in_the_code(static, fault):
    (finding,) = static[fault.name]
    at = AT.format(name=fault.name, code=fault.code)
    says = f"{at} needs {re.escape(f'{fault.lacks}, which {fault.says}')}; {fault.effect}"
    assert re.search(says, finding.summary), finding.summary
    assert (finding.check, finding.script) == ("capability", None)
    assert finding.symbol == f"faulty_chacha20_{fault.name}"


def test_further_instructions_are_counted(static):
    assert static["sse41"][0].details == ("and 1 further instruction of this function",)
    assert static["movbe"][0].details == ()


@by_name
def test_found_where_it_runs(bench, target, fault):
    findings = ran(bench, target, fault.name)
    assert len(findings) == fault.runs
    for finding in findings:
        at = AT.format(name=fault.name, code=fault.code)
        lack = re.escape(f"{fault.lacks} ({fault.bit}), which the path's mask lacks")
        assert re.search(f"{at} ran; it needs {lack}$", finding.summary), finding.summary
        assert (finding.script, finding.symbol) == (0, f"faulty_chacha20_{fault.name}")


def test_helper_of_two_variants(bench, target, static):
    """Its code is right for the one whose flow shows, and wrong where the other runs it."""
    assert "no_avx" not in static
    (finding,) = ran(bench, target, "no_avx")
    assert re.match(r"with_avx: vpxor .* ran; it needs avx \(word 1 bit 28\)", finding.summary)


def test_every_case_of_the_path_fails(bench, target):
    outcome = bench.outcome(target, target.path("chacha20", "movbe"), "published")
    assert outcome.failed == outcome.cases


@pytest.mark.parametrize("name", TWINS)
def test_twins_pass(bench, target, static, name):
    assert name not in static
    assert not ran(bench, target, name)


def test_every_variant_is_a_fault_or_a_twin(target):
    variants = {v.name for v in target.project.manifest.variants("x86_64")}
    assert variants == {"no_avx", *TWINS, *(fault.name for fault in FAULTS)}


ACCEPTED = """
[[accept]]
check  = "capability"
symbol = "faulty_chacha20_sse41"
reason = "the tests' own"
"""


def test_a_run_fails_for_code_that_never_ran(tmp_path, rig_cache):
    """The row is the direct path's, and its other checks have passed."""
    shutil.copytree(HERE / "sources", tmp_path / "sources")
    text = (HERE / "capability.toml").read_text()
    (tmp_path / "rig.toml").write_text(text + ACCEPTED)
    command = [sys.executable, "-m", "rig", "run", "-j", "1", f"--cache-dir={rig_cache}"]
    command += [f"--variant={name}" for name in ("clean", "unrun", "sse41")]
    command += ["--checks=isa,published"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.findall(r"^_+ (\S+) _+$", done.stdout, re.MULTILINE) == ["chacha20/x86_64/isa"]
    assert max(map(len, done.stdout.partition("= rig =")[0].splitlines())) <= 80
    document = json.loads((tmp_path / "rig-report" / "results.json").read_text())
    paths = {p["path"]: p for p in document["paths"] if p["kind"] == "direct"}
    assert {name: p["verdict"] for name, p in paths.items()} == {
        "chacha20=clean": "pass",
        "chacha20=unrun": "fail",
        "chacha20=sse41": "accepted",
    }
    unrun = paths["chacha20=unrun"]
    assert (unrun["cases"]["isa"], unrun["failed"]) == (0, 1)
    assert {c for c, verdict in unrun["checks"].items() if verdict == "fail"} == {"capability"}
    assert [finding["check"] for finding in unrun["findings"]] == ["capability"]
