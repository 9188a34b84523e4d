"""A small project of one C file with a header, and builds of it into a cache of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rig.build.image import Image
from rig.build.project import build_image
from rig.build.toolchain import find_toolchain
from rig.manifest import read

MANIFEST = """rig = 1
include = ["include"]
[chacha20]
symbols = { ctr32 = "{name}" }
variants = [
  { arch = "x86_64", name = "first", source = "first.c" },
  { arch = "x86_64", name = "second", source = "second.S" },
]
"""
FIRST = """#include "turn.h"
#include <stdint.h>
extern const uint32_t *const pointers[2];
static const uint32_t words[2] = {7, 9};
const uint32_t *const pointers[2] = {&words[0], &words[1]};
uint32_t (*const functions[1])(uint32_t) = {0};
static uint32_t inner(uint32_t x) { return turn(x); }
uint32_t first(uint32_t x);
uint32_t first(uint32_t x) { return inner(x) + *pointers[x & 1]; }
uint32_t (*chosen)(uint32_t) = first;
"""
SECOND = """.text
.globl second, second_alias
.type second, @function
.type second_alias, @function
second:
second_alias:
        leal 1(%rdi), %eax
        ret
.size second, .-second
.size second_alias, .-second_alias
.type inner, @function
inner:
        ret
.size inner, .-inner
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of the project."""
    folder = tmp_path / "project"
    (folder / "include").mkdir(parents=True)
    (folder / "rig.toml").write_text(MANIFEST)
    (folder / "first.c").write_text(FIRST)
    (folder / "second.S").write_text(SECOND)
    (folder / "include" / "turn.h").write_text("#define turn(x) ((x) << 3)\n")
    return folder


Build = Callable[..., Image]


@pytest.fixture
def build(project: Path, tmp_path: Path) -> Build:
    """Builds the project; the cache is the test's own."""

    def build_it(cc: str = "zig") -> Image:
        cache = tmp_path / "cache"
        cache.mkdir(exist_ok=True)
        return build_image(read(project / "rig.toml"), "x86_64", find_toolchain(cc), cache, 2)

    return build_it
