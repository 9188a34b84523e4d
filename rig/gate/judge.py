"""What a run breaks of its project's rules, thresholds and baseline.

Enters: a measured run, rules, a baseline. Leaves: a `Judgement` per project: breaches with file
and line, and notes of what could not be judged here. Never here: printing, exit codes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rig.errors import RigError
from rig.gate.baseline import BASELINE_FILE, Baseline, Known, lost, read_baseline
from rig.gate.measured import UNAVAILABLE, Measured, Scope, scopes
from rig.gate.rules import ALL_PATHS_RUN, EVERY, GATE_FILE, NO_NEW_SKIPS, Rules, read_rules
from rig.report.reach import NOT_EXECUTED, Count, Gap, Image, allowed

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, from the folder that the run began in; what is wrong there."""

    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Breach:
    """`subject` is a variant, a path or an entry; `places` begin with the first lost line."""

    rule: str
    subject: str
    text: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """One project; `baseline` is None where there is no file."""

    scope: Scope
    rules: Rules
    baseline_path: Path
    baseline: Baseline | None
    breaches: tuple[Breach, ...]
    notes: tuple[str, ...]


def judge(
    results: Document, coverage: Document, baseline: Path | None = None
) -> tuple[Judgement, ...]:
    """Judges every project of a run; RigError where there is nothing to judge by."""
    found = scopes(results, coverage)
    if baseline and len(found) > 1:
        names = ", ".join(scope.target for scope in found)
        raise RigError(f"--baseline {baseline}: the results are of several projects: {names}")
    return tuple(_judge(scope, baseline) for scope in found)


def _judge(scope: Scope, named: Path | None) -> Judgement:
    file, path = scope.root / GATE_FILE, named or scope.root / BASELINE_FILE
    rules = read_rules(file) if file.is_file() else None
    baseline = read_baseline(path)
    chosen = rules or Rules()
    asked = bool(rules or baseline)
    breaches = tuple(_breaches(scope, chosen, file, baseline, path)) if asked else ()
    notes = tuple(_notes(scope, chosen, baseline))
    return Judgement(scope, chosen, path, baseline, breaches, notes)


def check_asked(judgement: Judgement) -> None:
    """RigError where nothing says what to judge by, or a rule has no baseline to compare with."""
    root, path = judgement.scope.root, judgement.baseline_path
    if judgement.baseline is not None:
        return
    if NO_NEW_SKIPS in judgement.rules.rules:
        raise RigError(f"{root / GATE_FILE}: `{NO_NEW_SKIPS}` needs {path}; make it with --update")
    if not (root / GATE_FILE).is_file():
        raise RigError(
            f"{root}: neither {GATE_FILE} nor {path.name} is there, so nothing can fail; make a "
            f"baseline with `rig gate RESULTS --update`"
        )


def _breaches(
    scope: Scope, rules: Rules, file: Path, baseline: Baseline | None, path: Path
) -> Iterator[Breach]:
    yield from failures(scope)
    yield from _required(scope, rules)
    if ALL_PATHS_RUN in rules.rules:
        yield from (_skipped(ALL_PATHS_RUN, row) for row in _not_run(scope))
    yield from _below(scope, rules, file)
    yield from _stale(scope)
    if baseline is not None:
        yield from _against(scope, rules, baseline, path)


def failures(scope: Scope) -> Iterator[Breach]:
    """What failed by itself: no baseline is made of such a run."""
    for row in scope.paths:
        if row["verdict"] == "fail":
            checks = [name for name, verdict in row["checks"].items() if verdict == "fail"]
            text = f"{row['failed']} cases failed: {' '.join(checks) or 'the rig itself'}"
            yield Breach("verdict", row["id"], text)
    for row in scope.dispatch:
        if row["mismatches"]:
            subject = f"{row['primitive']}/{row['arch']}/dispatch"
            yield Breach("verdict", subject, "; ".join(row["mismatches"]))
    for row in scope.races:
        if row["findings"]:
            subject = f"{row['target']}/{row['arch']}/race"
            yield Breach("verdict", subject, "; ".join(row["findings"]))


def _skipped(rule: str, row: Document) -> Breach:
    return Breach(rule, row["id"], f"not run: {row['reason']['text']}")


def _not_run(scope: Scope) -> Iterator[Document]:
    """The paths that this machine could have run."""
    for row in scope.paths:
        if row["verdict"] == "skipped" and row["reason"]["code"] not in UNAVAILABLE:
            yield row


