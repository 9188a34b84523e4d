"""Station 2: turns masks into paths.

Enters: a primitive's variants and a way to ask the project's dispatcher. Leaves: a frozen
`Sweep`: every distinct path with its minimal masks, and each disagreement between the
dispatcher and the manifest's rule. Never here: running a path.

All 2^k masks over the k capabilities that the variants name are asked, once with every other
bit clear and once with every other bit set; then each remaining bit is flipped alone against
each path, with the other bits clear and set.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rig.capabilities.bits import architecture
from rig.capabilities.vector import Vector, holds, mask_of
from rig.errors import ManifestError
from rig.manifest import Length, Manifest, Primitive, Variant

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
    the lengths in bytes for which they select it."""

    primitive: str
    arch: str
    kind: str
    choice: Choice
    masks: tuple[Vector, ...]
    lengths: tuple[Length, ...]
    needs: frozenset[str]
    constant_time: bool = True

    @property
    def name(self) -> str:
        """The slots as text: `fused=-,aes=ssse3,ghash=pclmul`."""
        return ",".join(f"{slot}={variant}" for slot, variant in self.choice)

    @property
    def id(self) -> str:
        """Unique in a run of one project and toolchain."""
        return f"{self.primitive}/{self.arch}/{self.kind}/{self.name}"

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
    hold; an empty choice if a slot has none."""
    choice = []
    for slot, variants in slot_variants(manifest, primitive, mask.arch):
        fitting = [
            v for v in variants if v.dispatch and holds(mask, v.needs) and v.length.holds(length)
        ]
        if not fitting and slot != "fused":
            return ()
        choice.append((slot, fitting[-1].name if fitting else UNUSED))
    return tuple(choice)


def slot_variants(
    manifest: Manifest, primitive: Primitive, arch: str
) -> Iterator[tuple[str, tuple[Variant, ...]]]:
    """Each slot of a primitive with the variants that may fill it; a leaf has itself only."""
    for slot in primitive.slots or (primitive.name,):
        owner = primitive if slot == "fused" else manifest.primitives[slot]
        yield slot, tuple(v for v in owner.variants if v.arch == arch)


def sweep(manifest: Manifest, primitive: Primitive, arch: str, ask: Ask | None) -> Sweep:
    """Asks everything about one primitive; `ask` None means the rule stands unopposed."""
    variants = [v for _, vs in slot_variants(manifest, primitive, arch) for v in vs]
    named = frozenset(n for v in variants if v.dispatch for n in v.needs.named)
    masks = tuple(_masks(arch, named))
    lengths = _boundaries(v for v in variants if v.dispatch)
    queries = [
        Query(primitive.name, mask, length, rule(manifest, primitive, mask, length))
        for mask in (*masks, *(_opposite(mask, named) for mask in masks))
        for length in lengths
    ]
    answers = ask(queries) if ask else [q.expected for q in queries]
    wrong = [_disagreement(q, a) for q, a in zip(queries, answers, strict=True) if a != q.expected]
    groups = _group(queries[: len(masks) * len(lengths)], answers, lengths)
    probes = _probes(manifest, primitive, groups, named) if ask else []
    flipped = ask(probes) if ask else []
    wrong += [_undeclared(q, a) for q, a in zip(probes, flipped, strict=True) if a != q.expected]
    paths = [
        path_of(manifest, primitive, arch, choice, _minimal(found), found[_minimal(found)[0]])
        for choice, found in groups.items()
    ]
    return Sweep(
        primitive=primitive.name,
        arch=arch,
        masks=len(queries),
        probes=len(probes),
        dispatched=ask is not None,
        paths=(*paths, *direct_paths(primitive, arch)),
        mismatches=tuple(dict.fromkeys(wrong)),
    )


def _masks(arch: str, named: frozenset[str]) -> Iterator[Vector]:
    base = Vector.base(arch)
    for size in range(len(named) + 1):
        for chosen in itertools.combinations(sorted(named), size):
            yield base | Vector.of(arch, chosen)


def _opposite(mask: Vector, named: frozenset[str]) -> Vector:
    """The mask with every bit set that is neither named nor in it."""
    return mask | (Vector.full(mask.arch) - Vector.of(mask.arch, named))


def _boundaries(variants: Iterable[Variant]) -> tuple[int, ...]:
    """The lengths at which an answer may change."""
    found = {0}
    for variant in variants:
        found.add(variant.length.min)
        if variant.length.max is not None:
            found.add(variant.length.max + 1)
    return tuple(sorted(found))


_Groups = Mapping[Choice, Mapping[Vector, tuple[Length, ...]]]


def _group(queries: Sequence[Query], answers: Sequence[Choice], lengths: Sequence[int]) -> _Groups:
    groups: dict[Choice, dict[Vector, tuple[Length, ...]]] = {}
    ends = dict(itertools.zip_longest(lengths, (n - 1 for n in lengths[1:])))
    for query, answer in zip(queries, answers, strict=False):
        if answer:
            found = groups.setdefault(answer, {})
            domain = Length(query.length, ends[query.length])
            found[query.mask] = (*found.get(query.mask, ()), domain)
    return groups


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
    """The path of a choice under masks."""
    variants = chosen_variants(manifest, primitive, arch, choice)
    return Path(
        primitive=primitive.name,
        arch=arch,
        kind=kind,
        choice=choice,
        masks=masks,
        lengths=lengths,
        needs=frozenset(n for v in variants for n in v.needs.required),
        constant_time=all(v.constant_time for v in variants),
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


def _probes(
    manifest: Manifest, primitive: Primitive, groups: _Groups, named: frozenset[str]
) -> list[Query]:
    """Each bit that no variant names, flipped alone against each path's minimal masks."""
    probes = []
    for choice, found in groups.items():
        for mask in _minimal(found):
            length = found[mask][0].min
            fixed = Vector.of(mask.arch, named) | Vector.base(mask.arch)
            for bit in range(32 * architecture(mask.arch).words):
                if not fixed.value >> bit & 1:
                    for start in (mask, _opposite(mask, named)):
                        flipped = Vector(mask.arch, start.value ^ (1 << bit))
                        probes.append(Query(primitive.name, flipped, length, choice, bit))
    return probes


