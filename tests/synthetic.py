"""Results and coverage documents of a project that was never built: one source of two variants,
an inlined header, an object without lines, a function of the compiler's."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Document = dict[str, Any]

SOURCE = """\
int generic(int n)
{
    if (n == 0)
        return 1;
    return twice(n);
}
int wide(int n)
{
    while (n > 64)
        n = step(n);
    return twice(n);
}
"""
HEADER = "static inline int twice(int n)\n{\n    return n + n;\n}\n"
LINES = {"c/chacha.c": SOURCE, "c/twice.h": HEADER}
GENERIC, WIDE, SHIPPED = "chacha20/generic", "chacha20/wide", "chacha20/shipped"
# offset, text, file, line, kind, target
_FUNCTIONS: Mapping[str, tuple[str, tuple[str, ...], Sequence[tuple[Any, ...]]]] = {
    "generic": (
        "c/chacha.c",
        (GENERIC,),
        (
            (0, "test edi, edi", 0, 3, "other", None),
            (2, "jne generic+8", 0, 3, "conditional", 8),
            (4, "mov eax, 1", 0, 4, "other", None),
            (7, "ret", 0, 4, "return", None),
            (8, "lea eax, [rdi+rdi]", 1, 3, "other", None),
            (11, "ret", None, None, "return", None),
        ),
    ),
    "wide": (
        "c/chacha.c",
        (WIDE,),
        (
            (16, "cmp edi, 64", 0, 9, "other", None),
            (19, "jle wide+12", 0, 9, "conditional", 28),
            (21, "call step", 0, 10, "call", 48),
            (26, "jmp wide", 0, 9, "jump", 16),
            (28, "lea eax, [rdi+rdi]", 1, 3, "other", None),
            (31, "ret", 0, 11, "return", None),
        ),
    ),
    "shipped": (
        "shipped.o",
        (SHIPPED,),
        (
            (32, "test edi, edi", None, None, "other", None),
            (34, "je shipped+4", None, None, "conditional", 36),
            (36, "ret", None, None, "return", None),
        ),
    ),
    "memcpy": ("runner/support.c", (), ((48, "ret", 2, 29, "return", None),)),
}
OF = {
    name: [row[0] for row in _FUNCTIONS[name.partition("/")[2]][2]]
    for name in (GENERIC, WIDE, SHIPPED)
}
JUMP = {GENERIC: 2, WIDE: 19, SHIPPED: 34}
MASK = "0x1:0x0"
RUN: Document = {
    "rig": "0",
    "python": "3.11.0",
    "toolchain": "zig 0",
    "host": {
        "machine": "x86_64",
        "system": "Linux",
        "kernel": "6.1",
        "capabilities": {"x86_64": MASK},
    },
    "command": ["run"],
    "seed": 1,
    "profile": "default",
    "checks": ["value", "memory"],
    "left_out": [],
    "progress": None,
    "cap_matrix": "paths",
    "manifests": ["/x/proj/rig.toml"],
    "compiled": 0,
    "reused": 3,
    "prebuilt": [{"path": "shipped.o", "sha256": "ab" * 32}],
    "absent": [],
}


def image(arch: str = "x86_64", **changed: Any) -> Document:
    """The build of one architecture."""
    whole = {
        "digest": f"d1ce{arch[:4]}",
        "target": "proj",
        "arch": arch,
        "toolchain": "zig 0",
        "root": "proj",
        "architectures": ["x86_64"],
        "allow": [],
        "functions": [_function(name, row) for name, row in _FUNCTIONS.items()],
        "files": [
            *({"path": path, "lines": text.splitlines()} for path, text in LINES.items()),
            {"path": "runner/support.c", "lines": None},
        ],
    }
    return whole | changed


def _function(name: str, row: tuple[str, tuple[str, ...], Sequence[tuple[Any, ...]]]) -> Document:
    source, variants, instructions = row
    return {
        "name": name,
        "source": source,
        "variants": list(variants),
        "offset": instructions[0][0],
        "size": 16,
        "blocks": [instructions[0][0]],
        "instructions": [list(instruction) for instruction in instructions],
    }


def ran(
    variant: str,
    hits: Sequence[int] | None = None,
    ways: int | None = 3,
    kind: str = "direct",
    arch: str = "x86_64",
) -> tuple[Document, Document]:
    """A path that passed, as results and as coverage; `ways` None records no branches."""
    name = variant.partition("/")[2]
    seen = OF[variant] if hits is None else list(hits)
    covered = {
        "id": f"chacha20/{arch}/{kind}/chacha20={name}",
        "image": f"d1ce{arch[:4]}",
        "primitive": "chacha20",
        "variants": [variant],
        "kind": kind,
        "arch": arch,
        "path": f"chacha20={name}",
        "masks": [MASK],
        "hits": seen,
        "branches": [] if ways is None or not seen else [[JUMP[variant], ways]],
        "indirect": [],
    }
    return _row(covered, name), covered


def skipped(variant: str, code: str = "cpu", **named: str) -> tuple[Document, Document]:
    """A path that did not run."""
    row, covered = ran(variant, hits=(), **named)
    reason = {"code": code, "text": "this CPU lacks avx2" if code == "cpu" else code}
    return row | {"verdict": "skipped", "reason": reason, "cases": {}, "checks": {}}, covered


def failed(variant: str) -> tuple[Document, Document]:
    """A path that failed two cases."""
    row, covered = ran(variant)
    return row | {"verdict": "fail", "failed": 2, "checks": {"value": "fail"}}, covered


def _row(covered: Document, name: str) -> Document:
    keys = ("id", "arch", "primitive", "path", "kind", "masks")
    total = len(OF[f"chacha20/{name}"])
    return {
        **{key: covered[key] for key in keys},
        "target": "proj",
        "toolchain": "zig 0",
        "opt": "-O2",
        "emulator": None,
        "carried": None,
        "earlier": 0,
        "variants": {"chacha20": name},
        "verdict": "pass",
        "reason": None,
        "cases": {"published": 10},
        "failed": 0,
        "abandoned": 0,
        "checks": {"value": "pass"},
        "findings": [],
        "coverage": {"instructions": {"covered": len(covered["hits"]), "total": total}},
    }


Paths = Sequence[tuple[Document, Document]]


def documents(paths: Paths, *images: Document, **run: Any) -> tuple[Document, Document]:
    """The two documents of a run."""
    rows = [row for row, _ in paths]
    built = images or (image(),)
    results = {
        "schema": 1,
        "run": RUN | run,
        "totals": {"cases": 10 * len(rows), "carried": 0, "failed": 0, "skipped": 0},
        "controls": [
            {
                "arch": "x86_64",
                "fault": "crash",
                "expected": "crash",
                "fired": ["crash"],
                "held": True,
            }
        ],
        "dispatch": [
            {
                "primitive": "chacha20",
                "arch": each["arch"],
                "tested": True,
                "masks": 8,
                "probes": 300,
                "mismatches": [],
            }
            for each in built
        ],
        "races": [
            {
                "target": "proj",
                "arch": each["arch"],
                "initialiser": "toy_init",
                "schedules": 20,
                "accepted": None,
                "findings": [],
                "reason": None,
            }
            for each in built
        ],
        "variants": [_variant(name, each, rows) for each in built for name in OF],
        "paths": rows,
        "stale": [],
        "known": [],
    }
    return results, {"schema": 1, "images": list(built), "paths": [covered for _, covered in paths]}


def _variant(name: str, built: Document, rows: Sequence[Document]) -> Document:
    short, arch = name.partition("/")[2], built["arch"]
    own = [row for row in rows if row["variants"] == {"chacha20": short} and row["arch"] == arch]
    return {
        "primitive": "chacha20",
        "variant": short,
        "arch": arch,
        "needs": [],
        "constant_time": True,
        "dispatch": True,
        "source": "c/chacha.c",
        "symbols": {"ctr32": short},
        "layout": short,
        "paths": [row["id"] for row in own],
        "coverage": {"instructions": {"covered": 0, "total": len(OF[name])}},
    }


FULL: Paths = tuple(ran(name) for name in OF)


def write(folder: Path, paths: Paths = FULL, *images: Document, **run: Any) -> Path:
    """A report folder, and beside it the project's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / "proj").mkdir(exist_ok=True)
    results, coverage = documents(paths, *images, **run)
    (folder / "results.json").write_text(json.dumps(results))
    (folder / "coverage.json").write_text(json.dumps(coverage))
    return folder
