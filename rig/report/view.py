"""What a page shows of a run, as records: the head, the map, the paths with their gaps.

Enters: results.json, coverage.json and the case files. Leaves: one frozen `View`. Never here:
markup, or a verdict that the documents do not give.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rig.architectures import ARCHITECTURES
from rig.capabilities.bits import CapabilityError
from rig.capabilities.vector import Vector, parse_absolute
from rig.cases import shifted_text
from rig.checks.findings import CHECKS
from rig.report.executed import Share, directions, entered, gaps, instructions, reached_by
from rig.report.marked import Document, Image, ImageView, image_view, images
from rig.report.reach import Function, Reached, variants_of
from rig.report.screen import controls_text, left_out_text, progress_text, races_text

UNUSED = "-"
WORDS: Mapping[str, tuple[str, str]] = {
    "pass": ("\N{CHECK MARK}", "pass"),
    "fail": ("\N{BALLOT X}", "FAIL"),
    "accepted": ("\N{ALMOST EQUAL TO}", "accepted"),
    "skipped": ("\N{WHITE CIRCLE}", "not run"),
}
KINDS: Mapping[str, str] = {"mask": "by mask", "direct": "direct", "forced": "forced"}
_FIXES: Mapping[str, str] = {
    "cpu": "run on a CPU that has them",
    "not-selected": "run without what selects: --primitive, --variant, --checks, -k, -m",
    "no-cases": "give vectors that this path is defined for: --vectors DIR",
    "too-long": "none here; the trace of a case is bounded",
    "no-cfi": "write call frame information (.cfi_startproc ...) for the functions that it names",
    "cut-short": "run to the end",
    "error": "a failure of the rig or its setting, not of the code: see the run's output",
}
_HEX_SHOWN = 64

_Found = tuple[Image, Document] | None  # a path's image and its row of coverage.json
_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something did not run, and what would bring it."""

    code: str
    text: str
    fix: str


@dataclass(frozen=True, slots=True)
class Mask:
    """An absolute mask, and the names of its bits beside the base ones."""

    text: str
    names: str


@dataclass(frozen=True, slots=True)
class CaseView:
    """A failure's file in words."""

    anchor: str
    key: _Key
    title: str
    check: str
    summary: str
    rows: tuple[tuple[str, str], ...]
    replay: str


@dataclass(frozen=True, slots=True)
class FailedPath:
    """The cases that a path left; `anchor` is empty if the path is not in this report."""

    anchor: str
    title: str
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True)
class RanFunction:
    """A function as one path ran it."""

    anchor: str
    name: str
    instructions: Share
    directions: Share | None
    gaps: tuple[str, ...]


_Functions = tuple[RanFunction, ...]
_Shares = tuple[Share | None, Share | None]


