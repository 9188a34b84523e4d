"""An image in a runner: loaded once, restarted when the runner dies, batches resident.

Enters: an image, the traps for its text, a runner command. Leaves: run results
with addresses. Never here: judging.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Self

from rig.build.image import Image
from rig.runner.client import (
    EXECUTE,
    READ,
    UNTIMED,
    WRITE,
    RunFlag,
    Runner,
    RunnerDiedError,
    Timed,
    Trap,
)
from rig.runner.events import RunResult
from rig.runner.placement import PAGE
from rig.runner.scripts import Prologue

RESIDENT_BYTES = 256 << 20
RESIDENT_BATCHES = 16  # each is a mapping, which every fork copies


class Session:
    """A runner that holds one image. Start-up is lazy, so that an unused session costs nothing."""

    def __init__(self, image: Image, traps: Sequence[Trap], command: Sequence[str]) -> None:
        self.image = image
        self._traps = traps
        self._runner = Runner(command)
        self._loaded = False
        self._resident: OrderedDict[bytes, int] = OrderedDict()
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the runner; the next use starts it again."""
        self._runner.close()
        self._loaded = False
        self._forget()

    @property
    def runner(self) -> Runner:
        """The runner with the image loaded."""
        if not self._loaded:
            self._forget()
            self._runner.start()
            self._load()
            self._loaded = True
        return self._runner

    def run(
        self,
        batch: bytes,
        prologue: Prologue,
        *,
        flags: RunFlag = RunFlag.NONE,
        seed: int = 0,
        first: int = 0,
        count: int | None = None,
        cpu_budget_us: int = 5_000_000,
        timed: Timed = UNTIMED,
    ) -> RunResult:
        """Runs a batch, which stays resident; RunnerDiedError leaves the session usable."""
        try:
            return self.runner.run(
                self._upload(batch),
                prologue,
                flags=flags,
                seed=seed,
                first=first,
                count=count,
                cpu_budget_us=cpu_budget_us,
                timed=timed,
            )
        except RunnerDiedError:
            self.close()
            raise

    def addresses(self, offsets: Sequence[int]) -> tuple[int, ...]:
        """Text offsets as addresses."""
        base = self.image.text.address
        return tuple(base + offset for offset in offsets)

    def _load(self) -> None:
        for segment in self.image.segments:
            start = segment.address - segment.address % PAGE
            size = -(-(segment.address + segment.size - start) // PAGE) * PAGE
            protection = READ | WRITE | (EXECUTE if segment.executable else 0)
            self._runner.map(start, size, protection)
            self._runner.write(segment.address, segment.data)
        text = self.image.text
        self._runner.traps(text.address, len(text.data), self._traps)

    def _upload(self, batch: bytes) -> int:
        if batch in self._resident:
            self._resident.move_to_end(batch)
            return self._resident[batch]
        self._make_room(len(batch))
        self._resident[batch] = self._runner.batch(batch)
        self._size += len(batch)
        return self._resident[batch]

    def _make_room(self, size: int) -> None:
        """Drops what was used longest ago."""
        while self._resident and (
            self._size + size > RESIDENT_BYTES or len(self._resident) >= RESIDENT_BATCHES
        ):
            old, identifier = self._resident.popitem(last=False)
            self._runner.drop(identifier)
            self._size -= len(old)

    def _forget(self) -> None:
        self._resident.clear()
        self._size = 0