def _required(scope: Scope, rules: Rules) -> Iterator[Breach]:
    ran = {row["arch"] for row in scope.paths if row["verdict"] != "skipped"}
    for arch in rules.archs:
        if arch not in ran:
            why = scope.absent.get(arch, "no path of it is in these results")
            yield Breach("require", arch, f"not run: {why}")
    for pattern in rules.paths:
        rows = [row for row in scope.paths if fnmatchcase(row["id"], pattern)]
        if not rows:
            yield Breach("require", pattern, "no path of these results has such an id")
        yield from (_skipped("require", row) for row in rows if row["verdict"] == "skipped")


def _below(scope: Scope, rules: Rules, file: Path) -> Iterator[Breach]:
    for measured in scope.variants:
        threshold = rules.threshold(measured.variant)
        if threshold is None or measured.unavailable:
            continue
        asked = Place(str(file), threshold.line, "the threshold")
        named = [g for g in measured.gaps if g.what == NOT_EXECUTED]
        least, count = threshold.instructions, measured.instructions
        if least is not None and not _holds(count, least):
            yield _short(measured, "instructions", count, least, [*_places(measured, named), asked])
        if threshold.branches is not None:
            yield from _branches_below(measured, threshold.branches, asked)
    yield from _unknown_names(scope, rules, file)


def _branches_below(measured: Measured, least: float, asked: Place) -> Iterator[Breach]:
    jumps = any(i.conditional for f in measured.image.of(measured.variant) for i in f.instructions)
    if measured.branches is None:
        if jumps:
            yield Breach("threshold", measured.name, "branches were not recorded", (asked,))
    elif not _holds(measured.branches, least):
        named = [g for g in measured.gaps if g.what != NOT_EXECUTED]
        places = [*_places(measured, named), asked]
        yield _short(measured, "branch directions", measured.branches, least, places)


def _holds(count: Count, percent: float) -> bool:
    return count.covered * 100 >= percent * count.total


def _short(
    measured: Measured, what: str, count: Count, least: float, places: Iterable[Place]
) -> Breach:
    why = "; it did not run" if measured.reasons else ""
    text = f"{count.covered} of {count.total} {what}, {least:g}% wanted{why}"
    return Breach("threshold", measured.name, text, tuple(places))


def _places(measured: Measured, gaps: Iterable[Gap]) -> Iterator[Place]:
    for gap in gaps:
        count = f"{gap.count} instructions" if gap.count > 1 else "1 instruction"
        jump = f"{gap.symbol}: a jump's way `{gap.what}` was not seen"
        text = f"{gap.symbol}: {count} not executed" if gap.what == NOT_EXECUTED else jump
        yield Place(measured.image.shown(gap.file), gap.line, text)


def _unknown_names(scope: Scope, rules: Rules, file: Path) -> Iterator[Breach]:
    """Thresholds of nothing, where every architecture is there to tell."""
    known = {m.variant for m in scope.variants}
    known |= {f"{name.partition('/')[0]}/{EVERY}" for name in known} | {EVERY}
    for name, threshold in rules.thresholds.items():
        if name not in known and scope.wanted <= scope.archs:
            place = Place(str(file), threshold.line)
            yield Breach("threshold", name, "no variant has this name", (place,))


def _stale(scope: Scope) -> Iterator[Breach]:
    """Entries of `accept`, which the run has judged, and of `allow`."""
    for text in scope.stale:
        stands, _, why = text.partition(": ")
        file, _, line = stands.rpartition(":")
        named = Place(str(scope.root / Path(file).name), int(line))
        yield Breach("stale", "accept", why, (named,))
    for entry in _entries(scope):
        why = _why_stale(scope, entry)
        if why:
            file, _, line = entry["place"].rpartition(":")
            place = Place(str(scope.root / file), int(line))
            subject = f"allow {entry['symbol']}:{_span(entry)}"
            yield Breach("stale", subject, f"{why}; take the entry out", (place,))


def _entries(scope: Scope) -> list[Document]:
    return list({e["place"]: e for image in scope.images for e in image.allow}.values())


def _span(entry: Document) -> str:
    first, last = entry["first"], entry["last"]
    return f"{first}" if first == last else f"{first}-{last}"


def _why_stale(scope: Scope, entry: Document) -> str:
    """Why an entry takes nothing; empty if it takes something, or if that cannot be told."""
    owners = [i for i in scope.images if any(f.name == entry["symbol"] for f in i.functions)]
    if not owners:
        return "there is no such function" if scope.wanted <= scope.archs else ""
    meant = [(image, found) for image in owners if (found := _meant(image, entry))]
    if not meant:
        return "no code stands there"
    return (
        "" if any(_takes(scope, image, entry, jump) for image, jump in meant) else "it is reached"
    )


