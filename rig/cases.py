"""What is run: a case is values (what the oracle sees) and placement (what it does not).

Enters: nothing. Leaves: frozen records and their JSON form, which replays anywhere. Never
here: judging, or the bytes that the runner reads.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rig.runner.scripts import Side

Inputs = Mapping[str, bytes | int]
Outputs = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Values:
    """An operation of a primitive on inputs; the names are those in `rig.primitives`."""

    primitive: str
    operation: str
    inputs: Inputs

    def key(self) -> bytes:
        """What identifies the values in a cache: bytes that no other values have."""
        parts = [f"{self.primitive}/{self.operation}".encode()]
        for name, value in sorted(self.inputs.items()):
            text = b"=%d:%s" % (len(value), value) if isinstance(value, bytes) else b"#%d" % value
            parts.append(name.encode() + text)
        return b";".join(parts)


@dataclass(frozen=True, slots=True)
class Placement:
    """`side` is the guard page that every buffer touches in the run with the first seed (the
    second has the other one); `skews` moves buffers, by argument name, off their guard page, by
    whole alignments of theirs; `in_place` lets an output share its input's memory where the
    contract allows it; with `null` pointers to no bytes are NULL where the contract allows that.
    With `shift` the output stands so many bytes behind its input's beginning, below 0 before it,
    in one memory, where the contract says what becomes of that. `masks`, absolute, are put in
    force in turn, one before each call but the first."""

    side: Side = Side.END
    skews: Mapping[str, int] = field(default_factory=dict)
    in_place: bool = False
    null: bool = False
    shift: int = 0
    masks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `expected` None asks the oracle; published vectors bring their own answer,
    `refused` among it."""

    name: str
    values: Values
    placement: Placement = Placement()
    expected: "Answer | None" = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What must come out: outputs by name, or a refusal."""

    outputs: Outputs
    refused: bool = False


def case_id(values: Values, placement: Placement) -> str:
    """Twelve hex digits that name a case in reports and files."""
    text = f"{placement.side:d}{sorted(placement.skews.items())}{placement.in_place}"
    text += "null" if placement.null else ""
    text += f"shift {placement.shift}" if placement.shift else ""
    text += "".join(placement.masks)
    return hashlib.sha256(values.key() + text.encode()).hexdigest()[:12]


def shifted_text(shift: int) -> str:
    """Where an output stands, for a reader: nothing for one in memory of its own."""
    if not shift:
        return ""
    count = f"{abs(shift)} byte{'s' * (abs(shift) != 1)}"
    return f", output {count} {'before' if shift < 0 else 'behind'} its input"


def to_json(case: Case) -> dict[str, Any]:
    """The case as JSON: bytes in hex, numbers as numbers."""
    inputs = {n: v.hex() if isinstance(v, bytes) else v for n, v in case.values.inputs.items()}
    document: dict[str, Any] = {
        "name": case.name,
        "primitive": case.values.primitive,
        "operation": case.values.operation,
        "inputs": inputs,
        "placement": {
            "side": case.placement.side.name.lower(),
            "skews": dict(case.placement.skews),
            "in_place": case.placement.in_place,
            "null": case.placement.null,
            "shift": case.placement.shift,
        },
    }
    if case.placement.masks:
        document["placement"]["masks"] = list(case.placement.masks)
    if case.expected is not None:
        outputs = {n: v.hex() for n, v in case.expected.outputs.items()}
        document["expected"] = {"outputs": outputs, "refused": case.expected.refused}
    return document


def from_json(document: Mapping[str, Any]) -> Case:
    """The case of such a document; KeyError or ValueError where it is not one."""
    inputs = {
        n: bytes.fromhex(v) if isinstance(v, str) else int(v) for n, v in document["inputs"].items()
    }
    placed = document["placement"]
    expected = None
    if "expected" in document:
        outputs = {n: bytes.fromhex(v) for n, v in document["expected"]["outputs"].items()}
        expected = Answer(outputs, document["expected"]["refused"])
    return Case(
        name=document["name"],
        values=Values(document["primitive"], document["operation"], inputs),
        placement=Placement(
            Side[placed["side"].upper()],
            dict(placed["skews"]),
            bool(placed["in_place"]),
            bool(placed.get("null", False)),
            int(placed.get("shift", 0)),
            tuple(placed.get("masks", ())),
        ),
        expected=expected,
    )
