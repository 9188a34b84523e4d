"""tox.ini and toxfile.py: an environment that cannot run is a SKIP, and no failure becomes one."""

import importlib.util
import platform
import shutil
from types import SimpleNamespace

import pytest
from tox.tox_env.errors import Skip

from .small import ROOT


@pytest.fixture(scope="module")
def toxfile():
    spec = importlib.util.spec_from_file_location("toxfile", ROOT / "toxfile.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def after(toxfile, monkeypatch):
    """What comes behind the commands of an environment on an x86_64 machine with a PATH."""

    def call(name, exit_code=0, path=()):
        monkeypatch.setattr(platform, "machine", lambda: "x86_64")
        monkeypatch.setattr(shutil, "which", lambda tool: tool if tool in path else None)
        env = SimpleNamespace(conf=SimpleNamespace(name=name))
        toxfile.tox_after_run_commands(env, exit_code, ())

    return call


@pytest.mark.parametrize(("name", "emulator"), [("aarch64", "qemu-aarch64"), ("arm", "qemu-arm")])
def test_no_emulator_is_a_skip_with_what_brings_it(after, name, emulator):
    with pytest.raises(Skip, match=f"{emulator} is not on PATH; `apt-get install qemu-user`"):
        after(name)
    after(name, path=(emulator,))


def test_a_failure_stays_one(after):
    after("arm", exit_code=2)


def test_others_are_none_of_its_business(after):
    for name in ("x86_64", "i386", "unit", "report"):
        after(name)
