"""The last screen, as it is printed."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from rig.report.screen import WIDTH, races_text, screen
from rig.vectors.published import Package

Gold = Callable[[str, Iterable[str]], None]
Document = dict[str, Any]

PACKAGES = (
    Package(
        "cryptography-vectors",
        "NIST CAVP AES-GCM, 47,250 cases",
        ("aes_gcm",),
        False,
        "pip install 'variant-rig[vectors]'",
        (),
        (),
    ),
    Package("other", "Wycheproof", ("aes_gcm",), True, "pip install other", (), ()),
)


CODES = {"interrupted": "cut-short"}


def _path(
    primitive: str,
    name: str,
    kind: str = "mask",
    verdict: str = "pass",
    reason: str = "",
    arch: str = "x86_64",
) -> Document:
    return {
        "id": f"{primitive}/{arch}/{kind}/{name}",
        "arch": arch,
        "emulator": None if arch == "x86_64" else f"qemu-{arch}",
        "primitive": primitive,
        "path": name,
        "kind": kind,
        "verdict": verdict,
        "reason": {"code": CODES.get(reason, "cpu"), "text": reason} if reason else None,
        "carried": None,
        "earlier": 0,
        "abandoned": 17 if verdict == "fail" else 0,
    }


def _left(name: str, kind: str, by: str, taken: int = 0, of: int = -1, unit: str = "") -> Document:
    return {"name": name, "kind": kind, "by": by, "taken": taken, "of": of, "unit": unit}


def _variant(primitive: str, name: str, covered: int, paths: list[Document]) -> Document:
    used = [p["id"] for p in paths if f"{primitive}={name}" in p["path"]]
    return {
        "arch": paths[0]["arch"],
        "primitive": primitive,
        "variant": name,
        "paths": used,
        "coverage": {"instructions": {"covered": covered, "total": 1000}},
    }


def _document(paths: list[Document], variants: list[Document], **changed: Any) -> Document:
    failed = sum(path["verdict"] == "fail" for path in paths)
    return {
        "run": {
            "compiled": 0,
            "reused": 19,
            "toolchain": "zig 0.17.1",
            "absent": [],
            "prebuilt": [],
            "left_out": [],
            "progress": None,
            "host": {"machine": "x86_64"},
        },
        "stale": [],
        "known": [],
        "controls": [
            {"fault": "wrong_tail", "expected": "value", "held": True},
            {"fault": "clean", "expected": "", "held": True},
        ],
        "dispatch": [
            {"primitive": "ghash", "tested": True, "masks": 8, "probes": 1234, "mismatches": []}
        ],
        "races": [],
        "totals": {"cases": 123456, "carried": 0, "failed": failed, "skipped": 0},
        "paths": paths,
        "variants": variants,
    } | changed


def _green() -> Document:
    ghash = ["table4", "ct64", "ssse3", "pclmul"]
    paths = [_path("ghash", f"ghash={name}", "direct") for name in ghash]
    paths += [_path("ghash", f"ghash={name}") for name in ghash[1:]]
    paths += [_path("aes_gcm", f"fused=-,aes=aesni,ghash={name}") for name in ghash[1:]]
    covered = {"table4": 999, "ct64": 1000, "ssse3": 1000, "pclmul": 513}
    return _document(paths, [_variant("ghash", n, covered[n], paths) for n in ghash])


def _red() -> Document:
    lacks = "this CPU lacks avx512f"
    paths = [
        _path("chacha20", "chacha20=generic"),
        _path("chacha20", "chacha20=avx2", verdict="fail"),
        _path("chacha20", "chacha20=avx2", "direct", verdict="fail"),
        _path("chacha20", "chacha20=avx512", verdict="skipped", reason=lacks),
        _path("chacha20", "chacha20=avx512", "direct", verdict="skipped", reason=lacks),
        _path("chacha20_poly1305", "fused=-,chacha20=generic,poly1305=donna44"),
        _path("poly1305", "poly1305=donna26", "direct", verdict="accepted"),
        _path("chacha20_poly1305", "fused=-,chacha20=avx2,poly1305=donna44", verdict="fail"),
    ]
    covered = {"generic": 1000, "avx2": 640, "avx512": 0}
    variants = [_variant("chacha20", name, n, paths) for name, n in covered.items()]
    variants.append(_variant("poly1305", "donna26", 1000, paths))
    run = {
        "compiled": 3,
        "reused": 16,
        "toolchain": "zig 0.17.1",
        "absent": [{"arch": "arm", "reason": "no runner for it", "fix": "run with --arch x86_64"}],
        "host": {"machine": "x86_64"},
        "prebuilt": [{"path": "lib/fast.o", "sha256": "0123456789abcdef" * 4}],
        "progress": {
            "budget": 600.0,
            "since": "2026-01-02T03:04:05+00:00",
            "resumed": 61,
            "judged": 143,
            "whole": False,
            "left": 1300,
            "seconds": 8000.0,
            "guessed": 20,
            "jobs": 2,
        },
        "left_out": [
            _left("dispatch", "check", "--checks"),
            _left("sweep", "source", "--profile quick", 400, -1, "cases of each path"),
            _left("generated", "source", "--profile quick", 6, 1000, "examples"),
            _left("packaged", "source", "--profile quick"),
            _left("models", "masks", "--cap-matrix paths"),
        ],
    }
    controls = [
        {"fault": "wrong_tail", "expected": "value", "held": False},
        {"fault": "crash", "expected": "crash", "held": True},
        {"fault": "clean", "expected": "", "held": False},
    ]
    dispatch = [
        {
            "primitive": "chacha20",
            "tested": True,
            "masks": 58,
            "probes": 13632,
            "mismatches": ["a"],
        },
        {"primitive": "poly1305", "tested": False, "masks": 9, "probes": 0, "mismatches": []},
    ]
    stale = ["rig.toml:9: `accept`: no finding of `value` on `toy` any more; take the entry out"]
    return _document(paths, variants, run=run, controls=controls, dispatch=dispatch, stale=stale)


def _several() -> Document:
    """Equal names on several architectures are each their own."""
    archs = {"x86_64": ("ct64", "aesni"), "i386": ("ct32", "aesni"), "aarch64": ("ct64", "ce")}
    paths, variants = [], []
    for arch, names in archs.items():
        bad = ("i386", "aesni")
        own = [
            _path("aes", f"aes={n}", verdict="fail" if (arch, n) == bad else "pass", arch=arch)
            for n in names
        ]
        own.append(_path("aes_gcm", f"fused=-,aes={names[1]},ghash=ct64", arch=arch))
        paths += own
        variants += [_variant("aes", n, 900 if (arch, n) == bad else 1000, own) for n in names]
    fix = "`apt-get install qemu-user`"
    absent = {"arch": "arm", "reason": "this machine is x86_64, and qemu-arm is not on PATH"}
    document = _document(paths, variants)
    return document | {"run": document["run"] | {"absent": [absent | {"fix": fix}]}}


def _cut_short() -> Document:
    names = [f"aes={name}" for name in ("ct64", "ssse3", "aesni", "vaes")]
    paths = [
        _path("aes", name, kind, "skipped", "interrupted")
        for kind in ("mask", "direct")
        for name in names
    ]
    paths += [
        _path("aes_gcm", f"fused=-,{name},ghash=ct64", verdict="skipped", reason="interrupted")
        for name in names
    ]
    variants = [_variant("aes", name.removeprefix("aes="), 0, paths) for name in names]
    return _document(paths, variants)


@pytest.mark.parametrize(
    ("name", "document", "packages"),
    [
        ("screen_passed.txt", _green(), PACKAGES),
        ("screen_failed.txt", _red(), PACKAGES),
        ("screen_several.txt", _several(), ()),
        ("screen_cut_short.txt", _cut_short(), ()),
    ],
)
def test_screen(gold: Gold, name: str, document: Document, packages: tuple[Package, ...]) -> None:
    gold(name, screen(document, 8.04, 1.25, packages))


@pytest.mark.parametrize("document", [_green(), _red(), _several(), _cut_short()])
def test_no_line_is_wider_than_a_terminal(document: Document) -> None:
    assert max(len(line) for line in screen(document, 8.0, 1.0, PACKAGES)) <= WIDTH == 80


def test_hundred_per_cent_means_every_instruction() -> None:
    document = _green()
    lines = "\n".join(screen(document, 8.0, 1.0, ()))
    assert "table4 ok 99.9%" in lines and "ct64 ok 100%" in lines


def test_nothing_is_claimed_of_an_empty_run() -> None:
    lines = list(screen(_document([], [], controls=[], dispatch=[]), 0.0, 0.0, ()))
    assert "paths      none: 0 proven, 0 failed, 0 not run" in lines
    assert not any(line.startswith("next") for line in lines)


def test_races_say_what_was_judged_and_what_not() -> None:
    judged = {"arch": "x86_64", "schedules": 27, "findings": ["a"], "reason": None}
    untold = {"schedules": 0, "findings": [], "reason": "the manifest names no `init`"}
    known = {"arch": "aarch64", "schedules": 9, "findings": [], "reason": "as ever"}
    rows = [judged, {"arch": "arm", **untold}, {"arch": "i386", **untold}]
    assert races_text([*rows, known | {"accepted": "rig.toml:7"}]) == (
        "27 schedules of two first calls, 1 wrong; "
        "not judged on arm i386: the manifest names no `init`; accepted on aarch64: as ever"
    )
