"""docs/capabilities.md lists exactly what the tables have."""

import re
from pathlib import Path

import pytest

from rig.capabilities.bits import LAYOUTS, architecture
from rig.capabilities.models import MODELS, Model

TEXT = (Path(__file__).parents[2] / "docs" / "capabilities.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.split(" | ")] for line in TEXT.splitlines()]


def test_bits():
    listed = [
        (word, int(bit), name)
        for word in range(architecture("x86_64").words)
        for row in ROWS
        if row[0] == f"| {word}"
        for name, bit in re.findall(r"`([^`]+)` (\d+)", row[2])
    ]
    assert listed == [(each.word, each.bit, each.name) for each in LAYOUTS["x86_64"].capabilities]


def test_armcap():
    line = next(line for line in TEXT.splitlines() if line.startswith("ARM, as numbers"))
    listed = [(name, int(number)) for name, number in re.findall(r"`([\w-]+)` (\d+)", line)]
    assert listed == [(each.name, each.mask) for each in LAYOUTS["arm"].capabilities]


@pytest.mark.parametrize("arch", LAYOUTS)
def test_base(arch):
    base = " ".join(architecture(arch).base)
    assert f"{arch} `{base}`" in TEXT if base else f"{arch} nothing" in TEXT


def test_models():
    listed = [row[:5] for row in ROWS if re.fullmatch(r"\d{4}", row[1] if len(row) > 1 else "")]
    assert listed == [
        [
            f"| `{model.name}`" + ("" if on_x86(model) else f" ({', '.join(model.archs)})"),
            str(model.year),
            model.vendor,
            f"`{model.parent}`" if model.parent else "base" if on_x86(model) else "nothing",
            model.changes or "nothing",
        ]
        for model in MODELS
    ]


def on_x86(model: Model) -> bool:
    return model.archs == ("x86_64", "i386")
