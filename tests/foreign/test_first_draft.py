"""`rig init` on a library in the field's conventions: the manifest that comes out runs."""

import re
import shutil

import pytest

from rig import cli
from rig.capabilities.paths import missing
from rig.data import data_folder
from rig.manifest import read

# Sources of x86_64 say so by their names, so that no other architecture is tried.
ROWS = {
    "ghash/4bit": ("", "", ""),
    "ghash/nohw": ("", "", ""),
    "ghash/ssse3": ("", "ssse3", ""),
    "ghash/clmul": ("", "pclmul ssse3", ""),
    "ghash/avx": ("", "pclmul ssse3", ""),
    "ghash/vpclmulqdq_avx2": ("", "pclmul ssse3", ""),
    "ghash/vpclmulqdq_avx2_16": ("", "pclmul ssse3", "16-16"),
    "aes/bsaes": ("aes_bsaes", "", "128-"),
    "aes/nohw": ("aes_block", "", ""),
    "aes/vpaes": ("", "ssse3", ""),
    "aes/hw": ("aes_block", "aes", ""),
    "poly1305/func": ("poly1305_func", "", ""),
    "poly1305/avx2": ("poly1305_func", "avx2", ""),
    "chacha20/nohw": ("", "", "1-"),
    "chacha20/ssse3": ("", "ssse3", ""),
    "chacha20/ssse3_4x": ("", "ssse3", "129-"),
    "chacha20/avx2": ("", "avx2", "129-"),
    "chacha20_poly1305_fused/plain": ("", "", ""),
    "aes_gcm_fused/aesni": ("aesni_gcm", "aes pclmul ssse3", ""),
    "aes_gcm_fused/vaes_avx2": ("aes_gcm_update", "aes pclmul ssse3", ""),
}


@pytest.fixture(scope="module")
def drafted(foreign, rig_cache, tmp_path_factory):
    """The sources of the library in a folder of their own, and the manifest for them."""
    folder, native = tmp_path_factory.mktemp("drafted"), data_folder("native")
    shutil.copytree(native / "include", folder / "include")
    for path in (foreign / "cryptogams").glob("*.[chS]"):
        if not path.stem.startswith("faults") and "-arm" not in path.stem:
            stem = path.stem.removesuffix("-x86_64")
            name = path.name if path.suffix == ".h" else f"{stem}-x86_64{path.suffix}"
            (folder / name).write_text(path.read_text().replace("../../../native", str(native)))
    assert cli.main(["init", str(folder), "--cache-dir", str(rig_cache)]) == 0
    return folder / "rig.toml"


def said(variant):
    contract = variant.contract.stem if variant.contract else ""
    length = variant.length
    span = f"{length.min}-{'' if length.max is None else length.max}"
    return contract, " ".join(sorted(variant.needs.required)), "" if span == "0-" else span


def test_what_is_told_by_names_and_instructions(drafted):
    variants = read(drafted).variants("x86_64")
    assert {f"{v.primitive}/{v.name}": said(v) for v in variants} == ROWS


def test_what_sets_up_for_a_variant_is_borrowed(drafted):
    symbols = {v.name: v.symbols for v in read(drafted).variants("x86_64")}
    assert symbols["bsaes"]["set_encrypt_key"] == "aes_nohw_set_encrypt_key"
    assert symbols["aesni"]["set_encrypt_key"] == "aes_hw_set_encrypt_key"
    assert symbols["aesni"]["init"] == "gcm_init_avx"
    assert symbols["vaes_avx2"]["init"] == "gcm_init_vpclmulqdq_avx2"


def test_functions_that_an_init_hands_out_are_variants(drafted):
    variants = {v.name: v for v in read(drafted).variants("x86_64") if v.primitive == "poly1305"}
    assert variants["avx2"].symbols == variants["func"].symbols
    assert (variants["avx2"].ran, variants["func"].ran) == ("poly1305_blocks_avx2", None)
    assert (variants["avx2"].shares, variants["func"].shares) == (("func",), ())


def test_guesses_and_what_is_left_out_are_said(drafted):
    text = drafted.read_text()
    for line in (
        '# ? aesni: OpenSSL has the table behind Xi, `contract = "aesni_gcm_openssl"`',
        "# ? avx2: poly1305_blocks_avx2 stands behind the same entry; as meant?",
        "#   aes_gcm_kernel-x86_64.c: aes_gcm_dec_kernel, aes_gcm_enc_kernel: alone without init "
        'and set_encrypt_key; `contract = "aes_gcm_kernel"` and `symbols` may borrow',
    ):
        assert line in text
    assert not re.search(r"poly1305_blocks(_avx2)?: alone", text)


def test_it_runs(bench, drafted):
    """But for what nothing tells: a key schedule that is longer than anybody else's."""
    whole = drafted.with_name("whole.toml")
    old = 'source = "vpaes-x86_64.c", '
    assert old in drafted.read_text()
    whole.write_text(drafted.read_text().replace(old, f"{old}sizes = {{ schedule = 260 }}, "))
    project = bench.project(whole)
    for path in (p for s in project.sweeps for p in s.paths):
        if not missing(path, project.host):
            found = bench.judge(project, path, path.masks[0])
            assert found.findings == (), path.id
            assert found.cases, path.id


@pytest.mark.parametrize(("bits", "needs"), [(256, "avx2"), (512, "avx512f")])
def test_a_vector_that_inline_assembly_names(tmp_path, rig_cache, bits, needs):
    """A barrier between two intrinsics, say: the compiler does not say which feature lacks."""
    (tmp_path / "chacha20-x86_64.c").write_text(
        f"""#include <immintrin.h>
        void chacha20_ctr32_wide(unsigned char *out, const unsigned char *in, unsigned long len,
                                 const unsigned key[8], const unsigned counter[4])
        {{
            __m{bits}i x = _mm{bits}_set1_epi32((int)key[0]);
            __asm__("" : "+x"(x));
            x = _mm{bits}_add_epi32(x, _mm{bits}_set1_epi32((int)(counter[0] + in[0])));
            _mm{bits}_storeu_si{bits}((__m{bits}i *)out, x);
        }}"""
    )
    assert cli.main(["init", str(tmp_path), "--cache-dir", str(rig_cache)]) == 0
    (variant,) = read(tmp_path / "rig.toml").variants("x86_64")
    assert said(variant)[1] == needs


def test_variants_behind_one_entry(bench, foreign, tmp_path, rig_cache):
    for name in ("dispatching/common.S", "dispatching/entry.inc", "macros/chacha20.inc"):
        shutil.copy(foreign / name, tmp_path)
    assert cli.main(["init", str(tmp_path), "--cache-dir", str(rig_cache)]) == 0
    found = {v.name: (v.ran, said(v)[1]) for v in read(tmp_path / "rig.toml").variants("x86_64")}
    assert found == {"plain": ("chacha20_scalar", ""), "ssse3": ("chacha20_ssse3", "ssse3")}
    assert read(tmp_path / "rig.toml").vector == {"x86_64": "foreign_ia32cap"}
    for path, judged in bench.judged(bench.project(tmp_path / "rig.toml")).items():
        assert judged.findings == (), path
