"""Where the bundled data is: the native project and the published vectors.

Enters: a folder's name. Leaves: its path. Never here: reading what is inside, the user's data.
"""

from pathlib import Path

from rig.errors import RigError


def data_folder(name: str) -> Path:
    """The bundled folder `name` (`native`, `vectors`).

    A wheel carries it inside the package, as `rig/_data/NAME`; in a checkout and in an editable
    install it stands beside `rig/`. Raises RigError, with both places, when neither is there.
    """
    package = Path(__file__).resolve().parent
    places = (package / "_data" / name, package.parent / name)
    for place in places:
        if place.is_dir():
            return place
    raise RigError(
        f"bundled folder {name} is neither {places[0]} nor {places[1]}: reinstall variant-rig"
    )
