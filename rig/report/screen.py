"""The last screen, at 80 columns.

Enters: the results document. Leaves: lines of text. Never here: colour, or claims beyond the
document.
"""

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rig.report.unreached import unreached
from rig.vectors.published import Package

WIDTH = 80
_LABEL = 10
_NAME = 22
_NAMED = 6

Document = Mapping[str, Any]


def screen(
    document: Document,
    seconds: float,
    build_seconds: float,
    packages: Sequence[Package],
    covered: Document | None = None,
) -> Iterator[str]:
    """The lines of the last screen; `covered` is the coverage document of the same run."""
    run, paths = document["run"], document["paths"]
    built = f"{run['compiled']} objects compiled, {run['reused']} reused ({build_seconds:.1f} s)"
    if not run["compiled"]:
        built = f"nothing compiled, {run['reused']} objects reused ({build_seconds:.1f} s)"
    yield from _line("built", f"{built}, {run['toolchain']}")
    for item in run["prebuilt"]:
        yield from _line("prebuilt", f"{item['path']} sha256 {item['sha256']}")
    yield from _line("controls", controls_text(document["controls"]))
    yield from _line("masks", _masks(document["dispatch"]))
    if document["races"]:
        yield from _line("race", races_text(document["races"]))
    yield from _line("paths", _paths(paths))
    totals = document["totals"]
    yield from _line(
        "cases",
        f"{totals['cases'] - totals['carried']:,} judged in {seconds:.1f} s, two seeds of garbage "
        f"each, {totals['failed']:,} failed{_abandoned(paths)}",
    )
    yield from _carried(paths)
    yield from _known(document["known"])
    yield ""
    yield from _primitives(document)
    yield ""
    yield from _not_run(document, packages)
    if run["progress"]:
        yield from _line("deep", progress_text(run["progress"]))
    if run["left_out"]:
        yield from _line("left out", left_out_text(run["left_out"]))
    for line in document["stale"]:
        yield from _line("stale", line)
    yield from _next(document, covered)


def _line(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=label.ljust(_LABEL) + " ",
        subsequent_indent=" " * (_LABEL + 1),
        break_long_words=False,
        break_on_hyphens=False,
    )


def controls_text(controls: Sequence[Document]) -> str:
    """How many planted faults were caught, and how the clean twins did."""
    if not controls:
        return "none ran"
    planted = [control for control in controls if control["expected"]]
    caught = sum(control["held"] for control in planted)
    clean = [control["held"] for control in controls if not control["expected"]]
    many = f"the {len(clean)} clean twins " + ("pass" if all(clean) else "FAIL")
    one = "the clean twin " + ("passes" if all(clean) else "FAILS")
    twins = one if len(clean) == 1 else many
    return f"{caught} of {len(planted)} planted faults caught, {twins}"


def _carried(paths: Sequence[Document]) -> Iterator[str]:
    """Which verdicts are of earlier runs."""
    old = [path for path in paths if path["carried"]]
    if old:
        cases = sum(n for path in old for n in path["cases"].values())
        dates = sorted({path["carried"][:16].replace("T", " ") for path in old})
        when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
        text = f"{len(old)} of {len(paths)} paths over from {when} UTC: code, contract, oracle and "
        yield from _line("carried", f"{text}inputs are the same; {cases:,} cases judged then")


def _known(rows: Sequence[Document]) -> Iterator[str]:
    """Where a project stands with its findings, if it has or needs an `accept`."""
    count = Counter(row["state"] for row in rows)
    if rows:
        left = f", {count['not-judged']} not judged" if count["not-judged"] else ""
        new = f"; accept.toml in the report has {'its' if count['new'] == 1 else 'their'} `accept`"
        text = f"{count['new']} new, {count['accepted']} accepted, {count['stale']} stale{left}"
        yield from _line("findings", text + (new if count["new"] else ""))


def _abandoned(paths: Sequence[Document]) -> str:
    """Cases that got no verdict, since crashes or a timeout ended their batch."""
    count = sum(path["abandoned"] for path in paths)
    return f", {count:,} without a verdict after a crash or timeout" if count else ""


