"""rig-gate.toml: what a project asks of a run.

Enters: the file beside the manifest. Leaves: frozen `Rules`, or ManifestError `path:line:
message`. Never here: judging.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rig.architectures import ARCHITECTURES
from rig.capabilities.bits import LAYOUTS
from rig.toml_table import Table, nearest, read_toml, top_of

GATE_FILE = "rig-gate.toml"
ALL_PATHS_RUN, NO_NEW_SKIPS = "all-paths-run", "no-new-skips"
RULES = (ALL_PATHS_RUN, NO_NEW_SKIPS)
EVERY = "*"
_KEYS = ("rules", "require", "thresholds")
_REQUIRE_KEYS = ("archs", "paths")
_MEASURES = ("instructions", "branches")


@dataclass(frozen=True, slots=True)
class Threshold:
    """Least percentages; None asks nothing. `line` is where it stands."""

    instructions: float | None
    branches: float | None
    line: int


@dataclass(frozen=True, slots=True)
class Rules:
    """`thresholds` go by `primitive/variant`, `primitive/*` or `*`, the most exact one counts;
    `archs` and `paths` (patterns of ids) must have run."""

    rules: tuple[str, ...] = ()
    archs: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)

    def threshold(self, variant: str) -> Threshold | None:
        """The one that counts for a variant."""
        primitive = variant.partition("/")[0]
        names = (variant, f"{primitive}/{EVERY}", EVERY)
        return next((self.thresholds[n] for n in names if n in self.thresholds), None)


def read_rules(path: Path) -> Rules:
    """Reads the file; ManifestError for what is wrong in it."""
    whole = read_toml(path)
    top = top_of(whole)
    top.only(_KEYS)
    rules = top.strings("rules")
    for name in rules:
        if name not in RULES:
            raise top.error_at(name, "rules", f"unknown rule `{name}`{nearest(name, RULES)}")
    require = _table(whole, "require")
    require.only(_REQUIRE_KEYS)
    archs = require.strings("archs")
    for arch in archs:
        if arch not in (*ARCHITECTURES, *LAYOUTS):
            raise require.error_at(
                arch, "archs", f"unknown architecture `{arch}`{nearest(arch, LAYOUTS)}"
            )
    thresholds = _table(whole, "thresholds")
    return Rules(
        rules,
        archs,
        require.strings("paths"),
        {name: _threshold(thresholds, name) for name in thresholds.content},
    )


def _table(whole: Table, key: str) -> Table:
    if key not in whole.content:
        return Table({}, whole.region)
    table = whole.inside(key)
    if not isinstance(table.content, dict):
        raise whole.error(key, f"`{key}` must be a table")
    return table


def _threshold(table: Table, name: str) -> Threshold:
    value = table.content[name]
    if not isinstance(value, dict) or not value:
        raise table.error(name, f"`{name}` must be a table such as {{ instructions = 100 }}")
    for key, percent in value.items():
        if key not in _MEASURES:
            raise table.error(name, f"unknown key `{key}`{nearest(key, _MEASURES)}")
        if type(percent) not in (int, float) or not 0 <= percent <= 100:
            raise table.error(name, f"`{key}` is a percentage, 0 to 100")
    line = int(table.region.key(name).rpartition(":")[2])
    return Threshold(value.get("instructions"), value.get("branches"), line)
