"""Station 2: turns masks into paths.

Enters: a primitive's variants and a way to ask the project's dispatcher. Leaves: a frozen
`Sweep`: every distinct path with its minimal masks, and each disagreement between the
dispatcher and the manifest's rule. Never here: running a path.

All 2^k masks over the k capabilities that the variants name are asked, once with every other
bit clear and once with every other bit set; then each remaining bit is flipped alone against
each path, with the other bits clear and set. Each question is put once for every class of
lengths that the variants' `len` tells apart.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rig.capabilities.bits import architecture
from rig.capabilities.vector import Vector, holds, mask_of
from rig.errors import ManifestError
from rig.manifest import (
    FUSED,
    Doing,
    Length,
    Manifest,
    Primitive,
    Variant,
    fused_name,
)

UNUSED = "-"

Choice = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a dispatcher, and what the manifest's rule answers; `flipped` is the
    position of the undeclared bit that is probed."""

    primitive: str
    mask: Vector
    length: int
    expected: Choice
    flipped: int | None = None


@dataclass(frozen=True, slots=True)
class Path:
    """A tuple of slots that masks select (`kind` mask), that a variant's own symbols are
    (`direct`), or that the user forced (`forced`). `masks` are the minimal ones; `lengths`
    the lengths in bytes for which they select it; `part` names these where other masks select
    the same slots for other lengths. `roles` are the contract's functions that it has,
    `undefined` the behaviours that its variants leave open; `doing` is what a leaf's functions do
    of a message, by role, where the contract says so."""

    primitive: str
    arch: str
    kind: str
    choice: Choice
    masks: tuple[Vector, ...]
    lengths: tuple[Length, ...]
    needs: frozenset[str]
    roles: frozenset[str]
    undefined: frozenset[str] = frozenset()
    constant_time: bool = True
    part: str = ""
    doing: Mapping[str, Doing] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The slots as text: `fused=-,aes=ssse3,ghash=pclmul`."""
        return ",".join(f"{slot}={variant}" for slot, variant in self.choice)

    @property
    def id(self) -> str:
        """Unique in a run of one project and toolchain."""
        part = f"/{self.part}" if self.part else ""
        return f"{self.primitive}/{self.arch}/{self.kind}/{self.name}{part}"

    def takes(self, length: int) -> bool:
        """Whether the path is defined for a message of so many bytes."""
        return any(domain.holds(length) for domain in self.lengths)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What the sweep of one primitive gave; `dispatched` False means by the rule alone."""

    primitive: str
    arch: str
    masks: int
    probes: int
    dispatched: bool
    paths: tuple[Path, ...]
    mismatches: tuple[str, ...]


Ask = Callable[[Sequence[Query]], Sequence[Choice]]
"""Gives the dispatcher's answer to each query, in order."""


def rule(manifest: Manifest, primitive: Primitive, mask: Vector, length: int) -> Choice:
    """The manifest's rule: per slot the last variant in stanza order whose `needs` and `len`
    hold; an empty choice if a slot has none.

    A composition calls its slots with lengths of its own choosing, so without a dispatcher
    that knows better a variant that narrows `len` fills no slot but `fused`, which goes by the
    others: it takes a variant that reads their layouts.
    """
    fitting = {}
    for slot, variants in slot_variants(manifest, primitive, mask.arch):
        whole = manifest.dispatch is None and slot not in (FUSED, primitive.name)
        fitting[slot] = [
            v
            for v in variants
            if v.dispatch
            and holds(mask, v.needs)
            and (v.length == Length() if whole else v.length.holds(length))
        ]
    if not all(variants for slot, variants in fitting.items() if slot != FUSED):
        return ()
    choice = {slot: variants[-1].name for slot, variants in fitting.items() if variants}
    if FUSED in fitting:
        choice[FUSED] = _fused(manifest, primitive, fitting[FUSED], choice)
    return tuple((slot, choice[slot]) for slot in fitting)


