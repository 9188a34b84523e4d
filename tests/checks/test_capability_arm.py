"""The capability check on ARM: nothing needs to run, as what an instruction needs is known."""

from pathlib import Path

import pytest

from rig import manifest
from rig.build.image import Image
from rig.build.project import build_image
from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import direct_paths
from rig.capabilities.vector import Vector
from rig.checks import capability
from rig.checks.capability import executed, static_findings
from rig.errors import BuildError
from rig.project import Project, decoded
from rig.trace.assembler import UNKNOWN

PLACED = """
.globl {name}
.type {name}, %function
{name}:
{body}
.size {name}, . - {name}
.section .note.GNU-stack,"",%progbits
"""
# Variant: architecture, needs, body, whether the instruction is one that the needs lack.
VARIANTS = {
    "clean64": ("aarch64", "neon", " eor v0.16b, v0.16b, v1.16b\n bti c\n ret", ""),
    "ce64": ("aarch64", "aes", " .arch_extension aes\n aese v0.16b, v1.16b\n ret", ""),
    "neon64": ("aarch64", "neon", " .arch_extension aes\n b 1f\n aesd v1.16b, v2.16b\n1: ret", ""),
    "faulty64": (
        *("aarch64", "neon", " .arch_extension aes\n cbz x0, 1f\n aese v0.16b, v1.16b\n1: ret"),
        "aes",
    ),
    "half64": ("aarch64", "aes", " .arch_extension aes\n pmull v0.1q, v0.1d, v1.1d\n ret", "pmull"),
    "atomic64": ("aarch64", "aes", " .arch_extension lse\n ldadd x0, x1, [x2]\n ret", "lse"),
    "clean32": ("arm", "", " push {r4, lr}\n ldr r0, =0xf2000150\n pop {r4, pc}\n .ltorg", ""),
    "neon32": ("arm", "neon", " .fpu neon\n vadd.i32 q0, q0, q1\n bx lr", ""),
    "faulty32": ("arm", "", " .fpu neon\n cmp r0, #0\n vaddne.f32 s0, s0, s1\n bx lr", "neon"),
    "saving32": ("arm", "", " .fpu neon\n vpush {d8-d15}\n vpop {d8-d15}\n bx lr", "neon"),
    "words32": ("arm", "neon", " .byte 0x02, 0x03, 0xb0, 0xf3\n bx lr", "aes"),
}
FAULTY = {name: row for name, row in VARIANTS.items() if row[3]}


def text() -> str:
    rows = [
        f'  {{ arch = "{arch}", name = "{name}", source = "{name}.S"'
        + (f', needs = "{needs}"' if needs else "")
        + " },"
        for name, (arch, needs, _, _) in VARIANTS.items()
    ]
    vector = 'vector = { aarch64 = "vector", arm = "vector" }'
    head = ["rig = 1", vector, "[chacha20]", 'symbols = { ctr32 = "{name}" }', "variants = ["]
    return "\n".join([*head, *rows, "]", ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    for name, (_, _, body, _) in VARIANTS.items():
        (folder / f"{name}.S").write_text(PLACED.format(name=name, body=body))
    (folder / "rig.toml").write_text(text())
    return folder


@pytest.fixture(scope="module")
def projects(folder: Path, rig_cache: Path) -> dict[str, Project]:
    read = manifest.read(folder / "rig.toml")
    found = {}
    for arch in ("aarch64", "arm"):
        image = build_image(read, arch, find_toolchain(), rig_cache, 1)
        named = {v.symbols["ctr32"]: (v.primitive, v.name) for v in read.variants(arch)}
        owners = {
            f.address: frozenset({named[f.name]} if f.name in named else ())
            for f in image.functions
        }
        found[arch] = Project(read, image, (), Vector.base(arch), owners)
    return found


def place(image: Image):
    return lambda address: str(decoded(image).place(address))


@pytest.mark.parametrize("name", VARIANTS)
def test_code_is_held_to_its_needs(projects, name):
    arch, needs, _, lacks = VARIANTS[name]
    project = projects[arch]
    found = static_findings(project, project.manifest.primitives["chacha20"], place(project.image))
    summaries = [finding.summary for finding in found.get(name, ())]
    rule = f'`needs = "{needs}"` does not allow' if needs else "code without `needs` may not use"
    assert len(summaries) == bool(lacks)
    for summary in summaries:
        assert f" needs {lacks}, which {rule}" in summary


@pytest.mark.parametrize("name", VARIANTS)
def test_what_ran_is_held_to_the_masks(projects, name):
    """As if all of the variant had run under the least mask that it needs."""
    arch, _, _, lacks = VARIANTS[name]
    project = projects[arch]
    paths = direct_paths(project.manifest.primitives["chacha20"], arch)
    path = next(p for p in paths if ("chacha20", name) in p.choice)
    code = next(f for f in decoded(project.image).functions if f.name == name)
    hits = [each.address for each in code.instructions]
    found = [finding for _, finding in executed(project, path, hits, hex)]
    assert len(found) == bool(lacks)
    for finding in found:
        assert f"ran; it needs {lacks} (" in finding.summary and finding.symbol == name


def test_no_model_of_the_emulator_would_have_shown_it(projects):
    """AES is in every aarch64 model of qemu; the first instruction is never executed either."""
    project = projects["aarch64"]
    found = static_findings(project, project.manifest.primitives["chacha20"], place(project.image))
    (finding,) = found["faulty64"]
    assert finding.summary.startswith("faulty64+0x4 needs aes")


def test_what_the_assembler_does_not_take_is_told(projects, monkeypatch):
    project = projects["aarch64"]
    unknown = frozenset({UNKNOWN})
    monkeypatch.setattr(capability, "_demands", lambda key: lambda instruction: unknown)
    found = static_findings(project, project.manifest.primitives["chacha20"], place(project.image))
    (finding,) = found["clean64"]
    assert finding.summary == (
        "clean64: the toolchain's assembler does not take this text, so that what the "
        "instruction needs is not known"
    )


def test_thumb_is_refused_by_name(folder, rig_cache):
    thumb = ".syntax unified\n.thumb\n.thumb_func\n" + PLACED.format(name="small", body=" bx lr")
    (folder / "small.S").write_text(thumb)
    one = '[chacha20]\nvariants = [{ arch = "arm", name = "small", source = "small.S" }]\n'
    one = one.replace("[chacha20]\n", '[chacha20]\nsymbols = { ctr32 = "{name}" }\n')
    (folder / "small.toml").write_text(f'rig = 1\nvector = {{ arm = "vector" }}\n{one}')
    read = manifest.read(folder / "small.toml")
    image = build_image(read, "arm", find_toolchain(), rig_cache, 1)
    with pytest.raises(BuildError, match=r"small: Thumb code, .*-marm, or put `.arm`"):
        decoded(image)
