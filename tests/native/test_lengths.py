"""The block of lengths that the AEADs authenticate, for messages that no memory holds: their slots
are stubs that read none of it, so that the tag is that block (SP 800-38D clause 7.1 step 4, RFC
8439 section 2.8)."""

import itertools
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from rig import manifest
from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.capabilities.vector import Vector
from rig.data import data_folder
from rig.manifest import Manifest
from rig.project import Project, build, composed_entries, table_of, vector_write
from rig.runner.command import AbsentError
from rig.runner.encode import encode
from rig.runner.events import Event
from rig.runner.scripts import Address, Buffer, Call, Pointer, Prologue, Script, TablePointer, Word

STUBS = Path(__file__).parent / "sources" / "lengths.c"
SYMBOLS = {
    "aes": ("set_encrypt_key", "encrypt", "ctr32_encrypt_blocks"),
    "ghash": ("ghash_init", "gmult", "ghash"),
    "chacha20": ("ctr32",),
    "poly1305": ("poly1305_init", "blocks", "emit"),
}
ROLES = {"ghash_init": "init", "poly1305_init": "init"}
LAYOUTS = {"aes_gcm": (">QQ", 8), "chacha20_poly1305": ("<QQ", 1)}
LENGTHS = (0, 32, 1 << 28, 1 << 29, (1 << 32) - 16, 1 << 32, 1 << 33, (1 << 36) - 32, 1 << 60)


def stubbed(read: Manifest) -> Manifest:
    """The AEADs of a manifest over stubs."""
    primitives = {}
    for name, primitive in read.primitives.items():
        if name in SYMBOLS:
            symbols = {ROLES.get(s, s): f"lengths_{s}" for s in SYMBOLS[name]}
            kept = {v.arch: v for v in reversed(primitive.variants)}
            variants = tuple(
                replace(v, name="stub", sources=(STUBS,), symbols=symbols) for v in kept.values()
            )
            primitives[name] = replace(primitive, variants=variants)
        elif name in LAYOUTS or name.endswith("_fused"):
            primitives[name] = replace(primitive, variants=())
    return replace(read, dispatch=None, primitives=primitives)


def script(project: Project, name: str, aad: int, text: int) -> Script:
    """A seal of so many bytes, none of which is there."""
    layout, scale = LAYOUTS[name]
    symbols = project.manifest.primitives[name].symbols
    size = ARCHITECTURES[project.arch].widths["size_t"]
    tag = struct.pack(layout, aad * scale, text * scale)
    buffers = (
        Buffer("ctx", 1024, align=16),
        Buffer("key", 32, bytes(32)),
        Buffer("nonce", 12, bytes(12)),
        Buffer("tag", 16, expected=tag),
    )
    absent = Pointer(2)
    init = (Pointer(0), TablePointer(), Pointer(1), Word(32, size))
    seal = (Pointer(0), absent, Pointer(3), Word(16, size), Pointer(2), Word(12, size))
    return Script(
        buffers,
        (
            Call(Address(project.image.entry(symbols["init"])), init, Word(0, 32)),
            Call(
                Address(project.image.entry(symbols["seal"])),
                (*seal, absent, Word(aad, size), absent, Word(text, size)),
                Word(0, 32),
            ),
        ),
    )


def wrong(project: Project, name: str) -> tuple[Event, ...]:
    """What is wrong for any of LENGTHS that a size_t holds."""
    most = 1 << ARCHITECTURES[project.arch].widths["size_t"]
    pairs = itertools.product((n for n in LENGTHS if n < most), repeat=2)
    scripts = [script(project, name, aad, text) for aad, text in pairs]
    slots = dict.fromkeys(project.manifest.primitives[name].slots, "stub")
    table = table_of(project, project.manifest.primitives[name], tuple(slots.items()))
    table += composed_entries(project, project.manifest.primitives[name])
    start = Prologue((vector_write(project, Vector.empty(project.arch)),), table)
    with project.session() as session:
        return session.run(encode(scripts), start).events


@pytest.fixture(scope="module", params=ARCHITECTURES)
def project(request: pytest.FixtureRequest, rig_cache: Path) -> Project:
    read = stubbed(manifest.read(data_folder("native") / "rig.toml"))
    try:
        return build(read, request.param, find_toolchain(), rig_cache, 2)
    except AbsentError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", LAYOUTS)
def test_lengths(project: Project, name: str) -> None:
    assert not wrong(project, name)
