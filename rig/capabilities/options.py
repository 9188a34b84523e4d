"""From the options to the one vector that a run is forced to.

Enters: option strings and the host's vector. Leaves: a `Vector`, or None where nothing is
forced. Never here: reading a command line, enumerating paths.
"""

from rig.capabilities.bits import X86_ARCHITECTURES, CapabilityError
from rig.capabilities.dialects import apply_dialect
from rig.capabilities.grammar import apply
from rig.capabilities.models import parse_cpu
from rig.capabilities.vector import Vector


def forced_vector(
    host: Vector,
    *,
    cpu: str | None = None,
    ia32cap: str | None = None,
    armcap: str | None = None,
    dialect: str | None = None,
) -> Vector | None:
    """The vector that the options force on the host's architecture, None if they force none.

    `cpu` replaces the host's vector, then `ia32cap` (x86) or `armcap` (ARM) edits the result;
    the other architectures' variable is not looked at. `dialect` reads that variable as the
    library of that name does. Base bits stay set whatever the options say, as the code that is
    compiled uses them without asking. Raises CapabilityError, also for a dialect with no
    variable to read.
    """
    if dialect is not None and ia32cap is None and armcap is None:
        raise CapabilityError(
            f"--cap-dialect {dialect}: nothing to read, add --ia32cap or --armcap"
        )
    is_x86 = host.arch in X86_ARCHITECTURES
    option, text = ("--ia32cap", ia32cap) if is_x86 else ("--armcap", armcap)
    if cpu is None and text is None:
        return None
    start = host if cpu is None else parse_cpu(cpu, host.arch)
    if text is not None:
        start = _read(option, text, start, dialect)
    return start | Vector.base(host.arch)


def _read(option: str, text: str, start: Vector, dialect: str | None) -> Vector:
    if dialect is None:
        return apply(text, start, option)
    try:
        return apply_dialect(dialect, text, start)
    except CapabilityError as error:
        raise CapabilityError(f"{option} {text!r} --cap-dialect {dialect}: {error}") from None
