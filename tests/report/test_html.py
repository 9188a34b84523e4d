"""The page: whole, self-contained, and nothing in the documents is markup."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from rig.report.html import as_script_data, html, visible

GOLD = Path(__file__).parents[1] / "gold" / "report.json"
EVIL = "</script></pre><img src=x onerror=alert(1)>\"'&{{7*7}}{% raw %}\x00\u202e\udc80"
VOID = frozenset(("meta", "br", "img"))
Document = dict[str, Any]


class Page(HTMLParser):
    """What a page holds: elements, their attributes, ids, text; unclosed elements are an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture
def run() -> Document:
    """`results`, `coverage` and `cases` of the small run."""
    return dict(json.loads(GOLD.read_text()))


def _html(run: Document) -> str:
    return html(run["results"], run["coverage"], run["cases"])


def test_every_link_leads_somewhere_on_the_page(run: Document) -> None:
    page = Page(_html(run))
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_nothing_is_loaded(run: Document) -> None:
    text = _html(run)
    assert Page(text).tags.isdisjoint(("link", "img", "iframe", "object", "base", "form"))
    assert re.search(r"url\(|@import|https?:", text) is None


def test_only_the_pages_own_script_may_run(run: Document) -> None:
    text = _html(run)
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'" in text and f"script-src 'sha256-{digest}'" in text
    assert text.count("<script") == 2


def test_what_a_cell_opens(run: Document) -> None:
    text = "".join(Page(_html(run)).text)
    for words in (
        "✗ FAIL",
        "○ not run",
        "≈ accepted",
        "✓ pass",
        "100% instr.",
        "rig replay cases/0a1b-value.json",
        "this CPU lacks pclmul",
        "run on a CPU that has them",
        "+0x3 je +0x8: always taken (plain.c:3)",
        "✗ value fail (should hold: outputs equal",
        "published 2, sweep 10",
        "mask 0x0: chose something else",
        "The file could not be read",
        "Never entered: unused",
    ):
        assert words in text
    assert "+     3 int init(int *p) { if (!p)" in text
    assert re.search(r"\+ \+0x3 +je \+0x8", text)


def test_the_script_has_what_each_path_ran(run: Document) -> None:
    data = re.search(r'id="hits">(.*?)</script>', _html(run))
    assert data is not None
    functions = json.loads(data[1])
    assert functions[0] == {
        "at": "f0",
        "jumps": [1],
        "recorded": True,
        "lines": [0, 3, 2, 1, 2, 1, 0, 4, 1, 0, 5, 1],
        "sets": [[[2, 2, 1], "1"], [[5], "2"], [[5], "3"]],
        "by": {"0": 0, "2": 1, "4": 0, "-1": 2},
    }


def _texts(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every text in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, str):
            yield (*place, key)
        elif isinstance(inner, dict | list):
            yield from _texts(inner, (*place, key))


# Texts that name a row of another document or a choice of the rig's own are not free to change.
_KEYS = {"digest", "image", "kind", "verdict", "id", "toolchain", "target", "masks", "side"}
_LINKS = {"state", "variants", "slots", "primitive", "arch", "check", "checks", "code"}


def test_every_free_text_is_shown_as_text(run: Document) -> None:
    tags, attributes = (Page(_html(run)).tags, Page(_html(run)).attributes)
    for place in list(_texts(run)):
        free = _KEYS.isdisjoint(place) and _LINKS.isdisjoint(place[-2:])
        if free and "instructions" not in place[:-2]:
            inner = run
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = f"{inner[place[-1]]}{EVIL}"
    text = _html(run)
    page = Page(text)
    assert (page.tags, page.attributes) == (tags, attributes)
    assert text.count("<img") == 0 and text.count("</script") == 2
    assert "".join(page.text).count("<img src=x onerror=alert(1)>") > 40
    assert "{{7*7}}{% raw %}\\u{0}\\u{202e}\\u{dc80}" in "".join(page.text)
    text.encode()


@pytest.mark.parametrize("key", ["name", "source"])
def test_a_hostile_symbol(run: Document, key: str) -> None:
    for function in run["coverage"]["images"][0]["functions"]:
        function[key] = EVIL
    assert "img" not in Page(_html(run)).tags


def test_a_hostile_instruction_and_case_name(run: Document) -> None:
    for row in run["coverage"]["images"][0]["functions"][0]["instructions"]:
        row[1] = EVIL
    run["cases"] = {EVIL: run["cases"]["0a1b-value"]}
    page = Page(_html(run))
    assert "img" not in page.tags
    replay = "rig replay 'cases/</script></pre><img src=x onerror=alert(1)>\"'\"'\"'&{{7*7}}"
    assert replay in "".join(page.text)


def test_an_empty_run(run: Document) -> None:
    results = run["results"] | {"paths": [], "variants": [], "dispatch": [], "controls": []}
    page = Page(html(results, {"schema": 1, "images": [], "paths": []}, {}))
    assert {"map", "run", "paths", "code"} <= set(page.ids)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a\nb\t", "a\\u{a}b\\u{9}"),
        ("\u202egnp", "\\u{202e}gnp"),
        (7, 7),
    ],
)
def test_visible(value: Any, shown: Any) -> None:
    assert visible(value) == shown


def test_script_data_cannot_end_its_element() -> None:
    data = as_script_data({"a": "</script><!--&\u2028"})
    assert "<" not in data and "&" not in data
    assert json.loads(data) == {"a": "</script><!--&\u2028"}
