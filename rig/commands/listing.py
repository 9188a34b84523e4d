"""`rig list`: the variants of a manifest, the checks and where cases come from, the CPU models.

Enters: parsed arguments. Leaves: a table, or JSON. Never here: compiling or running; a
manifest is all that it reads.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rig.capabilities.models import MODELS, Model, model_vector
from rig.checks.findings import CHECKS
from rig.cli import manifest_paths
from rig.commands.table import labelled, table
from rig.manifest import Manifest, read
from rig.options import PROFILES
from rig.profiles import PARTS, WHOLE, Part
from rig.report.variants import describe_variant

_WORDS = ("variants", "checks", "cpus")
_X86 = ("x86_64", "i386")


def main(parsed: argparse.Namespace) -> int:
    """Prints what was asked for: `variants` (the default), `checks` or `cpus`."""
    asked = [word for word in parsed.what if word in _WORDS]
    named = [word for word in parsed.what if word not in _WORDS]
    found: dict[str, Any] = {}
    for word in dict.fromkeys(asked or ["variants"]):
        found |= _DOCUMENTS[word](named)
    if parsed.json:
        print(json.dumps(found, indent=1))
        return 0
    blocks = [_TEXTS[key](rows) for key, rows in found.items() if rows]
    print("\n\n".join("\n".join(block) for block in blocks))
    return 0


def _variants(named: Sequence[str]) -> dict[str, Any]:
    manifests = [read(path) for path in manifest_paths(named)]
    return {
        "variants": [
            describe_variant(manifest, variant)
            for manifest in manifests
            for primitive in manifest.primitives.values()
            for variant in primitive.variants
        ],
        "compositions": [row for manifest in manifests for row in _compositions(manifest)],
    }


def _compositions(manifest: Manifest) -> Iterator[dict[str, Any]]:
    for primitive in manifest.primitives.values():
        if primitive.composed:
            yield {"primitive": primitive.name, "slots": list(primitive.slots)}


def _checks(_: Sequence[str]) -> dict[str, Any]:
    return {
        "checks": [{"name": name, "proves": text} for name, text in CHECKS.items()],
        "sources": [_source(part) for part in PARTS],
    }


def _source(part: Part) -> dict[str, Any]:
    """How much each profile takes is null where it takes all."""
    amounts = {name: part.amount(name) for name in PROFILES}
    return {
        "name": part.name,
        "gives": part.gives,
        "unit": part.unit,
        **{name: None if amount == WHOLE else amount for name, amount in amounts.items()},
    }


def _cpus(_: Sequence[str]) -> dict[str, Any]:
    rows = []
    for model in sorted(MODELS, key=_place):
        vector = model_vector(model, model.archs[0])
        rows.append(
            {
                "name": model.name,
                "also": list(model.also),
                "year": model.year,
                "vendor": model.vendor,
                "archs": list(model.archs),
                "description": model.description,
                "capabilities": list(vector.names),
                "mask": str(vector),
            }
        )
    return {"cpus": rows}


def _place(model: Model) -> tuple[bool, bool, int]:
    """x86's before ARM's and Intel's before AMD's, each by year."""
    return model.archs != _X86, model.vendor != "intel", model.year


_DOCUMENTS = {"variants": _variants, "checks": _checks, "cpus": _cpus}

Rows = Sequence[Mapping[str, Any]]


def _variant_lines(rows: Rows) -> Iterator[str]:
    lines: list[tuple[str, ...]] = [("primitive, variant", "arch", "needs", "source")]
    for primitive, own in groupby(rows, key=lambda row: row["primitive"]):
        lines += [(primitive, "", "", ""), *map(_variant_row, own)]
    yield from table(lines)


def _variant_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"  {row['variant']}",
        row["arch"],
        " ".join(row["needs"]) or "-",
        row["source"] if row["constant_time"] else f"{row['source']} (variable time)",
    )


def _composition_lines(rows: Rows) -> Iterator[str]:
    width = 2 + max(len(row["primitive"]) for row in rows)
    for row in rows:
        yield from labelled(row["primitive"], f"composed over {', '.join(row['slots'])}", width)


def _check_lines(rows: Rows) -> Iterator[str]:
    yield from table([("check", "proves"), *((row["name"], row["proves"]) for row in rows)])


def _source_lines(rows: Rows) -> Iterator[str]:
    yield from table([("source", "gives", *PROFILES), *map(_source_row, rows)])


def _source_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    partly = any(row[name] for name in PROFILES)
    gives = f"{row['gives']} ({row['unit']})" if partly else row["gives"]
    return row["name"], gives, *(_amount(row[name]) for name in PROFILES)


def _amount(amount: int | None) -> str:
    return "all" if amount is None else f"{amount:,}" if amount else "-"


def _cpu_lines(rows: Rows) -> Iterator[str]:
    x86 = [row for row in rows if row["archs"] == list(_X86)]
    yield from table([_cpu_header("vendor"), *(_cpu_row(row, row["vendor"]) for row in x86)])
    yield ""
    arm = [row for row in rows if row not in x86]
    yield from table([_cpu_header("arch"), *(_cpu_row(row, " ".join(row["archs"])) for row in arm)])


def _cpu_header(third: str) -> tuple[str, ...]:
    return "--cpu", "year", third, "what it has and lacks"


def _cpu_row(row: Mapping[str, Any], third: str) -> tuple[str, ...]:
    also = f" (also {', '.join(row['also'])})" if row["also"] else ""
    return row["name"], str(row["year"]), third, row["description"] + also


_TEXTS = {
    "variants": _variant_lines,
    "compositions": _composition_lines,
    "checks": _check_lines,
    "sources": _source_lines,
    "cpus": _cpu_lines,
}
