"""Makes an object of each native file of a folder, for each architecture that it is for.

Enters: a folder. Leaves: `Made` and `Refused` records. Never here: what an object holds. What a
C file needs is learnt from the compiler: it is asked with base features first, and what it then
says to be missing, a header of the folder or a CPU feature, is given to it.
"""

import contextlib
import itertools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from rig.architectures import ARCHITECTURES
from rig.build.objects import PREBUILT, compile_all
from rig.build.project import Asked, unit_of
from rig.build.shared import SUFFIX as SHARED
from rig.build.toolchain import Toolchain
from rig.capabilities.bits import CapabilityError, architecture, capability
from rig.errors import BuildError
from rig.manifest import Manifest

SCRIPT = ".pl"
GENERATE = {SCRIPT: "perl {in} {flavour} {out}"}
FLAVOURS = {
    "x86_64": "elf",
    "i386": "elf -fPIC -DOPENSSL_IA32_SSE2",
    "aarch64": "linux64",
    "arm": "linux32",
}
# In order of preference where two define the same.
SUFFIXES = (".c", ".S", ".s", SCRIPT, *PREBUILT, SHARED)

_HINTS = (
    ("x86_64", r"x86[-_]64|x64|amd64"),
    ("aarch64", r"armv8|aarch64|arm64"),
    ("arm", r"armv[4-7]\w*|armx|arm32|arm"),
    ("i386", r"x86|[i3-6]86|ia32"),
    ("", r"ppc\w*|s390x?|sparc\w*|mips\w*|alpha|ia64|riscv\w*|loongarch\w*|parisc|c64x\w*"),
)
_WRITES_ASSEMBLY = re.compile(r"\.globl|GLOBAL_FUNCTION|asm_init|xlate")
_SERVES_OTHERS = re.compile(r"^1;\s*$|<STDIN>|<>", re.MULTILINE)
_HEADER = re.compile(r"fatal error: '([^']+)' file not found")
_FEATURE = re.compile(
    r"(?:requires|needs) target feature '?([\w.,|+-]+)|instruction requires: ([\w .,+-]+)"
    r"|without '([\w.]+)' enabled|(NEON) (?:support not enabled|intrinsics not available)"
)
# Inline assembly that names a vector wider than those that the features have.
_WIDE = re.compile(r"invalid (?:in|out)put size for constraint '[^']*[xv]'")
_WIDER = ("avx", "avx512f")
# 32-bit ARM's header declares these only where the feature is on.
_INTRINSICS = {
    "vaes": "aes",
    "vsha1": "sha1",
    "vsha256": "sha256",
    "vsha512": "sha512",
    "veor3": "sha3",
    "vmull_p64": "pmull",
}
_UNDECLARED = re.compile(rf"undeclared function '({'|'.join(_INTRINSICS)})")
_GUARD = re.compile(r"\b__([A-Z][A-Z0-9_]+?)__\b|\b__ARM_(?:FEATURE_)?([A-Z][A-Z0-9]+)\b")
_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Made:
    """An object; `asked` are the CPU features without which the compiler refuses it."""

    file: Path
    arch: str
    path: Path
    asked: frozenset[str]
    include: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that gives no object, with the first words of the tool."""

    file: Path
    arch: str
    reason: str


def native_files(folder: Path) -> tuple[Path, ...]:
    """The sources and objects below a folder, hidden folders and reports left out, best first."""
    found = []
    for name, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "rig-report")
        paths = (Path(name) / file for file in sorted(files))
        found += [path for path in paths if path.suffix in SUFFIXES and _gives_code(path)]
    return tuple(sorted(found, key=lambda path: (SUFFIXES.index(path.suffix), path)))


def _gives_code(path: Path) -> bool:
    """Of scripts only those that write assembly: a survey runs them."""
    if path.suffix != SCRIPT:
        return True
    text = path.read_text(encoding="utf-8", errors="replace")
    return bool(_WRITES_ASSEMBLY.search(text)) and not _SERVES_OTHERS.search(text)


def architectures(file: Path) -> tuple[str, ...]:
    """The architectures that a file's name hints at, else all that the rig builds for."""
    for arch, words in _HINTS:
        if re.search(rf"(?:^|[^a-zA-Z0-9])(?:{words})(?![a-zA-Z0-9])", file.stem):
            return (arch,) if arch in ARCHITECTURES else ()
    return tuple(ARCHITECTURES)


