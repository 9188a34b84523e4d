"""The audit of a project's objects: what is wrong in them before anything runs.

Enters: a built project, one of its primitives. Leaves: findings by variant, each with its rule,
its place and what to do. Never here: whether code runs as it should.

Judged are the objects of the manifest's sources; of an archive the members that define a symbol
of the manifest. A .so as a source is an object of the rig's making, so it is not. That constants
can be written is judged of assembly only, and not on arm, whose code reaches data by address.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rig.build.contents import Contents, Fill, Section, Symbol, contents
from rig.build.objects import PREBUILT, relative
from rig.build.project import vector_symbol
from rig.build.shared import SUFFIX as SHARED
from rig.checks.findings import Finding
from rig.manifest import Manifest, Primitive
from rig.project import Project
from rig.trace.stores import start_of, stores

CHECK = "object"
Describe = Callable[[int], str]

# GNU's linker gives a program an executable stack where an object of these does not say.
_STACK_BY_DEFAULT = ("x86_64", "i386", "arm")
# Relocations to a word, or to an instruction's own bits, that holds an address.
_ABSOLUTE = {
    "x86_64": frozenset({1, 10, 11, 12, 14}),
    "i386": frozenset({1, 20, 22}),
    "aarch64": frozenset({*range(257, 260), *range(263, 273)}),
    "arm": frozenset({2, 5, 6, 8, 43, 44, 47, 48}),
}
_PADS = {
    "x86_64": (0xFA1E0FF3,),
    "i386": (0xFB1E0FF3,),
    "aarch64": (0xD503245F, 0xD50324DF, 0xD503233F, 0xD503237F),  # bti c, jc; paciasp, pacibsp
}
_PAD_NAMES = {"x86_64": "endbr64", "i386": "endbr32", "aarch64": "bti c"}
_ASKS = ("-fcf-protection", "-mbranch-protection")
_ASKS_NOT = ("=none", "=return", "=pac-ret")
_KEPT = (".data.rel.ro", ".init_array", ".fini_array", ".ctors", ".dtors", ".got")


@dataclass(frozen=True, slots=True)
class _Part:
    """An object of the project, or a member of an archive, by the source that it came from."""

    source: str
    held: Contents

    @property
    def compiled(self) -> bool:
        """Whether the rig had a compiler make it from C."""
        return self.source.endswith(".c")

    @property
    def assembly(self) -> bool:
        """Whether a person or a script wrote its instructions."""
        return not self.source.endswith((".c", *PREBUILT))

    @property
    def given(self) -> tuple[Symbol, ...]:
        """What it gives to others."""
        return tuple(s for s in self.held.symbols if s.section and s.name and not s.local)

    def finding(self, symbol: str, summary: str, *details: str) -> Finding:
        """One about a symbol; one about the whole object is about the first that it gives."""
        subject = symbol or min((s.name for s in self.given), default="")
        return Finding(CHECK, None, f"{self.source}: {summary}", details, subject)


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the rules know beside an object: the project's other objects, the symbols that its
    manifest names, the prefix that these share, and whether indirect targets need landing pads.
    `describe` writes the address of a function's byte in words."""

    arch: str
    parts: tuple[_Part, ...]
    named: frozenset[str]
    prefix: str
    pads: bool
    describe: Callable[[str, str, int], str]

    def wanted(self, symbol: str) -> bool:
        """Whether an object of the project lacks a symbol."""
        return any(s.name == symbol and not s.section for p in self.parts for s in p.held.symbols)


def audit(
    project: Project, primitive: Primitive, describe: Describe
) -> dict[str, tuple[Finding, ...]]:
    """The findings about the objects of a primitive by variant; under the empty name those about
    sources of no variant. `describe` writes an address in words."""
    manifest, arch, root = project.manifest, project.arch, project.image.root
    ground = _ground(project, describe)
    dispatch = manifest.dispatch.sources if manifest.dispatch else ()
    sources = {v.name: v.sources for v in primitive.variants if v.arch == arch}
    sources[""] = (*primitive.sources, *dispatch, *manifest.link.get(arch, ()))
    found: dict[str, tuple[Finding, ...]] = {}
    for name, paths in sources.items():
        files = {relative(path.resolve(), root) for path in paths}
        own = (part for part in ground.parts if part.source in files)
        found[name] = tuple(f for part in own for rule in _RULES for f in rule(ground, part))
    return {name: findings for name, findings in found.items() if findings}


