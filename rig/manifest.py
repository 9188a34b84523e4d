"""Station 1: reads rig.toml.

Enters: the path of a manifest, version 1. Leaves: a frozen `Manifest` whose paths exist and
whose names are unique. Never here: parsing of contracts, choosing of paths, compiling.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig.architectures import ARCHITECTURES
from rig.capabilities.bits import CapabilityError
from rig.capabilities.vector import Needs, parse_needs
from rig.errors import ManifestError

SOURCE_SUFFIXES = (".c", ".S", ".o", ".a")

_TOP_KEYS = ("rig", "include", "complete", "vector", "dispatch", "accept")
_DISPATCH_KEYS = ("source", "symbol")
_PRIMITIVE_KEYS = (
    "contract", "symbols", "dir", "variants", "undefined", "slots", "source",
)  # fmt: skip
_VARIANT_KEYS = (
    "arch", "name", "source", "needs", "symbols", "len", "align", "sizes", "layout", "shares",
    "ran", "undefined", "constant_time", "dispatch",
)  # fmt: skip
_LENGTH_KEYS = ("min", "max", "step")
_ACCEPT_KEYS = ("check", "symbol", "reason")


@dataclass(frozen=True, slots=True)
class Length:
    """A domain of lengths in bytes: min <= n <= max, n a multiple of step."""

    min: int = 0
    max: int | None = None
    step: int = 1

    def holds(self, n: int) -> bool:
        """Whether n lies in the domain."""
        return self.min <= n and (self.max is None or n <= self.max) and n % self.step == 0


@dataclass(frozen=True, slots=True)
class Variant:
    """One stanza: an implementation of a primitive on one architecture."""

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
    shares: tuple[str, ...] = ()
    ran: str | None = None
    undefined: tuple[str, ...] = ()
    constant_time: bool = True
    dispatch: bool = True


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

    @property
    def composed(self) -> bool:
        """Whether it is composed over the slots of other primitives."""
        return bool(self.slots)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The project's own dispatcher; its `symbol` holds `{primitive}`."""

    sources: tuple[Path, ...]
    symbol: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A finding that the project knows."""

    check: str
    symbol: str
    reason: str
    place: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole rig.toml; `dispatch` None means by the rule of stanza order."""

    path: Path
    root: Path
    include: tuple[Path, ...]
    vector: Mapping[str, str]
    dispatch: Dispatch | None
    primitives: Mapping[str, Primitive]
    accept: tuple[Acceptance, ...]

    def variants(self, arch: str) -> tuple[Variant, ...]:
        """All variants for one architecture, in stanza order."""
        found = (v for p in self.primitives.values() for v in p.variants)
        return tuple(v for v in found if v.arch == arch)


