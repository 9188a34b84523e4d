"""A session: an image in a runner that starts again when it has to."""

import os
import signal
from collections.abc import Iterator

import pytest

from rig.project import Project
from rig.runner import session as module
from rig.runner.client import RunFlag, RunnerDiedError
from rig.runner.encode import encode
from rig.runner.events import Kind
from rig.runner.scripts import Address, Buffer, Call, Pointer, Prologue, Script, Word
from rig.runner.session import Session

DATA = bytes(range(20))


@pytest.fixture
def session(controls: Project) -> Iterator[Session]:
    with controls.session() as started:
        yield started


def _batch(project: Project, name: str, expected: bytes | None = None) -> bytes:
    buffers = (
        Buffer("out", 20, expected=expected),
        Buffer("in", 20, DATA, constant=True),
        Buffer("key", 32, bytes(32), constant=True, align=4),
        Buffer("counter", 16, bytes(16), constant=True, align=4),
    )
    arguments = (Pointer(0), Pointer(1), Word(20), Pointer(2), Pointer(3))
    return encode([Script(buffers, (Call(Address(project.image.symbols[name]), arguments),))])


def _ran(session: Session, batch: bytes, **options: RunFlag) -> list[Kind]:
    return [event.kind for event in session.run(batch, Prologue(), **options).events]


def test_it_starts_when_it_is_first_used(controls: Project, session: Session) -> None:
    assert session._runner._process is None
    assert _ran(session, _batch(controls, "control_clean")) == []
    assert session._runner._process is not None


def test_a_batch_is_sent_once(controls: Project, session: Session) -> None:
    batch = _batch(controls, "control_clean")
    for _ in range(3):
        session.run(batch, Prologue())
    assert list(session._resident) == [batch]


def test_old_batches_make_way(
    controls: Project, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = [_batch(controls, "control_clean", bytes([n]) * 20) for n in range(3)]
    monkeypatch.setattr(module, "RESIDENT_BYTES", 2 * len(batches[0]))
    for batch in batches:
        assert _ran(session, batch) == [Kind.VALUE]
    assert list(session._resident) == batches[1:]
    assert _ran(session, batches[0]) == [Kind.VALUE]


def test_more_small_batches_than_the_runner_has_room_for(
    controls: Project, session: Session
) -> None:
    assert session.runner
    for n in range(4200):
        batch = _batch(controls, "control_clean", n.to_bytes(20, "little"))
        session._upload(batch)
    assert _ran(session, batch) == [Kind.VALUE]


def test_a_dead_runner_is_named_and_replaced(controls: Project, session: Session) -> None:
    batch = _batch(controls, "control_clean")
    session.run(batch, Prologue())
    process = session._runner._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with pytest.raises(RunnerDiedError):
        session.run(batch, Prologue())
    assert _ran(session, batch) == []


def test_a_closed_session_starts_again(controls: Project, session: Session) -> None:
    batch = _batch(controls, "control_clean")
    session.run(batch, Prologue())
    session.close()
    assert not session._resident
    assert _ran(session, batch) == []


def test_hits_are_addresses_of_the_image(controls: Project, session: Session) -> None:
    result = session.run(_batch(controls, "control_clean"), Prologue(), flags=RunFlag.COVERAGE)
    found = session.addresses(result.order)
    assert found[0] == controls.image.symbols["control_clean"]
    assert all(controls.image.function_at(address) for address in found)