def _fused(
    manifest: Manifest, primitive: Primitive, fitting: Iterable[Variant], choice: Mapping[str, str]
) -> str:
    """The last of the variants that reads what the other slots of a choice write."""
    reading = [v.name for v in fitting if not unreadable(manifest, primitive, v, choice)]
    return reading[-1] if reading else UNUSED


def unreadable(
    manifest: Manifest, primitive: Primitive, fused: Variant, choice: Mapping[str, str]
) -> tuple[str, ...]:
    """The slots of a choice whose layout a fused variant cannot read."""
    layouts = {
        slot: v.layout
        for slot, variants in slot_variants(manifest, primitive, fused.arch)
        for v in variants
        if slot != FUSED and v.name == choice[slot]
    }
    return tuple(slot for slot, layout in layouts.items() if fused.reads(slot) != layout)


def slot_variants(
    manifest: Manifest, primitive: Primitive, arch: str
) -> Iterator[tuple[str, tuple[Variant, ...]]]:
    """Each slot of a primitive with the variants that may fill it; a leaf has itself only. A
    composition calls by the contracts of its slots' primitives: a variant with another fills
    none."""
    for slot in primitive.slots or (primitive.name,):
        name = fused_name(primitive.name) if slot == FUSED else slot
        owner = manifest.primitives.get(name)
        found = (v for v in owner.variants if v.arch == arch) if owner else ()
        yield slot, tuple(v for v in found if not (primitive.composed and v.contract))