def _ground(project: Project, describe: Describe) -> _Ground:
    manifest, arch, image = project.manifest, project.arch, project.image
    named = _named(manifest, arch)
    files = {relative(path.resolve(), image.root) for path in _sources(manifest, arch)}
    objects = (o for o in image.objects if o.source in files and not o.source.endswith(SHARED))
    parts = tuple(_Part(o.source, h) for o in objects for h in contents(o.path, o.key, named))
    addresses = {(f.source, f.name): f.address for f in image.functions}

    def place(source: str, symbol: str, offset: int) -> str:
        address = addresses.get((source, symbol))
        return f"{symbol}+{offset:#x}" if address is None else describe(address + offset)

    pads = arch in _PADS and _asks_for_pads(manifest, arch, parts)
    return _Ground(arch, parts, named, _prefix(manifest), pads, place)


def _sources(manifest: Manifest, arch: str) -> Iterator[Path]:
    for variant in manifest.variants(arch):
        yield from variant.sources
    for primitive in manifest.primitives.values():
        yield from primitive.sources
    yield from manifest.dispatch.sources if manifest.dispatch else ()
    yield from manifest.link.get(arch, ())


def _named(manifest: Manifest, arch: str) -> frozenset[str]:
    """Every symbol that the manifest names for some architecture, the vector among them."""
    primitives = manifest.primitives.values()
    found = {vector_symbol(manifest, arch)}
    for primitive in primitives:
        found.update(primitive.symbols.values())
        found.update(s for v in primitive.variants for s in (*v.symbols.values(), v.ran or ""))
    if manifest.dispatch:
        found |= {manifest.dispatch.symbol.replace("{primitive}", p.name) for p in primitives}
    return frozenset(found - {""})


def _prefix(manifest: Manifest) -> str:
    """The prefix of a project's symbols: what all those of several primitives begin with."""
    own = [
        {s for v in p.variants for s in v.symbols.values()}
        for p in manifest.primitives.values()
        if p.variants
    ]
    if len(own) < 2:
        return ""
    first, *_, last = sorted(set().union(*own))
    length = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[: first.rfind("_", 0, length) + 1]


def _asks_for_pads(manifest: Manifest, arch: str, parts: Sequence[_Part]) -> bool:
    """Whether the project asks for landing pads: by a flag, or by a mark in what it wrote or
    brought itself; a compiler's own default is no wish of the project."""
    flags = {flag for variant in manifest.variants(arch) for flag in variant.flags}
    asked = any(f.startswith(_ASKS) and not f.endswith(_ASKS_NOT) for f in flags)
    return asked or any(part.held.landing for part in parts if not part.compiled)


def _stack(ground: _Ground, part: _Part) -> Iterator[Finding]:
    held, fix = part.held, 'end it with `.section .note.GNU-stack,"",%progbits`'
    if held.stack:
        text = "asks for an executable stack: .note.GNU-stack has the flag X"
        yield part.finding("", text, fix)
    elif held.stack is None and held.has_code and ground.arch in _STACK_BY_DEFAULT:
        text = "has no section .note.GNU-stack: GNU ld makes the program's stack executable"
        yield part.finding("", text, fix)


def _text_fills(ground: _Ground, part: _Part) -> Iterator[Finding]:
    """Addresses in what is not writable, one finding for each function or section."""
    readable = {s.name: s for s in part.held.sections if not s.writable and s.name != ".eh_frame"}
    seen: set[tuple[str, str]] = set()
    for fill in part.held.fills:
        if fill.section in readable and fill.kind in _ABSOLUTE[ground.arch]:
            function = _function_at(part.held, fill)
            key = (fill.section, function.name if function else "")
            if key not in seen:
                seen.add(key)
                yield _text_fill(ground, part, readable[fill.section], fill, function)


def _text_fill(
    ground: _Ground, part: _Part, section: Section, fill: Fill, function: Symbol | None
) -> Finding:
    where = f"{fill.section}+{fill.offset:#x}"
    if function:
        start = start_of(ground.arch, section.data, function.offset, fill.offset)
        where = ground.describe(part.source, function.name, start - function.offset)
    return part.finding(
        function.name if function else "",
        f"an address stands in {fill.section}, which a loader would have to write to",
        f"the address of {fill.target} at {where}",
        "take it relative to the program counter, or put it into .data.rel.ro",
    )


