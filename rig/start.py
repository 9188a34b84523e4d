"""How a run begins in a process: the controller makes the plan, a worker loads it.

Enters: pytest's configuration and manifests. Leaves: a `Lab`. Never here: items. An error of the
user is pytest's UsageError, one line (`rig run` makes exit code 2 of it); a control that was not
caught ends pytest with code 2.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rig.carried.progress import resume
from rig.carried.proofs import carry
from rig.errors import RigError
from rig.interrupt import await_interrupt
from rig.lab import Lab
from rig.options import Options, pytest_arguments
from rig.plan import Plan, load_plan, make_plan
from rig.plugin import options_of

COULD_NOT_RUN = 2


def begin(config: pytest.Config, manifests: Sequence[Path]) -> Lab:
    """The lab of this process."""
    given = getattr(config, "workerinput", None)
    if given is not None:
        return _begin_worker(Path(given["rig_plan"]), given["workerid"])
    try:
        options = options_of(config)
        _check_folders(options)
        plan = make_plan(manifests, options)
        _check_paths(plan)
    except RigError as error:
        raise pytest.UsageError(f"rig: {error}") from None
    escaped = [control for control in plan.controls if not control.held]
    if escaped:
        shutil.rmtree(plan.folder, ignore_errors=True)
        names = ", ".join(
            f"{c.arch} {c.fault} (fired: {' '.join(c.fired) or 'none'})" for c in escaped
        )
        pytest.exit(
            f"rig: controls not held, no verdict is given: {names}", returncode=COULD_NOT_RUN
        )
    lab = Lab(plan, f"main-{os.getpid()}")
    lab = carry(lab) if options.changed else lab
    return resume(lab) if options.profile == "deep" else lab


def _begin_worker(folder: Path, worker: str) -> Lab:
    if await_interrupt(folder, worker):
        raise KeyboardInterrupt
    return Lab(load_plan(folder), worker)


def _check_folders(options: Options) -> None:
    """What would only show after minutes of work."""
    if options.vectors is not None and not Path(options.vectors).is_dir():
        raise RigError(f"--vectors {options.vectors}: no such folder")
    if Path(options.report).exists() and not Path(options.report).is_dir():
        raise RigError(f"--report {options.report}: a file stands there; name a folder")


def _check_paths(plan: Plan) -> None:
    """RigError where nothing is left to run, with what was asked for."""
    if any(plan.paths(project) for project in plan.projects):
        return
    if not plan.projects:
        return  # what is absent is told on the last screen, and was not required
    shutil.rmtree(plan.folder, ignore_errors=True)
    asked = pytest_arguments(replace(plan.options, cache_dir=None, report=Options().report))
    archs = ", ".join(dict.fromkeys(project.arch for project in plan.projects))
    raise RigError(f"no path to run on {archs}; asked for: {' '.join(asked) or 'everything'}")
