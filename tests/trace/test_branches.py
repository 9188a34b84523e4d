"""Which ways jumps may go, what proves them, and that the engine sees what single steps see."""

import functools
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from rig import manifest
from rig.architectures import ARCHITECTURES, host_architecture
from rig.build.toolchain import find_toolchain
from rig.capabilities.paths import Path as RigPath
from rig.cases import Case
from rig.data import data_folder
from rig.inputs.answers import answer
from rig.inputs.sources import EDGES, sources
from rig.inputs.sweeps import sweep
from rig.lab import takes
from rig.plan import unrunnable
from rig.primitives import PRIMITIVES
from rig.project import Project, binding, build, decoded, enumerate_paths, prologue, traps_of
from rig.runner.batches import make_batch
from rig.runner.client import RunFlag, Trap, TrapKind
from rig.runner.session import Session
from rig.trace.branches import NOT_TAKEN, TAKEN, Branch, directions, resolve, traps
from rig.trace.instructions import Decoded

SHAPES = """
.intel_syntax noprefix
.text
.macro function name
.p2align 4
.globl \\name
.type \\name, @function
\\name:
.endm
.macro finish name
.size \\name, . - \\name
.endm

function diamond                # each way has an instruction of its own
    test edi, edi
    jz .Lzero
    mov eax, 1
    ret
.Lzero: mov eax, 2
    ret
finish diamond

function skip                   # both ways lead to the same end
    test edi, edi
    jz .Lskipped
    mov eax, 1
.Lskipped: ret
finish skip

function to_the_next            # one place, two ways
    jz .Lnext
.Lnext: ret
finish to_the_next

function loop_                  # the loop and the way out have two predecessors each
    test edi, edi
    jz .Lout
.Lagain: dec edi
    jnz .Lagain
.Lout: ret
finish loop_

function two_exits              # neither jump must fall through
.Lround: dec edi
    jz .Lfirst
    dec esi
    jnz .Lround
.Lfirst: ret
finish two_exits

function after_call             # what a call comes back to has it as predecessor
    jnz .Lback
    call diamond
.Lback: ret
finish after_call

function tail
    jz diamond                  # the entry of a function: anybody may call it
    jnz .Lhere
    ud2
.Lhere: ret
finish tail

function named                  # .Lnamed may be jumped to by whoever has its address
    lea rax, [rip + .Lnamed]
    jz .Lnamed
    ret
.Lnamed: xor eax, eax
    ret
finish named

function swept
    jz .Lplain
    jmp rdi
.Lplain: ret
finish swept

function counting
.Lcounted: jrcxz .Lend
    loop .Lcounted
    nop
.Lend: ret
finish counting
"""
T, N = TAKEN, NOT_TAKEN
# Proven by hits, and due: of each jump, in order.
EXPECTED = {
    "diamond": [(T | N, 0)],
    "skip": [(N, 0)],
    "to_the_next": [(0, 0)],
    "loop_": [(0, 0), (0, N)],
    "two_exits": [(N, 0), (0, 0)],
    "after_call": [(N, 0)],
    "tail": [(N, 0), (T | N, T)],
    "named": [(N, 0)],
    "swept": [(0, 0)],
    "counting": [(N, 0), (N, 0)],
}


@pytest.fixture(scope="module")
def shapes(link) -> Decoded:
    taken_apart: Decoded = link({"shapes.s": SHAPES}).decode()
    return taken_apart


def of(shapes: Decoded, name: str) -> list[Branch]:
    function = next(f for f in shapes.functions if f.name == name)
    inside = range(function.address, function.end)
    return [branch for branch in directions(shapes) if branch.address in inside]


@pytest.mark.parametrize("name", EXPECTED)
def test_what_shows_a_direction(shapes: Decoded, name: str) -> None:
    assert [(b.proven, b.due) for b in of(shapes, name)] == EXPECTED[name]


def test_each_jump_says_where_it_leads(shapes: Decoded) -> None:
    (jump,) = of(shapes, "diamond")
    function = next(f for f in shapes.functions if f.name == "diamond")
    _, _, fallthrough, _, target, _ = (i.address for i in function.instructions)
    assert (jump.target, jump.fallthrough) == (target, fallthrough)
    assert [b.address for b in directions(shapes)] == sorted(b.address for b in directions(shapes))


def test_traps_stand_on_every_instruction_once(shapes: Decoded) -> None:
    base = shapes.functions[0].address
    starts = sorted({i.address - base for f in shapes.functions for i in f.instructions})
    found = traps(shapes, base, directions(shapes))
    assert [trap.offset for trap in found] == starts
    kinds = {trap.offset: trap for trap in found}
    jump = of(shapes, "loop_")[1]
    offset = jump.address - base
    assert kinds[offset] == Trap(offset, TrapKind.CONDITIONAL, proven=0, due=NOT_TAKEN)
    assert sum(trap.kind is TrapKind.INDIRECT for trap in found) == 1