def sweep(manifest: Manifest, primitive: Primitive, arch: str, ask: Ask | None) -> Sweep:
    """Asks everything about one primitive; `ask` None means the rule stands unopposed."""
    named = frozenset(n for v in _dispatched(manifest, primitive, arch) for n in v.needs.named)
    masks = tuple(_masks(arch, named))
    opposite = tuple(_opposite(mask, named) for mask in masks)
    asked = _asked(manifest, primitive, (*masks, *opposite), ask)
    clear = asked[: len(asked) // 2]
    paths = _paths(manifest, primitive, arch, clear)
    probes = _probes(asked, paths, named) if ask else []
    flipped = ask(probes) if ask else []
    wrong = [_disagreement(a.query, a.choice) for a in asked if a.choice != a.query.expected]
    wrong += _undeclared(zip(probes, flipped, strict=True))
    return Sweep(
        primitive=primitive.name,
        arch=arch,
        masks=len(asked),
        probes=len(probes),
        dispatched=ask is not None,
        paths=(*paths, *direct_paths(primitive, arch)),
        mismatches=tuple(dict.fromkeys(wrong)),
    )


def paths_under(
    manifest: Manifest, primitive: Primitive, masks: Sequence[Vector], ask: Ask | None
) -> tuple[Path, ...]:
    """What given masks select, for each class of lengths; all masks have one architecture."""
    asked = _asked(manifest, primitive, masks, ask)
    each = (
        path
        for mask in dict.fromkeys(masks)
        for path in _paths(
            manifest, primitive, mask.arch, [a for a in asked if a.query.mask == mask]
        )
    )
    return joined(each)


def joined(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Paths with equal slots and lengths made one, with the masks of all; where a choice is
    left with several sets of lengths, `part` tells them apart."""
    groups: dict[tuple[str, Choice], dict[tuple[Length, ...], Path]] = {}
    for path in paths:
        parts = groups.setdefault((path.kind, path.choice), {})
        known = parts.get(path.lengths)
        masks = (*known.masks, *path.masks) if known else path.masks
        parts[path.lengths] = replace(path, masks=tuple(dict.fromkeys(masks)))
    return tuple(
        replace(path, part="+".join(map(_lengths_text, lengths)) if len(parts) > 1 else "")
        for parts in groups.values()
        for lengths, path in parts.items()
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, the class of lengths that it stands for, and what was chosen."""

    query: Query
    domain: Length
    choice: Choice


def _asked(
    manifest: Manifest, primitive: Primitive, masks: Sequence[Vector], ask: Ask | None
) -> list[_Asked]:
    """Every mask with every class of lengths, mask by mask."""
    if not masks:
        return []
    classes = length_classes(_dispatched(manifest, primitive, masks[0].arch))
    pairs = [(mask, domain) for mask in masks for domain in classes]
    chosen = _remembered(manifest, primitive, masks[0].arch)
    queries = [
        Query(primitive.name, mask, n, chosen(mask, n))
        for mask, domain in pairs
        if (n := _example(domain)) is not None
    ]
    choices = ask(queries) if ask else [q.expected for q in queries]
    rows = zip(queries, pairs, choices, strict=True)
    return [_Asked(query, domain, choice) for query, (_, domain), choice in rows]


def _remembered(
    manifest: Manifest, primitive: Primitive, arch: str
) -> Callable[[Vector, int], Choice]:
    """The rule, worked out once for all masks under which the same `needs` hold: there are
    thousands of masks, and many variants with equal needs."""
    needs = tuple(dict.fromkeys(v.needs for v in _dispatched(manifest, primitive, arch)))
    known: dict[tuple[tuple[bool, ...], int], Choice] = {}

    def chosen(mask: Vector, length: int) -> Choice:
        key = (tuple(holds(mask, each) for each in needs), length)
        if key not in known:
            known[key] = rule(manifest, primitive, mask, length)
        return known[key]

    return chosen


def _dispatched(manifest: Manifest, primitive: Primitive, arch: str) -> tuple[Variant, ...]:
    """The variants that a dispatcher may choose, of every slot."""
    slots = slot_variants(manifest, primitive, arch)
    return tuple(v for _, variants in slots for v in variants if v.dispatch)


def _masks(arch: str, named: frozenset[str]) -> Iterator[Vector]:
    base = Vector.base(arch)
    for size in range(len(named) + 1):
        for chosen in itertools.combinations(sorted(named), size):
            yield base | Vector.of(arch, chosen)


def _opposite(mask: Vector, named: frozenset[str]) -> Vector:
    """The mask with every bit set that is neither named nor in it."""
    return mask | (Vector.full(mask.arch) - Vector.of(mask.arch, named))


def length_classes(variants: Iterable[Variant]) -> tuple[Length, ...]:
    """The lengths in classes within which no variant's `len` changes its answer."""
    domains = [v.length for v in variants]
    edges = {0, *(d.min for d in domains), *(d.max + 1 for d in domains if d.max is not None)}
    steps = sorted({d.step for d in domains} - {1})
    starts = sorted(edges)
    ends = (*(start - 1 for start in starts[1:]), None)
    return tuple(
        domain
        for start, end in zip(starts, ends, strict=True)
        for domain in _divided(start, end, steps)
        if _example(domain) is not None
    )


def _divided(start: int, end: int | None, steps: Sequence[int]) -> Iterator[Length]:
    """An interval by which of the steps divide a length."""
    for size in range(len(steps) + 1):
        for chosen in itertools.combinations(steps, size):
            apart = tuple(step for step in steps if step not in chosen)
            yield Length(start, end, math.lcm(*chosen), apart)


def _example(domain: Length) -> int | None:
    """The least length of a class, None if it is empty."""
    if any(domain.step % step == 0 for step in domain.apart):
        return None
    length = domain.first()
    while any(length % step == 0 for step in domain.apart):
        length += domain.step
    return length if domain.holds(length) else None


def _paths(
    manifest: Manifest, primitive: Primitive, arch: str, asked: Sequence[_Asked]
) -> tuple[Path, ...]:
    """Each choice with the minimal masks of each class of lengths; classes with the same
    minimal masks belong together. What names no variant is a mismatch, not a path."""
    found: dict[Choice, dict[Length, list[Vector]]] = {}
    slots = {s: [v.name for v in vs] for s, vs in slot_variants(manifest, primitive, arch)}
    for row in asked:
        if row.choice and all(
            name in slots[slot] or (slot, name) == (FUSED, UNUSED) for slot, name in row.choice
        ):
            found.setdefault(row.choice, {}).setdefault(row.domain, []).append(row.query.mask)
    return joined(
        path_of(manifest, primitive, arch, choice, masks, lengths)
        for choice, classes in found.items()
        for masks, lengths in _by_masks(classes).items()
    )


def _by_masks(
    classes: Mapping[Length, Sequence[Vector]],
) -> Mapping[tuple[Vector, ...], tuple[Length, ...]]:
    parts: dict[tuple[Vector, ...], list[Length]] = {}
    for domain, masks in classes.items():
        parts.setdefault(_minimal(masks), []).append(domain)
    return {masks: _merged(domains) for masks, domains in parts.items()}


def _merged(domains: Iterable[Length]) -> tuple[Length, ...]:
    """Classes that differ only in adjacent intervals, as one each."""
    merged: list[Length] = []
    for domain in sorted(domains, key=lambda d: (d.step, d.apart, d.min)):
        if merged and _continues(merged[-1], domain):
            merged[-1] = replace(merged[-1], max=domain.max)
        else:
            merged.append(domain)
    return tuple(merged)


def _continues(first: Length, second: Length) -> bool:
    alike = (first.step, first.apart) == (second.step, second.apart)
    return alike and first.max is not None and first.max + 1 == second.min


def _lengths_text(domain: Length) -> str:
    text = f"len={domain.min}-{'' if domain.max is None else domain.max}"
    text += f"x{domain.step}" if domain.step > 1 else ""
    return text + "".join(f"!{step}" for step in domain.apart)


def _minimal(masks: Iterable[Vector]) -> tuple[Vector, ...]:
    masks = list(masks)
    return tuple(
        m for m in masks if not any(o != m and o.value & m.value == o.value for o in masks)
    )


def path_of(
    manifest: Manifest,
    primitive: Primitive,
    arch: str,
    choice: Choice,
    masks: tuple[Vector, ...],
    lengths: tuple[Length, ...] = (Length(),),
    kind: str = "mask",
) -> Path:
    """The path of a choice under masks. What a leaf leaves undefined, a composition over it
    has to avoid: only its own variants may declare it."""
    variants = chosen_variants(manifest, primitive, arch, choice)
    own = [v for v in variants if v.primitive == primitive.name]
    roles = primitive.symbols if primitive.composed else own[0].symbols
    return Path(
        primitive=primitive.name,
        arch=arch,
        kind=kind,
        choice=choice,
        masks=masks,
        lengths=lengths,
        needs=frozenset(n for v in variants for n in v.needs.required),
        roles=frozenset(roles),
        undefined=frozenset(name for v in own for name in v.undefined),
        constant_time=all(v.constant_time for v in variants),
        doing=own[0].doing if own else {},
    )


def chosen_variants(
    manifest: Manifest, primitive: Primitive, arch: str, choice: Choice
) -> tuple[Variant, ...]:
    """The variants of a choice, unused slots left out."""
    names = dict(choice)
    return tuple(
        v
        for slot, variants in slot_variants(manifest, primitive, arch)
        for v in variants
        if v.name == names[slot]
    )


def _probes(asked: Sequence[_Asked], paths: Iterable[Path], named: frozenset[str]) -> list[Query]:
    """Each bit that no variant names, flipped alone against each path's minimal masks, with the
    other bits clear and set. What is expected is what the dispatcher chose before the flip,
    right or wrong: else every innocent bit would be blamed for a wrong choice."""
    choices = {(row.query.mask, row.query.length): row.choice for row in asked}
    minimal = {(path.choice, mask) for path in paths for mask in path.masks}
    return [
        Query(row.query.primitive, Vector(start.arch, start.value ^ 1 << bit), length, before, bit)
        for row in asked
        if (row.choice, row.query.mask) in minimal
        for start in (row.query.mask, _opposite(row.query.mask, named))
        if (before := choices.get((start, length := row.query.length)))
        for bit in _free_bits(start.arch, named)
    ]


def _free_bits(arch: str, named: frozenset[str]) -> Iterator[int]:
    fixed = (Vector.of(arch, named) | Vector.base(arch)).value
    return (bit for bit in range(32 * architecture(arch).words) if not fixed >> bit & 1)


def _disagreement(query: Query, answer: Choice) -> str:
    return (
        f"{query.primitive}: mask {query.mask}, length {query.length}: the dispatcher chose "
        f"{_text(answer)}, the manifest's rule {_text(query.expected)}"
    )


def _undeclared(answers: Iterable[tuple[Query, Choice]]) -> Iterable[str]:
    """A line for each bit and each pair of choices between which its flip changes."""
    found: dict[tuple[int | None, frozenset[Choice]], str] = {}
    for query, answer in answers:
        if answer != query.expected:
            pair = (query.flipped, frozenset((query.expected, answer)))
            found.setdefault(pair, _flip(query, answer))
    return found.values()


def _flip(query: Query, answer: Choice) -> str:
    position = query.flipped or 0
    known = architecture(query.mask.arch).capabilities
    name = next((f", {c.name}" for c in known if c.mask == 1 << position), "")
    return (
        f"{query.primitive}: word {position // 32} bit {position % 32}{name}: no variant declares "
        f"it, yet it changes the choice from {_text(query.expected)} to {_text(answer)} "
        f"(mask {query.mask})"
    )


def _text(choice: Choice) -> str:
    return ",".join(f"{slot}={name}" for slot, name in choice) or "nothing that the manifest names"


def direct_paths(primitive: Primitive, arch: str) -> tuple[Path, ...]:
    """One path per variant through its own symbols, under the least mask that it needs."""
    return tuple(
        Path(
            primitive=primitive.name,
            arch=arch,
            kind="direct",
            choice=((primitive.name, v.name),),
            masks=(Vector.base(arch) | Vector.of(arch, v.needs.required),),
            lengths=(v.length,),
            needs=v.needs.required,
            roles=frozenset(v.symbols),
            undefined=frozenset(v.undefined),
            constant_time=v.constant_time,
            doing=v.doing,
        )
        for v in primitive.variants
        if v.arch == arch
    )


def forced_path(manifest: Manifest, primitive: Primitive, under: Vector, force: Choice) -> Path:
    """The path that `--force` asks for; slots left open follow the rule for the mask `under`.

    Raises ManifestError for a slot or variant that does not exist, for a slot left open that no
    variant fills, and for a fused variant that cannot read what the other slots write.
    """
    arch = under.arch
    choice = dict(rule(manifest, primitive, under, 1 << 20))
    slots = dict(slot_variants(manifest, primitive, arch))
    for slot, name in force:
        names = [v.name for v in slots.get(slot, ())] + [UNUSED] * (slot == FUSED)
        if name not in names:
            valid = ", ".join(names) or "no such slot"
            raise ManifestError(f"--force {slot}={name}: {primitive.name} has {valid}")
        choice[slot] = name
    for slot in slots:
        if slot not in choice and slot != FUSED:
            raise ManifestError(f"--force: {primitive.name} needs {slot}=VARIANT as well")
    if FUSED in slots and FUSED not in dict(force):
        fitting = [v for v in slots[FUSED] if v.dispatch and holds(under, v.needs)]
        choice[FUSED] = _fused(manifest, primitive, fitting, choice)
    for fused in (v for v in slots.get(FUSED, ()) if v.name == choice[FUSED]):
        if unread := unreadable(manifest, primitive, fused, choice):
            wanted = " and ".join(f"{slot} of the layout {fused.reads(slot)}" for slot in unread)
            raise ManifestError(f"--force fused={fused.name}: it needs {wanted}")
    whole = tuple((slot, choice.get(slot, UNUSED)) for slot in slots)
    variants = chosen_variants(manifest, primitive, arch, whole)
    needs = frozenset(n for v in variants for n in v.needs.required)
    masks = (Vector.base(arch) | Vector.of(arch, needs),)
    lengths = tuple(v.length for v in variants if v.primitive == primitive.name) or (Length(),)
    return path_of(manifest, primitive, arch, whole, masks, lengths, kind="forced")


def missing(path: Path, host: Vector) -> tuple[str, ...]:
    """The capabilities that a path needs and this machine lacks, by name."""
    return tuple(
        sorted(n for n in path.needs if not host.value & mask_of(host.arch, frozenset((n,))))
    )
