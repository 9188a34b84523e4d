"""What the verdict on a path follows from, as one key.

Enters: a lab, a project, a path. Leaves: a digest of the code that the path may run, the
contract, the cases and the rig itself. Never here: what earlier runs have found.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from pathlib import Path as FilePath

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from rig.build.image import Image
from rig.build.objects import Object, relative
from rig.cache import digest
from rig.capabilities.paths import Path, chosen_variants
from rig.lab import Lab
from rig.manifest import Manifest, Variant
from rig.primitives import own_of
from rig.project import Project, binding
from rig.search.corpus import FOLDER


def path_key(lab: Lab, project: Project, path: Path, sources: Sequence[str]) -> str:
    """The key of a path that all of `sources` judge: equal keys, equal verdicts, but for the luck
    of the searches."""
    manifest, options = project.manifest, lab.plan.options
    primitive = manifest.primitives[path.primitive]
    together = (path, *lab.sharing(project, path))
    each = [chosen_variants(manifest, primitive, project.arch, p.choice) for p in together]
    variants = list({v.primitive + v.name: v for chosen in each for v in chosen}.values())
    return digest(
        repr([(p.choice, p.masks) for p in together]),
        repr(sorted(sources)),
        rig_digest(),
        repr((project.runner, project.host, lab.plan.toolchain)),
        repr((options.seed, options.novelty_budget, options.profile)),
        repr((path.kind, path.choice, path.masks, path.lengths, sorted(path.undefined))),
        *map(_stanza, variants),
        repr([(a.check, a.symbol, a.reason) for a in manifest.accept]),
        repr((primitive.symbols, manifest.vector, bool(manifest.dispatch))),
        *_code(project, variants),
        binding(project, path).contract.path.read_bytes(),
        *_inputs(lab, manifest, path.primitive),
    )


def _stanza(variant: Variant) -> str:
    """What a stanza says, the same in every process."""
    said = asdict(replace(variant, place=""))
    return json.dumps(said, default=lambda v: sorted(v) if isinstance(v, frozenset) else str(v))


def _code(project: Project, variants: Sequence[Variant]) -> list[str]:
    """The objects that a path may enter: its variants', what these link to, and all that
    belong to no variant."""
    manifest, image = project.manifest, project.image
    every = {v.name: v for v in manifest.variants(image.arch)}
    shared = [every[name] for v in variants for name in v.shares if name in every]
    own = _sources(image, [*variants, *shared])
    owned = _sources(image, manifest.variants(image.arch))
    taken = _linked(image.objects, own) | {o for o in image.objects if o.source not in owned}
    return sorted(o.key for o in taken)


def _sources(image: Image, variants: Iterable[Variant]) -> set[str]:
    return {relative(source.resolve(), image.root) for v in variants for source in v.sources}


def _linked(objects: Sequence[Object], sources: Collection[str]) -> set[Object]:
    """The objects of some sources with all that they refer to, directly or not."""
    links = {o: _symbols(o.path, o.key) for o in objects}
    givers = {name: o for o, link in links.items() for name in link.gives}
    taken: set[Object] = set()
    waiting = [o for o in objects if o.source in sources]
    while waiting:
        one = waiting.pop()
        if one not in taken:
            taken.add(one)
            waiting += [givers[name] for name in links[one].wants if name in givers]
    return taken


@dataclass(frozen=True, slots=True)
class _Link:
    gives: frozenset[str]
    wants: frozenset[str]


_ANY = _Link(frozenset(), frozenset())


@lru_cache(maxsize=1024)
def _symbols(path: FilePath, key: str) -> _Link:
    """What an object defines and lacks; an archive is taken to be complete in itself."""
    with path.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return _ANY
        table = ELFFile(file).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return _ANY
        symbols = [s for s in table.iter_symbols() if s["st_info"]["bind"] != "STB_LOCAL"]
    wants = frozenset(s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF")
    return _Link(frozenset(s.name for s in symbols) - wants, wants)


def _inputs(lab: Lab, manifest: Manifest, primitive: str) -> Iterable[str]:
    """The sources of cases by name and by what they are read from."""
    for source in lab.sources(primitive):
        yield digest(source.name, *(_content(file) for file in source.files))
    if own := own_of(primitive):
        yield digest(own.text)
    yield from map(_content, sorted((manifest.root / FOLDER / primitive).glob("*.json")))


@lru_cache(maxsize=4096)
def _content(file: FilePath) -> str:
    return digest(file.read_bytes())


@cache
def rig_digest() -> str:
    """The rig's own code, the runner's included by the name of the program."""
    package = FilePath(__file__).parent.parent
    return digest(*(file.read_bytes() for file in sorted(package.rglob("*.py"))))
