"""Places in code that hold in another image: offsets into functions by name.

Enters: an image, offsets from its text's start. Leaves: the same as (function, offset), and
back. Never here: whether the functions are the same code; that is `follows`.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rig.build.image import Image

Name = tuple[str, str, int]  # source, function, and which of those of one name that it is
Flow = dict[str, list[Any]]


class MovedError(Exception):
    """A function of an earlier image that this one has not, or of another size."""


class Places:
    """The functions of an image by name."""

    def __init__(self, image: Image) -> None:
        self._base = image.text.address
        self._starts = [f.address - self._base for f in image.functions]
        seen: Counter[tuple[str, str]] = Counter()
        self.names: list[Name] = []
        for function in image.functions:
            key = (function.source, function.name)
            self.names.append((*key, seen[key]))
            seen[key] += 1
        self._index = dict(zip(self.names, self._starts, strict=True))

    def named(self, flow: Flow) -> Flow:
        """A row's flow with each offset as [index into `names`, offset in the function]."""
        return {
            "hits": [self._name(at) for at in flow["hits"]],
            "branches": [[*self._name(at), mask] for at, mask in flow["branches"]],
            "indirect": [[*self._name(at), *self._name(to)] for at, to in flow["indirect"]],
        }

    def _name(self, offset: int) -> list[int]:
        index = bisect_right(self._starts, offset) - 1
        return [index, offset - self._starts[index]]

    def found(self, names: Sequence[Sequence[Any]], flow: Flow) -> Flow:
        """The inverse of `named`, for names of another image; MovedError for one not here."""
        starts = [self._index.get((source, name, n)) for source, name, n in names]

        def at(index: int, offset: int) -> int:
            start = starts[index]
            if start is None:
                raise MovedError(names[index])
            return start + offset

        return {
            "hits": [at(*place) for place in flow["hits"]],
            "branches": [[at(i, o), mask] for i, o, mask in flow["branches"]],
            "indirect": [[at(i, o), at(j, p)] for i, o, j, p in flow["indirect"]],
        }