def _function_at(held: Contents, fill: Fill) -> Symbol | None:
    return next(
        (
            s
            for s in held.symbols
            if s.kind == "STT_FUNC"
            and s.section == fill.section
            and s.offset <= fill.offset < s.offset + s.size
        ),
        None,
    )


def _constants(ground: _Ground, part: _Part) -> Iterator[Finding]:
    """Data in writable sections to which no instruction of the project stores by its name, and
    which no code reaches by the table of addresses."""
    if not part.assembly or ground.arch == "arm":
        return
    for section in part.held.sections:
        writable = section.writable and not section.executable and any(section.data)
        if writable and not section.name.startswith(_KEPT):
            symbols = [s for s in part.held.symbols if s.section == section.name and s.size]
            names = {s.name for s in symbols if not s.local}
            apart = names & ground.named or any(ground.wanted(name) for name in names)
            if not apart and not _is_stored_to(ground, part, section.name):
                first = min(symbols, key=lambda s: s.offset, default=None)
                yield part.finding(
                    first.name if first else "",
                    f"{section.name} is writable, and nothing stores to it by name",
                    f"{len(section.data)} bytes of constants",
                    "put them into .rodata",
                )


def _is_stored_to(ground: _Ground, part: _Part, name: str) -> bool:
    code = {s.name: s.data for s in part.held.sections if s.executable}
    for fill in part.held.fills:
        if fill.target_section == name and fill.section in code:
            function = _function_at(part.held, fill)
            start = function.offset if function else 0
            if stores(ground.arch, code[fill.section], start, fill.offset):
                return True
    return False


def _extents(_: _Ground, part: _Part) -> Iterator[Finding]:
    """Symbols that others see must say what they are and how far they go."""
    loaded = {s.name: s for s in part.held.sections}
    for symbol in part.given:
        section = loaded.get(symbol.section)
        if section is None:
            continue
        kind = "function" if section.executable else "object"
        if symbol.kind == "STT_NOTYPE":
            text = f"`{symbol.name}` has no type: profilers, unwinders and linkers take it for none"
            yield part.finding(symbol.name, text, f"add `.type {symbol.name}, %{kind}`")
        elif not symbol.size:
            text = f"`{symbol.name}` has no size: tools do not know where it ends"
            yield part.finding(symbol.name, text, f"add `.size {symbol.name}, .-{symbol.name}`")


def _pads(ground: _Ground, part: _Part) -> Iterator[Finding]:
    """Where landing pads are asked for: one at each function that others can call by address,
    and the mark without which a linker drops that of the whole program."""
    if not ground.pads or not part.held.has_code:
        return
    name = _PAD_NAMES[ground.arch]
    if not part.held.landing:
        text = "is not marked as having landing pads, so the linked program is not either"
        fix = "end it with the note .note.gnu.property, or compile it with the others' flag"
        yield part.finding("", text, fix)
    code = {s.name: s.data for s in part.held.sections if s.executable}
    for symbol in part.given:
        if symbol.kind == "STT_FUNC" and symbol.section in code:
            word = code[symbol.section][symbol.offset : symbol.offset + 4]
            if int.from_bytes(word, "little") not in _PADS[ground.arch]:
                text = f"`{symbol.name}` begins without a landing pad: a call by address faults"
                where = ground.describe(part.source, symbol.name, 0)
                yield part.finding(symbol.name, text, f"at {where}", f"begin it with `{name}`")


def _exports(ground: _Ground, part: _Part) -> Iterator[Finding]:
    """In a project whose symbols share a prefix: others that are visible and that none needs."""
    for symbol in part.given if ground.prefix else ():
        hidden = symbol.hidden or symbol.name.startswith(ground.prefix)
        if not hidden and symbol.name not in ground.named and not ground.wanted(symbol.name):
            yield part.finding(
                symbol.name,
                f"`{symbol.name}` is visible to every program, and nothing here needs it",
                f"the project's other symbols begin with `{ground.prefix}`",
                "make it static, or hidden, or give it the prefix",
            )


_RULES: tuple[Callable[[_Ground, _Part], Iterator[Finding]], ...] = (
    *(_stack, _text_fills, _constants),
    *(_extents, _pads, _exports),
)
