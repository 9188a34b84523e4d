"""`--profile deep` in sessions: what one judged the next takes over, until the round is whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
PATHS = 4


def _run(folder: Path, command: Command, *options: str) -> tuple[dict[str, Any], str]:
    chosen = ("--profile=deep", "--checks=published,edges,sweep", "--cap-matrix=paths")
    process = command("run", "-j", "1", "--cache-dir=cache", *chosen, *options)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    return json.loads((folder / "rig-report/results.json").read_text()), out


def _cases(document: dict[str, Any]) -> dict[str, Any]:
    return {path["id"]: path["cases"] for path in document["paths"]}


def _reasons(document: dict[str, Any]) -> set[str]:
    return {path["reason"]["code"] for path in document["paths"] if path["reason"]}


def test_sessions_of_a_round(toy: Path, command: Command) -> None:
    folder = toy.parent
    nothing, screen = _run(folder, command, "--budget=0.001")
    progress = nothing["run"]["progress"]
    assert (progress["judged"], progress["left"], progress["seconds"]) == (0, 3 * PATHS, None)
    assert _reasons(nothing) == {"budget"} and nothing["totals"]["cases"] == 0
    assert "items left, nothing like some of them ever ran" in " ".join(screen.split())

    part, _ = _run(folder, command, "--", "-k", "edges")
    assert part["run"]["progress"]["judged"] == PATHS
    assert not part["run"]["progress"]["whole"]
    rest, screen = _run(folder, command)
    progress = rest["run"]["progress"]
    assert (progress["resumed"], progress["left"]) == (PATHS, 0)
    edges = sum(cases["edges"] for cases in _cases(rest).values())
    assert sum(path["earlier"] for path in rest["paths"]) == edges == rest["totals"]["carried"]
    assert "the round is whole, the next deep run begins anew" in " ".join(screen.split())
    assert not _reasons(rest)

    again, screen = _run(folder, command, "--budget=0.001")
    progress = again["run"]["progress"]
    assert (progress["resumed"], progress["left"], progress["guessed"]) == (0, 3 * PATHS, 0)
    assert progress["seconds"] > 0
    assert "by the time that each took last" in " ".join(screen.split())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--budget=5",), "--budget 5.0: only --profile deep goes on where it stopped"),
        (("--profile=deep", "--budget=-1"), "--budget -1.0: seconds, 0 or more"),
    ],
)
def test_budgets_that_mean_nothing(
    toy: Path, command: Command, options: tuple[str, ...], text: str
) -> None:
    _, error = (process := command("run", *options)).communicate(timeout=60)
    assert (process.returncode, error.strip()) == (2, f"rig: {text}")
