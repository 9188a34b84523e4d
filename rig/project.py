"""A project made ready to run on one architecture: built, loaded, its paths enumerated.

Enters: a manifest and the choices of the command line. Leaves: a frozen `Project`, which the
controller pickles for its workers, so that they neither build nor enumerate. Never here:
running cases.
"""

import functools
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from rig import contracts
from rig.architectures import ARCHITECTURES, Architecture
from rig.build.image import Function, Image
from rig.build.objects import relative
from rig.build.project import SUPPORT, build_image, build_runner
from rig.build.toolchain import Toolchain
from rig.capabilities.bits import X86_ARCHITECTURES, architecture
from rig.capabilities.host import leaves, vector_from_cpuid, vector_from_hwcap
from rig.capabilities.paths import (
    UNUSED,
    Ask,
    Choice,
    Path,
    Query,
    Sweep,
    paths_under,
    slot_variants,
    sweep,
)
from rig.capabilities.vector import Vector
from rig.contracts import Contract
from rig.data import data_folder
from rig.errors import BuildError, ManifestError
from rig.manifest import FUSED, Length, Manifest, Primitive, Variant, fused_name
from rig.primitives import PRIMITIVES
from rig.primitives.own import adopt
from rig.runner.client import Runner, RunnerDiedError, RunnerError, Trap
from rig.runner.command import AbsentError, find_command
from rig.runner.compose import Binding
from rig.runner.encode import encode_rewritten
from rig.runner.events import Kind
from rig.runner.scripts import (
    Address,
    Buffer,
    Call,
    Pointer,
    Prologue,
    Script,
    TableEntry,
    Target,
    Word,
    Write,
)
from rig.runner.session import Session
from rig.toml_table import nearest
from rig.trace.branches import Branch, directions, traps
from rig.trace.flow import Extent, Span
from rig.trace.instructions import Decoded, decode

_OSXSAVE = 1 << 27  # CPUID leaf 1, ECX: XGETBV may be executed
_HWCAP, _HWCAP2 = 16, 26  # the types AT_HWCAP and AT_HWCAP2 of getauxval(3)


@dataclass(frozen=True, slots=True)
class Project:
    """`host` is this machine's capability vector; `sweeps` hold the paths by primitive.
    `owners` says, by a function's address, which variants (primitive, name) it belongs to."""

    manifest: Manifest
    image: Image
    runner: tuple[str, ...]
    host: Vector
    owners: Mapping[int, frozenset[tuple[str, str]]]
    sweeps: tuple[Sweep, ...] = field(default=())

    @property
    def arch(self) -> str:
        """The architecture's name."""
        return self.image.arch

    @property
    def emulator(self) -> str | None:
        """What stands before the runner, as text; None on the CPU itself."""
        program, *rest = self.runner[:-1] or ("",)
        return " ".join((FilePath(program).name, *rest)) or None

    def session(self) -> Session:
        """A new runner with this project's image."""
        return Session(self.image, traps_of(self.image), self.runner)


_Text = tuple[FilePath, str, bytes, int, tuple[Extent, ...], tuple[Span, ...]]


def _text(image: Image) -> _Text:
    extents = tuple(Extent(f.name, f.address, f.size) for f in image.functions)
    literals = tuple(Span(address, size) for address, size in image.literals)
    return image.path, image.arch, image.text.data, image.text.address, extents, literals


@functools.lru_cache(maxsize=4)
def _decoded(text: _Text) -> Decoded:
    _, arch, code, address, extents, literals = text
    return decode(arch, code, address, extents, literals)


def decoded(image: Image) -> Decoded:
    """The image's text taken apart into instructions, once per process. BuildError for Thumb."""
    if image.thumb:
        first = min(image.thumb)
        raise BuildError(
            f"{first}: Thumb code, of which the rig knows no instruction: compile it with -marm, "
            "or put `.arm` before it"
        )
    return _decoded(_text(image))


