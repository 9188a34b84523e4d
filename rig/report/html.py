"""index.html: the run as one self-contained page.

Enters: results.json, coverage.json and the case files. Leaves: one string; it loads nothing from
anywhere, can be read without its script, and shows every text of the documents as text. Never
here: what the page says (`view`), or how it looks (`page/`).
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rig.report.speed import LABELS, WIDTH, charts
from rig.report.view import View, view

PAGE = Path(__file__).parent / "page"


def html(
    results: Mapping[str, Any],
    coverage: Mapping[str, Any],
    cases: Mapping[str, Mapping[str, Any]],
    bench: Mapping[str, Any] | None = None,
) -> str:
    """The page; `cases` are the documents of cases/, by file name without `.json`, `bench` is that
    of `rig bench --json` where there is one."""
    seen = view(results, coverage, cases)
    script = (PAGE / "page.js").read_text(encoding="utf-8")
    page = _environment().get_template("page.html")
    return page.render(
        view=seen,
        bench=bench,
        charts=charts(bench),
        chart_width=WIDTH,
        chart_labels=LABELS,
        style=Markup((PAGE / "page.css").read_text(encoding="utf-8")),
        script=Markup(script),
        script_hash=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        hits=as_script_data(_hits(seen)),
    )


def visible(value: Any) -> Any:
    """A text with every character that would not show, or would show others elsewhere (controls,
    direction marks, lone surrogates), as its number; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in value)


def as_script_data(value: Any) -> Markup:
    """JSON that cannot end the element that it stands in."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _hits(view: View) -> list[dict[str, Any]]:
    """What the script needs to show the code as one path ran it; path -1 is all together."""
    return [
        {
            "at": function.anchor,
            "jumps": function.jumps,
            "recorded": image.recorded,
            "lines": function.lines,
            "sets": function.sets,
            "by": function.by,
        }
        for image in view.images
        for group in (*image.groups, image.common)
        for function in group.functions
    ]
