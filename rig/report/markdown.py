"""A run as Markdown, for the summary of a CI job.

Enters: the results document. Leaves: lines. Never here: claims beyond the document.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Document = Mapping[str, Any]


def markdown(document: Document) -> Iterator[str]:
    """Totals, a table of the variants, what failed and what was not run."""
    totals, paths = document["totals"], document["paths"]
    ran = sum(path["verdict"] != "skipped" for path in paths)
    yield "### Variants"
    yield ""
    yield f"{totals['cases']:,} cases on {ran} of {len(paths)} paths, {totals['failed']:,} failed."
    yield ""
    yield "| variant | arch | verdict | instructions | branches |"
    yield "|---|---|---|---:|---:|"
    for variant in document["variants"]:
        yield _variant(variant, paths)
    yield ""
    yield from _rest(document)


def percent(covered: int, total: int) -> str:
    """Rounded down to a tenth, so that 100% means every one."""
    if not total:
        return "-"
    tenths = covered * 1000 // total
    return "100%" if tenths == 1000 else f"{tenths / 10:.1f}%"


def code(text: str) -> str:
    """Text as code that no character of it ends, in a table too."""
    shown = text.replace("\n", " ").replace("|", "\\|")
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _variant(variant: Document, paths: Sequence[Document]) -> str:
    own = [p for p in paths if p["id"] in variant["paths"] and p["arch"] == variant["arch"]]
    verdicts = {path["verdict"] for path in own}
    order = ("fail", "accepted", "pass", "skipped")
    verdict = next((v for v in order if v in verdicts), "skipped")
    coverage = variant["coverage"]
    shares = [_share(coverage.get(name)) for name in ("instructions", "branches")]
    name = code(f"{variant['primitive']}/{variant['variant']}")
    word = "not run" if verdict == "skipped" else verdict
    return f"| {name} | {variant['arch']} | {word} | {' | '.join(shares)} |"


def _share(counts: Document | None) -> str:
    if not counts:
        return "not recorded"
    return f"{percent(counts['covered'], counts['total'])} of {counts['total']:,}"


def _rest(document: Document) -> Iterator[str]:
    for path in document["paths"]:
        if path["verdict"] == "fail":
            checks = [name for name, verdict in path["checks"].items() if verdict == "fail"]
            yield f"- **failed** {code(path['id'])}: {' '.join(checks)}"
        elif path["verdict"] == "skipped":
            yield f"- not run {code(path['id'])}: {code(path['reason']['text'])}"
    for row in document["run"]["absent"]:
        yield f"- not run {row['arch']}: {code(row['reason'])}; {code(row['fix'])}"
    yield ""