@functools.lru_cache(maxsize=4)
def _directions(text: _Text) -> tuple[Branch, ...]:
    return directions(_decoded(text))


def directions_of(image: Image) -> tuple[Branch, ...]:
    """The conditional jumps of the image, once per process."""
    return _directions(_text(image))


@functools.lru_cache(maxsize=4)
def _traps(text: _Text, plain: frozenset[int]) -> tuple[Trap, ...]:
    return traps(_decoded(text), text[3], _directions(text), plain)


def traps_of(image: Image) -> tuple[Trap, ...]:
    """The trap of each instruction of the image, once per process. What compilers call by
    themselves is in no coverage: its jumps, which would trap in every script, are not followed."""
    plain = frozenset(f.address for f in image.functions if f.source == SUPPORT)
    decoded(image)
    return _traps(_text(image), plain)


def build(
    manifest: Manifest,
    arch: str,
    toolchain: Toolchain,
    cache: FilePath,
    jobs: int,
    prefix: Sequence[str] = (),
) -> Project:
    """Builds a project and asks the machine what it can run; paths are not enumerated yet.
    `prefix` stands before the runner's program, else the manifest's, else what is found.
    AbsentError where this machine cannot run the architecture."""
    adopt(manifest)
    for primitive in manifest.primitives.values():
        _check_contract(primitive)
    manifest = _with_doing(manifest)
    command = _command(arch, toolchain, cache, prefix or manifest.runner.get(arch, ()))
    image = build_image(manifest, arch, toolchain, cache, jobs)
    with Runner(command) as runner:
        host = host_vector(runner)
    return Project(manifest, image, command, host, _owners(manifest, image))


def _command(
    arch: str, toolchain: Toolchain, cache: FilePath, prefix: Sequence[str]
) -> tuple[str, ...]:
    known = ARCHITECTURES[arch]
    if not known.runner_sources:
        raise AbsentError(arch, "this version of the rig has no runner for it", "leave it away")
    return find_command(known, build_runner(arch, toolchain, cache), prefix)


def host_vector(runner: Runner) -> Vector:
    """What the machine that a runner runs on has, or the emulator that it runs in."""
    arch = runner.arch.name
    if arch not in X86_ARCHITECTURES:
        return vector_from_hwcap(_auxiliary(runner, _HWCAP), _auxiliary(runner, _HWCAP2), arch)
    asked = leaves(runner.cpuid)
    xcr0 = runner.xgetbv() if asked.leaf1.ecx & _OSXSAVE else 0
    return vector_from_cpuid(asked, xcr0, arch)


def _auxiliary(runner: Runner, kind: int) -> int:
    """0 where the kernel is older than the entry."""
    try:
        return runner.auxiliary(kind)
    except RunnerDiedError:
        raise
    except RunnerError:
        return 0


def _owners(manifest: Manifest, image: Image) -> dict[int, frozenset[tuple[str, str]]]:
    """A variant owns its entries, and what its sources hold beside the entries of others."""
    entries: dict[int, set[tuple[str, str]]] = {}
    sources: dict[str, set[tuple[str, str]]] = {}
    for variant in manifest.variants(image.arch):
        name = (variant.primitive, variant.name)
        for symbol in (*variant.symbols.values(), *((variant.ran,) if variant.ran else ())):
            entries.setdefault(image.symbols[symbol], set()).add(name)
        for source in variant.sources:
            sources.setdefault(relative(source.resolve(), image.root), set()).add(name)
    return {
        f.address: frozenset(entries.get(f.address) or sources.get(f.source) or ())
        for f in image.functions
    }


def functions_of(project: Project, variant: Variant) -> tuple[Function, ...]:
    """The functions that belong to a variant."""
    name = (variant.primitive, variant.name)
    return tuple(f for f in project.image.functions if name in project.owners[f.address])


def contract_of(primitive: Primitive) -> Contract:
    """The contract of a primitive: the manifest's own, else the bundled one."""
    return _contract(primitive.contract) if primitive.contract else _standard(primitive.name)


