"""What a deep run has left, and how long that will take.

Enters: how long items took, which were not begun. Leaves: an `Outlook`; in the cache the times,
for the next one. Never here: which items there are. An estimate says what it rests on: each
item's own last time, the mean of its kind where it never ran, else no estimate.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rig.cache import write_atomically
from rig.profiles import part_of

FILE = "deep/seconds.json"


@dataclass(frozen=True, slots=True)
class Outlook:
    """`left` items were not begun; `seconds` is what they will take on as many processes as this
    run had, None where nothing like one of them ever ran; `guessed` of them count as the mean of
    their kind."""

    left: int
    seconds: float | None
    guessed: int


def outlook(seconds: Mapping[str, float], left: Collection[str], jobs: int) -> Outlook:
    """The outlook by the last time of each item, by its name."""
    kinds: dict[str, list[float]] = {}
    for name, time in seconds.items():
        kinds.setdefault(_kind(name), []).append(time)
    unknown = [name for name in left if name not in seconds]
    if any(_kind(name) not in kinds for name in unknown):
        return Outlook(len(left), None, len(unknown))
    total = sum(seconds[name] for name in left if name in seconds)
    total += sum(fmean(kinds[_kind(name)]) for name in unknown)
    return Outlook(len(left), total / jobs, len(unknown))


def _kind(name: str) -> str:
    return part_of(name.rpartition("/")[2]).name


def remembered(cache: Path, new: Mapping[str, float]) -> dict[str, float]:
    """The times of earlier deep runs and of this one, kept for the next."""
    try:
        known: dict[str, float] = json.loads((cache / FILE).read_bytes())
    except (OSError, ValueError):
        known = {}
    known |= new
    write_atomically(cache / FILE, json.dumps(known).encode())
    return known
