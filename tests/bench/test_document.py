"""The JSON of a bench, and back."""

import json
from dataclasses import replace

import pytest

from rig.bench.contest import Untimed
from rig.bench.document import document, read
from rig.errors import RigError


def test_what_is_written_is_read(row, tmp_path) -> None:
    first, second = row(), row(path="ghash=ssse3", samples=(1.5, 2.5, 3.5), ratios=())
    absent = Untimed("arm", "", "", "no emulator")
    written = document([first, second], [absent], {})
    (tmp_path / "old.json").write_text(json.dumps(written))
    old = read(tmp_path / "old.json")
    assert old.rows == (replace(first, ratios=()), second)
    assert old.cpu == written["run"]["cpu"]
    assert written["untimed"][0]["reason"] == "no emulator"
    one, other = written["rows"]
    assert one["ns"] == {"median": 2000.0, "low": 1990.0, "high": 2010.0}
    assert one["mb_per_s"]["median"] == 4096.0
    assert one["ratio"]["median"] == 1.0 and other["ratio"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file"),
        ("{", "not JSON"),
        ("[]", "not of `rig bench --json`"),
        ('{"schema": 2, "rows": []}', "schema 2, needed is 1"),
        ('{"schema": 1, "run": {"cpu": ""}, "rows": [{}]}', "no row of"),
        ('{"schema": 1, "run": {"cpu": ""}, "rows": [{"repeats": 1, "samples": [0]}]}', "above 0"),
    ],
)
def test_what_is_no_document(tmp_path, text: str | None, words: str) -> None:
    file = tmp_path / "old.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(RigError, match=words) as caught:
        read(file)
    assert str(caught.value).startswith(str(file))