def _disagreement(query: Query, answer: Choice) -> str:
    return (
        f"{query.primitive}: mask {query.mask}, length {query.length}: the dispatcher chose "
        f"{_text(answer)}, the manifest's rule {_text(query.expected)}"
    )


def _undeclared(query: Query, answer: Choice) -> str:
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
            constant_time=v.constant_time,
        )
        for v in primitive.variants
        if v.arch == arch
    )


def forced_path(manifest: Manifest, primitive: Primitive, arch: str, force: Choice) -> Path:
    """The path that `--force` asks for; slots left open follow the rule for a full mask.

    Raises ManifestError for a slot or variant that does not exist.
    """
    choice = dict(rule(manifest, primitive, Vector.full(arch), 1 << 20))
    for slot, name in force:
        variants = dict(slot_variants(manifest, primitive, arch)).get(slot, ())
        if name not in [v.name for v in variants]:
            valid = ", ".join(v.name for v in variants) or "no such slot"
            raise ManifestError(f"--force {slot}={name}: {primitive.name} has {valid}")
        choice[slot] = name
    variants = chosen_variants(manifest, primitive, arch, tuple(choice.items()))
    needs = frozenset(n for v in variants for n in v.needs.required)
    masks = (Vector.base(arch) | Vector.of(arch, needs),)
    return path_of(manifest, primitive, arch, tuple(choice.items()), masks, kind="forced")


def missing(path: Path, host: Vector) -> tuple[str, ...]:
    """The capabilities that a path needs and this machine lacks, by name."""
    return tuple(
        sorted(n for n in path.needs if not host.value & mask_of(host.arch, frozenset((n,))))
    )
