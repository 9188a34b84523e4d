"""Forms for other programs, read back by their rules."""

import re

from rig.bench.formats import bssl, golang

OF = {
    "algorithm": "AES-128-GCM",
    "action": "seal",
    "aad": 13,
    "path": "fused=-,aes=ct64,ghash=ct64",
}
# BoringSSL: util/bench and its kin take a line of `bssl speed` apart so.
DID = re.compile(
    r"Did (\d+) (.+) \((\d+) bytes\) (?:(\w+) )?operations in (\d+)us "
    r"\((\d+\.\d) ops/sec\)(?:: (\d+\.\d) MB/s)?"
)
# golang.org/x/perf/benchfmt: a name, a number of iterations, then values with units.
LINE = re.compile(r"Benchmark([A-Z]\S*)\s+(\d+)\s+([\d.e+-]+) ns/op(?:\s+([\d.]+) MB/s)?")


def test_bssl(row) -> None:
    sealed, hashed = bssl([row(**OF, samples=(2000.0, 2000.0)), row()])
    found = DID.fullmatch(sealed)
    assert found and found.groups() == (
        "200",
        "AES-128-GCM fused=-,aes=ct64,ghash=ct64",
        *("8192", "seal", "400", "500000.0", "4096.0"),
    )
    without = DID.fullmatch(hashed)
    assert without and without[4] is None
    (unsized,) = bssl([row(size=0, done=0)])
    assert DID.fullmatch(unsized) and "MB/s" not in unsized


def test_go_has_a_line_for_each_round(row) -> None:
    lines = list(golang([row(**OF), row(arch="i386", samples=(12.345678,), size=0, done=0)]))
    assert lines[:2] == ["goos: linux", "goarch: amd64"]
    assert lines[2].startswith("cpu: ")
    rounds = [LINE.fullmatch(line) for line in lines[3:6]]
    names = {found[1] for found in rounds if found}
    assert names == {"AES-128-GCM/seal/fused=-,aes=ct64,ghash=ct64/aad=13/8192B"}
    assert [found and found.group(2, 3, 4) for found in rounds] == [
        ("100", "2000.0", "4096.00"),
        ("100", "2010.0", "4075.62"),
        ("100", "1990.0", "4116.58"),
    ]
    assert lines[7] == "goarch: 386"
    small = LINE.fullmatch(lines[9])
    assert small and small[3] == "12.35" and small[4] is None


def test_go_takes_no_end_of_a_name_for_processors(row) -> None:
    (_, _, _, line, *_) = golang([row(size=0, done=0, path="ghash=ct64")])
    assert not re.search(r"-\d+$", line.split()[0])
