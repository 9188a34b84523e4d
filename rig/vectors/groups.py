"""Groups of numbered tests, the form that Wycheproof and ACVP documents share.

Enters: a JSON document with `testGroups`, each with `tests`, each with a `tcId`. Leaves: the tests
with their groups and places, and problems. Never here: what a field means.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rig.vectors.records import Problem
from rig.vectors.source_file import SourceFile


@dataclass(frozen=True, slots=True)
class Test:
    """One test: path:line of its tcId, its group's members and its own."""

    __test__ = False  # no pytest class

    place: str
    group: Mapping[str, object]
    fields: Mapping[str, object]

    @property
    def name(self) -> str:
        """Its number, as a name."""
        return f"tcId {self.fields.get('tcId', '?')}"


def tests(file: SourceFile, document: Mapping[str, object]) -> Iterator[Test | Problem]:
    """The tests in order; a Problem in place of a group or test of another shape."""
    lines = file.lines_of_key("tcId")
    place = file.place(1)
    for group, test in _pairs(document.get("testGroups")):
        if isinstance(group, dict) and isinstance(test, dict):
            if "tcId" in test:
                place = file.place(next(lines, 1))
            yield Test(place, group, test)
        else:
            yield Problem(place, "here or next: a test group or a test that is no JSON object")


def _pairs(groups: object) -> Iterator[tuple[object, object]]:
    for group in groups if isinstance(groups, list) else [groups]:
        members = group.get("tests") if isinstance(group, dict) else None
        for test in members if isinstance(members, list) else [None]:
            yield group, test
