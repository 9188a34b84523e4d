"""What the documents say is so: the manifest's keys, its example, README's commands."""

import re
from pathlib import Path

import pytest

from rig import manifest
from rig.cli import COMMANDS
from rig.manifest import _ACCEPT_KEYS, _PRIMITIVE_KEYS, _TOP_KEYS, _VARIANT_KEYS
from rig.options import OPTIONS

ROOT = Path(__file__).parents[1]
MANIFEST = (ROOT / "docs" / "manifest.md").read_text()
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("key", [*_TOP_KEYS, *_PRIMITIVE_KEYS, *_VARIANT_KEYS, *_ACCEPT_KEYS])
def test_every_key_is_documented(key: str) -> None:
    assert re.search(rf"`[^`]*\b{key}\b[^`]*`", MANIFEST)


def test_example_is_a_manifest(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", MANIFEST, re.DOTALL)
    assert example
    include = str(ROOT / "native" / "include")
    (tmp_path / "rig.toml").write_text(example[1].replace("../../../native/include", include))
    (tmp_path / "chacha20.c").touch()
    assert "chacha20" in manifest.read(tmp_path / "rig.toml").primitives


def test_readme_names_commands_and_options_that_exist() -> None:
    named = set(re.findall(r"`rig (\w+)", README))
    assert named <= {command.name for command in COMMANDS}
    flags = set(re.findall(r"`--([a-z][a-z0-9-]+)", README)) - {"emit"}
    assert flags <= {option.name for option in OPTIONS}