@dataclass(frozen=True, slots=True)
class PathView:
    """A path; the shares are None where nothing ran or coverage.json says nothing of it.
    `common` is what it ran of no variant."""

    anchor: str
    number: int
    document: Document
    slots: str
    short: str
    sign: str
    word: str
    kind: str
    reason: Reason | None
    masks: tuple[Mask, ...]
    checks: tuple[tuple[str, str, str], ...]
    cases: tuple[tuple[str, int], ...]
    failures: tuple[CaseView, ...]
    instructions: Share | None
    directions: Share | None
    functions: tuple[RanFunction, ...]
    common: tuple[RanFunction, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """The paths of one primitive on one architecture, or why there are none."""

    arch: str
    paths: tuple[PathView, ...]
    absent: str


@dataclass(frozen=True, slots=True)
class Row:
    """A primitive on the map; `target` is empty where the report has one project only."""

    primitive: str
    target: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The whole page; `alarms` are failures that are on no path, by what they are."""

    title: str
    results: Document
    failed: bool
    sentence: str
    runs: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    proof: tuple[tuple[str, str], ...]
    known: tuple[tuple[str, Document], ...]
    known_sentence: str
    map: tuple[Row, ...]
    paths: tuple[PathView, ...]
    alarms: tuple[tuple[str, tuple[str, ...]], ...]
    failures: tuple[FailedPath, ...]
    skipped: tuple[tuple[Reason, tuple[PathView, ...]], ...]
    images: tuple[ImageView, ...]


def view(results: Document, coverage: Document, cases: Mapping[str, Document]) -> View:
    """The view of a run; `cases` are the files of cases/, by name without the ending."""
    known = images(coverage)
    joined = _join(results["paths"], coverage, known)
    shown = [_case(n, name, document) for n, (name, document) in enumerate(cases.items())]
    paths = tuple(
        _path(n, path, found, [case for case in shown if case.key == _key(path)])
        for n, (path, found) in enumerate(joined)
    )
    return View(
        title=", ".join(dict.fromkeys(path["target"] for path in results["paths"])) or "nothing",
        results=results,
        failed=bool(results["totals"]["failed"] or results["stale"]),
        sentence=_sentence(results),
        runs=tuple(_runs(results)),
        proof=(
            ("controls", controls_text(results["controls"])),
            ("dispatch", _dispatch(results["dispatch"])),
            *(("race", races_text(results["races"])) for _ in results["races"][:1]),
        ),
        known=tuple((_STATES[row["state"]], row) for row in results["known"]),
        known_sentence=_known(results["known"]),
        map=_map(results, paths),
        paths=paths,
        alarms=tuple(_alarms(results)),
        failures=tuple(_failures(paths, shown)),
        skipped=_skipped(paths),
        images=tuple(
            image_view(
                image,
                {n: found[1] for n, (_, found) in enumerate(joined) if found and found[0] is image},
                results["variants"],
            )
            for image in known
        ),
    )


def _join(
    paths: Sequence[Document], coverage: Document, images: Sequence[Image]
) -> list[tuple[Document, _Found]]:
    """Each path with its image and its hits. Two projects may have the same names and paths:
    both documents keep their order. Several emulators share the hits of one path."""
    by_digest = {image.known.digest: image for image in images}
    waiting: dict[_Key, list[tuple[Image, Document]]] = {}
    for row in coverage["paths"]:
        image = by_digest[row["image"]]
        key = (image.known.target, image.known.toolchain, row["id"])
        waiting.setdefault(key, []).append((image, row))
    joined: list[tuple[Document, _Found]] = []
    for path in paths:
        found = waiting.get((path["target"], path["toolchain"], path["id"]), [])
        joined.append((path, found.pop(0) if len(found) > 1 else next(iter(found), None)))
    return joined


def _key(path: Document) -> _Key:
    """What a case file says of its path."""
    slots = tuple(path["variants"].items())
    return path["target"], path["arch"], path["primitive"], path["kind"], slots


def _sentence(results: Document) -> str:
    paths, totals = results["paths"], results["totals"]
    count = {v: sum(p["verdict"] == v for p in paths) for v in WORDS}
    accepted = f"{count['accepted']} accepted, " if count["accepted"] else ""
    return (
        f"{count['pass']} of {len(paths)} paths proven, {count['fail']} failed, {accepted}"
        f"{count['skipped']} not run; {totals['cases'] - totals['carried']:,} cases judged, "
        f"{totals['failed']:,} failed{_carried(paths)}"
    )


def _carried(paths: Sequence[Document]) -> str:
    old = sum(path["carried"] is not None for path in paths)
    return f"; {old} paths are carried over from earlier runs" if old else ""


_STATES = {"new": "✗", "accepted": "≈", "stale": "✗", "not-judged": "○"}


def _known(rows: Sequence[Document]) -> str:
    count = {state: sum(row["state"] == state for row in rows) for state in _STATES}
    return (
        f"{count['new']} new; of the manifest's `accept` {count['accepted']} found again, "
        f"{count['stale']} stale, {count['not-judged']} not judged."
    )


def _runs(results: Document) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Of each run that the report is made of where it came from, empty for a single one, and
    what is known of it."""
    for run in results.get("runs", [results["run"]]):
        yield run.get("from", ""), tuple(_facts(run))


def _facts(run: Document) -> Iterator[tuple[str, str]]:
    host = run["host"]
    yield "arguments", shlex.join(run["command"])
    yield "manifest", ", ".join(run["manifests"])
    yield "rig", f"{run['rig']}, Python {run['python']}"
    yield "toolchain", f"{run['toolchain']}: {run['compiled']} compiled, {run['reused']} reused"
    for prebuilt in run["prebuilt"]:
        yield "prebuilt", f"{prebuilt['path']}, SHA-256 {prebuilt['sha256']}"
    yield "host", f"{host['machine']}, {host['system']} {host['kernel']}"
    for arch, mask in host["capabilities"].items():
        yield f"{arch} CPU", f"{mask} ({_mask(mask, arch).names})"
    yield "seed", f"{run['seed']}; profile {run['profile']}; --cap-matrix {run['cap_matrix']}"
    if run["progress"]:
        yield "deep", progress_text(run["progress"])
    if run["left_out"]:
        yield "left out", left_out_text(run["left_out"])


def _dispatch(rows: Sequence[Document]) -> str:
    tested = [row for row in rows if row["tested"]]
    masks, probes = (sum(row[name] for row in tested) for name in ("masks", "probes"))
    wrong = sum(len(row["mismatches"]) for row in rows)
    text = f"{masks:,} masks asked, {probes:,} undeclared bits flipped, mismatches: {wrong}"
    untested = [row["primitive"] for row in rows if not row["tested"]]
    return f"{text}; not tested: {', '.join(untested)}" if untested else text


def _map(results: Document, paths: Sequence[PathView]) -> tuple[Row, ...]:
    absent = {a["arch"]: f"{a['reason']}; {a['fix']}" for a in results["run"]["absent"]}
    cells: dict[tuple[str, str], dict[str, list[PathView]]] = {}
    for path in paths:
        key = (path.document["target"], path.document["primitive"])
        cells.setdefault(key, {}).setdefault(path.document["arch"], []).append(path)
    several = len({target for target, _ in cells}) > 1
    return tuple(
        Row(
            primitive,
            target if several else "",
            tuple(
                Cell(arch, _paired(found.get(arch, ())), absent.get(arch, "no path"))
                for arch in _archs(results)
            ),
        )
        for (target, primitive), found in cells.items()
    )


def _archs(results: Document) -> tuple[str, ...]:
    """The rig's architectures in its own order, then what else the document names."""
    named = [path["arch"] for path in results["paths"]]
    named += [absent["arch"] for absent in results["run"]["absent"]]
    known = [arch for arch in ARCHITECTURES if arch in named]
    return tuple(dict.fromkeys((*known, *named)))


def _paired(paths: Sequence[PathView]) -> tuple[PathView, ...]:
    """The kinds of a path beside each other."""
    order = {path.slots: n for n, path in reversed(list(enumerate(paths)))}
    return tuple(sorted(paths, key=lambda path: order[path.slots]))


def _alarms(results: Document) -> Iterator[tuple[str, tuple[str, ...]]]:
    for row in results["dispatch"]:
        if row["mismatches"]:
            title = f"{row['primitive']} {row['arch']}: the dispatcher and the manifest disagree"
            yield title, tuple(row["mismatches"])
    for row in results["races"]:
        if row["findings"]:
            yield (
                f"{row['initialiser']} {row['arch']}: not safe to call at once",
                tuple(row["findings"]),
            )
    if results["stale"]:
        yield "Accepted findings that are found no more", tuple(results["stale"])


def _failures(paths: Sequence[PathView], cases: Sequence[CaseView]) -> Iterator[FailedPath]:
    """In order of paths, then what belongs to none of them."""
    for path in paths:
        if path.failures:
            yield FailedPath(path.anchor, path.failures[0].title, path.failures)
    known = {case.anchor for path in paths for case in path.failures}
    for case in cases:
        if case.anchor not in known:
            yield FailedPath("", case.title, (case,))


def _skipped(paths: Sequence[PathView]) -> tuple[tuple[Reason, tuple[PathView, ...]], ...]:
    """Paths that did not run, or not as a whole, by reason."""
    found: dict[Reason, list[PathView]] = {}
    for path in paths:
        if path.reason:
            found.setdefault(path.reason, []).append(path)
    return tuple((reason, tuple(named)) for reason, named in found.items())


def _path(n: int, path: Document, found: _Found, failures: Sequence[CaseView]) -> PathView:
    ran = found if path["verdict"] != "skipped" else None
    own, common, shares = _ran(*ran) if ran else ((), (), (None, None))
    used = {slot: name for slot, name in path["variants"].items() if name != UNUSED}
    slots = ", ".join(f"{slot}={name}" for slot, name in used.items())
    return PathView(
        anchor=f"p{n}",
        number=n,
        document=path,
        slots=slots,
        short=used[path["primitive"]] if list(used) == [path["primitive"]] else slots,
        sign=WORDS[path["verdict"]][0],
        word=WORDS[path["verdict"]][1],
        kind=KINDS[path["kind"]],
        reason=_reason(path["reason"]),
        masks=tuple(_mask(mask, path["arch"]) for mask in path["masks"]),
        checks=tuple((c, v, CHECKS.get(c, "")) for c, v in path["checks"].items()),
        cases=tuple(sorted(path["cases"].items())),
        failures=tuple(failures),
        instructions=shares[0],
        directions=shares[1],
        functions=own,
        common=common,
    )


def _ran(image: Image, row: Document) -> tuple[_Functions, _Functions, _Shares]:
    """The functions of the path's variants, what it ran of no variant, without gaps, and the
    shares of the former; code of two names counts once."""
    seen, variants = reached_by([row], image.recorded), variants_of(row)
    own = {n: f for n, f in image.functions.items() if variants.intersection(f.variants)}
    common = {n: f for n, f in image.common.items() if entered(f, seen)}
    return (
        tuple(_ran_function(n, f, seen, gaps(f, seen)) for n, f in own.items()),
        tuple(_ran_function(n, f, seen, ()) for n, f in common.items()),
        (instructions(own.values(), seen), directions(own.values(), seen)),
    )


def _ran_function(n: int, function: Function, seen: Reached, gaps: tuple[str, ...]) -> RanFunction:
    executed, gone = instructions([function], seen), directions([function], seen)
    return RanFunction(f"f{n}", function.name, executed, gone, gaps)


def _reason(reason: Document | None) -> Reason | None:
    if reason is None:
        return None
    return Reason(reason["code"], reason["text"], _FIXES.get(reason["code"], ""))


def _mask(text: str, arch: str) -> Mask:
    """A mask with names; one of an architecture that this version lacks stays a number."""
    try:
        over = parse_absolute(text, arch) - Vector.base(arch)
    except CapabilityError:
        return Mask(text, "")
    names = [*over.names]
    if over - Vector.of(arch, names) != Vector.empty(arch):
        names.append("bits without a name")
    return Mask(text, " ".join(names) or "the base only")


def _case(n: int, name: str, document: Document) -> CaseView:
    path, finding = document["path"], document["finding"]
    slots = tuple(path["slots"].items())
    target = PurePath(document["manifest"]).parent.name
    used = ", ".join(f"{slot}={variant}" for slot, variant in slots if variant != UNUSED)
    return CaseView(
        anchor=f"c{n}",
        key=(target, document["arch"], path["primitive"], path["kind"], slots),
        title=f"{path['primitive']} {document['arch']} {used} ({KINDS[path['kind']]})",
        check=finding["check"],
        summary=finding["summary"],
        rows=tuple(_case_rows(document)),
        replay=f"rig replay {shlex.quote(f'cases/{name}.json')}",
    )


def _case_rows(document: Document) -> Iterator[tuple[str, str]]:
    case = document["case"]
    expected, placement = case["expected"], case["placement"]
    yield "case", f"{case['name']}: {case['operation']}"
    for name, value in case["inputs"].items():
        yield name, _value(value)
    for name, value in expected["outputs"].items():
        yield f"expected {name}", _value(value)
    if expected["refused"]:
        yield "expected", "to be refused"
    side = str(placement["side"]).lower()
    shift = placement.get("shift", 0)
    in_place = ", in place" if placement["in_place"] else shifted_text(shift)
    null = ", NULL for 0 bytes" if placement.get("null") else ""
    yield "placement", f"guard page at {side}{in_place}{null}"
    if masks := placement.get("masks"):
        yield "masks in turn", ", ".join(masks)
    mask = _mask(document["path"]["mask"], document["arch"])
    yield "mask", f"{mask.text} ({mask.names})" if mask.names else mask.text
    yield "seeds", ", ".join(str(seed) for seed in document["seeds"])


def _value(value: object) -> str:
    """A number, or bytes in hex, shortened; the case file has them whole."""
    if not isinstance(value, str):
        return str(value)
    size = f"{len(value) // 2} bytes"
    rest = "..." if len(value) > _HEX_SHOWN else ""
    return f"{size}: {value[:_HEX_SHOWN]}{rest}" if value else size