def test_no_jump_is_followed_where_none_should_be(shapes: Decoded) -> None:
    function = next(f for f in shapes.functions if f.name == "loop_")
    base, own = function.address, {i.address for i in function.instructions}
    found = traps(shapes, base, directions(shapes), {base})
    kinds = {trap.kind for trap in found if trap.offset + base in own}
    assert kinds == {TrapKind.PLAIN}
    assert TrapKind.CONDITIONAL in {trap.kind for trap in found}


def test_hits_add_the_directions_that_they_prove(shapes: Decoded) -> None:
    (whole,), (half,) = of(shapes, "diamond"), of(shapes, "skip")
    both = (whole, half)
    assert resolve(both, (), ()) == {whole.address: 0, half.address: 0}
    hits = {whole.target, half.target, half.fallthrough}
    found = resolve(both, hits, [(whole.address, NOT_TAKEN), (half.address, 0)])
    assert found == {whole.address: TAKEN | NOT_TAKEN, half.address: NOT_TAKEN}
    runs = [(half.address, TAKEN), (half.address, NOT_TAKEN)]
    assert resolve(both, (), runs)[half.address] == TAKEN | NOT_TAKEN


# -------- against single steps --------


@dataclass(frozen=True)
class Native:
    project: Project
    session: Session
    branches: tuple[Branch, ...]


@pytest.fixture(scope="module", params=["x86_64", "aarch64", "arm"])
def native(request: pytest.FixtureRequest, rig_cache: Path) -> Iterator[Native]:
    read = manifest.read(data_folder("native") / "rig.toml")
    arch = request.param
    emulator = () if arch == host_architecture() else (ARCHITECTURES[arch].emulator,)
    if not all(map(shutil.which, emulator)):
        pytest.skip(f"{emulator[0]} is not on PATH: apt-get install qemu-user")
    project = build(read, arch, find_toolchain(), rig_cache, 2, emulator)
    with project.session() as session:
        yield Native(project, session, directions(decoded(project.image)))


def direct(native: Native, primitive: str, variant: str) -> RigPath:
    sweep_ = enumerate_paths(
        native.project, native.session, native.project.manifest.primitives[primitive]
    )
    found = [p for p in sweep_.paths if p.kind == "direct" and (primitive, variant) in p.choice]
    return found[0]


@functools.cache
def some_cases(primitive: str) -> tuple[Case, ...]:
    """A few edges, and short lengths of the sweep."""
    edges = [s.load() for s in sources(primitive, None) if s.name == EDGES]
    chosen = [case for cases in edges for case in cases[:: 1 + len(cases) // 4]]
    swept = [case for _, case in zip(range(136), sweep(primitive), strict=False)]
    return tuple([case for case in chosen if _size(case) < 200] + swept[::27])


def _size(case: Case) -> int:
    return sum(len(v) for v in case.values.inputs.values() if isinstance(v, bytes))


def stepped_ways(trace: tuple[int, ...], branches: tuple[Branch, ...]) -> Mapping[int, int]:
    """The directions that a trace of every PC shows."""
    jumps = {branch.address: branch for branch in branches}
    ways = dict.fromkeys(jumps, 0)
    for pc, following in pairwise(trace):
        if pc in jumps:
            assert jumps[pc].target != jumps[pc].fallthrough
            assert following in (jumps[pc].target, jumps[pc].fallthrough)
            ways[pc] |= TAKEN if following == jumps[pc].target else NOT_TAKEN
    return ways


@pytest.mark.parametrize("primitive", ["aes", "ghash", "chacha20", "poly1305"])
def test_the_engine_sees_what_single_steps_see(native: Native, primitive: str) -> None:
    variants = native.project.manifest.primitives[primitive].variants
    names = [each.name for each in variants if each.arch == native.project.arch]
    paths = {name: direct(native, primitive, name) for name in names}
    run = [name for name in names if not unrunnable(native.project, paths[name])]
    assert run, names
    for name in run:
        compare(native, primitive, paths[name])


def compare(native: Native, primitive: str, path: RigPath) -> None:
    definition = PRIMITIVES[primitive]
    cases = [case for case in some_cases(primitive) if takes(path, case)]
    answers = [answer(definition, case) for case in cases]
    batch = make_batch(definition, binding(native.project, path), cases, answers)
    start = prologue(native.project, path, path.masks[0])
    base = native.project.image.text.address
    plain = {t.offset for t in traps_of(native.project.image) if t.kind is TrapKind.PLAIN}
    followed = tuple(b for b in native.branches if b.address - base not in plain)
    union = 0
    for first, count in [(0, len(cases)), (len(cases) - 1, 1)]:
        armed = native.session.run(
            batch.data, start, first=first, count=count, flags=RunFlag.COVERAGE | RunFlag.BRANCHES
        )
        stepped = native.session.run(
            batch.data, start, first=first, count=count, flags=RunFlag.STEP
        )
        assert armed.events == stepped.events == ()
        assert stepped.steps == len(stepped.trace) > 0
        hits = native.session.addresses(armed.order)
        observed = [(base + offset, mask) for offset, mask in armed.branches]
        found = resolve(followed, frozenset(hits), observed)
        assert found == stepped_ways(stepped.trace, followed)
        union += sum(map(bool, found.values()))
    assert union
