"""How Ctrl-C ends a run at once, in every process.

Enters: a run's folder. Leaves: signals to this run's own workers. Never here: reports. pytest-xdist
gives its workers five seconds before it interrupts them, and a terminal may have done so already;
so each worker leaves its process id in the run's folder, and heeds the first interrupt only.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_INTERRUPTED = "interrupted"
_SUFFIX = ".pid"
_HASTY = 2  # `timeout -s INT` sends one to the process and one to its group


def await_interrupt(folder: Path, worker: str) -> bool:
    """Makes a worker known to `interrupt_workers`; True if the run was interrupted already."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _once)
    (folder / f"{worker}{_SUFFIX}").write_text(str(os.getpid()))
    return was_interrupted(folder)


def _once(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def was_interrupted(folder: Path) -> bool:
    """Whether the run of that folder was told to end early."""
    return (folder / _INTERRUPTED).exists()


def interrupt_workers(folder: Path) -> None:
    """Interrupts the workers of a run, those that come too late included."""
    (folder / _INTERRUPTED).touch()
    for file in folder.glob(f"*{_SUFFIX}"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGINT)


@contextlib.contextmanager
def interruptible() -> Iterator[list[int]]:
    """Gives the signals that have come, and makes a KeyboardInterrupt of whatever they break: an
    import that is cut in two, for one, raises errors of its own long afterwards. A second signal
    is not heeded, as it would cut short what the first began; a third is."""
    seen: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        if len(seen) != _HASTY:
            signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield seen
    except Exception:
        if seen:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
