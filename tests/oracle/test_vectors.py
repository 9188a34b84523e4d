"""The oracle against every published record: the bundled ones, and the packaged ones if here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rig.cases import Answer
from rig.primitives import PRIMITIVES
from rig.vectors.published import bundled, packaged
from rig.vectors.reading import read
from rig.vectors.records import Problem, Vector

FILES = [file for package in packaged() for file in package.files]
EVERY = 23  # of the CAVP files' 82,592 records, so that each file's every section is met


def answers(vector: Vector) -> Answer:
    return PRIMITIVES[vector.primitive].operations[vector.operation].answer(vector.inputs)


def check(records: Iterator[Vector | Problem], step: int = 1) -> int:
    count = 0
    for number, record in enumerate(records):
        assert isinstance(record, Vector), record
        if number % step == 0:
            expected = Answer(dict(record.outputs), refused=not record.valid)
            assert answers(record) == expected, record.place
            count += 1
    return count


# Kernels have no published records of their own: those of the AEAD that they are part of count.
PUBLISHED = [name for name in PRIMITIVES if not name.endswith("_fused")]


@pytest.mark.parametrize("primitive", PUBLISHED)
def test_bundled(primitive: str) -> None:
    assert check(bundled(primitive))


@pytest.mark.skipif(not FILES, reason="pip install 'variant-rig[vectors]' brings them")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_packaged(file: Path) -> None:
    assert check(read(file), EVERY if file.suffix == ".rsp" else 1)
