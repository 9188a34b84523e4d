"""What the rig itself costs: recording what is executed, and asking the oracle.

Enters: judged paths; or nothing. Leaves: `Cost`s, and lines. Never here: what paths are worth.
"""

import importlib
import importlib.metadata
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rig.bench.contest import Ready
from rig.bench.rounds import Timing, race
from rig.bench.spread import shown, spread_of
from rig.commands.table import WIDTH, wrapped
from rig.errors import RigError
from rig.oracle import chacha20_poly1305, gcm
from rig.project import prologue
from rig.runner.client import RunFlag
from rig.runner.encode import encode

CASES = 64  # of one run, as many as a small source has
SIZES = (16, 1024, 65536)
PACKAGE = "purepycrypto"
_SEED = 0xC057
_RECORDED = RunFlag.COVERAGE
_WAYS = RunFlag.COVERAGE | RunFlag.BRANCHES
_SEEDED = 2
_ORACLE_NS = 20_000_000  # of a round


@dataclass(frozen=True, slots=True)
class Cost:
    """Of `subject` in one `way`: microseconds round by round, and how many times those of the first
    way they are, likewise; `note` says what else is known."""

    subject: str
    way: str
    us: tuple[float, ...]
    times: tuple[float, ...]
    note: str = ""


def recording(ready: Ready, rounds: int) -> Iterator[Cost]:
    """A run of CASES cases of a path's longest message: bare, with the instructions recorded, with
    the directions of jumps too. CPU time of the child, its start included."""
    index = max(range(len(ready.workloads)), key=lambda n: ready.workloads[n].size)
    batch = encode([ready.batch.script(index)] * CASES)
    start = prologue(ready.project, ready.path, ready.path.masks[0])
    hits: dict[str, int] = {}

    def running(way: str, flags: RunFlag) -> Callable[[int], int]:
        def run(repeats: int) -> int:
            total = 0
            for _ in range(repeats):
                result = ready.session.run(batch, start, flags=flags, seed=_SEEDED)
                total, hits[way] = total + result.cpu_ns, len(result.order)
            return total

        return run

    ways = {"bare": RunFlag.NONE, "instructions": _RECORDED, "directions": _WAYS}
    timings = race([running(*way) for way in ways.items()], rounds, 1)
    size = ready.workloads[index].size
    path = f"{ready.project.arch} {ready.path.primitive} {ready.path.name}"
    subject = f"{path}, {CASES} cases of {size} B"
    for way, timing in zip(ways, timings, strict=True):
        note = f"{hits[way]} instructions hit" if hits[way] else ""
        yield _cost(subject, way, timing, timings[0], note)


def _cost(subject: str, way: str, timing: Timing, first: Timing, note: str = "") -> Cost:
    times = tuple(b / a for a, b in zip(first.samples, timing.samples, strict=True))
    return Cost(subject, way, tuple(ns / 1e3 for ns in timing.samples), times, note)


def oracle(rounds: int, sizes: Sequence[int] = SIZES) -> Iterator[Cost]:
    """Sealing by the oracle, and by PACKAGE where it is installed, each time with another key, so
    that nothing made for an earlier one is of use."""
    package = _package()
    for name, (own, theirs) in _SEALS.items():
        for size in sizes:
            ways = {"oracle": own, **({package: theirs} if package else {})}
            chance = random.Random(_SEED)
            message = (chance.randbytes(32), chance.randbytes(12), chance.randbytes(size))
            if len({seal(*message) for seal in ways.values()}) > 1:
                raise RigError(f"--oracle: {name}: {package} gives another answer")
            contestants = [_sealing(seal, size, chance) for seal in ways.values()]
            timings = race(contestants, rounds, _ORACLE_NS)
            for way, timing in zip(ways, timings, strict=True):
                yield _cost(f"{name} {size} B", way, timing, timings[0])


Seal = Callable[[bytes, bytes, bytes], bytes]
"""Key of 32 bytes (what is not needed is left), nonce, plaintext: ciphertext and tag."""


def _sealing(seal: Seal, size: int, chance: random.Random) -> Callable[[int], int]:
    nonce, data = chance.randbytes(12), chance.randbytes(size)

    def run(repeats: int) -> int:
        keys = [chance.randbytes(32) for _ in range(repeats)]
        start = time.thread_time_ns()
        for key in keys:
            seal(key, nonce, data)
        return time.thread_time_ns() - start

    return run


def _package() -> str:
    """Its name and version; empty where it is not installed."""
    try:
        return f"{PACKAGE} {importlib.metadata.version(PACKAGE)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def _gcm(key: bytes, nonce: bytes, data: bytes) -> bytes:
    return b"".join(gcm.seal(key[:16], nonce, b"", data, 16))


def _chacha20_poly1305(key: bytes, nonce: bytes, data: bytes) -> bytes:
    return b"".join(chacha20_poly1305.seal(key, nonce, b"", data))


def _their_gcm(key: bytes, nonce: bytes, data: bytes) -> bytes:
    made = importlib.import_module(PACKAGE).AES(key[:16])
    return b"".join(made.gcm_encrypt(nonce, data, b"", 1))  # in one process


def _their_chacha20_poly1305(key: bytes, nonce: bytes, data: bytes) -> bytes:
    return bytes(importlib.import_module(PACKAGE).chacha20poly1305_encrypt(key, nonce, data))


_SEALS: dict[str, tuple[Seal, Seal]] = {
    "AES-128-GCM": (_gcm, _their_gcm),
    "ChaCha20-Poly1305": (_chacha20_poly1305, _their_chacha20_poly1305),
}


def lines(costs: Sequence[Cost]) -> Iterator[str]:
    """Each subject with its ways below it, each with how many times the first it takes."""
    for subject in dict.fromkeys(cost.subject for cost in costs):
        own = [cost for cost in costs if cost.subject == subject]
        yield from wrapped(subject, WIDTH)
        for cost in own:
            us, times = spread_of(cost.us), spread_of(cost.times)
            value = f"{shown(us.median, us.half)}±{100 * us.relative:.0f}% us"
            ratio = "" if cost is own[0] else f"{shown(times.median, max(times.half, 0.005))}x"
            yield f"  {cost.way:20} {value:>16} {ratio:>7}  {cost.note}".rstrip()
    yield ""


def document(costs: Sequence[Cost]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [asdict(cost) for cost in costs]
