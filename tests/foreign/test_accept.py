"""`accept` end to end: a known finding is taken in, an entry that finds nothing fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRY = (
    'accept = [{{ check = "{check}", symbol = "control_scribble", reason = "known since 2019" }}]'
)
MANIFEST = """
rig      = 1
include  = ["{native}/include"]
dispatch = "rules"
{accept}

[chacha20]
symbols  = {{ ctr32 = "control_{{name}}" }}
variants = [
  {{ arch = "x86_64", name = "clean", source = "faults.c" }},
  {{ arch = "x86_64", name = "scribble", source = "faults.c", dispatch = false }},
]
"""


def run(folder: Path, cache: Path, check: str | None) -> tuple[int, dict[str, object], str]:
    native = ROOT / "native"
    (folder / "faults.c").write_text((native / "controls" / "faults.c").read_text())
    accept = ENTRY.format(check=check) if check else ""
    (folder / "rig.toml").write_text(MANIFEST.format(native=native, accept=accept))
    code, out, _ = command(folder, cache)
    return code, json.loads((folder / "rig-report/results.json").read_text()), out


def command(folder: Path, cache: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "rig", "run", "--cache-dir", str(cache), "-j", "1"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("check", "code", "verdict", "stale"),
    [(None, 1, "fail", 0), ("input", 0, "accepted", 0), ("memory", 1, "fail", 1)],
)
def test_accept(
    tmp_path: Path, rig_cache: Path, check: str | None, code: int, verdict: str, stale: int
) -> None:
    returned, document, screen = run(tmp_path, rig_cache, check)
    paths = {path["path"]: path["verdict"] for path in document["paths"]}
    assert (returned, paths["chacha20=scribble"]) == (code, verdict), screen
    assert paths["chacha20=clean"] == "pass"
    assert len(document["stale"]) == stale
    if stale:
        assert "rig.toml:5: `accept` is stale: memory finds nothing in control_scribble" in (
            " ".join(screen.split())
        )


def test_new_findings_come_as_lines_to_take_in(tmp_path: Path, rig_cache: Path) -> None:
    """accept.toml of a failing run, with reasons, is an `accept` under which the next passes."""
    _, document, screen = run(tmp_path, rig_cache, None)
    assert [(r["state"], r["check"], r["symbol"]) for r in document["known"]] == [
        ("new", "input", "control_scribble")
    ]
    assert "findings   1 new, 0 accepted, 0 stale; accept.toml in the report" in screen
    lines = (tmp_path / "rig-report/accept.toml").read_text()
    bare = lines[lines.index("accept =") :]
    (tmp_path / "rig.toml").write_text(MANIFEST.format(native=ROOT / "native", accept=bare))
    code, out, err = command(tmp_path, rig_cache)
    assert code == 2 and "`reason` must be a string that is not empty" in out + err
    text = (tmp_path / "rig.toml").read_text()
    (tmp_path / "rig.toml").write_text(text.replace('reason = ""', 'reason = "until 2.1"'))
    code, out, err = command(tmp_path, rig_cache)
    assert code == 0, out + err
    assert "findings   0 new, 1 accepted, 0 stale" in out
