"""Tables: columns, ratios, widths, what was not timed."""

from rig.bench.contest import Untimed
from rig.bench.tables import lines, views

SLOW, FAST = (4000.0, 4040.0, 3960.0), (2000.0, 2000.0, 2000.0)


def test_paths_by_sizes_with_ratios(row) -> None:
    rows = [
        row(path="ghash=table4", size=16, done=16, samples=(80.0,) * 3),
        row(path="ghash=table4", samples=SLOW),
        row(path="ghash=ssse3", samples=FAST, ratios=(2.0, 2.02, 1.98)),
    ]
    assert list(lines(rows, ())) == [
        "GHASH, x86_64: MB/s, ratio to the first",
        "ghash                                               16 B          8192 B",
        "table4                                     200.0±0% base    2050±1% base",
        "ssse3                                                  -   4096±0% 2.00x",
        "",
    ]


def test_a_long_name_has_a_line_of_its_own(row) -> None:
    name = "fused=vaes_avx512,aes=vaes_avx512,ghash=vpclmul_avx512"
    rows = [row(path=name, size=16 << n, done=16 << n) for n in range(5)]
    found = list(lines(rows, ()))
    assert found[3] == "vaes_avx512 vaes_avx512 vpclmul_avx512"
    assert found[4].startswith("  ") and found[4].count("base") == 5
    assert all(len(line) <= 80 for line in found)


def test_sizes_beyond_a_line_go_into_another_table(row) -> None:
    rows = [row(size=16 * n, done=16 * n) for n in range(1, 8)]
    assert [len(view.columns) for view in views(rows)] == [5, 2]


def test_gos_selection(row) -> None:
    of = {"algorithm": "AES-128-GCM", "path": "aes=ct64"}
    rows = [
        row(**of, action=a, size=n, aad=13) for a in ("seal", "open") for n in (1024, 1350, 8192)
    ]
    rows += [row(**of, action="sign", size=8192, aad=8192)]
    *sizes, go = views(rows)
    assert [[head for head, _ in view.columns] for view in sizes] == [["1350 B", "8192 B"]] * 2
    assert [head for head, _ in go.columns] == ["Seal1K", "Open1K", "Sign8K", "Seal8K", "Open8K"]


def test_without_a_message_nanoseconds(row) -> None:
    title, _, line, _ = lines([row(size=0, done=0)], ())
    assert ": ns," in title and line.endswith("2000±0% base")


def test_what_was_not_timed(row) -> None:
    paths = [Untimed("x86_64", "ghash", f"ghash={n}", "this CPU lacks avx2") for n in "ab"]
    wrong = Untimed("arm", "aes", "aes=ce", "value: out differs", wrong=True)
    assert list(lines((), (*paths, wrong))) == [
        "    not timed: x86_64 ghash: this CPU lacks avx2",
        "        ghash=a",
        "        ghash=b",
        "  ! not timed: arm aes: value: out differs",
        "        aes=ce",
    ]
