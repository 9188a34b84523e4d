"""native/dispatch/cpuid.c: the pure function against the station's own policy on random leaves and
against real machines, and the once-initialiser against this machine."""

import random
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from rig import manifest
from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.capabilities.host import CpuidLeaves, Registers, vector_from_cpuid
from rig.capabilities.models import parse_cpu
from rig.data import data_folder
from rig.project import Project, build
from rig.runner.command import AbsentError
from rig.runner.encode import encode
from rig.runner.scripts import Address, Buffer, Call, Pointer, Prologue, Script, Word, Write
from rig.runner.session import Session

from ..capabilities.machines import ALL_STATE, MACHINES, STATES, machine

Leaves = tuple[CpuidLeaves, int]
Words = Sequence[int]
LEAF_SETS = 2000
INTEL, AMD = (0x756E6547, 0x6C65746E, 0x49656E69), (0x68747541, 0x444D4163, 0x69746E65)


@pytest.fixture(scope="module", params=["x86_64", "i386"])
def project(request: pytest.FixtureRequest, rig_cache: Path) -> Project:
    native = manifest.read(data_folder("native") / "rig.toml")
    try:
        return build(native, request.param, find_toolchain(), rig_cache, 2)
    except AbsentError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def session(project: Project) -> Iterator[Session]:
    with project.session() as opened:
        yield opened


def random_leaves(chance: random.Random) -> tuple[CpuidLeaves, int]:
    def word() -> int:
        return chance.getrandbits(32)

    ebx, ecx, edx = chance.choice((INTEL, AMD, (word(), word(), word())))
    found = CpuidLeaves(
        Registers(chance.choice((1, 6, 7, 0x23, 0x24, 0x80)), ebx, ecx, edx),
        Registers(0, 0, word(), word()),
        Registers(chance.choice((0, 1, 2)), word(), word(), word()),
        Registers(word(), word(), word(), word()),
        Registers(0, word(), 0, 0),
    )
    return found, chance.choice((0, 2, 6, 0xE6, 0xE7, word()))


def raw(found: CpuidLeaves, xcr0: int) -> bytes:
    """struct rig_cpuid of native/include/capabilities.h."""
    first, one, seven, seven_1 = found.leaf0, found.leaf1, found.leaf7, found.leaf7_1
    saved = one.ecx >> 27 & 1
    return struct.pack(
        "<17I",
        *(first.eax, first.ebx, first.edx, first.ecx, one.ecx, one.edx),
        *(seven.eax, seven.ebx, seven.ecx, seven.edx),
        *(seven_1.eax, seven_1.ebx, seven_1.ecx, seven_1.edx),
        *(found.leaf24.ebx, xcr0, saved),
    )


def judge(project: Project, session: Session, asked: Iterable[tuple[Leaves, Words]]) -> None:
    """Asks the native function for the vector of each set of leaves."""
    function = Address(project.image.symbols["rig_ia32cap_from_cpuid"])
    scripts = []
    for (found, xcr0), words in asked:
        vector = Buffer("vector", 40, expected=struct.pack("<10I", *words), align=4)
        leaves = Buffer("leaves", 68, raw(found, xcr0), constant=True, align=4)
        scripts.append(Script((vector, leaves), (Call(function, (Pointer(0), Pointer(1))),)))
    result = session.run(encode(scripts), Prologue(), seed=3)
    assert (result.events, result.ran) == ((), len(scripts))


def test_random_leaves(project: Project, session: Session) -> None:
    chance = random.Random(0xC9)
    asked = [random_leaves(chance) for _ in range(LEAF_SETS)]
    judge(project, session, ((a, vector_from_cpuid(*a, project.arch).words) for a in asked))


@pytest.mark.parametrize("part", MACHINES)
def test_real_machines(project: Project, session: Session, part: str) -> None:
    """Under an operating system that saves everything a machine is its model; each state that
    is not saved takes its features away."""
    whole = vector_from_cpuid(machine(part), ALL_STATE, project.arch)
    model = parse_cpu(MACHINES[part][0], project.arch)
    assert set(whole.names) - {"ht"} == set(model.names)
    asked = [(machine(part), state) for state, *_ in STATES]
    judge(project, session, ((a, vector_from_cpuid(*a, project.arch).words) for a in asked))


def test_initialiser(project: Project, session: Session) -> None:
    """A second call leaves the vector alone: the words written between the calls stay."""
    address = project.image.symbols["rig_ia32cap"]
    words = project.host.words
    init = Call(Address(project.image.symbols["rig_ia32cap_init"]), ())
    bits = ARCHITECTURES[project.arch].pointer_bits
    source = (Pointer(0), Word(address, bits), Word(40, bits))
    copy = Call(Address(project.image.symbols["memcpy"]), source)
    vector = Buffer("vector", 40, expected=struct.pack("<10I", *words), align=4)
    result = session.run(encode([Script((vector,), (init, copy))]), Prologue())
    assert result.events == ()
    kept = Buffer("vector", 40, expected=bytes(40), align=4)
    steps = (init, Write(address, bytes(40)), init, copy)
    assert session.run(encode([Script((kept,), steps)]), Prologue()).events == ()