def _masks(dispatch: Sequence[Document]) -> str:
    tested = [row for row in dispatch if row["tested"]]
    mismatches = sum(len(row["mismatches"]) for row in dispatch)
    asked = sum(row["masks"] for row in tested)
    probes = sum(row["probes"] for row in tested)
    found = f"{mismatches} mismatch{'es' * (mismatches != 1)}"
    text = f"{asked:,} asked, {probes:,} undeclared bits flipped, {found}"
    untested = [row["primitive"] for row in dispatch if not row["tested"]]
    return text if not untested else f"{text}; dispatch not tested: {' '.join(untested)}"


def _paths(paths: Sequence[Document]) -> str:
    count = {v: sum(p["verdict"] == v for p in paths) for v in _SIGNS}
    kinds = {k: sum(p["kind"] == k for p in paths) for k in ("mask", "direct", "forced")}
    words = {"mask": "by mask", "direct": "direct", "forced": "forced"}
    made = " + ".join(f"{n} {words[k]}" for k, n in kinds.items() if n)
    accepted = f"{count['accepted']} accepted, " if count["accepted"] else ""
    return (
        f"{made or 'none'}: {count['pass']} proven, {accepted}{count['fail']} failed, "
        f"{count['skipped']} not run"
    )


def _primitives(document: Document) -> Iterator[str]:
    """A block for each architecture, headed by its name where there are several."""
    yield f"{'primitive':{_NAME}} verdict and instructions executed, per variant or path"
    archs = dict.fromkeys(path["arch"] for path in document["paths"])
    for arch in archs:
        paths = [path for path in document["paths"] if path["arch"] == arch]
        if len(archs) > 1:
            behind = paths[0]["emulator"]
            yield from textwrap.wrap(f"{arch}, {behind}:" if behind else f"{arch}:", WIDTH)
        variants = [v for v in document["variants"] if v["arch"] == arch and v["paths"]]
        yield from _block(paths, variants)


def _block(paths: Sequence[Document], variants: Sequence[Document]) -> Iterator[str]:
    for name in dict.fromkeys(path["primitive"] for path in paths):
        own = [path for path in paths if path["primitive"] == name]
        entries = [_variant(v, own) for v in variants if v["primitive"] == name]
        yield from _entries(name, entries or _composition(own))


def _entries(name: str, entries: Sequence[str]) -> list[str]:
    lines, line = [], name.ljust(_NAME)
    for entry in entries:
        if len(line) + 1 + len(entry) > WIDTH:
            lines.append(line.rstrip())
            line = " " * _NAME
        line += f" {entry:18}"
    return [*lines, line.rstrip()]


_SIGNS = {"pass": "ok", "fail": "FAIL", "skipped": "not run", "accepted": "accepted"}


def _variant(variant: Document, paths: Sequence[Document]) -> str:
    """`paths` are those of the variant's own primitive."""
    sign = _SIGNS[_worst([path for path in paths if path["id"] in variant["paths"]])]
    percent = "" if sign == "not run" else f" {_percent(variant['coverage']['instructions'])}"
    return f"{variant['variant']} {sign}{percent}"


def _worst(paths: Sequence[Document]) -> str:
    verdicts = {path["verdict"] for path in paths}
    return next((v for v in ("fail", "accepted", "pass", "skipped") if v in verdicts), "skipped")


def _percent(counts: Mapping[str, int]) -> str:
    """Rounded down to a tenth, so that 100% means every instruction."""
    if not counts["total"]:
        return "-"
    tenths = counts["covered"] * 1000 // counts["total"]
    return "100%" if tenths == 1000 else f"{tenths / 10:.1f}%"


def _composition(paths: Sequence[Document]) -> list[str]:
    proven = sum(p["verdict"] == "pass" for p in paths)
    failed = [f"FAIL {p['path']}" for p in paths if p["verdict"] == "fail"]
    return [f"{proven} of {len(paths)} paths ok", *failed]


def _not_run(document: Document, packages: Sequence[Package]) -> Iterator[str]:
    label = "not run"
    for reason, paths in _reasons(document).items():
        yield from _line(label, f"{reason}: {_named(paths)}")
        label = ""
    codes = {path["reason"]["code"] for path in document["paths"] if path["verdict"] == "skipped"}
    if "cpu" in codes:
        yield from _line("", "`rig run` on a CPU that has it, then `rig report HERE THERE`")
    primitives = {path["primitive"] for path in document["paths"]}
    for package in packages:
        if not package.present and primitives.intersection(package.primitives):
            yield from _line(label, f"{package.holds}: {package.install}")
            label = ""
    for absent in document["run"]["absent"]:
        yield from _line(label, f"{absent['arch']}: {absent['reason']}; {absent['fix']}")
        label = ""