def contract_of_variant(primitive: Primitive, variant: Variant) -> Contract:
    """The contract of a variant: its own, else its primitive's."""
    return _contract(variant.contract) if variant.contract else contract_of(primitive)


def _standard(name: str) -> Contract:
    return _contract(data_folder("native") / "include" / PRIMITIVES[name].header)


def _forms(name: str) -> tuple[Contract, ...]:
    """The standard contract of a primitive, then the other forms that its plans fill."""
    folder = data_folder("native") / "include" / "field"
    return _standard(name), *(_contract(folder / f"{f}.h") for f in PRIMITIVES[name].forms)


def _with_doing(manifest: Manifest) -> Manifest:
    """The manifest with what each function does of a message that it may do in part: what its
    contract says, narrowed by the stanza's `len`, which then narrows nothing else."""
    primitives = {
        name: replace(p, variants=tuple(_doing(p, v) for v in p.variants))
        for name, p in manifest.primitives.items()
    }
    return replace(manifest, primitives=primitives)


def _doing(primitive: Primitive, variant: Variant) -> Variant:
    roles = {o.part[0] for o in PRIMITIVES[primitive.name].operations.values() if o.part}
    found = {
        f.role: replace(f.doing, length=f.doing.length & variant.length)
        for f in contract_of_variant(primitive, variant).functions
        if f.role in roles and f.doing
    }
    return replace(variant, doing=found, length=Length()) if found else variant


def _check_contract(primitive: Primitive) -> None:
    """ManifestError where a manifest asks for what the primitive's contract has not."""
    if primitive.name not in PRIMITIVES:
        raise ManifestError(
            f"{primitive.place}: the rig has no oracle for [{primitive.name}]"
            f"{nearest(primitive.name, PRIMITIVES)}; it knows {', '.join(PRIMITIVES)}, and others "
            "by `module`"
        )
    undefined = tuple(PRIMITIVES[primitive.name].undefined)
    own = PRIMITIVES[primitive.name].own
    forms = (contract_of(primitive),) if own else _forms(primitive.name)
    _check_operations(primitive)
    common = tuple(v for v in primitive.variants if not v.contract)
    whole, contract = replace(primitive, variants=common), contract_of(primitive)
    optional = PRIMITIVES[primitive.name].optional
    contracts.check(whole, contract, forms, undefined, optional)
    for variant in (v for v in primitive.variants if v.contract):
        contract = contract_of_variant(primitive, variant)
        contracts.check(replace(primitive, variants=(variant,)), contract, forms, undefined)


def _check_operations(primitive: Primitive) -> None:
    """That the contract has every function that an operation of a project's own calls."""
    definition, roles = PRIMITIVES[primitive.name], contract_of(primitive).roles
    for name, operation in definition.operations.items() if definition.own else ():
        for role in operation.roles:
            if role not in roles:
                assert definition.own
                raise ManifestError(
                    f"{definition.own.module}:1: `{name}` calls `{role}`, which "
                    f"{contract_of(primitive).path.name} has not{nearest(role, roles)}"
                )


@functools.cache
def _contract(path: FilePath) -> Contract:
    return contracts.read(path)


def enumerate_paths(project: Project, session: Session, primitive: Primitive) -> Sweep:
    """The sweep of one primitive, by the project's dispatcher where it has one."""
    return sweep(project.manifest, primitive, project.arch, _asker(project, session, primitive))


def paths_of_masks(
    project: Project, session: Session, primitive: Primitive, masks: Sequence[Vector]
) -> tuple[Path, ...]:
    """What masks select, by the dispatcher if there is one."""
    asker = _asker(project, session, primitive)
    return paths_under(project.manifest, primitive, masks, asker)


def _asker(project: Project, session: Session, primitive: Primitive) -> Ask | None:
    """None without a dispatcher, and where it has nothing to choose from."""
    own = [v for v in primitive.variants if v.arch == project.arch]
    idle = own and not any(variant.dispatch for variant in own)
    asks = project.manifest.dispatch and not idle
    return functools.partial(_ask, project, session) if asks else None


