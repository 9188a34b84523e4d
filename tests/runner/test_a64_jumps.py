"""Jumps of A64 that look at a register."""

import pytest

from rig.runner.client import RunFlag
from rig.runner.scripts import Script

pytestmark = pytest.mark.parametrize("arch", ["aarch64"], indirect=True, scope="session")

ARMED = RunFlag.COVERAGE | RunFlag.BRANCHES
TAKEN, NOT_TAKEN = 1, 2
HIGH, TOP, LOW_TOP = 1 << 32, 1 << 63, 1 << 31


@pytest.mark.parametrize("flags", [RunFlag.NONE, ARMED, ARMED | RunFlag.STEP])
@pytest.mark.parametrize(
    ("name", "jumping", "staying"),
    [
        ("cbz_x", [0], [1, HIGH, TOP]),
        ("cbnz_x", [1, HIGH, TOP], [0]),
        ("cbz_w", [0, HIGH, TOP], [1, LOW_TOP]),
        ("cbnz_w", [1, LOW_TOP], [0, HIGH]),
        ("tbz_0", [0, 2, HIGH], [1, 3]),
        ("tbnz_31", [LOW_TOP], [0, ~LOW_TOP]),
        ("tbz_32", [0, LOW_TOP, ~HIGH], [HIGH]),
        ("tbnz_63", [TOP], [0, LOW_TOP, TOP - 1]),
        ("cbz_zero", [0, 1], []),
        ("tbnz_zero", [], [0, -1]),
    ],
)
def test_jumps_by_registers(run, image, name, jumping, staying, flags):
    for value in (*jumping, *staying):
        jumps = value in jumping
        script = Script((), (image.call(name, value, returns=int(jumps)),))
        result = run(script, flags=flags)
        assert result.events == (), value
        if flags:
            way = dict(result.branches)[image.offset(f"jump_{name}")]
            assert way == (TAKEN if jumps else NOT_TAKEN)
