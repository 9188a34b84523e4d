"""Libraries as contestants, by small ones with the field's names around the bundled ChaCha20."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rig import manifest
from rig.architectures import ARCHITECTURES, host_architecture
from rig.bench.against import Against, environment, equivalent, find
from rig.bench.workloads import workloads
from rig.build.project import build_timing
from rig.build.toolchain import find_toolchain
from rig.capabilities.dialects import apply_dialect
from rig.capabilities.paths import forced_path, paths_under
from rig.capabilities.vector import Vector
from rig.data import data_folder
from rig.errors import RigError
from rig.inputs.answers import answer
from rig.primitives import PRIMITIVES
from rig.project import Project, enumerate_paths

SOURCE = Path(__file__).with_name("library.c")
HOST = host_architecture() or "x86_64"

Make = Callable[..., str]


@pytest.fixture
def library(tmp_path: Path) -> Make:
    """Builds such a library; its path."""

    def make(*defines: str) -> str:
        toolchain, arch = find_toolchain(), ARCHITECTURES[HOST]
        flags = ("-O2", "-fPIC", "-ffreestanding", "-fno-sanitize=all", *defines)
        include = f"-I{data_folder('native') / 'include'}"
        made, out = tmp_path / "library.o", tmp_path / "library.so"
        compile_ = (*toolchain.targeting(arch), *flags, include, "-c", SOURCE, "-o", made)
        subprocess.run(compile_, check=True)
        subprocess.run((*toolchain.linker, "-shared", made, "-o", out), check=True)
        return str(out)

    return make


@pytest.fixture
def timing(rig_cache: Path) -> Path:
    return build_timing(HOST, find_toolchain(), rig_cache)


def first(project: Project, primitive: str = "chacha20"):
    with project.session() as session:
        found = enumerate_paths(project, session, project.manifest.primitives[primitive])
    return found.paths[0]


def rival(against: Against, project: Project, title: str = "chacha20"):
    work = workloads(title, (100,))[0]
    known = answer(PRIMITIVES[title], work.case)
    return against.rival(project, first(project), work, known)


@pytest.mark.parametrize(
    ("defines", "name"), [((), "OpenSSL 0.0"), (("-DSODIUM",), "libsodium 0.0")]
)
def test_a_library_repeats_the_message(
    library: Make, timing: Path, controls: Project, defines: tuple[str, ...], name: str
) -> None:
    with Against(library(*defines), timing) as against:
        found = rival(against, controls)
        assert found and found.library == name
        assert found.contestant(10) > 0
        mask = str(equivalent(controls, first(controls)))
        assert found.mask == ("" if "-DSODIUM" in defines else mask)
    assert not against.lacking


def test_what_a_library_has_not(library: Make, timing: Path, controls: Project) -> None:
    with Against(library("-DSODIUM"), timing) as against:
        assert rival(against, controls, "poly1305") is None
        assert rival(against, controls, "aes_gcm_fused") is None
    assert against.lacking == {
        "Poly1305 mac": "libsodium 0.0: no function crypto_onetimeauth_poly1305",
        "AES-128-GCM fused seal": "libsodium 0.0: not among its functions",
    }


def test_another_answer_is_not_timed(library: Make, timing: Path, controls: Project) -> None:
    with Against(library("-DWRONG"), timing) as against:
        assert rival(against, controls) is None
    assert against.lacking == {"ChaCha20 stream": "OpenSSL 0.0: another answer than the oracle's"}


def test_what_is_no_library(timing: Path, controls: Project, tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    for path in (str(tmp_path / "text.so"), str(timing)):
        with Against(path, timing) as against, pytest.raises(RigError, match=f"--against {path}: "):
            rival(against, controls)


def test_where_libraries_are_found(tmp_path: Path) -> None:
    assert find(str(tmp_path / "libcrypto.so")) is None
    (tmp_path / "libcrypto.so").touch()
    assert find(str(tmp_path / "libcrypto.so")) == str(tmp_path / "libcrypto.so")
    assert find("libgnutls-of-nobody") is None


CPU = "ssse3 sse4.1 sse4.2 pclmul aes avx fma avx2 bmi2 vaes vpclmul avx512f avx512bw fxsr"


@pytest.mark.parametrize(
    ("mask", "lacks"),
    [
        ("", CPU.replace(" bmi2", "").replace(" fxsr", "")),
        ("ssse3", "pclmul aes vaes vpclmul"),
        ("ssse3 aes pclmul", "vaes vpclmul"),
        ("ssse3 aes pclmul vpclmul avx2", "vaes avx512f avx512bw"),
        ("ssse3 aes pclmul avx2 vaes vpclmul", "avx512f avx512bw"),
    ],
)
def test_the_mask_of_a_path_is_the_largest_of_a_cpu_that_selects_it(
    controls: Project, mask: str, lacks: str
) -> None:
    project = bundled(controls)
    minimal = Vector.base("x86_64") | Vector.of("x86_64", mask.split())
    (path,) = under(project, "aes_gcm", minimal)
    found = equivalent(project, path)
    assert found == project.host - (Vector.of("x86_64", lacks.split()) - Vector.base("x86_64"))
    (again,) = under(project, "aes_gcm", found)
    assert again.choice == path.choice
    text = environment(found)["OPENSSL_ia32cap"]
    read = apply_dialect("openssl", text, Vector.full("x86_64"))
    assert read - Vector("x86_64", 1 << 10) == found  # OpenSSL's mark that it has looked


def test_what_a_path_can_do_without_stays_for_the_library(controls: Project) -> None:
    """The mask with AVX2 alone selects ChaCha20's AVX2; a library may want SSSE3 beside it."""
    project = bundled(controls)
    alone = Vector.base("x86_64") | Vector.of("x86_64", ["avx2"])
    (path,) = under(project, "chacha20_poly1305", alone)
    found = equivalent(project, path)
    assert found.has("ssse3") and found.has("avx2") and not found.has("avx512f")


def test_a_path_by_hand_has_what_its_variants_need(controls: Project) -> None:
    project = bundled(controls)
    primitive = project.manifest.primitives["aes_gcm"]
    choice = (("fused", "-"), ("aes", "ssse3"), ("ghash", "table4"))
    found = equivalent(project, forced_path(project.manifest, primitive, project.host, choice))
    assert found.has("ssse3") and found.has("bmi2")
    assert not any(found.has(name) for name in ("aes", "pclmul", "avx2", "avx512f"))


def test_a_path_of_a_mask_that_no_cpu_has(controls: Project) -> None:
    """AES and no SSSE3: the library gets just that."""
    project = bundled(controls)
    (path,) = under(project, "aes_gcm", Vector.base("x86_64") | Vector.of("x86_64", ["aes"]))
    found = equivalent(project, path)
    assert dict(path.choice)["ghash"] == "ct64"
    assert found.has("aes") and found.has("avx") and not found.has("ssse3")


def bundled(controls: Project) -> Project:
    """The bundled project on a CPU that has all."""
    native = manifest.read(data_folder("native") / "rig.toml")
    host = Vector.base("x86_64") | Vector.of("x86_64", CPU.split())
    return replace(controls, manifest=native, host=host)


def under(project: Project, primitive: str, mask: Vector):
    found = project.manifest.primitives[primitive]
    return paths_under(project.manifest, found, (mask,), None)
