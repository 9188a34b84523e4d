"""Talks to one runner process over its pipes.

Enters: a command and requests. Leaves: answers as records; RunnerError when there is none.
Never here: what is sent (see `encode`), or starting again with the images of a dead runner.
"""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from struct import Struct
from typing import NoReturn, Self

from rig.architectures import ARCHITECTURES, Architecture
from rig.errors import RigError
from rig.runner.encode import batch_length, encode_prologue
from rig.runner.events import RunResult, decode_result
from rig.runner.placement import PAGE
from rig.runner.scripts import Prologue

MAGIC = 0x52474952  # "RIGR"
VERSION = 11
CRASH_LIMIT = 16
TIMEOUT_LIMIT = 1
TIMED_LIMIT = 64
WALL_SECONDS = 300.0
START_SECONDS = 20.0

READ, WRITE, EXECUTE = 1, 2, 4  # `protection` of a mapping, as in sys/mman.h

_FRAME = Struct("<IIQ")  # op or status, 0, length of the payload
_HELLO = Struct("<IIIIII")  # magic, version, architecture, word bytes, page bytes, 0
# batch, first, count, flags, seed, budget, crashes, timeouts, timed from, 0, repeats
_RUN = Struct("<IIIIQQIIIIQ")
_TRAP = Struct("<IBBBB")  # offset, kind, proven, due, size
_PIPE_BYTES = 1 << 20
_BY_NUMBER = {arch.number: arch for arch in ARCHITECTURES.values()}


class _Op(IntEnum):
    MAP = 1
    WRITE = 2
    READ = 3
    CPUID = 4
    XGETBV = 5
    TRAPS = 6
    BATCH = 7
    DROP = 8
    RUN = 9
    PATCH = 10
    RESTORE = 11
    AUXILIARY = 12


_STATUS = {
    1001: "an operation that this runner does not know",
    1002: "an address outside every mapping",
    1003: "a batch or script that does not exist",
    1004: "a request of the wrong length",
    1005: "more than the runner has room for",
    1006: "not available on this CPU",
    1007: "coverage or steps without traps, or branches or frames without coverage",
    1008: "a trap of a size that this architecture has not",
    1009: "not in the auxiliary vector",
}


class RunnerError(RigError):
    """A request that the runner refused; it can be asked again."""


class RunnerDiedError(RunnerError):
    """The runner is gone or was killed by the watchdog; `start` begins anew, empty."""


class RunFlag(IntFlag):
    """What a RUN does besides judging. FLIP puts every buffer on its other guard side. BRANCHES,
    only together with COVERAGE, records which ways jumps go; FRAMES, likewise, what an unwinder
    has to begin with at each first hit. REGISTERS, only together with STEP, gives the registers
    at each step instead of its PC. READ_ONLY gives calls what they may not change where it cannot
    be written: the address is READ_ONLY_VIEW bytes higher. CLEAN_UPPERS has vectors clean above
    128 bits before calls, where the CPU then tells whether they are behind them. BELOW, only
    together with STEP, watches what is written below the stack pointer. TIMED makes the last calls
    of one script again, by the clock."""

    NONE = 0
    COVERAGE = 1
    STOP_AT_FIRST = 2
    STEP = 4
    FLIP = 8
    BRANCHES = 16
    REGISTERS = 32
    FRAMES = 64
    READ_ONLY = 128
    CLEAN_UPPERS = 256
    BELOW = 512
    TIMED = 1024


class TrapKind(IntEnum):
    """What a trapped instruction does: a jump's trap outlives the first hit under BRANCHES."""

    PLAIN = 0
    CONDITIONAL = 1
    INDIRECT = 2


@dataclass(frozen=True, slots=True)
class Trap:
    """An instruction start of the text under coverage, `offset` bytes from its base.

    Directions of a conditional jump (1 taken, 2 not taken): a hit where one in `proven` leads
    proves it, so the trap need not see it; one in `due` is gone before the call returns. `size`
    is that of the trap in bytes: 1 on x86, 4 on ARM, 2 in Thumb text.
    """

    offset: int
    kind: TrapKind = TrapKind.PLAIN
    proven: int = 0
    due: int = 0
    size: int = 1


