"""tox's part of the matrix: an architecture that nothing on this machine can run is a SKIP.

Enters: an environment whose commands have passed. Leaves: tox's Skip with what is missing. Never
here: whether a run was right; `rig run` says that, and has left the rows that say what did not run.
"""

import platform
import shutil
from collections.abc import Sequence

from tox.execute.api import Outcome
from tox.plugin import impl
from tox.tox_env.api import ToxEnv
from tox.tox_env.errors import Skip

EMULATORS = {"aarch64": "qemu-aarch64", "arm": "qemu-arm"}
NATIVE = {"aarch64": ("aarch64", "arm64"), "arm": ("armv7l", "armv8l")}


@impl
def tox_after_run_commands(tox_env: ToxEnv, exit_code: int, outcomes: Sequence[Outcome]) -> None:
    """Raises Skip, but not where `--require-arch` has made it an error already."""
    name = tox_env.conf.name
    if exit_code or name not in EMULATORS or platform.machine() in NATIVE[name]:
        return
    if not shutil.which(EMULATORS[name]):
        raise Skip(f"{EMULATORS[name]} is not on PATH; `apt-get install qemu-user` brings it")