def _meant(image: Image, entry: Document) -> list[bool]:
    """For each instruction that an entry means whether it is a conditional jump."""
    return [
        i.conditional
        for f in image.functions
        for i in f.instructions
        if allowed(entry, f, i.file, i.line)
    ]


def _takes(scope: Scope, image: Image, entry: Document, jumps: Sequence[bool]) -> bool:
    """Whether an entry takes a gap of an image, or may take one that was not recorded."""
    owners = [f for f in image.functions if f.name == entry["symbol"]]
    gaps = scope.seen[image.digest]
    if any(allowed(entry, f, gap.file, gap.line) for gap in gaps for f in owners):
        return True
    recorded = any(m.branches is not None for m in scope.variants if m.image is image)
    return any(jumps) and not recorded


def _against(scope: Scope, rules: Rules, baseline: Baseline, path: Path) -> Iterator[Breach]:
    for arch, known in baseline.archs.items():
        if arch not in scope.wanted:
            text = "the manifest has no variant for it any more"
            yield Breach("baseline", arch, text, (Place(str(path), baseline.line(arch)),))
        elif arch in scope.archs:
            yield from _lost_paths(scope, arch, known, baseline, path)
            yield from _lost_coverage(scope, arch, known)
            if NO_NEW_SKIPS in rules.rules:
                yield from _new_skips(scope, arch, known)


def _lost_paths(
    scope: Scope, arch: str, known: Known, baseline: Baseline, path: Path
) -> Iterator[Breach]:
    rows = {row["id"]: row for row in scope.paths if row["arch"] == arch}
    ran = {row["id"] for row in scope.paths if row["verdict"] != "skipped"}
    for name in known.paths:
        row = rows.get(name)
        if name in ran or (row and row["reason"]["code"] in UNAVAILABLE):
            continue
        why = f"not run any more: {row['reason']['text']}" if row else "gone: not in these results"
        yield Breach("baseline", name, why, (Place(str(path), baseline.line(name)),))


def _lost_coverage(scope: Scope, arch: str, known: Known) -> Iterator[Breach]:
    for measured in scope.variants:
        if measured.image.arch != arch or measured.unavailable:
            continue
        places = tuple(_places(measured, lost(measured, known)))
        if places:
            yield Breach("baseline", measured.name, "reached less than the baseline", places)
        if known.branches and measured.branches is None and not measured.reasons:
            yield Breach("baseline", measured.name, "branches are not recorded any more")


def _new_skips(scope: Scope, arch: str, known: Known) -> Iterator[Breach]:
    for row in _not_run(scope):
        new = row["id"] not in (*known.skipped, *known.paths)  # a lost path is named already
        if row["arch"] == arch and new:
            yield _skipped(NO_NEW_SKIPS, row)


def _notes(scope: Scope, rules: Rules, baseline: Baseline | None) -> Iterator[str]:
    """What is no breach, and what could not be judged here."""
    for reason, rows in _unavailable(scope).items():
        yield f"not available here ({reason}): {', '.join(rows)}"
    for arch, why in scope.absent.items():
        if arch not in rules.archs:
            yield f"{arch} not run: {why}"
    if baseline is None:
        return
    for arch in sorted(scope.wanted & set(baseline.archs) - scope.archs - set(scope.absent)):
        yield f"{arch} is in the baseline, not in these results"
    for image in scope.images:
        known = baseline.archs.get(image.arch)
        yield from _news(scope, image, known) if known else ()


def _unavailable(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in scope.paths:
        if row["verdict"] == "skipped" and row["reason"]["code"] in UNAVAILABLE:
            found.setdefault(row["reason"]["text"], []).append(row["id"])
    return found


def _news(scope: Scope, image: Image, known: Known) -> Iterator[str]:
    if known.toolchain != image.toolchain:
        yield (
            f"{image.arch} was built by {image.toolchain}, the baseline by {known.toolchain}: of "
            f"lines that it has as not reached, instructions are not compared"
        )
    rows = (r for r in scope.paths if r["arch"] == image.arch and r["verdict"] != "skipped")
    new = [row["id"] for row in rows if row["id"] not in known.paths]
    if new:
        yield f"{len(new)} paths are not in the baseline yet; --update adds them: {', '.join(new)}"
