"""The command prefix of `--emulate`: QEMU's user mode as the CPU that `--cpu` names.

Enters: `--cpu`'s text, an architecture, the runner program. Leaves: a prefix for the runner's
command; RigError where there is no such emulator or no such CPU in it. Never here: what runs
there, and forcing the mask, which `--cpu` does anyway.

QEMU raises SIGILL itself for what the CPU has not and answers CPUID, so that what passes there
is proven without the rig's own reading of instructions. It says on every start what it leaves
out of a model: asked once, it is told to leave that out.
"""

import shutil
import subprocess
from pathlib import Path

from rig.capabilities.emulation import emulated, surplus, without_refused
from rig.capabilities.vector import Vector
from rig.errors import RigError

_SECONDS = 60


def emulator(text: str | None, arch: str, runner: Path) -> tuple[str, ...]:
    """The prefix that makes `runner` one of that CPU."""
    if text is None:
        raise RigError("--emulate: name the CPU by --cpu, as in --cpu penryn --emulate")
    cpu, name = emulated(text, arch), f"qemu-{arch}"
    program = shutil.which(name)
    if program is None:
        raise RigError(f"--emulate: {name} is not on PATH; `apt install qemu-user` brings it")
    # Without input the runner greets and ends.
    done = subprocess.run(
        [program, "-cpu", cpu, str(runner)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    said = done.stderr.decode(errors="replace")
    if done.returncode != 0:
        raise RigError(f"--cpu {text} --emulate: {name} -cpu {cpu}: {said.strip()}")
    return program, "-cpu", without_refused(cpu, said)


def check_emulated(text: str, host: Vector) -> None:
    """RigError where the emulated CPU can do more than the one that was named."""
    if beyond := surplus(host, text):
        raise RigError(f"--cpu {text} --emulate: QEMU's CPU also has {' '.join(beyond)}")