class _Text:
    """The manifest's text: finds the line that an error should name."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()

    def place(self, word: str, table: str = "", occurrence: int = 1) -> str:
        start = self._start(table)
        seen = 0
        for number in range(start, len(self.lines)):
            line = self.lines[number]
            if number > start and table and line.lstrip().startswith("["):
                break
            if word in line:
                seen += 1
                if seen == occurrence:
                    return f"{self.path}:{number + 1}"
        return f"{self.path}:{start + 1}"

    def _start(self, table: str) -> int:
        for number, line in enumerate(self.lines):
            if table and line.strip().startswith(f"[{table}]"):
                return number
        return 0


def read(path: Path) -> Manifest:
    """Reads a manifest; raises ManifestError, `path:line: message`, for what is wrong in it."""
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ManifestError(f"{path}: cannot read the manifest: {reason}") from error
    try:
        raw = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(_toml_message(path, str(error))) from error
    return _manifest(path, raw, _Text(path, content))


def _toml_message(path: Path, message: str) -> str:
    text, _, position = message.rpartition(" (at ")
    words = position.rstrip(")").replace(",", "").split()
    line = words[1] if len(words) > 1 and words[0] == "line" else "1"
    return f"{path}:{line}: not TOML: {text or message}"


def _manifest(path: Path, raw: dict[str, Any], text: _Text) -> Manifest:
    root = path.parent
    if raw.get("rig") != 1:
        raise ManifestError(f"{text.place('rig')}: this rig reads manifests with `rig = 1`")
    top = {key: value for key, value in raw.items() if not _is_primitive(key, value)}
    _known(top, _TOP_KEYS, text, "")
    primitives = {
        name: _primitive(name, table, root, text)
        for name, table in raw.items()
        if _is_primitive(name, table)
    }
    if not primitives:
        raise ManifestError(f"{path}:1: names no primitive; add a table such as [chacha20]")
    manifest = Manifest(
        path=path,
        root=root,
        include=tuple(
            _existing(root / _string(i, "include", text, ""), text, i)
            for i in _list(top, "include", text)
        ),
        vector=_vector(top, text),
        dispatch=_dispatch(top.get("dispatch", "rules"), root, text),
        primitives=primitives,
        accept=_acceptances(top, text),
    )
    _check_slots(manifest, text)
    _check_complete(_list(top, "complete", text), manifest, text)
    return manifest


def _is_primitive(key: str, value: object) -> bool:
    return isinstance(value, dict) and key not in _TOP_KEYS


def _known(table: Mapping[str, Any], keys: Sequence[str], text: _Text, section: str) -> None:
    for key in table:
        if key not in keys:
            place = text.place(key, section)
            raise ManifestError(f"{place}: unknown key `{key}`{nearest(key, keys)}")


def nearest(word: str, names: Iterable[str]) -> str:
    """The end of an error message: the nearest valid name, else all of them."""
    names = list(names)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean `{close[0]}`?"
    return f"; valid: {', '.join(names)}" if names else ""


def _list(table: Mapping[str, Any], key: str, text: _Text, section: str = "") -> list[Any]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise ManifestError(f"{text.place(key, section)}: `{key}` must be a list")
    return value


def _string(value: Any, key: str, text: _Text, section: str) -> str:
    if not isinstance(value, str):
        raise ManifestError(f"{text.place(key, section)}: `{key}` must be a string")
    return value


def _mapping(table: Mapping[str, Any], key: str, kind: type, text: _Text, section: str) -> Any:
    value = table.get(key, {})
    if not isinstance(value, dict) or not all(type(v) is kind for v in value.values()):
        word = "strings" if kind is str else "numbers"
        raise ManifestError(f"{text.place(key, section)}: `{key}` must be a table of {word}")
    return value


def _existing(path: Path, text: _Text, word: str, section: str = "") -> Path:
    if path.exists():
        return path
    names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    place = text.place(word, section)
    close = nearest(path.name, names) if names else "; its folder is missing too"
    raise ManifestError(f"{place}: no such file: {word}{close}")


def _vector(top: Mapping[str, Any], text: _Text) -> Mapping[str, str]:
    vector: Mapping[str, str] = _mapping(top, "vector", str, text, "")
    for arch in vector:
        if arch not in ARCHITECTURES:
            place = text.place("vector")
            raise ManifestError(
                f"{place}: unknown architecture `{arch}`{nearest(arch, ARCHITECTURES)}"
            )
    return vector


def _sources(value: Any, root: Path, text: _Text, section: str) -> tuple[Path, ...]:
    names = value if isinstance(value, list) else [value]
    paths = []
    for name in names:
        path = _existing(root / _string(name, "source", text, section), text, name, section)
        if path.suffix not in SOURCE_SUFFIXES:
            place = text.place(name, section)
            raise ManifestError(
                f"{place}: {name}: a source ends in one of {' '.join(SOURCE_SUFFIXES)}"
            )
        paths.append(path)
    return tuple(paths)


def _dispatch(value: Any, root: Path, text: _Text) -> Dispatch | None:
    if value == "rules":
        return None
    if not isinstance(value, dict) or "source" not in value or "symbol" not in value:
        place = text.place("dispatch")
        raise ManifestError(f'{place}: `dispatch` is "rules" or a table with source and symbol')
    _known(value, _DISPATCH_KEYS, text, "dispatch")
    symbol = _string(value["symbol"], "symbol", text, "dispatch")
    if "{primitive}" not in symbol:
        place = text.place("symbol", "dispatch")
        raise ManifestError(f"{place}: `symbol` must hold {{primitive}}")
    return Dispatch(_sources(value["source"], root, text, "dispatch"), symbol)


def _acceptances(top: Mapping[str, Any], text: _Text) -> tuple[Acceptance, ...]:
    found = []
    for number, item in enumerate(_list(top, "accept", text), start=1):
        place = text.place("reason", occurrence=number)
        if not isinstance(item, dict) or not all(
            isinstance(item.get(k), str) and item[k] for k in _ACCEPT_KEYS
        ):
            raise ManifestError(f"{place}: `accept` wants {', '.join(_ACCEPT_KEYS)} as strings")
        _known(item, _ACCEPT_KEYS, text, "")
        found.append(Acceptance(item["check"], item["symbol"], item["reason"], place))
    return tuple(found)


def _primitive(name: str, table: dict[str, Any], root: Path, text: _Text) -> Primitive:
    _known(table, _PRIMITIVE_KEYS, text, name)
    contract = table.get("contract")
    folder = root / _string(table.get("dir", "."), "dir", text, name)
    variants = tuple(
        _variant(name, table, stanza, folder, text, number)
        for number, stanza in enumerate(_list(table, "variants", text, name), start=1)
    )
    _check_unique(variants, text)
    slots = tuple(_list(table, "slots", text, name))
    if slots and "source" not in table:
        raise ManifestError(f"{text.place('slots', name)}: a composition over slots needs `source`")
    if not slots and not variants:
        place = text.place(f"[{name}]")
        raise ManifestError(f"{place}: [{name}] has neither `variants` nor `slots`")
    return Primitive(
        name=name,
        place=text.place(f"[{name}]"),
        contract=_existing(root / contract, text, contract, name) if contract else None,
        symbols=_mapping(table, "symbols", str, text, name),
        variants=variants,
        slots=slots,
        sources=_sources(table["source"], folder, text, name) if slots else (),
    )


def _variant(
    primitive: str, table: dict[str, Any], stanza: Any, folder: Path, text: _Text, number: int
) -> Variant:
    place = text.place("arch", primitive, number)
    if not isinstance(stanza, dict):
        raise ManifestError(f"{place}: a variant is a table: {{ arch, name, source, ... }}")
    _known(stanza, _VARIANT_KEYS, text, primitive)
    for key in ("arch", "name", "source"):
        if key not in stanza:
            raise ManifestError(f"{place}: variant {number} of [{primitive}] lacks `{key}`")
    name, arch = str(stanza["name"]), str(stanza["arch"])
    if arch not in ARCHITECTURES:
        raise ManifestError(f"{place}: unknown architecture `{arch}`{nearest(arch, ARCHITECTURES)}")
    patterns = {
        **_mapping(table, "symbols", str, text, primitive),
        **_mapping(stanza, "symbols", str, text, primitive),
    }
    return Variant(
        primitive=primitive,
        arch=arch,
        name=name,
        sources=_sources(stanza["source"], folder, text, primitive),
        needs=_needs(stanza.get("needs", ""), arch, place),
        symbols={role: pattern.replace("{name}", name) for role, pattern in patterns.items()},
        place=place,
        length=_length(stanza.get("len", {}), text, primitive, place),
        align=_mapping(stanza, "align", int, text, primitive),
        sizes=_mapping(stanza, "sizes", int, text, primitive),
        layout=_string(stanza.get("layout", name), "layout", text, primitive),
        shares=tuple(_list(stanza, "shares", text, primitive)),
        ran=stanza.get("ran"),
        undefined=tuple(
            _list(table, "undefined", text, primitive) + _list(stanza, "undefined", text, primitive)
        ),
        constant_time=_flag(stanza, "constant_time", text, primitive),
        dispatch=_flag(stanza, "dispatch", text, primitive),
    )


def _flag(stanza: Mapping[str, Any], key: str, text: _Text, section: str) -> bool:
    value = stanza.get(key, True)
    if not isinstance(value, bool):
        raise ManifestError(f"{text.place(key, section)}: `{key}` must be true or false")
    return value


def _needs(value: Any, arch: str, place: str) -> Needs:
    if not isinstance(value, str):
        raise ManifestError(f'{place}: `needs` is a string of names: "ssse3 pclmul"')
    try:
        return parse_needs(value, arch)
    except CapabilityError as error:
        raise ManifestError(f"{place}: {error}") from error


def _length(value: Any, text: _Text, section: str, place: str) -> Length:
    if not isinstance(value, dict) or not all(type(v) is int and v >= 0 for v in value.values()):
        raise ManifestError(f"{place}: `len` is a table of numbers: {{ min, max, step }}")
    _known(value, _LENGTH_KEYS, text, section)
    if value.get("step", 1) == 0:
        raise ManifestError(f"{place}: `len.step` must be at least 1")
    return Length(**value)


def _check_unique(variants: Sequence[Variant], text: _Text) -> None:
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


def _check_slots(manifest: Manifest, text: _Text) -> None:
    leaves = [p.name for p in manifest.primitives.values() if not p.composed]
    for primitive in manifest.primitives.values():
        for slot in primitive.slots:
            if slot != "fused" and slot not in leaves:
                place = text.place("slots", primitive.name)
                raise ManifestError(
                    f"{place}: no primitive for slot `{slot}`{nearest(slot, leaves)}"
                )


def _check_complete(folders: Sequence[str], manifest: Manifest, text: _Text) -> None:
    named = {path.resolve() for p in manifest.primitives.values() for path in _all_sources(p)}
    for folder in folders:
        path = _existing(manifest.root / folder, text, folder)
        for source in sorted(path.rglob("*")):
            if source.suffix in SOURCE_SUFFIXES and source.resolve() not in named:
                relative = source.relative_to(manifest.root)
                raise ManifestError(
                    f"{text.place('complete')}: {relative} is named by no stanza; name it, or "
                    f"take {folder} out of `complete`"
                )


def _all_sources(primitive: Primitive) -> tuple[Path, ...]:
    return primitive.sources + tuple(s for v in primitive.variants for s in v.sources)
