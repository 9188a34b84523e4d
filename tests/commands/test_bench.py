"""`rig bench`: what is timed and what not, and its forms. No test looks at a time."""

import json

import pytest

from rig.bench import contest
from rig.bench.against import Rival
from rig.bench.rounds import ROUNDS
from rig.commands import bench
from rig.data import data_folder
from rig.report.folder import replace_folder

from .conftest import CONTROLS, NATIVE, Rig

OWN = data_folder("native").parent / "tests" / "foreign" / "sha256" / "rig.toml"
QUICK = ("--rounds=2", "--size=64")


def test_a_table_of_the_variants_of_a_leaf(rig: Rig) -> None:
    result = rig("bench", NATIVE, "--primitive=chacha20", *QUICK)
    assert result.code == 0
    assert result.lines[0] == "ChaCha20 stream, x86_64: MB/s, ratio to the first"
    assert result.lines[1].split() == ["chacha20", "64", "B"]
    assert result.lines[2].split()[0] == "generic" and result.lines[2].endswith(" base")
    assert {"sse2"} <= {line.split()[0] for line in result.lines[3:] if line.endswith("x")}
    assert all(len(line) <= 80 for line in result.lines)


def test_json_of_a_composition_on_the_paths_of_masks(rig: Rig) -> None:
    document = json.loads(rig("bench", NATIVE, "--primitive=aes_gcm", *QUICK, "--json").out)
    rows = document["rows"]
    assert {row["kind"] for row in rows} == {"mask"}
    assert {row["algorithm"] for row in rows} == {"AES-128-GCM", "AES-256-GCM"}
    assert {row["action"] for row in rows} == {"seal", "open"}
    assert rows[0]["path"] == "fused=-,aes=ct64,ghash=ct64"
    for row in rows:
        assert len(row["samples"]) == 2 and min(row["samples"]) > 0
        assert row["repeats"] >= 1 and row["done"] == row["size"] == 64
        assert row["ns"]["low"] <= row["ns"]["median"] <= row["ns"]["high"]
    assert all(each["reason"].startswith("this CPU lacks") for each in document["untimed"])


def test_paths_by_hand_the_first_is_the_base(rig: Rig) -> None:
    paths = ("--path=aes=ct64,ghash=table4", "--path=ghash=ct64,aes=ct64", "--path=ghash=ct64")
    document = json.loads(rig("bench", NATIVE, *paths, *QUICK, "--json").out)
    titles = {(row["primitive"], row["path"], row["kind"]) for row in document["rows"]}
    assert ("aes_gcm", "fused=-,aes=ct64,ghash=table4", "forced") in titles
    assert ("ghash", "ghash=ct64", "forced") in titles
    first = document["rows"][0]
    assert first["ratio"] == {"median": 1, "low": 1, "high": 1}


def test_fused_code_counts_what_it_does(rig: Rig) -> None:
    arguments = ("--arch=aarch64", "--variant=ce_pmull", "--primitive=aes_gcm_fused")
    document = json.loads(
        rig("bench", NATIVE, *arguments, "--rounds=1", "--size=200", "--json").out
    )
    if not document["rows"]:
        pytest.skip(document["untimed"][0]["reason"])
    assert {(row["size"], row["done"]) for row in document["rows"]} == {(200, 128)}


def test_a_primitive_of_a_projects_own(rig: Rig) -> None:
    result = rig("bench", OWN, *QUICK)
    assert result.code == 0
    assert result.lines[0] == "sha256 blocks, x86_64: MB/s, ratio to the first"


@pytest.mark.parametrize(
    ("variant", "words"),
    [("wrong_tail", "value: "), ("borrows", "path: "), ("over_read", "memory: ")],
)
def test_what_is_wrong_is_not_timed(rig: Rig, variant: str, words: str) -> None:
    clean = rig("bench", CONTROLS, "--primitive=chacha20", "--variant=clean", *QUICK)
    assert clean.code == 0 and "base" in clean.out
    options = ("--primitive=chacha20", "--rounds=2", "--size=100")
    result = rig("bench", CONTROLS, f"--variant={variant}", *options)
    assert result.code == 1 and "base" not in result.out
    assert result.lines[0].startswith(f"  ! not timed: x86_64 chacha20: {words}")


