"""Faults of objects, on every architecture, each with its clean twin: rule, place and fix.

Nothing here runs: an object is judged as it is linked.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from rig.build.toolchain import find_toolchain
from rig.checks.audit import audit
from rig.data import data_folder
from rig.manifest import read
from rig.project import build

ARCHS = ("x86_64", "i386", "aarch64", "arm")
X86, A64 = ("x86_64", "i386"), ("aarch64",)
NOTE = '.section .note.GNU-stack,"",%progbits\n'
PAD = {"x86_64": "endbr64", "i386": "endbr32", "aarch64": "bti c", "arm": "nop"}
WORD = {"x86_64": ".quad", "i386": ".long", "aarch64": ".quad", "arm": ".long"}
RET = {"x86_64": "ret", "i386": "ret", "aarch64": "ret", "arm": "bx lr"}
STORE = {
    "x86_64": "movl %eax, table(%rip)",
    "i386": "movl %eax, table@GOTOFF(%ebx)",
    "aarch64": "adrp x9, table\nstr w10, [x9, :lo12:table]",
}
LOAD = {
    "x86_64": "leaq table(%rip), %rax",
    "i386": "leal table@GOTOFF(%ebx), %eax",
    "aarch64": "adrp x9, table\nldr w10, [x9, :lo12:table]",
}
MARK = {"x86_64": (0xC0000002, 1, 8), "i386": (0xC0000002, 1, 4), "aarch64": (0xC0000000, 1, 8)}
MANIFEST = """
rig      = 1
dispatch = "rules"
include  = ["{native}/include"]
[chacha20]
symbols  = {{ ctr32 = "own_{{name}}" }}
variants = [ {{ arch = "{arch}", name = "ctr32", source = "code.S"{flags} }} ]
[poly1305]
symbols  = {{ init = "own_{{name}}_a", blocks = "own_{{name}}_b", emit = "own_{{name}}_c" }}
variants = [ {{ arch = "{arch}", name = "poly", source = "poly.S" }} ]
"""
Audit = Callable[..., list[tuple[str, str, tuple[str, ...]]]]


def function(name: str, arch: str, body: str = "", typed: bool = True, sized: bool = True) -> str:
    """A function that returns, with its type and size unless it is to have none."""
    lines = [f".text\n.globl {name}", f".type {name}, %function" if typed else "", f"{name}:"]
    return "\n".join([*lines, body, RET[arch], f".size {name}, .-{name}" if sized else "", ""])


def entry(arch: str, body: str = "") -> str:
    """The function that the manifest names."""
    return function("own_ctr32", arch, body)


def property_note(arch: str) -> str:
    """The mark that every indirect target has a landing pad."""
    kind, value, word = MARK[arch]
    held = f".long {kind:#x}, 4, {value}" + (", 0" if word == 8 else "")
    size = 16 if word == 8 else 12
    return (
        '.section .note.gnu.property,"a",%note\n'
        f'.p2align {3 if word == 8 else 2}\n.long 4, {size}, 5\n.asciz "GNU"\n{held}\n'
    )


@pytest.fixture
def found(tmp_path: Path, rig_cache: Path) -> Audit:
    """What the audit says of an assembly file, as (summary, symbol, details)."""

    def audited(arch: str, code: str, flags: str = "") -> list[tuple[str, str, tuple[str, ...]]]:
        plain = "".join(function(f"own_poly_{part}", arch, PAD[arch]) for part in "abc")
        mark = property_note(arch) if arch in MARK else ""
        (tmp_path / "poly.S").write_text(plain + NOTE + (mark if "gnu.property" in code else ""))
        (tmp_path / "code.S").write_text(code)
        (tmp_path / "rig.toml").write_text(
            MANIFEST.format(native=data_folder("native").resolve(), arch=arch, flags=flags)
        )
        manifest = read(tmp_path / "rig.toml")
        project = build(manifest, arch, find_toolchain(), rig_cache, 1)
        findings = audit(project, manifest.primitives["chacha20"], hex)
        assert {f.check for each in findings.values() for f in each} <= {"object"}
        assert set(findings) <= {"ctr32"}
        return [(f.summary, f.symbol, f.details) for f in findings.get("ctr32", ())]

    return audited


@pytest.mark.parametrize("arch", ARCHS)
def test_clean(found: Audit, arch: str) -> None:
    table = ".section .rodata\n.type table, %object\ntable: .long 1, 2\n.size table, 8\n"
    hidden = function("helper", arch) + ".hidden helper\n"
    assert found(arch, entry(arch) + table + hidden + NOTE) == []


@pytest.mark.parametrize("arch", ARCHS)
def test_executable_stack(found: Audit, arch: str) -> None:
    ((summary, symbol, details),) = found(arch, entry(arch) + NOTE.replace('""', '"x"'))
    assert summary == "code.S: asks for an executable stack: .note.GNU-stack has the flag X"
    assert (symbol, "end it with" in details[0]) == ("own_ctr32", True)
    without = found(arch, entry(arch))
    # ld's default for AArch64 is a stack that is not executable.
    assert bool(without) == (arch != "aarch64")
    assert all("has no section .note.GNU-stack" in text for text, _, _ in without)


@pytest.mark.parametrize("arch", ARCHS)
def test_addresses_in_text(found: Audit, arch: str) -> None:
    word = f"{WORD[arch]} own_ctr32\n"
    ((summary, symbol, details),) = found(arch, entry(arch) + ".p2align 3\n" + word + NOTE)
    assert summary.startswith("code.S: an address stands in .text")
    assert symbol == "own_ctr32" and details[0].startswith("the address of own_ctr32 at .text+")
    ((summary, _, _),) = found(arch, entry(arch) + ".section .rodata\n" + word + NOTE)
    assert summary.startswith("code.S: an address stands in .rodata")
    twin = f'.section .data.rel.ro,"aw",%progbits\n{word}'
    assert found(arch, entry(arch) + twin + NOTE) == []


def test_an_address_in_an_instruction_is_named_by_the_instruction(found: Audit) -> None:
    """The word lies behind the opcode; the place is that of the instruction."""
    ((_, symbol, details),) = found("i386", entry("i386", "nop\nmovl $own_ctr32, %eax") + NOTE)
    assert symbol == "own_ctr32" and details[0].startswith("the address of own_ctr32 at 0x")
    assert int(details[0].split()[-1], 16) % 16 == 1
    assert found("x86_64", entry("x86_64", "leaq own_ctr32(%rip), %rax") + NOTE) == []


@pytest.mark.parametrize("arch", LOAD)
def test_constants_that_can_be_written(found: Audit, arch: str) -> None:
    table = ".data\n.type table, %object\n.p2align 2\ntable: .long 1, 2\n.size table, 8\n"
    ((summary, symbol, details),) = found(arch, entry(arch, LOAD[arch]) + table + NOTE)
    assert summary == "code.S: .data is writable, and nothing stores to it by name"
    assert (symbol, details[0]) == ("table", "8 bytes of constants")
    assert found(arch, entry(arch, STORE[arch]) + table + NOTE) == []
    assert found(arch, entry(arch, LOAD[arch]) + table.replace("1, 2", "0, 0") + NOTE) == []


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("section", [".text", ".section .rodata"])
def test_types_and_sizes(found: Audit, arch: str, section: str) -> None:
    kind = "function" if section == ".text" else "object"
    body = f"{section}\n.globl own_more\nown_more: .long 0\n"
    ((summary, symbol, details),) = found(arch, entry(arch) + body + NOTE)
    assert summary.startswith("code.S: `own_more` has no type")
    assert (symbol, details) == ("own_more", (f"add `.type own_more, %{kind}`",))
    typed = body + f".type own_more, %{kind}\n"
    if section != ".text":  # one in the text without its size is refused by the build
        ((summary, _, _),) = found(arch, entry(arch) + typed + NOTE)
        assert summary.startswith("code.S: `own_more` has no size")
    sized = typed + ".size own_more, 4\n"
    assert found(arch, entry(arch) + sized + NOTE) == []


@pytest.mark.parametrize("arch", MARK)
def test_landing_pads(found: Audit, arch: str) -> None:
    mark = property_note(arch)
    ((summary, symbol, details),) = found(arch, entry(arch) + mark + NOTE)
    assert summary == "code.S: `own_ctr32` begins without a landing pad: a call by address faults"
    assert (symbol, details[1]) == ("own_ctr32", f"begin it with `{PAD[arch]}`")
    assert found(arch, entry(arch, PAD[arch]) + mark + NOTE) == []
    local = function("inner", arch).replace(".globl inner", "")
    assert found(arch, entry(arch, PAD[arch]) + local + mark + NOTE) == []


@pytest.mark.parametrize(
    ("arch", "flag", "asks"),
    [
        ("x86_64", "-fcf-protection=full", True),
        ("x86_64", "-fcf-protection=none", False),
        ("aarch64", "-mbranch-protection=standard", True),
        ("aarch64", "-mbranch-protection=pac-ret", False),
    ],
)
def test_pads_by_the_flag_of_a_variant(found: Audit, arch: str, flag: str, asks: bool) -> None:
    """Assembly is not marked by the flag, so the program would not be either."""
    texts = [text for text, _, _ in found(arch, entry(arch) + NOTE, f', flags = ["{flag}"]')]
    assert [("is not marked" in t, "without a landing pad" in t) for t in texts] == (
        [(True, False), (False, True)] if asks else []
    )


@pytest.mark.parametrize("arch", ARCHS)
def test_exports(found: Audit, arch: str) -> None:
    stray = function("helper", arch)
    ((summary, symbol, details),) = found(arch, entry(arch) + stray + NOTE)
    assert summary == "code.S: `helper` is visible to every program, and nothing here needs it"
    assert (symbol, details[0]) == ("helper", "the project's other symbols begin with `own_`")
    assert found(arch, entry(arch) + function("own_helper", arch) + NOTE) == []
    assert found(arch, entry(arch) + stray.replace(".globl helper", "") + NOTE) == []
