"""The pytest plugin: options, collection, one build and one enumeration for all workers.

Enters: pytest's hooks. Leaves: items for each manifest that is named as an argument or by the
ini key `rig_manifest`. Never here: anything at all where no manifest is named; then this
module has imported pytest and the table of options only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rig.options import OPTIONS, Options, gather

if TYPE_CHECKING:
    from rig.lab import Lab

_MARKS = (
    "primitive(name): the primitive of a rig item",
    "variant(slot, name): a variant that a rig item's path runs",
    "arch(name): the architecture of a rig item",
    "isa(name): a capability that a rig item's path needs",
    "kind(name): how a rig item's path is chosen: mask, direct or forced",
)
_MANIFESTS = pytest.StashKey[Any]()
_LAB = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one table of options, prefixed but for --cap-matrix, --ia32cap and --armcap."""
    group = parser.getgroup("rig", "variant rig: native variants (only with a rig.toml)")
    for option in OPTIONS:
        keywords: dict[str, Any] = {"dest": f"rig_{option.field}", "help": option.help}
        if option.kind is list:
            keywords |= {"action": "append", "metavar": option.metavar}
        elif option.kind is bool:
            keywords |= {"action": "store_true"}
        elif option.choices:
            keywords |= {"choices": option.choices}
        else:
            keywords |= {"type": option.kind, "metavar": option.metavar}
        group.addoption(option.pytest_flag, default=None, **keywords)
    parser.addini("rig_manifest", "rig.toml files to collect", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marks, finds out which manifests are named."""
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    start = config.invocation_params.dir
    named = [start / argument.partition("::")[0] for argument in config.args]
    found = [path.resolve() for path in named if path.suffix == ".toml" and path.is_file()]
    found += _standing(config, named)
    config.stash[_MANIFESTS] = tuple(dict.fromkeys(found))


def _standing(config: pytest.Config, named: Sequence[Path]) -> Iterator[Path]:
    """The manifests of the ini key that this run means: all of them where it names nothing
    itself, else those inside a folder that it names, so that one test file builds nothing."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    for path in config.getini("rig_manifest"):
        inside = any(path.is_relative_to(folder) for folder in named)
        if everything and not inside:
            config.args.append(str(path))
        if everything or inside:
            yield path.resolve()


def options_of(config: pytest.Config) -> Options:
    """The options that pytest parsed."""
    return gather({option.field: config.getoption(f"rig_{option.field}") for option in OPTIONS})


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """The controller builds, runs the controls and enumerates; a worker reads the plan."""
    config = session.config
    if not config.stash.get(_MANIFESTS, ()):
        return
    from rig.start import begin

    lab = begin(config, config.stash[_MANIFESTS])
    config.stash[_LAB] = lab
    if not hasattr(config, "workerinput"):
        from rig.report.summary import Reporter

        config.pluginmanager.register(Reporter(lab), "rig-reporter")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells an xdist worker where the plan lies."""
    lab: Lab | None = node.config.stash.get(_LAB, None)
    if lab is not None:
        node.workerinput["rig_plan"] = str(lab.plan.folder)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects the manifests that were named, and no other."""
    if file_path.resolve() not in parent.config.stash[_MANIFESTS]:
        return None
    from rig.items import ManifestFile

    return ManifestFile.from_parent(parent, path=file_path, lab=parent.config.stash[_LAB])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends this process's runners."""
    lab: Lab | None = config.stash.get(_LAB, None)
    if lab is not None:
        lab.close()
