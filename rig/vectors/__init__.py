"""Published vectors: files in four formats become records, or problems with a place.

Enters: paths of vector files. Leaves: `Vector` and `Problem` records, lazily, in the order of the
files. Never here: calculating or judging an answer, writing a file, importing a vector package.
"""

from rig.vectors.published import Package, bundled, packaged
from rig.vectors.reading import read, read_folder
from rig.vectors.records import Problem, Vector

__all__ = ["Package", "Problem", "Vector", "bundled", "packaged", "read", "read_folder"]
