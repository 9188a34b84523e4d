"""Which command runs an architecture's programs here: nothing, an emulator, or the user's prefix.

Enters: an architecture, its runner program, a prefix if the user gave one. Leaves: the words of
a command whose runner has answered; AbsentError where this machine has nothing that runs it.
Never here: what is run.
"""

import platform
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from rig.architectures import ARCHITECTURES, Architecture
from rig.errors import RigError
from rig.runner.client import Runner, RunnerDiedError
from rig.toml_table import nearest

Words = tuple[str, ...]


class AbsentError(RigError):
    """An architecture that cannot run here; `fix` is what would bring it."""

    def __init__(self, arch: str, reason: str, fix: str) -> None:
        super().__init__(f"{arch}: {reason}; {fix}")
        self.arch, self.reason, self.fix = arch, reason, fix


def parse_prefixes(texts: Sequence[str]) -> dict[str, Words]:
    """The prefixes of `--runner ARCH=PREFIX`, by architecture, split as a shell does."""
    found = {}
    for text in texts:
        arch, _, prefix = text.partition("=")
        if arch not in ARCHITECTURES:
            raise RigError(f"--runner {text}: unknown architecture{nearest(arch, ARCHITECTURES)}")
        try:
            found[arch] = tuple(shlex.split(prefix))
        except ValueError as error:
            raise RigError(f"--runner {text}: {error}") from error
        if not found[arch]:
            raise RigError(f'--runner {text}: expected ARCH=PREFIX, as in aarch64="ssh board"')
    return found


def find_command(arch: Architecture, program: Path, prefix: Sequence[str] = ()) -> Words:
    """The command for a runner program, tried out. A prefix that the user gave must work:
    RigError in its own words where it does not."""
    if prefix:
        return _given(arch, program, prefix)
    if platform.machine() in arch.native_machines:
        try:
            return _tried(arch, program, ())
        except RunnerDiedError as error:
            if not arch.emulator:
                raise
            return _emulated(arch, program, f"not natively here ({error})")
    return _emulated(arch, program, f"this machine is {platform.machine()}")


def _given(arch: Architecture, program: Path, prefix: Sequence[str]) -> Words:
    try:
        return _tried(arch, program, prefix)
    except RunnerDiedError as error:
        raise RigError(f"the prefix for {arch.name} does not work: {error}") from error


def _emulated(arch: Architecture, program: Path, why: str) -> Words:
    if not arch.emulator:
        raise AbsentError(arch.name, why, f"run on a {arch.name} machine")
    if not shutil.which(arch.emulator):
        reason = f"{why}, and {arch.emulator} is not on PATH"
        raise AbsentError(arch.name, reason, "`apt-get install qemu-user`")
    try:
        return _tried(arch, program, (arch.emulator,))
    except RunnerDiedError as error:
        advice = f"another emulator by --runner {arch.name}=PREFIX"
        raise AbsentError(arch.name, str(error), advice) from error


def _tried(arch: Architecture, program: Path, prefix: Sequence[str]) -> Words:
    words = (*prefix, str(program))
    with Runner(words) as runner:
        if runner.arch.number != arch.number:
            told = f"speaks for {runner.arch.name}, not {arch.name}"
            raise RigError(f"runner {shlex.join(words)}: {told}")
    return words
