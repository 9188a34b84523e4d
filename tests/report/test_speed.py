"""Charts of a bench on the page."""

import json
import re
from typing import Any

import pytest

from rig.report.html import html
from rig.report.speed import LABELS, WIDTH, charts

from .test_html import EVIL, GOLD, Document, Page


def row(rate: float, size: int = 16, path: str = "ghash=ct64", **given: Any) -> Document:
    spread = {"median": rate, "low": rate / 2, "high": rate * 2}
    return {
        "arch": "x86_64",
        "emulator": None,
        "primitive": "ghash",
        "algorithm": "GHASH",
        "action": "",
        "size": size,
        "aad": 0,
        "path": path,
        "library": "",
        "done": size,
        "mb_per_s": spread,
        **given,
    }


def bench(*rows: Document) -> Document:
    return {"run": {"time": "2026-11-30T00:00:00+00:00", "cpu": "a CPU"}, "rows": list(rows)}


def test_a_faster_one_stands_further_to_the_right() -> None:
    (chart,) = charts(bench(row(10), row(1000, path="ghash=avx2"), row(100, size=8192)))
    ((slow, fast),) = [panel.lines for panel in chart.panels]
    assert (slow.label, fast.label) == ("ct64", "avx2")
    assert [mark.kind for mark in slow.marks] == [0, 1]
    assert LABELS < slow.marks[0].x < slow.marks[1].x < fast.marks[0].x < WIDTH
    for mark in (*slow.marks, *fast.marks):
        assert mark.low < mark.x < mark.high
    assert slow.y < fast.y < chart.height
    assert chart.sizes == ((0, "16 B"), (1, "8192 B"))
    assert [text for _, text in chart.ticks] == ["1", "10", "100", "1000", "10000"]
    assert slow.marks[0].text == "ct64, 16 B: 10 MB/s (5 to 20)"


def test_one_for_each_primitive_and_architecture() -> None:
    rows = (row(1), row(2, arch="arm", emulator="qemu-arm"), row(3, primitive="aes"))
    assert [chart.title for chart in charts(bench(*rows, row(4, primitive="x", done=0)))] == [
        "ghash x86_64",
        "ghash arm under qemu-arm",
        "aes x86_64",
    ]
    assert charts(None) == charts(bench()) == ()


def test_a_library_stands_below_its_path() -> None:
    (chart,) = charts(bench(row(1), row(2, library="OpenSSL 0.0")))
    assert [line.label for line in chart.panels[0].lines] == ["ct64", "OpenSSL 0.0"]


@pytest.fixture
def run() -> Document:
    return dict(json.loads(GOLD.read_text()))


def page(run: Document, document: Document | None) -> tuple[str, Page]:
    text = html(run["results"], run["coverage"], run["cases"], document)
    return text, Page(text)


def test_the_page_has_them_and_without_a_bench_nothing(run: Document) -> None:
    text, with_charts = page(run, bench(*(row(10.0**n, 16 << n) for n in range(1, 7))))
    assert "speed" in with_charts.ids and "#speed" in with_charts.links
    assert text.count('<svg class="speed" role="img"') == 1
    assert len(re.findall(r'class="k\d"', text)) == 2 * 6  # in the legend and in the chart
    _, without = page(run, None)
    assert "speed" not in without.ids and "svg" not in without.tags


def test_nothing_in_the_document_is_markup(run: Document) -> None:
    text, found = page(run, bench(row(5, algorithm=EVIL, library=EVIL, path=f"ghash={EVIL}")))
    assert "<img" not in text and "onerror" not in found.attributes