def races_text(races: Sequence[Document]) -> str:
    """What became of the initialisers of capability vectors."""
    judged = [row for row in races if not row["reason"]]
    schedules, wrong = (sum(row["schedules"] for row in judged), sum(map(_wrong, judged)))
    parts = [f"{schedules:,} schedules of two first calls, {wrong} wrong"] if judged else []
    for said in dict.fromkeys(map(_unsaid, races)):
        archs = " ".join(row["arch"] for row in races if _unsaid(row) == said)
        if said:
            parts.append(f"{said[0]} on {archs}: {said[1]}")
    return "; ".join(parts)


def _unsaid(race: Document) -> tuple[str, str] | None:
    """Why an initialiser has no verdict: it was not judged, or what was found is accepted."""
    word = "accepted" if race.get("accepted") else "not judged"
    return (word, race["reason"]) if race["reason"] else None


def _wrong(race: Document) -> int:
    return len(race["findings"])


def progress_text(progress: Document) -> str:
    """How far a deep run has come, and what its estimate of the rest comes from."""
    taken = f"{progress['judged']:,} items judged"
    if progress["since"]:
        since = progress["since"][:16].replace("T", " ")
        taken += f", {progress['resumed']:,} results of sessions since {since} UTC taken over"
    if progress["whole"]:
        return f"{taken}; the round is whole, the next deep run begins anew"
    if not progress["left"]:
        return f"{taken}; the next deep run goes on with what was not selected or broke"
    text = f"{taken}; {progress['left']:,} items left, {_estimate(progress)}"
    return f"{text}; `rig run --profile deep` goes on"


def _estimate(progress: Document) -> str:
    if progress["seconds"] is None:
        return "nothing like some of them ever ran, so no estimate"
    guessed = progress["guessed"]
    by = "the time that each took last"
    if guessed:
        by = f"the mean of their kind for {guessed:,}" + (
            f", {by} for the others" if guessed < progress["left"] else ""
        )
    return f"about {_duration(progress['seconds'])} on {progress['jobs']} processes by {by}"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def left_out_text(rows: Sequence[Document]) -> str:
    """What a run left out, by the option that did it; where a profile did, how much it took."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        groups.setdefault(row["by"], []).append(_left(row))
    texts = (f"{', '.join(dict.fromkeys(names))} ({by})" for by, names in groups.items())
    return "; ".join(texts)


def _left(row: Document) -> str:
    if row["kind"] == "masks":
        return "masks of CPU models"
    if not row["taken"]:
        return str(row["name"])
    of = f" of {row['of']:,}" if row["of"] > 0 else ""
    return f"{row['name']} beyond {row['taken']:,}{of} {row['unit']}"


def _reasons(document: Document) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for path in document["paths"]:
        if path["verdict"] == "skipped":
            found.setdefault(path["reason"]["text"], []).append(path)
    return found


def _named(paths: Sequence[Document]) -> str:
    """The paths by their slots, or how many each primitive has where that fills the screen."""
    names = dict.fromkeys(path["path"] for path in paths)
    if len(names) <= _NAMED:
        return ", ".join(names)
    counts = Counter(path["primitive"] for path in paths)
    return ", ".join(f"{primitive} {count} paths" for primitive, count in counts.items())


def _next(document: Document, covered: Document | None) -> Iterator[str]:
    failed = [p for p in document["paths"] if p["verdict"] == "fail"]
    if failed:
        yield from _line("next", "the failures above, each with its replay line")
        return
    gaps = [
        v
        for v in document["variants"]
        if 0 < v["coverage"]["instructions"]["covered"] < v["coverage"]["instructions"]["total"]
    ]
    if gaps:
        least = min(gaps, key=lambda v: _share(v["coverage"]["instructions"]))
        name = f"{least['primitive']}/{least['variant']}"
        missing = least["coverage"]["instructions"]
        count = missing["total"] - missing["covered"]
        arch = least["arch"]
        first = unreached(covered, name, arch)[:1] if covered else ()
        place = "".join(f", first at {block.place}" for block in first)
        option = f" --arch {arch}" if arch != document["run"]["host"]["machine"] else ""
        text = f"rig coverage {name}{option}: {count} instructions were never executed{place}"
        yield from _line("next", text)


def _share(counts: Mapping[str, int]) -> float:
    return counts["covered"] / counts["total"]
