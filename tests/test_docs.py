"""What the documents say is so: the manifest's keys, its example, README's commands."""

import os
import re
from pathlib import Path

import pytest

from rig import manifest
from rig.checks.findings import CHECKS
from rig.cli import COMMANDS
from rig.manifest_keys import KEYS, markdown
from rig.options import OPTIONS

ROOT = Path(__file__).parents[1]
MANIFEST = (ROOT / "docs" / "manifest.md").read_text()
README = (ROOT / "README.md").read_text()


def test_the_tables_of_keys_are_those_of_the_reader() -> None:
    """`RIG_GOLD=write` makes them anew."""

    def table(found: re.Match[str]) -> str:
        return "\n".join((found[1], *markdown(found[2]), "<!-- end -->"))

    made = re.sub(r"(<!-- keys (\w+) -->)\n(.*?)<!-- end -->", table, MANIFEST, flags=re.DOTALL)
    if os.environ.get("RIG_GOLD") == "write":
        (ROOT / "docs" / "manifest.md").write_text(made)
    assert made == MANIFEST
    assert set(re.findall(r"<!-- keys (\w+) -->", MANIFEST)) == set(KEYS)


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


def test_each_check_says_what_it_proves_and_what_not() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "verdicts.md").read_text(), re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([a-z-]+)`", row)]
    assert set(CHECKS) <= set(named)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / link).exists(), link
