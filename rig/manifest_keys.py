"""The keys of a manifest, version 1: the reader takes these and no others, and the tables of
docs/manifest.md are made from them.

Enters: nothing. Leaves: `Key` rows by table. Never here: reading values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """`form` is what stands behind `=`, as TOML; `text` says what it is, as Markdown."""

    name: str
    form: str
    text: str
    needed: bool = False


KEYS: Mapping[str, tuple[Key, ...]] = {
    "top": (
        Key("rig", "1", "the version of the format", needed=True),
        Key("include", '["DIR"]', "folders for `#include`"),
        Key("complete", '["DIR"]', "folders in which every source must be named by some stanza"),
        Key(
            "vector",
            '{ ARCH = "SYMBOL" }',
            "the capability vector; without it `OPENSSL_ia32cap_P` or `OPENSSL_armcap_P`. Where no "
            "source defines it the rig does",
        ),
        Key(
            "dispatch",
            '"rules" or { source, symbol }',
            '`"rules"`: paths follow from `needs` and `len`, and reports say that dispatch was not '
            "tested. Or the project's own dispatcher, below",
        ),
        Key(
            "generate",
            '{ ".pl" = "perl {in} {flavour} {out}" }',
            "a command per script suffix. See Scripts",
        ),
        Key(
            "flavour",
            '{ i386 = "elf -DOPENSSL_IA32_SSE2" }',
            "what `{flavour}` becomes, per architecture; as a word of its own it may be several",
        ),
        Key(
            "link",
            '["FILE"] or { ARCH = ["FILE"] }',
            "sources that belong to no variant, for all architectures or per architecture. Every "
            "path may run them",
        ),
        Key(
            "runner",
            '{ aarch64 = "tools/on-board" }',
            "a command that stands before the runner's program, per architecture, as `--runner` "
            "gives it: an emulator, `ssh`, a script of yours. It gets the program's path as its "
            "last argument and must connect its standard input and output with it",
        ),
        Key("defines", '["NAME", "NAME=VALUE"]', "defined for every source"),
        Key(
            "accept",
            "[{ check, symbol, reason }]",
            "findings that the project knows. One that no longer finds anything fails the run. A "
            "failing run leaves `accept.toml` in the report: an entry for each new finding, its "
            "reason left to you",
        ),
        Key(
            "allow",
            "[{ symbol, line, reason }]",
            "code that is known to stay unreached. `rig gate` counts it neither way; an entry "
            "whose code is reached, or gone, fails it",
        ),
    ),
    "dispatch": (
        Key("source", '"FILE" or ["FILE"]', "where it stands", needed=True),
        Key(
            "symbol",
            '"select_{primitive}"',
            "a function `void select(void **table, size_t len)` per primitive, which fills the "
            "table with the functions of its choice, slot by slot, each slot's in the order of its "
            "contract",
            needed=True,
        ),
        Key(
            "init",
            '"{vector}_init"',
            "a function `void init(void)` that makes the capability vector, from any thread; "
            "`{vector}` is the vector's symbol. The `race` check calls it",
        ),
    ),
    "accept": (
        Key("check", '"NAME"', "one of `rig list checks`, but not `dispatch`", needed=True),
        Key("symbol", '"NAME"', "the function that it is about", needed=True),
        Key("reason", '"TEXT"', "why it is lived with", needed=True),
    ),
    "allow": (
        Key("symbol", '"NAME"', "the function", needed=True),
        Key(
            "line",
            '12, "12-15" or "FILE:12"',
            "its lines; with a file where code of another file was inlined",
            needed=True,
        ),
        Key("reason", '"TEXT"', "why nothing reaches it", needed=True),
    ),
    "primitive": (
        Key(
            "contract",
            '"FILE.h" or "FORM"',
            "a C header in place of the bundled one, or one of the forms that stand in "
            "native/include/field, without its suffix",
        ),
        Key(
            "module",
            '"FILE.py"',
            "for a primitive that the rig does not know: the oracle, inputs and vectors "
            "(own-primitive.md)",
        ),
        Key(
            "symbols",
            '{ ROLE = "name_{name}" }',
            "a symbol per role (the contract's functions without the header's name); `{name}` is "
            "the variant's",
        ),
        Key("dir", '"DIR"', "the folder of this table's sources"),
        Key(
            "undefined",
            '["NAME"]',
            "behaviours that the contract leaves open here: `counter-wrap` (cases in which a "
            "32-bit block counter wraps are left out)",
        ),
        Key("variants", "[{ ... }]", "stanzas, lowest preference first"),
        Key(
            "slots",
            '["fused", "PRIMITIVE"]',
            "of a composition: primitives of this manifest, and `fused`, which the variants of "
            "`[NAME_fused]` fill. Its functions call through the table that its `init` takes; "
            "entries of a slot that is not used are NULL, and `fused` has none where the manifest "
            "has no such primitive",
        ),
        Key("source", '"FILE" or ["FILE"]', "of a composition: its own code"),
    ),
    "variant": (
        Key("arch", '"x86_64"', "`x86_64`, `i386`, `aarch64` or `arm`", needed=True),
        Key("name", '"NAME"', "unique in its primitive and architecture", needed=True),
        Key(
            "source",
            '"FILE" or ["FILE"]',
            "`.c`, `.S`, `.s`, a script that `generate` knows, or prebuilt `.o`, `.a`, `.so`",
            needed=True,
        ),
        Key(
            "needs",
            '"ssse3 pclmul"',
            "capabilities between spaces, `!x` for one that must be clear. A C source is compiled "
            "with just these",
        ),
        Key("symbols", '{ ROLE = "NAME" }', "in place of the table's"),
        Key(
            "len",
            "{ min, max, step }",
            "the lengths in bytes that it takes; of a fused variant what it does of a message",
        ),
        Key("align", "{ ARGUMENT = 16 }", "alignment in place of the contract's"),
        Key("sizes", "{ ARGUMENT = 192 }", "bytes in place of the contract's"),
        Key(
            "layout",
            '"NAME" or { SLOT = "NAME" }',
            "the name of its key-schedule or table layout, else the variant's. Of a fused variant "
            "those that it reads, by slot or one for all: it stands beside no others",
        ),
        Key("shares", '["VARIANT"]', "variants whose code it may enter (a tail jump, say)"),
        Key(
            "ran",
            '"FUNCTION"',
            "the local function that proves it, where several variants share one entry",
        ),
        Key("undefined", '["NAME"]', "as above, for this variant"),
        Key("constant_time", "false", "where it is variable-time on purpose"),
        Key(
            "dispatch",
            "false",
            "where no mask selects it; it is still run through its own symbols",
        ),
        Key(
            "flags",
            '["-DROUNDS=20"]',
            "further compiler options for its sources. They come last, so they win; variants that "
            "share a source give the same",
        ),
        Key(
            "contract",
            '"FILE.h" or "FORM"',
            "in place of the primitive's. Such a variant fills no slot of a composition",
        ),
    ),
    "len": (
        Key("min", "0", "the least"),
        Key("max", "4096", "the greatest"),
        Key("step", "1", "what divides each"),
    ),
}


def names(table: str) -> tuple[str, ...]:
    """The keys that a table may have."""
    return tuple(key.name for key in KEYS[table])


def markdown(table: str) -> Iterator[str]:
    """The lines of the reference."""
    yield "| key | value | is |"
    yield "|---|---|---|"
    for key in KEYS[table]:
        needed = " (needed)" if key.needed else ""
        yield f"| `{key.name}` | `{key.form}` | {key.text}{needed} |"