def _ask(project: Project, session: Session, queries: Sequence[Query]) -> list[Choice]:
    """Each query as a script that expects the table of the rule's choice: what comes back
    are the tables that differ."""
    if not queries:
        return []
    primitive = project.manifest.primitives[queries[0].primitive]
    select = Address(select_symbol(project, primitive))
    kinds = {(query.expected, query.length): query for query in queries}
    tables = {c: table_of(project, primitive, c) for c, _ in kinds}
    templates = [_question(project, select, q, tables[q.expected]) for q in kinds.values()]
    numbers = {kind: number for number, kind in enumerate(kinds)}
    rewrites = [
        (numbers[query.expected, query.length], _vector_bytes(project, query.mask))
        for query in queries
    ]
    result = session.run(encode_rewritten(templates, rewrites), Prologue())
    answers = [query.expected for query in queries]
    for event in result.events:
        wrong = event.kind is Kind.VALUE
        answers[event.script] = _read_table(project, primitive, event.data) if wrong else ()
    return answers


def _question(project: Project, select: Target, query: Query, expected: Sequence[int]) -> Script:
    arch = ARCHITECTURES[project.arch]
    table = struct.pack(_pointers(arch, len(expected)), *expected)
    call = Call(select, (Pointer(0), Word(query.length, arch.widths["size_t"])))
    buffer = Buffer("table", len(table), expected=table, align=8)
    return Script((buffer,), (vector_write(project, query.mask), call))


def _pointers(arch: Architecture, count: int) -> str:
    """The layout of a table in memory."""
    return f"<{count}{'I' if arch.pointer_bits == 32 else 'Q'}"


def select_symbol(project: Project, primitive: Primitive) -> int:
    """The address of the project's dispatcher for a primitive; BuildError without one."""
    assert project.manifest.dispatch
    name = project.manifest.dispatch.symbol.replace("{primitive}", primitive.name)
    if name not in project.image.symbols:
        raise BuildError(
            f"{primitive.place}: the dispatcher defines no `{name}`; define it, or give the "
            'project `dispatch = "rules"`'
        )
    return project.image.entry(name)


def vector_write(project: Project, mask: Vector) -> Write:
    """The write that forces a mask."""
    return Write(project.image.vector.address, _vector_bytes(project, mask))


def _vector_bytes(project: Project, mask: Vector) -> bytes:
    """As many words of a mask as the project's vector has."""
    words = min(project.image.vector.words, architecture(mask.arch).words)
    return (mask.value & (1 << 32 * words) - 1).to_bytes(4 * words, "little")


def _slots(
    project: Project, primitive: Primitive
) -> list[tuple[str, Contract, tuple[Variant, ...]]]:
    """The slots that have entries in the table, each with its contract and variants: `fused` has
    them where the manifest has variants of it, be it for another architecture."""
    found = []
    for slot, variants in slot_variants(project.manifest, primitive, project.arch):
        name = fused_name(primitive.name) if slot == FUSED else slot
        if owner := project.manifest.primitives.get(name):
            found.append((slot, contract_of(owner), variants))
    return found


def _roles(primitive: Primitive, contract: Contract, variant: Variant | None) -> tuple[str, ...]:
    """The roles of a slot's entries in the table: a leaf's are those of the variant's contract."""
    if variant is None or variant.primitive != primitive.name:
        return contract.roles
    return contract_of_variant(primitive, variant).roles


def table_length(project: Project, primitive: Primitive) -> int:
    """How many function pointers the table of a primitive holds; of a leaf, the most."""
    return sum(
        max(len(_roles(primitive, contract, variant)) for variant in (None, *variants))
        for _, contract, variants in _slots(project, primitive)
    )


