"""The estimate of what a deep run has left, and what it rests on."""

from pathlib import Path

import pytest

from rig.carried.outlook import Outlook, outlook, remembered

KNOWN = {"m::a/x/sweep": 4.0, "m::b/x/sweep": 8.0, "m::a/x/edges": 1.0, "m::a/x/gcm128": 30.0}


@pytest.mark.parametrize(
    ("left", "jobs", "wanted"),
    [
        ((), 1, Outlook(0, 0.0, 0)),
        (("m::a/x/sweep", "m::a/x/edges"), 1, Outlook(2, 5.0, 0)),
        (("m::a/x/sweep", "m::a/x/edges"), 2, Outlook(2, 2.5, 0)),
        (("m::c/x/sweep", "m::a/x/edges"), 1, Outlook(2, 7.0, 1)),
        (("m::c/x/gcm256",), 1, Outlook(1, 30.0, 1)),
        (("m::c/x/novelty", "m::a/x/edges"), 1, Outlook(2, None, 1)),
    ],
)
def test_outlook(left: tuple[str, ...], jobs: int, wanted: Outlook) -> None:
    assert outlook(KNOWN, left, jobs) == wanted


def test_times_are_kept_and_the_last_one_counts(tmp_path: Path) -> None:
    assert remembered(tmp_path, {"a": 1.0, "b": 2.0}) == {"a": 1.0, "b": 2.0}
    assert remembered(tmp_path, {"b": 3.0}) == {"a": 1.0, "b": 3.0}
    (tmp_path / "deep" / "seconds.json").write_text("cut o")
    assert remembered(tmp_path, {"b": 3.0}) == {"b": 3.0}
