"""Coverage of native code as coverage.py's data, so that its reports work on .c and .S.

Enters: a coverage document. Leaves: a data file of its own, and the rcfile that goes with it.
Never here: reports (coverage.py makes them, with rig.coverage_plugin), the rig's own Python.

A line is recorded as the arc (-1, line). Each way of a conditional jump on line L is an arc
(L, -k), where k comes from the image's digest, the jump's offset and the way: so the arcs of
different builds never meet, and data of several machines merges by `coverage combine`.
"""

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coverage import Coverage, CoverageData

from rig.report.folder import (
    COVERAGE,
    COVERAGE_LCOV,
    COVERAGE_PAGES,
    COVERAGE_XML,
    NATIVE_CONFIG,
    NATIVE_DATA,
)
from rig.report.reach import SUPPORT, WAYS, Document, Image, images, reached

PLUGIN = "rig.coverage_plugin"
TRACER = f"{PLUGIN}.NativePlugin"

Arc = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of a conditional jump, `where` is FUNCTION+OFFSET, `code` its disassembly."""

    file: str
    arc: Arc
    offset: int
    mask: int
    where: str
    code: str


def write_data(path: Path, document: Document) -> None:
    """Writes the data file anew. Each path is a context, `primitive/path|arch|masks`."""
    path.unlink(missing_ok=True)
    data = CoverageData(basename=str(path))
    try:
        data.add_arcs({})  # the file stands there of a run of nothing too
        known = {image.digest: image for image in images(document)}
        jumps = {name: tuple(ways(image)) for name, image in known.items()}
        stated = {name: tuple(_stated(image)) for name, image in known.items()}
        for row in document["paths"]:
            data.set_context(context(row))
            arcs = _arcs(stated[row["image"]], jumps[row["image"]], row)
            data.add_arcs(arcs)
            data.add_file_tracers(dict.fromkeys(arcs, TRACER))
        data.set_context("")
        for image in known.values():  # files of which nothing was executed
            files = {image.shown(file) for file, _ in statements(image)}
            data.touch_files(sorted(files), TRACER)
    finally:
        data.close()


def native_parts(document: Document, folder: str) -> dict[str, bytes]:
    """The data file of a run and its rcfile, by name, for the report folder of that name."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / NATIVE_DATA
        write_data(data, document)
        return {NATIVE_DATA: data.read_bytes(), NATIVE_CONFIG: config(folder).encode()}


def lcov(rcfile: Path, out: Path) -> None:
    """Writes coverage.py's lcov report of the data that an rcfile names."""
    _opened(rcfile).lcov_report(outfile=str(out))


def cobertura(rcfile: Path, out: Path) -> None:
    """Writes coverage.py's XML report of the data that an rcfile names."""
    _opened(rcfile).xml_report(outfile=str(out))


def _opened(rcfile: Path) -> Coverage:
    opened = Coverage(config_file=str(rcfile), messages=False)
    opened.load()
    return opened


def context(path: Document) -> str:
    """The name of a path's context; a variant called directly says so in place of its masks,
    and slots that are not used are left out."""
    slots = [slot.partition("/") for slot in path["variants"]]
    used = [(slot, name) for slot, _, name in slots if name != "-"]
    alone = [name for slot, name in used if slot == path["primitive"]]
    name = alone[0] if alone else ",".join(f"{slot}={name}" for slot, name in used)
    last = ",".join(path["masks"]) if path["kind"] == "mask" else path["kind"]
    return f"{path['primitive']}/{name}|{path['arch']}|{last}"


def config(folder: str) -> str:
    """The rcfile for a report folder, as named from where coverage.py will run."""
    return f"""\
# `coverage report|html|xml|lcov --rcfile=THIS`: native code, apart from any Python.
[run]
branch = true
relative_files = true
data_file = {folder}/{NATIVE_DATA}
plugins = {PLUGIN}
[{PLUGIN}]
documents = {folder}/{COVERAGE}
[html]
directory = {folder}/{COVERAGE_PAGES}
show_contexts = true
title = Native code
[xml]
output = {folder}/{COVERAGE_XML}
[lcov]
output = {folder}/{COVERAGE_LCOV}
"""