def test_rounds(rig: Rig) -> None:
    options = ("--primitive=poly1305", "--variant=donna44", "--size=16", "--json")
    (row,) = json.loads(rig("bench", NATIVE, *options).out)["rows"]
    assert len(row["samples"]) == ROUNDS


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--rounds=0", "--rounds 0: 1 to 1000"),
        ("--size=0", "--size 0: 1 to 1048576 bytes"),
        ("--path=ghash", "--path ghash: SLOT=VARIANT"),
        ("--path=gash=ct64", "--path gash=ct64: unknown slots; did you mean `ghash`?"),
        ("--path=ghash=ct64,chacha20=sse2", "no primitive has them together"),
        ("--path=ghash=pclmulqdq", "--path ghash=pclmulqdq: ghash has table4"),
        ("--primitive=gash", "--primitive gash: unknown; did you mean `ghash`?"),
        ("--variant=pclmulqdq", "--variant pclmulqdq: unknown"),
        ("--arch=x86", "--arch x86: unknown"),
    ],
)
def test_what_is_asked_wrongly(rig: Rig, option: str, words: str) -> None:
    result = rig("bench", NATIVE, option)
    assert (result.code, result.out) == (2, "")
    assert words in result.err and result.err.count("\n") == 1


def test_what_cannot_run_here_is_a_line(rig: Rig, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = rig("bench", NATIVE, "--arch=aarch64", "--primitive=chacha20")
    if "base" in result.out:
        pytest.skip("this machine runs it")
    assert result.code == 0
    assert result.out.startswith("    not timed: aarch64: ")
    assert rig("bench", NATIVE, "--require-arch=aarch64").code == 2


def test_an_interrupt_ends_it_and_its_runner(rig: Rig, monkeypatch) -> None:
    begun = []

    def interrupted(contestants: object, rounds: int, round_ns: int) -> None:
        begun.append(rounds)
        raise KeyboardInterrupt

    closed = []
    close = contest.Session.close
    monkeypatch.setattr(contest, "race", interrupted)
    monkeypatch.setattr(contest.Session, "close", lambda self: (closed.append(1), close(self)))
    result = rig("bench", NATIVE, "--primitive=ghash", *QUICK)
    assert (result.code, result.out, result.err) == (2, "", "rig: interrupted\n")
    assert begun == [2] and closed


def test_against_an_earlier_one(rig: Rig, tmp_path) -> None:
    options = ("--primitive=poly1305", "--variant=donna44", "--rounds=2")
    old = tmp_path / "old.json"
    old.write_text(rig("bench", NATIVE, *options, "--size=64", "--json").out)
    text = rig("bench", NATIVE, *options, "--size=64", "--size=128", f"--compare={old}")
    assert text.code == 0 and text.lines[0] == "Poly1305 mac, x86_64"
    assert text.lines[2].split()[:3] == ["donna44", "64", "B"] and " ~ " in text.lines[2]
    assert text.lines[-1] == f"1 row not in {old}"
    found = json.loads(
        rig("bench", NATIVE, *options, "--size=64", f"--compare={old}", "--json").out
    )
    assert [row["size"] for row in found["compare"]["rows"]] == [64]
    assert rig("bench", NATIVE, "--compare=nowhere.json").code == 2
    assert rig("bench", NATIVE, "--format=go", "--json").code == 2


def test_a_library_that_is_not_here_is_a_line(rig: Rig) -> None:
    options = ("--primitive=chacha20", "--variant=generic", *QUICK)
    result = rig("bench", NATIVE, *options, "--against=/nowhere/libcrypto.so.3")
    assert result.code == 0 and "generic" in result.out
    line = "    not timed: --against /nowhere/libcrypto.so.3: no such library here"
    assert line in result.lines


def test_a_library_stands_below_each_path(rig: Rig, monkeypatch) -> None:
    class Fake:
        lacking = {"what": "why"}  # noqa: RUF012

        def __init__(self, library: str, timing: object) -> None:
            self.library = library

        def __enter__(self) -> "Fake":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def rival(self, *_: object) -> Rival:
            return Rival("OpenSSL 0.0", "0x401", lambda repeats: 1000 * repeats)

    monkeypatch.setattr(bench, "Against", Fake)
    options = ("--primitive=chacha20", "--variant=generic", *QUICK, f"--against={__file__}")
    result = rig("bench", NATIVE, *options)
    assert result.lines[0] == "ChaCha20 stream, x86_64: MB/s, ratio to OpenSSL 0.0"
    assert result.lines[2].split()[0] == "generic" and result.lines[2].endswith("x")
    assert result.lines[3].split() == ["OpenSSL", "0.0", "64.00±0%"]
    assert result.lines[-1] == "    not timed: what: why"
    path, library = json.loads(rig("bench", NATIVE, *options, "--json").out)["rows"]
    assert (path["library"], library["library"], library["mask"]) == ("", "OpenSSL 0.0", "0x401")
    assert path["ratio"]["median"] > 0 and library["ratio"] is None
    assert library["path"] == path["path"]


def test_charts_go_into_the_report_of_a_run(rig: Rig, tmp_path) -> None:
    run = json.loads((NATIVE.parent / "tests" / "gold" / "report.json").read_text())
    for name in ("results", "coverage"):
        (tmp_path / f"{name}.json").write_text(json.dumps(run[name]))
    options = ("--primitive=chacha20", *QUICK)
    result = rig("bench", NATIVE, *options, f"--report={tmp_path}")
    assert result.code == 0 and " base" in result.out
    assert 'id="speed"' in (tmp_path / "index.html").read_text()
    rows = json.loads((tmp_path / "bench.json").read_text())["rows"]
    assert {row["primitive"] for row in rows} == {"chacha20"}
    replace_folder(tmp_path, {"results.json": b"{}"})  # it is a report still
    nowhere = rig("bench", NATIVE, *options, f"--report={tmp_path / 'nowhere'}")
    assert (nowhere.code, nowhere.out) == (2, "") and "no report" in nowhere.err


@pytest.mark.parametrize(("form", "start"), [("bssl", "Did "), ("go", "goos: linux")])
def test_forms(rig: Rig, form: str, start: str) -> None:
    result = rig("bench", NATIVE, "--primitive=chacha20", *QUICK, f"--format={form}")
    assert result.code == 0 and result.out.startswith(start)
    assert "not timed" not in result.out


def test_what_recording_costs(rig: Rig) -> None:
    options = ("--coverage-cost", "--primitive=chacha20", "--variant=generic", *QUICK)
    text = rig("bench", NATIVE, *options)
    assert text.code == 0
    assert text.lines[0] == "x86_64 chacha20 chacha20=generic, 64 cases of 64 B"
    ways = [line.split()[0] for line in text.lines[1:4]]
    assert ways == ["bare", "instructions", "directions"]
    assert text.lines[2].endswith(" instructions hit")
    assert all(len(line) <= 80 for line in text.lines)
    found = json.loads(rig("bench", NATIVE, *options, "--json").out)["coverage_cost"]
    assert [cost["way"] for cost in found] == ways
    assert rig("bench", NATIVE, "--coverage-cost", "--oracle").code == 2


def test_what_the_oracle_costs(rig: Rig, monkeypatch) -> None:
    monkeypatch.setattr(
        bench.costs, "oracle", lambda rounds: [bench.Cost("a", "b", (1.0,), (1.0,))]
    )
    assert rig("bench", "--oracle").lines[0] == "a"
    assert json.loads(rig("bench", "--oracle", "--json").out)["oracle"][0]["us"] == [1.0]
