"""Findings as a project burns them down."""

import tomllib

from rig.report.known import accept_text


def _row(state: str, check: str, symbol: str, *paths: str, manifest: str = "rig.toml") -> dict:
    return {
        "state": state,
        "manifest": manifest,
        "arch": "x86_64",
        "check": check,
        "symbol": symbol,
        "reason": "",
        "place": "",
        "paths": list(paths),
    }


def test_the_new_ones_only_once_each_without_a_reason():
    rows = [
        _row("new", "value", "f", "a", "b", "c"),
        _row("accepted", "abi", "f", "a"),
        _row("stale", "abi", "g"),
        _row("new", "memory", 'odd"name', "a"),
    ]
    text = accept_text(rows)
    assert tomllib.loads(text)["accept"] == [
        {"check": "value", "symbol": "f", "reason": ""},
        {"check": "memory", "symbol": 'odd"name', "reason": ""},
    ]
    assert "# a and 2 more\n" in text and "into `accept` in rig.toml" in text


def test_each_manifest_has_its_own():
    rows = [_row("new", "value", "f", "a", manifest=name) for name in ("one.toml", "two.toml")]
    assert accept_text(rows).count("accept = [") == 2


def test_nothing_new():
    assert accept_text([_row("accepted", "abi", "f", "a")]) == ""
