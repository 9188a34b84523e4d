"""`rig gate`: what it lets pass, what it names, how its baseline comes about."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rig import cli

from ..synthetic import (
    FULL,
    GENERIC,
    OF,
    SHIPPED,
    WIDE,
    Paths,
    failed,
    image,
    ran,
    skipped,
    write,
)

ALL = '[thresholds]\n"*" = { instructions = 100, branches = 100 }\n'
ENTRY = {"symbol": "generic", "file": "", "reason": "n is never 0", "place": "rig.toml:7"}


class Gate:
    """A folder with a project, its gate file and the report of a run."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.report("rig-report")

    def report(self, name: str, paths: Paths = FULL, *images: Any, **run: Any) -> None:
        write(self.folder / name, paths, *images, **run)

    def rules(self, text: str) -> None:
        (self.folder / "proj" / "rig-gate.toml").write_text(text)

    def __call__(self, *arguments: str) -> tuple[int, str]:
        code = cli.main(["gate", *arguments])
        captured = self.capsys.readouterr()
        return code, captured.out + captured.err

    @property
    def baseline(self) -> Path:
        return self.folder / "proj" / "rig-baseline.json"


@pytest.fixture
def gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Gate:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return Gate(tmp_path, capsys)


def test_a_gate_that_could_not_fail_is_refused(gate: Gate) -> None:
    code, out = gate()
    assert code == 2
    assert "neither rig-gate.toml nor rig-baseline.json is there" in out and "--update" in out


def test_a_full_run_passes(gate: Gate) -> None:
    gate.rules('rules = ["all-paths-run"]\n' + ALL)
    code, out = gate()
    assert (code, out) == (
        0,
        "gate       proj x86_64: passed; 3 of 3 paths ran, 100% of 15 instructions, "
        "100% of 6 branch directions\n",
    )


# A run, the rules, what must be said of it.
_UNREACHED = [i for i in OF[GENERIC] if i not in (4, 7)]
BROKEN: list[tuple[str, Paths, str, Sequence[str]]] = [
    (
        "instructions",
        (ran(GENERIC, _UNREACHED), *FULL[1:]),
        ALL,
        (
            "FAIL       chacha20/generic x86_64: 4 of 6 instructions, 100% wanted (threshold)",
            "proj/c/chacha.c:4  generic: 2 instructions not executed",
            "proj/rig-gate.toml:2  the threshold",
        ),
    ),
    (
        "branches",
        (ran(GENERIC, ways=2), *FULL[1:]),
        ALL,
        (
            "chacha20/generic x86_64: 1 of 2 branch directions, 100% wanted",
            "proj/c/chacha.c:3  generic: a jump's way `taken` was not seen",
        ),
    ),
    (
        "a prebuilt object, by its listing",
        (*FULL[:2], ran(SHIPPED, [32, 34])),
        ALL,
        ("proj/shipped.o.lst:4  shipped: 1 instruction not executed",),
    ),
    (
        "nothing recorded where branches are asked for",
        tuple(ran(name, ways=None) for name in OF),
        ALL,
        ("chacha20/wide x86_64: branches were not recorded (threshold)",),
    ),
    (
        "a path that was not selected",
        (*FULL[:2], skipped(SHIPPED, "not-selected")),
        'rules = ["all-paths-run"]',
        ("chacha20/x86_64/direct/chacha20=shipped: not run: not-selected (all-paths-run)",),
    ),
    (
        "a variant that never ran",
        FULL[:2],
        ALL,
        ("chacha20/shipped x86_64: 0 of 3 instructions, 100% wanted",),
    ),
    ("a failure", (failed(GENERIC), *FULL[1:]), ALL, ("2 cases failed: value (verdict)",)),
    (
        "a required path that this CPU lacks",
        (FULL[0], skipped(WIDE), FULL[2]),
        '[require]\npaths = ["*/direct/chacha20=wide"]',
        ("not run: this CPU lacks avx2 (require)",),
    ),
    (
        "a required path that is not there",
        FULL,
        '[require]\npaths = ["*=avx512"]',
        ("*=avx512: no path of these results has such an id (require)",),
    ),
    (
        "a required architecture",
        FULL,
        '[require]\narchs = ["aarch64"]',
        ("aarch64: not run: no path of it is in these results (require)",),
    ),
    (
        "a threshold of nothing",
        FULL,
        '[thresholds]\n"chacha20/wied" = { instructions = 1 }',
        ("chacha20/wied: no variant has this name", "proj/rig-gate.toml:2"),
    ),
]


