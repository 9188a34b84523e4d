"""Rows in forms that other programs read.

Enters: rows. Leaves: lines. Never here: what people read (`tables`), JSON (`document`).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from rig.bench.contest import Row
from rig.bench.document import cpu_name

_GOARCH = {"x86_64": "amd64", "i386": "386", "aarch64": "arm64", "arm": "arm"}


def bssl(rows: Sequence[Row]) -> Iterator[str]:
    """As BoringSSL's `bssl speed` prints it, over all rounds together; the path, or the library,
    stands behind the algorithm."""
    for row in rows:
        calls = row.timing.repeats * len(row.timing.samples)
        us = row.timing.repeats * sum(row.timing.samples) / 1e3
        what = f"{row.algorithm} {row.name} ({row.size} bytes) {row.action}".rstrip()
        speed = f"({1e6 * calls / us:.1f} ops/sec)"
        rate = f": {row.done * calls / us:.1f} MB/s" if row.done else ""
        yield f"Did {calls} {what} operations in {us:.0f}us {speed}{rate}"


def golang(rows: Sequence[Row]) -> Iterator[str]:
    """As `go test -bench` prints it, a line for each round, which `benchstat` takes for a run."""
    for arch, own in groupby(rows, key=lambda row: row.arch):
        yield from ("goos: linux", f"goarch: {_GOARCH[arch]}", f"cpu: {cpu_name()}")
        for row in own:
            for ns in row.timing.samples:
                rate = f"\t{1e3 * row.done / ns:10.2f} MB/s" if row.done else ""
                time = f"{ns:12.1f}" if ns >= 100 else f"{ns:12.4g}"
                yield f"{_go_name(row)}\t{row.timing.repeats:8}\t{time} ns/op{rate}"


def _go_name(row: Row) -> str:
    """No blanks, and no number behind a last `-`, which would be that of processors."""
    aad = f"aad={row.aad}" if row.aad else ""
    parts = (row.algorithm, row.action, row.name, aad, f"{row.size}B" if row.size else "")
    return "Benchmark" + re.sub(r"\s+", "_", "/".join(part for part in parts if part))


FORMATS: Mapping[str, Callable[[Sequence[Row]], Iterator[str]]] = {"bssl": bssl, "go": golang}