def statements(image: Image) -> Iterator[tuple[str, int]]:
    """Each line, in its file, that code was made of; some repeatedly."""
    for function in image.functions:
        for i in function.instructions:
            if i.own and i.file != SUPPORT:
                yield i.file, i.line


def ways(image: Image) -> Iterator[Way]:
    """Both ways of each conditional jump."""
    for function in image.functions:
        for i in function.instructions:
            if i.conditional and i.file != SUPPORT:
                where = f"{function.name}+{i.offset - function.offset:#x}"
                for mask in WAYS:
                    arc = (i.line, -_exit(image, i.offset, mask))
                    yield Way(image.shown(i.file), arc, i.offset, mask, where, i.text)


def _exit(image: Image, offset: int, mask: int) -> int:
    """A number from 2 to 2**31 + 1 for one way of one jump of one build."""
    key = hashlib.sha256(f"{image.digest}:{offset}:{mask}".encode()).digest()
    return 2 + (int.from_bytes(key[:4], "big") >> 1)


def _stated(image: Image) -> Iterator[tuple[int, str, int]]:
    """The offset of each instruction that has a line of its own, the file and the line."""
    for function in image.functions:
        for i in function.instructions:
            if i.own and i.file != SUPPORT:
                yield i.offset, image.shown(i.file), i.line


def _arcs(
    stated: Iterable[tuple[int, str, int]], jumps: Iterable[Way], path: Document
) -> dict[str, set[Arc]]:
    arcs: dict[str, set[Arc]] = {}
    hits = frozenset(path["hits"])
    for file, line in {(file, line) for offset, file, line in stated if offset in hits}:
        arcs.setdefault(file, set()).add((-1, line))
    gone: Mapping[int, int] = dict(path["branches"])
    for way in jumps:
        if gone.get(way.offset, 0) & way.mask:
            arcs.setdefault(way.file, set()).add(way.arc)
    return arcs


@dataclass(frozen=True, slots=True)
class NativeFile:
    """One file in every build that it is part of. `ways` holds those that were recorded;
    `functions` the lines that belong to one function only."""

    text: str
    lines: frozenset[int]
    ways: Mapping[Arc, Way]
    functions: Mapping[str, frozenset[int]]


def native_files(documents: list[dict[str, Any]]) -> dict[str, NativeFile]:
    """The files of several documents by the names that the data file has for them."""
    builds = [(image, document) for document in documents for image in images(document)]
    files: dict[str, list[tuple[Image, Document, str]]] = {}
    for image, document in builds:
        for file in dict.fromkeys(file for file, _ in statements(image)):
            files.setdefault(image.shown(file), []).append((image, document, file))
    return {name: _file(name, parts) for name, parts in files.items()}


def _file(name: str, parts: list[tuple[Image, Document, str]]) -> NativeFile:
    text = max(("\n".join(image.lines.get(file, ())) for image, _, file in parts), key=len)
    recorded = [image for image, d, _ in parts if reached(d, image).ways is not None]
    return NativeFile(
        text=text + "\n",
        lines=frozenset(n for image, _, file in parts for f, n in statements(image) if f == file),
        ways={w.arc: w for image in recorded for w in ways(image) if w.file == name},
        functions=_regions(parts),
    )


def _regions(parts: list[tuple[Image, Document, str]]) -> dict[str, frozenset[int]]:
    """The lines of each function that are of no other function."""
    owners: dict[int, set[str]] = {}
    for image, _, file in parts:
        for function in image.functions:
            for i in function.instructions:
                if i.own and i.file == file:
                    owners.setdefault(i.line, set()).add(re.sub(r"[\s,]", "_", function.name))
    regions: dict[str, set[int]] = {}
    for line, names in owners.items():
        if len(names) == 1:
            regions.setdefault(names.pop(), set()).add(line)
    return {name: frozenset(lines) for name, lines in regions.items()}