@pytest.mark.parametrize(
    ("paths", "rules", "said"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_broken(gate: Gate, paths: Paths, rules: str, said: Sequence[str]) -> None:
    gate.report("rig-report", paths)
    gate.rules(rules)
    code, out = gate()
    assert code == 1
    for text in said:
        assert text in out


def test_the_most_exact_threshold_counts(gate: Gate) -> None:
    gate.report("rig-report", (ran(GENERIC, _UNREACHED), *FULL[1:]))
    gate.rules(ALL + '"chacha20/*" = { instructions = 90 }\n')
    assert gate()[0] == 1
    gate.rules(ALL + '"chacha20/*" = { instructions = 90 }\n"chacha20/generic" = { branches = 1 }')
    assert gate()[0] == 0


def test_what_this_cpu_lacks_is_reported_and_not_lost(gate: Gate) -> None:
    gate.rules('rules = ["all-paths-run", "no-new-skips"]\n' + ALL)
    assert gate("--update")[0] == 0
    gate.report("rig-report", (FULL[0], skipped(WIDE), FULL[2]))
    code, out = gate()
    assert code == 0
    assert "note not available here (this CPU lacks avx2): chacha20/x86_64/direct" in " ".join(
        out.split()
    )
    assert all(len(line) <= 80 for line in out.splitlines() if line.startswith("note"))
    before = gate.baseline.read_text()
    assert gate("--update") == (0, "proj/rig-baseline.json: unchanged\n")
    assert gate.baseline.read_text() == before


def test_the_baseline_is_sorted_and_its_diff_is_shown(gate: Gate) -> None:
    gate.report("rig-report", (ran(GENERIC, _UNREACHED, ways=1), *reversed(FULL[1:])))
    code, out = gate("--update")
    assert code == 0
    assert '+    "generic c/chacha.c: return 1;": 2' in out
    known = json.loads(gate.baseline.read_text())["x86_64"]
    assert known["paths"] == sorted(known["paths"]) and len(known["paths"]) == 3
    assert known["unreached"] == {
        "chacha20/generic": {
            "generic c/chacha.c: if (n == 0) [not taken]": 1,
            "generic c/chacha.c: return 1;": 2,
        },
        "chacha20/shipped": {},
        "chacha20/wide": {},
    }
    assert gate()[0] == 0
    gate.report("rig-report")
    code, out = gate("--update")
    assert '-    "generic c/chacha.c: return 1;": 2' in out


LOST: list[tuple[str, Paths, Sequence[str]]] = [
    (
        "coverage",
        (FULL[0], ran(WIDE, [o for o in OF[WIDE] if o != 21]), FULL[2]),
        ("chacha20/wide x86_64: reached less than the baseline", "proj/c/chacha.c:10  wide: 1"),
    ),
    (
        "a branch direction",
        (FULL[0], ran(WIDE, ways=1), FULL[2]),
        ("proj/c/chacha.c:9  wide: a jump's way `not taken` was not seen",),
    ),
    (
        "a path",
        FULL[:2],
        ("chacha20/x86_64/direct/chacha20=shipped: gone: not in", "proj/rig-baseline.json:8"),
    ),
    (
        "a path that is skipped now",
        (*FULL[:2], skipped(SHIPPED, "no-cases")),
        ("chacha20=shipped: not run any more: no-cases (baseline)", "proj/rig-baseline.json:8"),
    ),
    (
        "a new path that is skipped",
        (*FULL, skipped(WIDE, "no-cases", kind="mask")),
        ("chacha20/x86_64/mask/chacha20=wide: not run: no-cases (no-new-skips)",),
    ),
    (
        "recording of branches",
        tuple(ran(name, ways=None) for name in OF),
        ("chacha20/wide x86_64: branches are not recorded any more",),
    ),
]


@pytest.mark.parametrize(("paths", "said"), [row[1:] for row in LOST], ids=[row[0] for row in LOST])
def test_lost(gate: Gate, paths: Paths, said: Sequence[str]) -> None:
    gate("--update")
    gate.rules('rules = ["no-new-skips"]')
    gate.report("rig-report", paths)
    code, out = gate()
    assert code == 1
    for text in said:
        assert text in out


def test_a_line_that_moves_is_the_same_line(gate: Gate) -> None:
    gate.report("rig-report", (ran(GENERIC, _UNREACHED), *FULL[1:]))
    gate("--update")
    moved = image()
    moved["files"][0]["lines"].insert(0, "/* new */")
    for function in moved["functions"]:
        for row in function["instructions"]:
            row[3] = row[3] + 1 if row[2] == 0 else row[3]
    gate.report("rig-report", (ran(GENERIC, _UNREACHED), *FULL[1:]), moved)
    assert gate()[0] == 0
    gate.report("rig-report", (ran(GENERIC, [0, 2, 4]), *FULL[1:]), moved)
    code, out = gate()
    assert code == 1 and "proj/c/chacha.c:5" not in out and "proj/c/twice.h:3" in out


def test_another_toolchain_makes_another_number_of_instructions(gate: Gate) -> None:
    gate.report("rig-report", (ran(GENERIC, [*_UNREACHED, 4]), *FULL[1:]))
    gate("--update")
    gate.report("rig-report", (ran(GENERIC, _UNREACHED), *FULL[1:]))
    assert gate()[0] == 1
    text = gate.baseline.read_text().replace("zig 0", "gcc 12")
    gate.baseline.write_text(text)
    code, out = gate()
    assert code == 0 and "was built by zig 0, the baseline by gcc 12" in out


def test_no_baseline_of_a_failure(gate: Gate) -> None:
    gate.report("rig-report", (failed(GENERIC), *FULL[1:]))
    code, out = gate("--update")
    assert code == 2 and "no baseline is made of a run that failed" in out
    assert not gate.baseline.exists()


ALLOWED: list[tuple[str, dict[str, Any], Paths, int, str]] = [
    ("takes its gap", {"first": 4, "last": 4}, (ran(GENERIC, _UNREACHED), *FULL[1:]), 0, ""),
    (
        "takes a span, in branches too",
        {"first": 3, "last": 4},
        (ran(GENERIC, _UNREACHED, ways=1), *FULL[1:]),
        0,
        "",
    ),
    ("of an inlined header", {"first": 3, "last": 3, "file": "c/twice.h"},
     (ran(GENERIC, [0, 2, 4, 7]), *FULL[1:]), 0, ""),
    ("is reached", {"first": 4, "last": 4}, FULL, 1, "allow generic:4: it is reached; take"),
    ("means no code", {"first": 90, "last": 91}, FULL, 1, "generic:90-91: no code stands there"),
    ("names nothing", {"symbol": "gone", "first": 4, "last": 4}, FULL, 1, "no such function"),
    ("of a branch, where none are recorded", {"first": 3, "last": 3},
     tuple(ran(name, ways=None) for name in OF), 0, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "paths", "code", "said"), [row[1:] for row in ALLOWED], ids=[r[0] for r in ALLOWED]
)
def test_allowed(gate: Gate, entry: dict[str, Any], paths: Paths, code: int, said: str) -> None:
    gate.rules('[thresholds]\n"*" = { instructions = 100 }')
    gate.report("rig-report", paths, image(allow=[ENTRY | entry]))
    found, out = gate()
    assert found == code and said in out
    assert ("proj/rig.toml:7" in out) == bool(code)


def test_a_stale_accept_entry(gate: Gate) -> None:
    gate.rules('[thresholds]\n"*" = { instructions = 100 }')
    results = json.loads((gate.folder / "rig-report" / "results.json").read_text())
    line = "/x/proj/rig.toml:9: `accept` is stale: abi finds nothing in wide; take it out"
    (gate.folder / "rig-report" / "results.json").write_text(
        json.dumps(results | {"stale": [line]})
    )
    code, out = gate()
    assert code == 1 and "FAIL       accept: `accept` is stale: abi finds nothing in wide" in out
    assert "proj/rig.toml:9" in out


def test_a_race_fails(gate: Gate) -> None:
    gate.rules('[thresholds]\n"*" = { instructions = 100 }')
    file = gate.folder / "rig-report" / "results.json"
    results = json.loads(file.read_text())
    results["races"][0]["findings"] = ["half a vector"]
    file.write_text(json.dumps(results))
    code, out = gate()
    assert code == 1 and "proj/x86_64/race: half a vector" in out


def test_an_entry_of_an_architecture_that_did_not_run_is_not_stale(gate: Gate) -> None:
    gate.rules('[thresholds]\n"*" = { instructions = 100 }')
    entry = ENTRY | {"symbol": "neon_only", "first": 4, "last": 4}
    gate.report("rig-report", FULL, image(allow=[entry], architectures=["aarch64", "x86_64"]))
    assert gate()[0] == 0


def test_absent_architectures_are_reported(gate: Gate) -> None:
    gate("--update")
    both = json.loads(gate.baseline.read_text())
    gate.baseline.write_text(json.dumps(both | {"aarch64": both["x86_64"]}, indent=1))
    known = image(architectures=["aarch64", "x86_64"])
    absent = [{"arch": "aarch64", "reason": "no runner", "fix": "run elsewhere"}]
    gate.report("rig-report", FULL, known, absent=absent)
    code, out = gate()
    assert code == 0 and "note       aarch64 not run: no runner; run elsewhere" in out
    gate.report("rig-report", FULL, known)
    code, out = gate()
    assert code == 0 and "aarch64 is in the baseline, not in these results" in out
    gate.report("rig-report")
    code, out = gate()
    assert code == 1 and "aarch64: the manifest has no variant for it any more" in out


def test_json(gate: Gate) -> None:
    gate.report("rig-report", (ran(GENERIC, _UNREACHED), *FULL[1:]))
    gate.rules(ALL)
    code, out = gate("--json")
    document = json.loads(out)
    assert code == 1 and document["passed"] is False
    (target,) = document["targets"]
    (breach,) = target["breaches"]
    assert breach["places"][0] == {
        "file": "proj/c/chacha.c",
        "line": 4,
        "text": "generic: 2 instructions not executed",
    }
    rows = {row["variant"]: row for row in target["variants"]}
    assert rows[GENERIC]["instructions"] == {"covered": 4, "total": 6}
    assert rows[GENERIC]["branches"] == {"covered": 2, "total": 2}


def test_github(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = gate.folder / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    gate.report("rig-report", (ran(GENERIC, _UNREACHED), *FULL[1:]))
    gate.rules(ALL)
    _, out = gate()
    assert (
        "::error file=proj/c/chacha.c,line=4,title=rig gate%3A threshold::chacha20/generic "
        "x86_64: 4 of 6 instructions, 100%25 wanted (generic: 2 instructions not executed)\n"
    ) in out
    text = summary.read_text()
    assert "### Gate failed: `proj`" in text and "| `chacha20/wide` | x86_64 | pass |" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('rules = ["all-path-run"]', "rig-gate.toml:1: unknown rule `all-path-run`; did you mean"),
        ("[treshold]", "rig-gate.toml:1: unknown key `treshold`; did you mean `thresholds`?"),
        ('[require]\narchs = ["x86"]', "rig-gate.toml:2: unknown architecture `x86`; did you"),
        ('[thresholds]\n"*" = 3', "rig-gate.toml:2: `*` must be a table"),
        ('[thresholds]\n"*" = { lines = 3 }', "rig-gate.toml:2: unknown key `lines`"),
        ('[thresholds]\n"*" = { branches = 101 }', "rig-gate.toml:2: `branches` is a percentage"),
        ('rules = ["no-new-skips"]', "`no-new-skips` needs proj/rig-baseline.json; make it"),
        ("rules = 3\nx", "rig-gate.toml:2: not TOML"),
    ],
)
def test_bad_gate_files(gate: Gate, text: str, message: str) -> None:
    gate.rules(text)
    code, out = gate()
    assert code == 2 and message in out and out.count("\n") == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"rig-baseline": 2}', '{"rig-baseline": 1, "x": 3}']
)
def test_bad_baselines(gate: Gate, text: str) -> None:
    gate.baseline.write_text(text)
    code, out = gate()
    assert code == 2 and out.startswith("rig: proj/rig-baseline.json: not a baseline")


def test_a_named_baseline(gate: Gate) -> None:
    assert gate("--update", "--baseline=other.json")[0] == 0
    assert not gate.baseline.exists()
    assert gate("--baseline=other.json")[0] == 0


def test_the_project_must_be_here(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(gate.folder / "proj")
    code, out = gate("../rig-report")
    assert code == 2 and "proj: no folder proj from here" in out