def table_of(project: Project, primitive: Primitive, choice: Choice) -> tuple[int, ...]:
    """The function pointers of a choice, 0 for a role that a variant has not."""
    names = dict(choice)
    table: list[int] = []
    for slot, contract, variants in _slots(project, primitive):
        chosen = next((v for v in variants if v.name == names.get(slot)), None)
        symbols = chosen.symbols if chosen else {}
        for role in _roles(primitive, contract, chosen):
            table.append(project.image.entry(symbols[role]) if role in symbols else 0)
    return tuple(table)


def _read_table(project: Project, primitive: Primitive, data: bytes) -> Choice:
    """The choice whose functions a table holds; a pointer that is no variant's is named."""
    layout = _pointers(ARCHITECTURES[project.arch], table_length(project, primitive))
    words = struct.unpack_from(layout, data)
    if not any(words):
        return ()
    named = {project.image.entry(name): name for name in project.image.symbols}
    choice, position = {FUSED: UNUSED} if FUSED in primitive.slots else {}, 0
    for slot, contract, variants in _slots(project, primitive):
        part = words[position : position + len(contract.roles)]
        position += len(part)
        symbols = [named.get(word, hex(word)) if word else None for word in part]
        match = [v.name for v in variants if [v.symbols.get(r) for r in contract.roles] == symbols]
        if match or slot != FUSED or any(symbols):
            texts = dict.fromkeys(symbol or "0" for symbol in symbols)
            choice[slot] = match[0] if match else "+".join(texts)
    return tuple(choice.items())


def composed_entries(project: Project, primitive: Primitive) -> tuple[int, ...]:
    """A composition's own functions: they stand behind the slots' in the table, so that a
    batch holds no address and serves every image."""
    if not primitive.composed:
        return ()
    symbols = (primitive.symbols.get(role, "") for role in contract_of(primitive).roles)
    known = project.image.symbols
    return tuple(project.image.entry(s) if s in known else 0 for s in symbols)


def prologue(project: Project, path: Path, mask: Vector) -> Prologue:
    """What puts a batch on a path: the mask and the dispatcher, else the table by hand."""
    primitive = project.manifest.primitives[path.primitive]
    write = vector_write(project, mask)
    composed = composed_entries(project, primitive)
    if path.kind == "mask" and project.manifest.dispatch:
        table = (0,) * table_length(project, primitive) + composed
        return Prologue((write,), table, select_symbol(project, primitive))
    return Prologue((write,), table_of(project, primitive, path.choice) + composed)


def turns(project: Project, paths: Sequence[Path]) -> dict[str, tuple[Write, ...]]:
    """By each path's first mask, what puts it in force between two calls: the vector, and the
    table that a dispatcher would fill."""
    arch = ARCHITECTURES[project.arch]
    found: dict[str, tuple[Write, ...]] = {}
    for path in paths:
        table = table_of(project, project.manifest.primitives[path.primitive], path.choice)
        data = struct.pack(_pointers(arch, len(table)), *table)
        write = Write(arch.places.table, data)
        found[str(path.masks[0])] = (vector_write(project, path.masks[0]), write)
    return found


def binding(project: Project, path: Path) -> Binding:
    """How the contract of a path's primitive stands in the image."""
    primitive = project.manifest.primitives[path.primitive]
    contract = contract_of(primitive)
    arch = ARCHITECTURES[project.arch]
    if primitive.composed:
        first = table_length(project, primitive)
        targets = _entries(contract, primitive.symbols, first)
        return Binding(arch, contract, targets)
    name = dict(path.choice)[primitive.name]
    variant = next(v for v in primitive.variants if v.name == name and v.arch == project.arch)
    contract = contract_of_variant(primitive, variant)
    entries = _entries(contract, variant.symbols, 0)
    return Binding(arch, contract, entries, variant.sizes, variant.align, variant.doing)


def _entries(contract: Contract, roles: Collection[str], first: int) -> dict[str, Target]:
    """Each role that there is, by its place in the table."""
    found = enumerate(contract.roles, start=first)
    return {role: TableEntry(index) for index, role in found if role in roles}
