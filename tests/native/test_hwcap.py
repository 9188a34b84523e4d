"""native/dispatch/hwcap.c: the pure function against the station's own policy on every flag alone
and on random words, and the once-initialiser against what the runner was given."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from rig import manifest
from rig.architectures import ARCHITECTURES
from rig.build.toolchain import find_toolchain
from rig.capabilities.host import vector_from_hwcap
from rig.capabilities.vector import Vector
from rig.data import data_folder
from rig.project import Project, build
from rig.runner.command import AbsentError
from rig.runner.encode import encode
from rig.runner.scripts import Address, Buffer, Call, Pointer, Prologue, Script, Word, Write
from rig.runner.session import Session

from ..capabilities.machines import ARM_MACHINES, hwcaps

RANDOM_WORDS = 500
VECTOR_BYTES = 4


@pytest.fixture(scope="module", params=["aarch64", "arm"])
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


def words(bits: int) -> Iterator[tuple[int, int]]:
    """AT_HWCAP and AT_HWCAP2: each flag alone, alone with all of the other word, and missing."""
    everything = (1 << bits) - 1
    for bit in range(bits):
        for flag in (1 << bit, everything - (1 << bit)):
            for other in (0, everything):
                yield from ((flag, other), (other, flag))
    chance = random.Random(0xA7)
    for _ in range(RANDOM_WORDS):
        yield chance.getrandbits(bits), chance.getrandbits(bits)


def test_words(project: Project, session: Session) -> None:
    bits = ARCHITECTURES[project.arch].pointer_bits
    asked = list(words(bits))
    judge(project, session, ((*a, vector_from_hwcap(*a, project.arch).value) for a in asked))


def test_real_machines(project: Project, session: Session) -> None:
    """Against the names of capabilities that a machine has."""
    rows = (row[1:] for row in ARM_MACHINES if row[1] == project.arch)
    judge(
        project,
        session,
        (
            (*hwcaps(flags, arch), Vector.of(arch, names.split()).value)
            for arch, flags, names in rows
        ),
    )


def judge(project: Project, session: Session, asked: Iterable[tuple[int, int, int]]) -> None:
    """Asks the native function for the vector of each AT_HWCAP and AT_HWCAP2."""
    bits = ARCHITECTURES[project.arch].pointer_bits
    function = Address(project.image.entry("rig_armcap_from_hwcap"))
    scripts = []
    for hwcap, hwcap2, expected in asked:
        arguments = (Word(hwcap, bits), Word(hwcap2, bits))
        scripts.append(Script((), (Call(function, arguments, Word(expected, 32)),)))
    result = session.run(encode(scripts), Prologue(), seed=3)
    assert (result.events, result.ran) == ((), len(scripts))


def test_initialiser(project: Project, session: Session) -> None:
    """A second call leaves the vector alone: the word written between the calls stays."""
    address, bits = project.image.vector.address, ARCHITECTURES[project.arch].pointer_bits
    init = Call(Address(project.image.entry("rig_armcap_init")), ())
    source = (Pointer(0), Word(address, bits), Word(VECTOR_BYTES, bits))
    copy = Call(Address(project.image.entry("memcpy")), source)
    host = project.host.value.to_bytes(VECTOR_BYTES, "little")
    vector = Buffer("vector", VECTOR_BYTES, expected=host, align=4)
    assert session.run(encode([Script((vector,), (init, copy))]), Prologue()).events == ()
    other = (~project.host.value & 0xFFFFFFFF).to_bytes(VECTOR_BYTES, "little")
    kept = Buffer("vector", VECTOR_BYTES, expected=other, align=4)
    steps = (init, Write(address, other), init, copy)
    assert session.run(encode([Script((kept,), steps)]), Prologue()).events == ()
