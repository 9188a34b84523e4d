"""The capability check: an emulated #UD.

Enters: a project; or a path and what it executed. Leaves: findings about instructions that a
variant's `needs`, or a path's masks, do not allow. Never here: what this machine has; it may
run everything, and so shows nothing.

Statically every instruction of a variant is judged, executed or not. A function that several
variants own through one source is judged for those whose entries lead to it by direct jumps,
calls and addresses taken; where none do, for the last of them. What belongs to no variant
(compositions, the dispatcher, mem*) may run on every CPU, so it is held to the base. Code that
flow reaches outside of every function is not seen.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path as FilePath

from rig.build.image import Image
from rig.build.objects import relative
from rig.capabilities.bits import CapabilityError, architecture, capability
from rig.capabilities.models import model_vector, models
from rig.capabilities.paths import Path
from rig.capabilities.vector import Needs, Vector, holds
from rig.checks.findings import Finding
from rig.manifest import Primitive, Variant
from rig.project import Project, decoded, functions_of
from rig.trace.architecture import Instruction
from rig.trace.assembler import UNKNOWN
from rig.trace.instructions import FunctionCode
from rig.trace.isa import Demand, allowed, demands, runs_as

CHECK = "capability"

# A dispatcher reads XCR0 by xgetbv, after CPUID has told it that OSXSAVE is set.
_DETECTION = frozenset({"xsave"})

_NOT_TAKEN = (
    ": the toolchain's assembler does not take this text, so that what the instruction needs is "
    "not known"
)

Owner = tuple[str, str]
Describe = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class _Fault:
    """Instructions of one function that need the same capabilities, which they may not use."""

    symbol: str
    missing: frozenset[str]
    instructions: tuple[Instruction, ...]


def static_findings(
    project: Project, primitive: Primitive, describe: Describe
) -> dict[str, tuple[Finding, ...]]:
    """The findings about a primitive's code by variant, all executed or not; under the empty
    name those about what belongs to no variant. `describe` writes an address in words."""
    codes = {code.address: code for code in decoded(project.image).functions}
    judged = _judged(project, codes)
    found: dict[str, tuple[Finding, ...]] = {}
    for variant in (v for v in primitive.variants if v.arch == project.arch):
        own = [codes[a] for a in sorted(judged[variant.primitive, variant.name])]
        faults = _faults(project.image, own, variant.needs.required)
        found[variant.name] = tuple(_static(f, variant.needs, describe) for f in faults)
    nobodys = [codes[a] for a in _nobodys(project, primitive)]
    none = Needs(project.arch)
    faults = _faults(project.image, nobodys, _DETECTION)
    found[""] = tuple(_static(f, none, describe) for f in faults)
    return {name: findings for name, findings in found.items() if findings}


def executed(
    project: Project,
    path: Path,
    hits: Collection[int],
    describe: Describe,
    others: Sequence[Path] = (),
) -> list[tuple[int, Finding]]:
    """The findings about instructions that a path executed, each with the first one's address;
    `hits` are the addresses of all. What every mask of the path has is allowed, and what every
    mask of one of the others has that take turns with it."""
    names, *more = map(_allowed, (path, *others))
    ran = hits if isinstance(hits, frozenset) else frozenset(hits)
    found = []
    for needed, addresses in _table(_Key(project.image.path, project.image)).items():
        missing = needed - names
        if any(needed <= each for each in more):
            continue
        for address in sorted(addresses & ran) if missing else ():
            if missing <= _DETECTION and not _owners(project, address):
                continue
            found.append((address, missing))
    return [
        (address, _dynamic(symbol, missing, address, path, describe))
        for (symbol, missing), address in _first(project, found).items()
    ]


def _allowed(path: Path) -> frozenset[str]:
    """What every mask of a path has."""
    shared = functools.reduce(Vector.__and__, path.masks) | Vector.base(path.arch)
    return allowed(frozenset(shared.names), path.arch)


def _first(
    project: Project, found: Iterable[tuple[int, frozenset[str]]]
) -> dict[tuple[str, frozenset[str]], int]:
    """The lowest address for each function and each lack."""
    first: dict[tuple[str, frozenset[str]], int] = {}
    for address, missing in sorted(found, key=lambda pair: pair[0]):
        function = project.image.function_at(address)
        first.setdefault((function.name if function else "", missing), address)
    return first


@dataclass(frozen=True, slots=True)
class _Key:
    """An image by its path, which its contents name."""

    path: FilePath
    image: Image = field(compare=False, repr=False)


@functools.lru_cache(maxsize=4)
def _demands(key: _Key) -> Demand:
    """What each instruction of an image needs; the assembler's answers lie beside the image."""
    return demands(decoded(key.image), key.path.parent)


@functools.lru_cache(maxsize=4)
def _table(key: _Key) -> Mapping[frozenset[str], frozenset[int]]:
    """The addresses of the instructions of an image by what they need; base needs left out."""
    image, demand = key.image, _demands(key)
    base = frozenset(Vector.base(image.arch).names)
    found: dict[frozenset[str], list[int]] = {}
    for code in decoded(image).functions:
        for instruction in code.instructions:
            needed = demand(instruction) - base
            if needed:
                found.setdefault(needed, []).append(instruction.address)
    return {needed: frozenset(addresses) for needed, addresses in found.items()}


def _faults(image: Image, codes: Iterable[FunctionCode], needs: frozenset[str]) -> Iterator[_Fault]:
    demand, arch = _demands(_Key(image.path, image)), image.arch
    names = allowed(needs | frozenset(Vector.base(arch).names), arch)
    for code in codes:
        groups: dict[tuple[frozenset[str], str | None], list[Instruction]] = {}
        for instruction in code.instructions:
            missing = demand(instruction) - names
            if missing:
                groups.setdefault((missing, runs_as(arch, instruction)), []).append(instruction)
        for (missing, _), instructions in groups.items():
            yield _Fault(code.name, missing, tuple(instructions))


