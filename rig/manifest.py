"""Station 1: reads rig.toml.

Enters: the path of a manifest, version 1. Leaves: a frozen `Manifest` whose paths exist and
whose names are unique. Never here: parsing of contracts, choosing of paths, compiling.
"""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rig.capabilities.bits import LAYOUTS, CapabilityError
from rig.capabilities.vector import Needs, parse_needs
from rig.data import data_folder
from rig.errors import ManifestError
from rig.manifest_keys import names as key_names
from rig.toml_table import Table, nearest, read_toml, top_of

VERSION = 1
SOURCE_SUFFIXES = (".c", ".S", ".s", ".o", ".a", ".so")
FUSED = "fused"

_LINES = re.compile(r"(?:(.+):)?(\d+)(?:-(\d+))?")
_SCRIPTS = (".pl", ".py", ".sh", ".m4", ".asm", ".nasm")
_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Length:
    """A domain of lengths in bytes: min <= n <= max, n a multiple of step and, where paths
    divide the lengths among them, of none of `apart`."""

    min: int = 0
    max: int | None = None
    step: int = 1
    apart: tuple[int, ...] = ()

    def holds(self, n: int) -> bool:
        """Whether n lies in the domain."""
        inside = self.min <= n and (self.max is None or n <= self.max)
        return inside and n % self.step == 0 and all(n % step for step in self.apart)

    def __and__(self, other: "Length") -> "Length":
        most = [m for m in (self.max, other.max) if m is not None]
        least, step = max(self.min, other.min), math.lcm(self.step, other.step)
        return Length(least, min(most, default=None), step)

    def first(self) -> int:
        """The least multiple of step that is at least min."""
        return -(-self.min // self.step) * self.step


@dataclass(frozen=True, slots=True)
class Doing:
    """What a function does of a message: lengths in bytes that it takes whole. A `partial` one
    may be given any and does as much as it takes, from the front; its caller does the rest."""

    length: Length
    partial: bool

    def done(self, n: int) -> int:
        """The bytes done of a message of n bytes that the function may be given."""
        if self.length.max is not None:
            n = min(n, self.length.max)
        whole = n - n % self.length.step
        return whole if whole >= self.length.min else 0

    def takes(self, n: int) -> bool:
        """Whether the function may be given n bytes."""
        return self.partial or self.length.holds(n)


@dataclass(frozen=True, slots=True)
class Variant:
    """One stanza: an implementation of a primitive on one architecture. `layout` names its key
    schedule or table; of a fused one `layouts` names, by slot, those that it reads. `doing` is
    what its functions do of a message, by role, where the contract says so."""

    primitive: str
    arch: str
    name: str
    sources: tuple[Path, ...]
    needs: Needs
    symbols: Mapping[str, str]
    place: str
    length: Length = field(default_factory=Length)
    align: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    layout: str = ""
    layouts: Mapping[str, str] = field(default_factory=dict)
    doing: Mapping[str, Doing] = field(default_factory=dict)
    shares: tuple[str, ...] = ()
    ran: str | None = None
    undefined: tuple[str, ...] = ()
    constant_time: bool = True
    dispatch: bool = True
    contract: Path | None = None
    flags: tuple[str, ...] = ()

    def reads(self, slot: str) -> str:
        """The layout that a fused variant takes of a slot."""
        return self.layouts.get(slot, self.layout)


@dataclass(frozen=True, slots=True)
class Primitive:
    """One table: its variants, lowest preference first, or a composition over slots."""

    name: str
    place: str
    contract: Path | None
    symbols: Mapping[str, str]
    variants: tuple[Variant, ...] = ()
    slots: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    module: Path | None = None

    @property
    def composed(self) -> bool:
        """Whether it is composed over the slots of other primitives."""
        return bool(self.slots)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The project's own dispatcher; its `symbol` holds `{primitive}`. `init` is the function that
    makes the capability vector, and may hold `{vector}`; empty for none."""

    sources: tuple[Path, ...]
    symbol: str
    init: str = ""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A finding that the project knows."""

    check: str
    symbol: str
    reason: str
    place: str


@dataclass(frozen=True, slots=True)
class Allowance:
    """Code that a project knows to stay unreached: the lines `first` to `last` of a function, in
    its own source or, where code of it was inlined from elsewhere, in `file`."""

    symbol: str
    file: str
    first: int
    last: int
    reason: str
    place: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole rig.toml; `dispatch` None means by the rule of stanza order. `generators` are
    commands that turn a script into .S, by the script's suffix; `flavour`, by architecture,
    is what they are told. `link`, by architecture, are sources that belong to no variant,
    `runner` what stands before the runner's program; `defines` hold for every source."""

    path: Path
    root: Path
    include: tuple[Path, ...]
    vector: Mapping[str, str]
    dispatch: Dispatch | None
    primitives: Mapping[str, Primitive]
    accept: tuple[Acceptance, ...]
    generators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    flavour: Mapping[str, str] = field(default_factory=dict)
    allow: tuple[Allowance, ...] = ()
    link: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    runner: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    defines: tuple[str, ...] = ()

    def variants(self, arch: str) -> tuple[Variant, ...]:
        """All variants for one architecture, in stanza order."""
        found = (v for p in self.primitives.values() for v in p.variants)
        return tuple(v for v in found if v.arch == arch)


def read(path: Path) -> Manifest:
    """Reads a manifest; raises ManifestError, `path:line: message`, for what is wrong in it."""
    whole = read_toml(path)
    top = top_of(whole)
    if type(top.content.get("rig")) is not int or top.content["rig"] != VERSION:
        raise top.error("rig", f"this rig reads manifests with `rig = {VERSION}`")
    known = key_names("top")
    names = [n for n, v in whole.content.items() if isinstance(v, dict) and n not in known]
    top.only((*known, *names))
    root = path.parent
    generators = _generators(top)
    primitives = {n: _primitive(n, whole.inside(n), root, generators) for n in names}
    if not primitives:
        raise ManifestError(f"{path}:1: names no primitive; add a table such as [chacha20]")
    manifest = Manifest(
        path=path,
        root=root,
        include=_folders(top, "include", root),
        vector=_vector(top),
        dispatch=_dispatch(whole, top, root),
        primitives=primitives,
        accept=tuple(_acceptance(row) for row in whole.rows("accept")),
        generators=generators,
        flavour=_words(top, "flavour"),
        runner=_runner(top, root),
        allow=tuple(_allowance(row) for row in whole.rows("allow")),
        link=_link(top, root, (*SOURCE_SUFFIXES, *generators)),
        defines=_defines(top),
    )
    _check_slots(manifest, whole)
    _check_flavours(manifest, top)
    _check_flags(manifest)
    _check_complete(manifest, top)
    return manifest


def _of_architectures(table: Table, key: str) -> Mapping[str, str]:
    found = table.names(key)
    for arch in found:
        if arch not in LAYOUTS:
            raise table.error(arch, f"unknown architecture `{arch}`{nearest(arch, LAYOUTS)}")
    return found


def _vector(top: Table) -> Mapping[str, str]:
    vector = _of_architectures(top, "vector")
    for symbol in vector.values():
        if not _IDENTIFIER.fullmatch(symbol):
            raise top.error_at(symbol, "vector", f"`{symbol}` is no name that C can declare")
    return vector


def _words(top: Table, key: str) -> Mapping[str, str]:
    """Words of a shell for each architecture."""
    found = _of_architectures(top, key)
    for arch, text in found.items():
        try:
            shlex.split(text)
        except ValueError as error:
            raise top.error(arch, f"`{key}`: {text}: {error}") from error
    return found


def _runner(top: Table, root: Path) -> Mapping[str, tuple[str, ...]]:
    """A program with a slash in its name is a path like any other here."""
    found = {}
    for arch, text in _words(top, "runner").items():
        program, *rest = shlex.split(text) or ("",)
        if not program:
            raise top.error(arch, "`runner` names no program")
        found[arch] = (str(root / program) if "/" in program else program, *rest)
    return found


def _folders(top: Table, key: str, root: Path) -> tuple[Path, ...]:
    return tuple(_existing(root, name, top, key, folder=True) for name in top.strings(key))


def _existing(root: Path, name: str, table: Table, key: str, *, folder: bool = False) -> Path:
    """The file or folder of that name; the error says what is near."""
    path = root / name
    try:
        if path.is_dir() if folder else path.is_file():
            return path
        wrong = path.exists()
        names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else None
    except (OSError, ValueError) as error:
        raise table.error_at(name, key, f"{name}: {error}") from error
    if wrong:
        kind = "file, not a folder" if folder else "folder, not a file"
        raise table.error_at(name, key, f"{name} is a {kind}")
    close = "; its folder is missing too" if names is None else nearest(path.name, names)
    raise table.error_at(name, key, f"no such {'folder' if folder else 'file'}: {name}{close}")


def _generators(top: Table) -> Mapping[str, tuple[str, ...]]:
    found = {}
    for suffix, command in top.names("generate").items():
        if not re.fullmatch(r"\.\w+", suffix) or suffix in SOURCE_SUFFIXES:
            raise top.error(
                suffix, f"`{suffix}`: `generate` names the suffix of scripts, such as .pl"
            )
        try:
            words = tuple(shlex.split(command))
        except ValueError as error:
            raise top.error(suffix, f"`generate`: {command}: {error}") from error
        _check_placeholders(command, ("in", "flavour", "out"), top, suffix)
        if not any("{in}" in word for word in words):
            raise top.error(suffix, f"`generate`: {command}: {{in}} must say where the script goes")
        found[suffix] = words
    return found


def _link(top: Table, root: Path, suffixes: Sequence[str]) -> Mapping[str, tuple[Path, ...]]:
    """What is linked for each architecture: one list for all, or a table with one for each."""
    content = top.content.get("link", [])
    table = Table(content, top.region) if isinstance(content, dict) else top
    names = content if isinstance(content, dict) else dict.fromkeys(LAYOUTS, content)
    for arch in names:
        if arch not in LAYOUTS:
            raise top.error(arch, f"unknown architecture `{arch}`{nearest(arch, LAYOUTS)}")
    if not content:
        return {}
    keys = {arch: "link" if table is top else arch for arch in names}
    return {arch: _sources(table, key, root, suffixes) for arch, key in keys.items()}


def _defines(top: Table) -> tuple[str, ...]:
    defines = top.strings("defines")
    for text in defines:
        if not _IDENTIFIER.fullmatch(text.partition("=")[0]):
            raise top.error_at(text, "defines", f"`{text}` is not NAME or NAME=VALUE")
    return defines


def _check_placeholders(text: str, valid: Sequence[str], table: Table, key: str) -> None:
    for word in re.findall(r"\{(.*?)\}", text):
        if word not in valid:
            forms = [f"{{{v}}}" for v in valid]
            raise table.error(
                key, f"`{text}`: unknown placeholder {{{word}}}; valid: {', '.join(forms)}"
            )


def _sources(table: Table, key: str, root: Path, suffixes: Sequence[str]) -> tuple[Path, ...]:
    if key not in table.content:
        raise ManifestError(f"{table.region.place()}: lacks `{key}`")
    single = isinstance(table.content[key], str)
    names = (table.string(key),) if single else table.strings(key)
    if not names:
        raise table.error(key, f"`{key}` names no file")
    return tuple(_source(name, table, key, root, suffixes) for name in names)


def _source(name: str, table: Table, key: str, root: Path, suffixes: Sequence[str]) -> Path:
    suffix = Path(name).suffix
    path = _existing(root, name, table, key)
    if suffix not in suffixes:
        advice = "; `generate` says how others become .S" if suffix in _SCRIPTS else ""
        raise table.error_at(
            name, key, f"{name}: a source ends in one of {' '.join(suffixes)}{advice}"
        )
    return path


def _dispatch(whole: Table, top: Table, root: Path) -> Dispatch | None:
    value = top.content.get("dispatch", "rules")
    if value == "rules":
        return None
    if not isinstance(value, dict) or not {"source", "symbol"} <= set(value):
        raise top.error("dispatch", '`dispatch` is "rules" or a table with source and symbol')
    table = whole.inside("dispatch")
    table.only(key_names("dispatch"))
    symbol = table.string("symbol")
    _check_placeholders(symbol, ("primitive",), table, "symbol")
    if "{primitive}" not in symbol:
        raise table.error("symbol", "`symbol` must hold {primitive}")
    init = table.string("init")
    _check_placeholders(init, ("vector",), table, "init")
    return Dispatch(_sources(table, "source", root, SOURCE_SUFFIXES), symbol, init)


def _acceptance(row: Table) -> Acceptance:
    _check_keys(row, "accept", key_names("accept"))
    check, symbol, reason = (row.string(key) for key in key_names("accept"))
    return Acceptance(check, symbol, reason, row.region.place())


def _allowance(row: Table) -> Allowance:
    _check_keys(row, "allow", key_names("allow"))
    found = _LINES.fullmatch(str(row.content["line"]))
    if not found:
        raise row.error("line", '`line` is a number, "12-15" or, of another file, "FILE:12-15"')
    file, first, last = found.groups()
    return Allowance(
        symbol=row.string("symbol"),
        file=file or "",
        first=int(first),
        last=int(last or first),
        reason=row.string("reason"),
        place=row.region.place(),
    )


def _check_keys(row: Table, name: str, keys: Sequence[str]) -> None:
    row.only(keys)
    for key in keys:
        if key not in row.content:
            wanted = ", ".join(keys)
            raise ManifestError(f"{row.region.place()}: `{name}` wants {wanted}; lacks `{key}`")


def _primitive(
    name: str, table: Table, root: Path, generators: Mapping[str, tuple[str, ...]]
) -> Primitive:
    table.only(key_names("primitive"))
    place = table.region.place()
    suffixes = (*SOURCE_SUFFIXES, *generators)
    folder = root / table.string("dir", ".")
    variants = tuple(
        _variant(name, table, row, root, folder, suffixes) for row in table.rows("variants")
    )
    _check_unique(variants)
    slots = table.strings("slots")
    if not slots and not variants:
        raise ManifestError(f"{place}: [{name}] has neither `variants` nor `slots`")
    if slots and variants:
        raise table.error(
            "slots", f"a composition has no `variants`; fused ones stand in [{name}_{FUSED}]"
        )
    if slots and "source" not in table.content:
        raise table.error("slots", "a composition over slots needs `source`")
    if "source" in table.content and not slots:
        raise table.error("source", "`source` here is for `slots`; a variant has its own")
    module = table.string("module")
    return Primitive(
        name=name,
        place=place,
        contract=_contract(table, root),
        module=_existing(root, module, table, "module") if module else None,
        symbols=table.names("symbols"),
        variants=variants,
        slots=slots,
        sources=_sources(table, "source", folder, suffixes) if slots else (),
    )


def _contract(table: Table, root: Path) -> Path | None:
    """The header that a table names: its own, or without a suffix one of the bundled forms."""
    name = table.string("contract")
    if not name:
        return None
    if Path(name).suffix:
        return _existing(root, name, table, "contract")
    folder = data_folder("native") / "include" / "field"
    forms = {path.stem: path for path in sorted(folder.glob("*.h"))}
    if name not in forms:
        raise table.error(
            "contract", f"`{name}` is no bundled contract{nearest(name, forms)}; a file ends in .h"
        )
    return forms[name]


def _variant(
    primitive: str, table: Table, row: Table, root: Path, folder: Path, suffixes: Sequence[str]
) -> Variant:
    row.only(key_names("variant"))
    place = row.region.place()
    for key in ("arch", "name", "source"):
        if key not in row.content:
            raise ManifestError(f"{place}: a variant of [{primitive}] lacks `{key}`")
    name, arch = row.string("name"), row.string("arch")
    if not _NAME.fullmatch(name):
        raise row.error("name", f"`{name}`: a name is made of letters, digits, `_`, `-` and `.`")
    if arch not in LAYOUTS:
        raise row.error("arch", f"unknown architecture `{arch}`{nearest(arch, LAYOUTS)}")
    layouts = row.names("layout") if isinstance(row.content.get("layout"), dict) else {}
    return Variant(
        primitive=primitive,
        arch=arch,
        name=name,
        sources=_sources(row, "source", folder, suffixes),
        needs=_needs(row, arch),
        symbols={**_symbols(table, name), **_symbols(row, name)},
        place=place,
        length=_length(row),
        align=_align(row),
        sizes=row.numbers("sizes"),
        layout=name if layouts else row.string("layout", name),
        layouts=layouts,
        shares=row.strings("shares"),
        ran=row.string("ran") or None,
        undefined=(*table.strings("undefined"), *row.strings("undefined")),
        constant_time=row.flag("constant_time"),
        dispatch=row.flag("dispatch"),
        contract=_contract(row, root),
        flags=row.strings("flags"),
    )


def _symbols(table: Table, name: str) -> dict[str, str]:
    patterns = table.names("symbols")
    for pattern in patterns.values():
        _check_placeholders(pattern, ("name",), table, "symbols")
    return {role: pattern.replace("{name}", name) for role, pattern in patterns.items()}


def _needs(row: Table, arch: str) -> Needs:
    value = row.content.get("needs", "")
    if not isinstance(value, str):
        raise row.error("needs", '`needs` is a string of names: "ssse3 pclmul"')
    try:
        return parse_needs(value, arch)
    except CapabilityError as error:
        raise row.error("needs", str(error)) from error


def _align(row: Table) -> dict[str, int]:
    align = row.numbers("align")
    for name, value in align.items():
        if not value or value & (value - 1) or value > _PAGE:
            raise row.error("align", f"`align.{name}` must be a power of two up to {_PAGE}")
    return align


def _length(row: Table) -> Length:
    value = row.numbers("len")
    for key in value:
        if key not in key_names("len"):
            raise row.error("len", f"unknown key `{key}`{nearest(key, key_names('len'))}")
    length = Length(value.get("min", 0), value.get("max"), value.get("step", 1))
    if length.step == 0:
        raise row.error("len", "`len.step` must be at least 1")
    if length.max is not None and length.first() > length.max:
        raise row.error("len", f"`len` holds for no length: min {length.min}, max {length.max}")
    return length


def _check_unique(variants: Sequence[Variant]) -> None:
    seen: dict[tuple[str, str], Variant] = {}
    for variant in variants:
        key = (variant.arch, variant.name)
        if key in seen:
            raise ManifestError(
                f"{variant.place}: [{variant.primitive}] has two variants `{variant.name}` for "
                f"{variant.arch}; the first stands at {seen[key].place}"
            )
        seen[key] = variant
    for variant in variants:
        names = [v.name for v in variants if v.arch == variant.arch and v is not variant]
        for other in variant.shares:
            if other not in names:
                raise ManifestError(
                    f"{variant.place}: `shares` names no variant `{other}`{nearest(other, names)}"
                )


def _check_slots(manifest: Manifest, whole: Table) -> None:
    leaves = [p.name for p in manifest.primitives.values() if not p.composed]
    for primitive in manifest.primitives.values():
        for slot in primitive.slots:
            if slot != FUSED and slot not in leaves:
                raise whole.inside(primitive.name).error(
                    "slots", f"no primitive for slot `{slot}`{nearest(slot, leaves)}"
                )
        if FUSED in primitive.slots:
            _check_layouts(manifest, primitive)


def _check_layouts(manifest: Manifest, primitive: Primitive) -> None:
    """That what a fused variant reads is what some variant of each other slot writes."""
    slots = [slot for slot in primitive.slots if slot != FUSED]
    for variant in fused_variants(manifest, primitive):
        for slot in variant.layouts:
            if slot not in slots:
                raise ManifestError(
                    f"{variant.place}: `layout` names no slot `{slot}`{nearest(slot, slots)}"
                )
        for slot in slots:
            others = manifest.primitives[slot].variants
            known = {v.layout for v in others if v.arch == variant.arch}
            if variant.reads(slot) not in known:
                raise ManifestError(
                    f"{variant.place}: `layout`: no variant of [{slot}] for {variant.arch} has the "
                    f"layout `{variant.reads(slot)}`{nearest(variant.reads(slot), sorted(known))}"
                )


def fused_variants(manifest: Manifest, primitive: Primitive) -> tuple[Variant, ...]:
    """The variants for the slot `fused` of a composition: those of [NAME_fused]."""
    leaf = manifest.primitives.get(fused_name(primitive.name))
    return leaf.variants if leaf else ()


def fused_name(primitive: str) -> str:
    """The leaf primitive whose variants fill the slot `fused` of a composition."""
    return f"{primitive}_{FUSED}"


def _check_flavours(manifest: Manifest, top: Table) -> None:
    for primitive in manifest.primitives.values():
        for variant in primitive.variants:
            _check_flavour(manifest, variant.arch, variant.sources, variant.place)
    for arch, sources in manifest.link.items():
        if manifest.variants(arch):
            _check_flavour(manifest, arch, sources, top.region.key("link"))


def _check_flavour(manifest: Manifest, arch: str, sources: Sequence[Path], place: str) -> None:
    for source in sources:
        command = manifest.generators.get(source.suffix, ())
        if any("{flavour}" in word for word in command) and arch not in manifest.flavour:
            raise ManifestError(
                f"{place}: {source.name} is generated with {{flavour}}, and "
                f"`flavour` has none for {arch}"
            )


def _check_flags(manifest: Manifest) -> None:
    """A source is compiled once for all variants of an architecture that name it."""
    first: dict[tuple[str, Path], Variant] = {}
    for primitive in manifest.primitives.values():
        for variant in primitive.variants:
            for source in variant.sources:
                other = first.setdefault((variant.arch, source), variant)
                if other.flags != variant.flags:
                    raise ManifestError(
                        f"{variant.place}: {source.name} is compiled once, and "
                        f"{other.primitive}/{other.name} has other `flags` for it; give both the "
                        "same, or give one a file of its own that includes it"
                    )


def _check_complete(manifest: Manifest, top: Table) -> None:
    named = {path.resolve() for path in _all_sources(manifest)}
    suffixes = (*SOURCE_SUFFIXES, *manifest.generators)
    for name in top.strings("complete"):
        folder = _existing(manifest.root, name, top, "complete", folder=True)
        for source in sorted(folder.rglob("*")):
            if source.suffix in suffixes and source.is_file() and source.resolve() not in named:
                text = f"{source.relative_to(manifest.root)} is named by no stanza"
                raise top.error_at(
                    name, "complete", f"{text}; name it, or take {name} out of `complete`"
                )


def _all_sources(manifest: Manifest) -> Iterator[Path]:
    for primitive in manifest.primitives.values():
        yield from primitive.sources
        for variant in primitive.variants:
            yield from variant.sources
    if manifest.dispatch:
        yield from manifest.dispatch.sources
    for sources in manifest.link.values():
        yield from sources
