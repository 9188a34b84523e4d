"""The one table of options: `rig run --x` is `pytest MANIFEST --rig-x`.

Enters: nothing, then parsed arguments. Leaves: `Option` rows, a frozen `Options`. Never here:
what an option does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rig.errors import RigError

if TYPE_CHECKING:
    from rig.profiles import Selection

PROFILES = ("quick", "default", "deep")
MATRICES = {"quick": "paths", "default": "paths", "deep": "full"}
UNPREFIXED = ("cap-matrix", "ia32cap", "armcap")
SEEDS = range(1 << 32)


@dataclass(frozen=True, slots=True)
class Option:
    """`kind` is str, int, float, list (repeatable) or bool."""

    name: str
    kind: type
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None

    @property
    def pytest_flag(self) -> str:
        """The flag under pytest."""
        return f"--{self.name}" if self.name in UNPREFIXED else f"--rig-{self.name}"

    @property
    def field(self) -> str:
        """The field of `Options`."""
        return self.name.replace("-", "_")


OPTIONS: tuple[Option, ...] = (
    Option(
        "cap-matrix",
        str,
        "masks to run: this CPU's own, one per distinct path (default), or also maximal masks "
        "and every CPU model (the deep profile's)",
        choices=("host", "paths", "full"),
        default="paths",
    ),
    Option(
        "cpu", str, "force a CPU model with edits: haswell,-avx2 (`-x` clears one bit)", "MODEL"
    ),
    Option(
        "ia32cap", str, "force a mask: fields `value`, `~value`, `|value` joined by `:`", "MASK"
    ),
    Option("armcap", str, "the same on ARM, where it has one field", "MASK"),
    Option(
        "cap-dialect",
        str,
        "read --ia32cap or --armcap as that library's own parser does",
        choices=("openssl", "boringssl", "awslc"),
    ),
    Option("emulate", bool, "run under QEMU as the CPU that --cpu names"),
    Option("force", list, "fill a slot by hand: ghash=table4 (repeatable)", "SLOT=VARIANT"),
    Option("arch", list, "only this architecture (repeatable, or i386,arm; `all`)", "ARCH"),
    Option("primitive", list, "only this primitive (repeatable)", "NAME"),
    Option("variant", list, "only paths that use this variant (repeatable)", "NAME"),
    Option(
        "checks",
        list,
        "only these checks, on these sources of cases, or with `-` before a name all but it: "
        "value,sweep or =-novelty (repeatable; `rig list checks`)",
        "NAMES",
    ),
    Option(
        "profile",
        str,
        "how much: quick (seconds, for every save), default, deep (for the night); `rig list "
        "checks` says what each takes",
        choices=PROFILES,
        default="default",
    ),
    Option(
        "budget",
        float,
        "of the deep profile: begin no item after so long; the next deep run goes on from there",
        "SECONDS",
        default=0.0,
    ),
    Option(
        "changed",
        bool,
        "judge only paths whose code, contract, oracle or inputs changed since they were last "
        "judged whole and passed; the others are carried over, with their date",
    ),
    Option("require-arch", list, "fail (exit 2) if this architecture cannot run", "ARCH"),
    Option(
        "runner",
        list,
        'run an architecture\'s programs behind this: aarch64="ssh board" (repeatable; default: '
        "nothing, else qemu-user's emulator)",
        "ARCH=PREFIX",
    ),
    Option("seed", int, "seed of the garbage that code must not depend on", "N", default=1),
    Option("vectors", str, "also replay every vector file in a folder", "DIR"),
    Option("cc", str, "compiler", choices=("zig", "gcc", "clang"), default="zig"),
    Option(
        "novelty-budget",
        float,
        "how long the search for unreached code goes on without news on each path (default: "
        "some 0.3 s, counted in cases)",
        "SECONDS",
        default=0.0,
    ),
    Option("export-corpus", str, "leave each path's minimal corpus in a folder", "DIR"),
    Option("gate", bool, "judge the run by its project's gate: `rig gate` in the same breath"),
    Option("cache-dir", str, "where builds and oracle answers are kept", "DIR"),
    Option("report", str, "where the report is put", "DIR", default="rig-report"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The values of the table."""

    cap_matrix: str = "paths"
    cpu: str | None = None
    ia32cap: str | None = None
    armcap: str | None = None
    cap_dialect: str | None = None
    emulate: bool = False
    force: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()
    primitive: tuple[str, ...] = ()
    variant: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    profile: str = "default"
    budget: float = 0.0
    changed: bool = False
    require_arch: tuple[str, ...] = ()
    runner: tuple[str, ...] = ()
    seed: int = 1
    vectors: str | None = None
    cc: str = "zig"
    novelty_budget: float = 0.0
    export_corpus: str | None = None
    gate: bool = False
    cache_dir: str | None = None
    report: str = "rig-report"

    @property
    def selection(self) -> "Selection":
        """What of the checks and sources is taken; RigError for a name that is not there."""
        from rig.profiles import select  # a run without a manifest must not import it

        return select(self.profile, self.checks)


def gather(values: Mapping[str, Any]) -> Options:
    """Options from values by field name; lists become tuples, None the default, which may be
    the profile's. RigError for a seed or a budget out of range, and an unknown check."""
    given: dict[str, Any] = {}
    for option in OPTIONS:
        value = values.get(option.field)
        if value is not None:
            given[option.field] = tuple(value) if option.kind is list else value
    if given.get("profile") in MATRICES:
        given.setdefault("cap_matrix", MATRICES[given["profile"]])
    options = Options(**given)
    options.selection  # noqa: B018  (says what is wrong with the names)
    if options.seed not in SEEDS:
        raise RigError(f"--seed {options.seed}: a number from {SEEDS[0]} to {SEEDS[-1]}")
    if not 0 <= options.novelty_budget < float("inf"):
        raise RigError(f"--novelty-budget {options.novelty_budget}: seconds, 0 or more")
    if not 0 <= options.budget < float("inf"):
        raise RigError(f"--budget {options.budget}: seconds, 0 or more")
    if options.budget and options.profile != "deep":
        raise RigError(f"--budget {options.budget}: only --profile deep goes on where it stopped")
    return options


def pytest_arguments(options: Options) -> list[str]:
    """The pytest flags that say the same, the profile's defaults left out."""
    defaults = Options(cap_matrix=MATRICES[options.profile])
    flags = []
    for option in OPTIONS:
        value = getattr(options, option.field)
        if option.kind is bool and value:
            flags.append(option.pytest_flag)
        elif value != getattr(defaults, option.field):
            for item in value if option.kind is list else (value,):
                flags.append(f"{option.pytest_flag}={item}")
    return flags
