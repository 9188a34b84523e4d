"""How a run begins in a process: the controller makes the plan, a worker loads it.

Enters: pytest's configuration and manifests. Leaves: a `Lab`. Never here: items. An error ends
pytest with code 2 and one clear text; so does a control that was not caught.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from rig.errors import RigError
from rig.lab import Lab
from rig.plan import load_plan, make_plan
from rig.plugin import options_of

COULD_NOT_RUN = 2


def begin(config: pytest.Config, manifests: Sequence[Path]) -> Lab:
    """The lab of this process."""
    given = getattr(config, "workerinput", None)
    if given is not None:
        return Lab(load_plan(Path(given["rig_plan"])), given["workerid"])
    try:
        plan = make_plan(manifests, options_of(config))
    except RigError as error:
        pytest.exit(f"rig: {error}", returncode=COULD_NOT_RUN)
    escaped = [control for control in plan.controls if not control.held]
    if escaped:
        names = ", ".join(f"{c.fault} (fired: {' '.join(c.fired) or 'none'})" for c in escaped)
        pytest.exit(
            f"rig: controls not held, no verdict is given: {names}", returncode=COULD_NOT_RUN
        )
    return Lab(plan, f"main-{os.getpid()}")