@dataclass(frozen=True, slots=True)
class Timed:
    """What TIMED repeats: the calls of a script from the step of that index on, at most
    TIMED_LIMIT, `repeats` times."""

    step: int = 0
    repeats: int = 0


UNTIMED = Timed()


class Runner:
    """A runner process. `command` is a prefix (qemu, ssh; may be nothing) and the program."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)
        self._arch: Architecture | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lengths: dict[int, int] = {}
        self._freed: list[int] = []  # identifiers below the number of batches ever held at once

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Starts the process, ending one that runs, and shakes hands."""
        self.close()
        try:
            # A session of its own: Ctrl-C in the terminal must not cut a frame in two.
            self._process = subprocess.Popen(
                self.command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise RunnerDiedError(f"runner {self._name}: {error.strerror}") from error
        for descriptor in self._pipes():
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._shake_hands()

    def close(self) -> None:
        """Ends the process: it exits when its input does."""
        process, self._process = self._process, None
        self._lengths.clear()
        self._freed.clear()
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        try:
            process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            _kill_group(process)

    def map(self, address: int, size: int, protection: int) -> None:
        """Maps zeroed memory at a fixed address; RunnerError with the errno where refused."""
        self._ask(_Op.MAP, Struct("<QQQ").pack(address, size, protection))

    def write(self, address: int, data: bytes) -> None:
        """Writes into mapped memory, read-only mappings included."""
        self._ask(_Op.WRITE, Struct("<Q").pack(address) + data)

    def read(self, address: int, size: int) -> bytes:
        """The bytes of mapped memory as every RUN finds them."""
        return self._ask(_Op.READ, Struct("<QQ").pack(address, size))

    def cpuid(self, leaf: int, subleaf: int = 0) -> tuple[int, int, int, int]:
        """EAX, EBX, ECX, EDX of a leaf, as the runner's CPU gives them."""
        a, b, c, d = Struct("<IIII").unpack(self._ask(_Op.CPUID, Struct("<II").pack(leaf, subleaf)))
        return a, b, c, d

    def xgetbv(self, index: int = 0) -> int:
        """An extended control register; RunnerError without OSXSAVE."""
        value: int = Struct("<Q").unpack(self._ask(_Op.XGETBV, Struct("<Q").pack(index)))[0]
        return value

    def auxiliary(self, kind: int) -> int:
        """A value of the auxiliary vector (getauxval(3)), such as AT_HWCAP 16 and AT_HWCAP2 26;
        RunnerError where the kernel gave none."""
        answer = self._ask(_Op.AUXILIARY, Struct("<Q").pack(kind))
        value: int = Struct("<Q").unpack(answer)[0]
        return value

    def traps(self, base: int, size: int, traps: Sequence[Trap]) -> None:
        """Says where the instructions of the text under coverage start, replacing what was
        said before."""
        records = (
            _TRAP.pack(trap.offset, trap.kind, trap.proven, trap.due, trap.size) for trap in traps
        )
        self._ask(_Op.TRAPS, Struct("<QQ").pack(base, size) + b"".join(records))

    def batch(self, data: bytes) -> int:
        """Uploads an encoded batch, which stays until dropped; its identifier."""
        identifier = self._freed[-1] if self._freed else len(self._lengths)
        self._ask(_Op.BATCH, Struct("<Q").pack(identifier) + data)
        del self._freed[-1:]
        self._lengths[identifier] = batch_length(data)
        return identifier

    def drop(self, batch: int) -> None:
        """Forgets a batch."""
        self._ask(_Op.DROP, Struct("<Q").pack(batch))
        del self._lengths[batch]
        self._freed.append(batch)

    def run(
        self,
        batch: int,
        prologue: Prologue,
        *,
        first: int = 0,
        count: int | None = None,
        flags: RunFlag = RunFlag.NONE,
        seed: int = 0,
        cpu_budget_us: int = 5_000_000,
        wall_seconds: float = WALL_SECONDS,
        timed: Timed = UNTIMED,
    ) -> RunResult:
        """Runs `count` scripts (None: all) from `first` on, in a process that starts with the
        images as written. `cpu_budget_us` is user time for each script; after CRASH_LIMIT
        crashes or TIMEOUT_LIMIT timeouts the rest is abandoned. RunnerDiedError after
        `wall_seconds`. `timed` is looked at under TIMED."""
        count = self._lengths[batch] - first if count is None else count
        limits = (CRASH_LIMIT, TIMEOUT_LIMIT)
        clock = (timed.step, 0, timed.repeats)
        request = _RUN.pack(batch, first, count, flags, seed, cpu_budget_us, *limits, *clock)
        what = f"RUN of scripts {first} to {first + count - 1} of batch {batch}, seed {seed}"
        answer = self._ask(_Op.RUN, request + encode_prologue(prologue), wall_seconds, what)
        return decode_result(answer, count, self.arch.registers, RunFlag.REGISTERS in flags)

    def patch(self, address: int, data: bytes) -> None:
        """Overwrites mapped memory until `restore`."""
        self._ask(_Op.PATCH, Struct("<Q").pack(address) + data)

    def restore(self) -> None:
        """Undoes every patch."""
        self._ask(_Op.RESTORE, b"")

    @property
    def arch(self) -> Architecture:
        """The architecture that the runner speaks for; known once it has started."""
        if self._arch is None:
            raise RunnerDiedError(f"runner {self._name}: not started")
        return self._arch

    @property
    def _name(self) -> str:
        return " ".join(self.command)

    def _shake_hands(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        greeting = self._receive(_FRAME.size + _HELLO.size, deadline, "the handshake")
        magic, version, architecture, word, page, _ = _HELLO.unpack(greeting[_FRAME.size :])
        if magic != MAGIC:
            self._end(f"spoke no greeting of a runner: {greeting!r}")
        arch = _BY_NUMBER.get(architecture)
        if arch is None or (version, word, page) != (VERSION, arch.pointer_bytes, PAGE):
            found = f"version {version}, architecture {architecture}, word {word}, page {page}"
            self._end(f"handshake mismatch: {found}; needed is version {VERSION}")
        self._arch = arch

    def _ask(
        self, op: _Op, payload: bytes, wall_seconds: float = WALL_SECONDS, what: str = ""
    ) -> bytes:
        what = what or op.name
        try:
            self._send(_FRAME.pack(op, 0, len(payload)) + payload, what, wall_seconds)
            status, answer = self._answer(what, wall_seconds)
        except BaseException:
            self._kill()  # Ctrl-C: what was cut in two would be the next request's answer
            raise
        if status:
            reason = _STATUS.get(status) or os.strerror(status)
            raise RunnerError(f"runner refused {what}: {reason}")
        return answer

    def _send(self, frame: bytes, what: str, wall_seconds: float) -> None:
        descriptor = self._pipes()[0]
        deadline = time.monotonic() + wall_seconds
        view = memoryview(frame)
        while view:
            self._wait(descriptor, select.POLLOUT, deadline, what)
            try:
                view = view[os.write(descriptor, view) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                self._end(f"died before {what}")

    def _answer(self, what: str, wall_seconds: float) -> tuple[int, bytes]:
        deadline = time.monotonic() + wall_seconds
        status, _, length = _FRAME.unpack(self._receive(_FRAME.size, deadline, what))
        return status, self._receive(length, deadline, what)

    def _receive(self, size: int, deadline: float, what: str) -> bytes:
        descriptor = self._pipes()[1]
        answer = bytearray(size)
        view = memoryview(answer)
        while view:
            self._wait(descriptor, select.POLLIN, deadline, what)
            got = os.readv(descriptor, [view])
            if not got:
                self._end(f"died during {what}")
            view = view[got:]
        return bytes(answer)

    def _wait(self, descriptor: int, event: int, deadline: float, what: str) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            self._end(f"gave no answer in time, killed during {what}")

    def _pipes(self) -> tuple[int, int]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RunnerDiedError(f"runner {self._name}: not started")
        return process.stdin.fileno(), process.stdout.fileno()

    def _kill(self) -> int | None:
        """Kills a runner that is left; the exit status where it had ended by itself."""
        process, self._process = self._process, None
        self._lengths.clear()
        self._freed.clear()
        return _kill_group(process) if process else None

    def _end(self, what: str) -> NoReturn:
        code = self._kill()
        ending = f" ({_ending(code)})" if code is not None else ""
        raise RunnerDiedError(f"runner {self._name}: {what}{ending}")


def _kill_group(process: subprocess.Popen[bytes]) -> int | None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0.05)
    ended = process.returncode
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    return ended


def _ending(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name