def make_all(
    draft: Manifest, files: Sequence[Path], toolchain: Toolchain, cache: Path, jobs: int
) -> tuple[Made | Refused, ...]:
    """Every file for each of its architectures, in the order of the files."""
    pairs = [(file, arch) for file in files for arch in architectures(file)]
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        made = (pool.submit(_make, draft, f, arch, toolchain, cache) for f, arch in pairs)
        return tuple(future.result() for future in list(made))


def _make(
    draft: Manifest, file: Path, arch: str, toolchain: Toolchain, cache: Path
) -> Made | Refused:
    """Each round gives the compiler what it asked for; one that brings nothing new is the last."""
    features: set[str] = set()
    folders: list[Path] = []
    words = ""
    for _ in range(_ROUNDS):
        try:
            return _compile(draft, file, arch, toolchain, cache, features, folders)
        except BuildError as error:
            words = str(error)
        new = set(_features(words, arch)) - features or set(_wider(words, arch, features))
        places = [p for p in _places(words, draft.root) if p not in folders]
        if not new and not places:
            break
        features |= new
        folders += places
    return Refused(file, arch, _first_words(words))


def _compile(
    draft: Manifest,
    file: Path,
    arch: str,
    toolchain: Toolchain,
    cache: Path,
    features: set[str],
    folders: Sequence[Path],
) -> Made:
    """One attempt; code that a C file keeps behind `#ifdef __SSSE3__` is asked for, too."""
    manifest = replace(draft, include=tuple(folders))
    record = ARCHITECTURES[arch]
    asked = Asked([file.name], set(features))
    (made,) = compile_all(
        [unit_of(manifest, record, toolchain, cache, file, asked)], toolchain, cache, 1
    )
    if file.suffix == ".c" and not _defines_functions(made.path):
        guarded = set(_guards(file.read_text(encoding="utf-8", errors="replace"), arch)) - features
        if guarded:
            return _compile(draft, file, arch, toolchain, cache, features | guarded, folders)
    return Made(file, arch, made.path, frozenset(features), tuple(folders))


def compiles_with(
    draft: Manifest, made: Made, needs: frozenset[str], toolchain: Toolchain, cache: Path
) -> bool:
    """Whether what the instructions of an object need is enough for its compile: a compiler may
    ask for more, as it does for AES where only PMULL is used."""
    try:
        again = _compile(draft, made.file, made.arch, toolchain, cache, set(needs), made.include)
    except BuildError:
        return False
    return again.asked == needs


def _defines_functions(path: Path) -> bool:
    with path.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return any(
            s["st_info"]["type"] == "STT_FUNC" and s["st_info"]["bind"] != "STB_LOCAL"
            for s in table.iter_symbols()
        )


def _features(words: str, arch: str) -> Iterator[str]:
    for found in _UNDECLARED.findall(words):
        yield from _known((_INTRINSICS[found],), arch)
    for found in _FEATURE.findall(words):
        yield from _known(re.split(r"[ ,|]+", " ".join(found)), arch)


def _wider(words: str, arch: str, features: Collection[str]) -> Iterator[str]:
    if _WIDE.search(words):
        yield from itertools.islice(_known((n for n in _WIDER if n not in features), arch), 1)


def _guards(text: str, arch: str) -> Iterator[str]:
    return _known((word for found in _GUARD.findall(text) for word in found), arch)


def _known(words: Iterable[str], arch: str) -> Iterator[str]:
    base = architecture(arch).base
    for word in filter(None, words):
        with contextlib.suppress(CapabilityError):
            name = capability(word, arch).name
            if name not in base:
                yield name


def _places(words: str, root: Path) -> Iterator[Path]:
    """The folders, of those below the root, in which headers are that were not found."""
    for name in dict.fromkeys(_HEADER.findall(words)):
        depth = len(Path(name).parts) - 1
        yield from sorted(path.parents[depth] for path in root.rglob(name))[:1]


def _first_words(words: str) -> str:
    lines = words.splitlines()
    first = next((line for line in lines if "error:" in line), lines[0])
    return re.sub(r"^\S*/generated/\w+\.S:", "", first)