def _judged(project: Project, codes: Mapping[int, FunctionCode]) -> dict[Owner, set[int]]:
    """The functions, by address, that are judged for each variant."""
    variants = project.manifest.variants(project.arch)
    own = {(v.primitive, v.name): {f.address for f in functions_of(project, v)} for v in variants}
    judged: dict[Owner, set[int]] = {owner: set() for owner in own}
    reached = {
        (v.primitive, v.name): _reached(project, codes, v, own[v.primitive, v.name])
        for v in variants
        if any(len(project.owners[a]) > 1 for a in own[v.primitive, v.name])
    }
    for address, owners in project.owners.items():
        ordered = [owner for owner in own if owner in owners]
        leading = [o for o in ordered if len(owners) == 1 or address in reached[o]]
        for owner in leading or ordered[-1:]:
            judged[owner].add(address)
    return judged


def _reached(
    project: Project, codes: Mapping[int, FunctionCode], variant: Variant, own: Collection[int]
) -> set[int]:
    """The variant's own functions that its entries lead to. Where its entry is shared, so that
    code inside chooses between variants, the function that proves it is where it begins."""
    names = (variant.ran,) if variant.ran else tuple(variant.symbols.values())
    waiting = {project.image.symbols[name] for name in names}
    reached: set[int] = set()
    while waiting:
        reached |= waiting
        near = {a for address in waiting for a in _neighbours(project, codes[address])}
        waiting = near.intersection(own) - reached
    return reached


def _neighbours(project: Project, code: FunctionCode) -> Iterator[int]:
    """The functions that a function jumps to, calls or takes the address of."""
    for instruction in code.instructions:
        for address in (instruction.target, instruction.reference):
            function = project.image.function_at(address) if address is not None else None
            if function:
                yield function.address


def _nobodys(project: Project, primitive: Primitive) -> list[int]:
    """The functions of no variant that may run on a primitive's paths: not those that another
    primitive is composed of."""
    foreign = {
        relative(source.resolve(), project.image.root)
        for other in project.manifest.primitives.values()
        if other.name != primitive.name
        for source in other.sources
        if source not in primitive.sources
    }
    functions = project.image.functions
    return [
        f.address for f in functions if not project.owners[f.address] and f.source not in foreign
    ]


def _owners(project: Project, address: int) -> frozenset[Owner]:
    function = project.image.function_at(address)
    return project.owners[function.address] if function else frozenset()


def _static(fault: _Fault, needs: Needs, describe: Describe) -> Finding:
    first = min(fault.instructions, key=attrgetter("address"))
    symbol, asked = fault.symbol, " ".join(sorted(needs.required))
    if UNKNOWN in fault.missing:
        return Finding(CHECK, None, f"{describe(first.address)}{_NOT_TAKEN}", _more(fault), symbol)
    rule = f'`needs = "{asked}"` does not allow' if asked else "code without `needs` may not use"
    text = f"{describe(first.address)} needs {_words(fault.missing)}, which {rule}"
    summary = f"{text}; {_effect(fault.missing, needs, runs_as(needs.arch, first))}"
    return Finding(CHECK, None, summary, _more(fault), symbol)


def _more(fault: _Fault) -> tuple[str, ...]:
    further = len(fault.instructions) - 1
    plural = "s" * (further > 1)
    return (f"and {further} further instruction{plural} of this function",) if further else ()


def _effect(missing: frozenset[str], needs: Needs, older: str | None) -> str:
    """What happens where the capability lacks, and on which models."""
    if not any(_bit(name, needs.arch) for name in missing):
        return "the capability vector has no bit for it, so no `needs` can ask for it"
    wrong = models_lacking(missing, needs)
    if not wrong:
        return "no CPU model that the rig knows has the one without the other"
    verb = f"would run as {older}, with another result for 0, on" if older else "would fault on"
    return f"it {verb} {', '.join(wrong)}"


def models_lacking(missing: frozenset[str], needs: Needs) -> tuple[str, ...]:
    """The named CPU models that satisfy `needs` and lack one of the capabilities, oldest first;
    a capability without a bit is taken to be there, as the models do not tell."""
    known = [name for name in sorted(missing) if _bit(name, needs.arch)]
    liked = {c.name for c in architecture(needs.arch).capabilities if c.preference}
    asked = Needs(needs.arch, needs.required - liked, needs.forbidden - liked)
    base = Vector.base(needs.arch)
    vectors = [(model, model_vector(model, needs.arch) | base) for model in models(needs.arch)]
    lacking = [
        model
        for model, vector in vectors
        if holds(vector, asked) and not all(map(vector.has, known))
    ]
    return tuple(model.name for model in sorted(lacking, key=attrgetter("year")))


def _dynamic(
    symbol: str, missing: frozenset[str], address: int, path: Path, describe: Describe
) -> Finding:
    if UNKNOWN in missing:
        return Finding(CHECK, None, f"{describe(address)} ran{_NOT_TAKEN}", symbol=symbol)
    lack = "the path's mask lacks" if len(path.masks) == 1 else "the path's masks do not share"
    names = _words(f"{name} ({_bit(name, path.arch) or 'no bit'})" for name in sorted(missing))
    text = f"{describe(address)} ran; it needs {names}, which {lack}"
    return Finding(CHECK, None, text, symbol=symbol)


def _words(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _bit(name: str, arch: str) -> str:
    """Where a capability stands in the vector; empty if it has no bit there."""
    try:
        found = capability(name, arch)
    except CapabilityError:
        return ""
    return f"word {found.word} bit {found.bit}"
