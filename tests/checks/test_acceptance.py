from pathlib import Path

import pytest

from rig.checks.acceptance import check_entries, sort_out, stale
from rig.checks.findings import Finding
from rig.errors import ManifestError
from rig.manifest import Acceptance, Manifest

ABI = Acceptance("abi", "chacha_avx2", "the caller saves it", "rig.toml:3")
VALUE = Acceptance("value", "chacha_avx2", "upstream 4711", "rig.toml:4")
ACCEPT = (ABI, VALUE)
PATH = frozenset({"chacha_avx2", "chacha_avx2_tail"})


@pytest.mark.parametrize(
    ("finding", "taken"),
    [
        (Finding("abi", 3, "rbx", symbol="chacha_avx2"), ABI),
        (Finding("abi", 3, "rbx", symbol="chacha_avx2_tail"), None),
        (Finding("abi", 3, "rbx"), ABI),
        (Finding("value", 3, "differs"), VALUE),
        (Finding("memory", 3, "wrote", symbol="chacha_avx2"), None),
    ],
)
def test_an_entry_takes_its_check_about_its_symbol(finding, taken):
    expected = ([], [taken]) if taken else ([finding], [])
    assert sort_out([finding], ACCEPT, PATH) == expected


def test_a_finding_about_no_symbol_is_about_those_of_its_path_only():
    finding = Finding("value", 0, "differs")
    assert sort_out([finding], ACCEPT, {"chacha_ssse3"}) == ([finding], [])


def test_each_entry_is_named_once():
    findings = [Finding("value", n, "differs") for n in range(3)] + [Finding("path", None, "ran")]
    assert sort_out(findings, ACCEPT, PATH) == (findings[3:], [VALUE])


def test_an_entry_is_stale_where_its_symbol_was_judged_and_nothing_found():
    assert stale(ACCEPT, [VALUE], PATH) == (ABI,)
    assert stale(ACCEPT, ACCEPT, PATH) == ()
    assert stale(ACCEPT, [], {"chacha_ssse3"}) == ()


def test_an_entry_that_names_no_check():
    entry = Acceptance("values", "f", "r", "rig.toml:7")
    path = Path("rig.toml")
    manifest = Manifest(path, path.parent, (), {}, None, {}, (entry,))
    text = r"rig.toml:7: `accept` names no check `values`; did you mean `value`\?"
    with pytest.raises(ManifestError, match=text):
        check_entries(manifest)


def test_what_dispatchers_choose_is_for_the_manifest_to_say():
    entry = Acceptance("dispatch", "rig_select_aes", "r", "rig.toml:7")
    path = Path("rig.toml")
    manifest = Manifest(path, path.parent, (), {}, None, {}, (entry,))
    with pytest.raises(ManifestError, match=r"rig.toml:7: `accept` takes no `dispatch`: say in"):
        check_entries(manifest)
