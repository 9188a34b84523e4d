"""Whose code is held to what: entries that are shared, helpers of nobody, several masks."""

from dataclasses import replace
from pathlib import Path

import pytest

from rig import manifest
from rig.build.toolchain import find_toolchain
from rig.capabilities.models import models
from rig.capabilities.paths import Path as RigPath
from rig.capabilities.paths import direct_paths
from rig.capabilities.vector import Vector, parse_needs
from rig.checks.capability import executed, models_lacking, static_findings
from rig.project import Project, build, decoded

CODE = """
.macro function name
.globl \\name
.type \\name, @function
\\name:
.endm
.macro finish name
.size \\name, . - \\name
.endm

function entry
    testl $0x200, vector+4(%rip)
    jnz inner_ssse3
    call with_sse41
    ret
finish entry
function inner_ssse3
    pshufb %xmm0, %xmm0
    call with_ssse3
    ret
finish inner_ssse3
.type with_ssse3, @function
with_ssse3:
    pabsb %xmm0, %xmm0
    ret
finish with_ssse3
.type with_sse41, @function
with_sse41:
    ptest %xmm0, %xmm0
    ret
finish with_sse41
.type unreached, @function
unreached:
    pshufb %xmm0, %xmm0
    movbe (%rdi), %eax
    ret
finish unreached
function choose_chacha20
    movl $1, %eax
    cpuid
    xorl %ecx, %ecx
    xgetbv
    popcntl %eax, %eax
    ret
finish choose_chacha20
.section .note.GNU-stack,"",@progbits
"""
SPLIT = CODE.index("function choose")
MANIFEST = """
rig    = 1
vector = { x86_64 = "vector" }
[dispatch]
source = "choose.S"
symbol = "choose_{primitive}"
[chacha20]
symbols  = { ctr32 = "entry" }
variants = [
  { arch = "x86_64", name = "plain", source = "all.S", ran = "entry" },
  { arch = "x86_64", name = "ssse3", source = "all.S", needs = "ssse3", ran = "inner_ssse3" },
]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, rig_cache: Path) -> Project:
    folder = tmp_path_factory.mktemp("project")
    head = CODE[: CODE.index("function entry")]
    (folder / "all.S").write_text(CODE[:SPLIT])
    (folder / "choose.S").write_text(head + CODE[SPLIT:])
    (folder / "rig.toml").write_text(MANIFEST)
    return build(manifest.read(folder / "rig.toml"), "x86_64", find_toolchain(), rig_cache, 2)


@pytest.fixture(scope="module")
def plain(project: Project) -> RigPath:
    return direct_paths(project.manifest.primitives["chacha20"], "x86_64")[0]


def lacks(project: Project, path: RigPath, *masks: str) -> dict[str, str]:
    """By function what the check says if every instruction has run under masks of these names."""
    vectors = tuple(Vector.of("x86_64", mask.split()) for mask in masks)
    hits = [i.address for f in decoded(project.image).functions for i in f.instructions]
    found = executed(project, replace(path, masks=vectors), hits, hex)
    return {f.symbol: f.summary.partition("it needs ")[2] for _, f in found}


def test_code_is_judged_for_those_who_lead_to_it(project):
    """An entry that two variants share, local functions behind it, and one that no flow shows."""
    found = static_findings(project, project.manifest.primitives["chacha20"], hex)
    rows = {(name, f.symbol, f.summary.partition(";")[0]) for name in found for f in found[name]}
    assert {(name, symbol, text.partition(" ")[2]) for name, symbol, text in rows} == {
        ("plain", "with_sse41", "needs sse4.1, which code without `needs` may not use"),
        ("ssse3", "unreached", 'needs movbe, which `needs = "ssse3"` does not allow'),
        ("", "choose_chacha20", "needs popcnt, which code without `needs` may not use"),
    }


def test_what_ran_is_held_to_what_all_masks_share(project, plain):
    nothing = lacks(project, plain, "")
    assert set(nothing) == {
        "inner_ssse3",
        "with_ssse3",
        "with_sse41",
        "unreached",
        "choose_chacha20",
    }
    shared = lacks(project, plain, "ssse3 aes movbe", "ssse3 popcnt")
    assert shared == {
        "with_sse41": "sse4.1 (word 1 bit 19), which the path's masks do not share",
        "unreached": "movbe (word 1 bit 22), which the path's masks do not share",
        "choose_chacha20": "popcnt (word 1 bit 23), which the path's masks do not share",
    }


def test_mask_allows_what_its_capabilities_bring(project, plain):
    assert set(lacks(project, plain, "avx2")) == {"unreached", "choose_chacha20"}
    assert not lacks(project, plain, "avx2 movbe popcnt")


def test_executed_names_the_first_instruction(project, plain):
    hits = [i.address for f in decoded(project.image).functions for i in f.instructions]
    found = executed(project, plain, hits, hex)
    for address, finding in found:
        assert finding.summary.startswith(f"{address:#x} ran; ")
        function = project.image.function_at(address)
        assert function
        assert function.name == finding.symbol
    assert executed(project, plain, [], hex) == []


@pytest.mark.parametrize(
    ("needs", "lacking", "expected"),
    [
        ("ssse3", "sse4.1", "core2duo"),
        ("sse4.1", "sse4.2", "penryn"),
        ("ssse3 pclmul", "movbe", "westmere sandybridge bulldozer ivybridge"),
        ("avx2", "adx", "haswell"),
        ("avx2 avoid-zmm", "adx", "haswell"),
        ("avx2 !adx", "vaes", "haswell"),
        ("aes", "ssse3", ""),
        ("avx2", "lzcnt", ""),
    ],
)
def test_models_that_would_fault(needs, lacking, expected):
    asked = parse_needs(needs, "x86_64")
    assert models_lacking(frozenset({lacking}), asked) == tuple(expected.split())


def test_code_without_needs_would_fault_on_every_model_without():
    names = models_lacking(frozenset({"sha512"}), parse_needs("", "x86_64"))
    assert sorted(names) == sorted(model.name for model in models("x86_64"))
