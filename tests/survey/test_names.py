"""What the names of the field's functions say."""

import pytest

from rig.survey.names import ROLES, is_vector, meaning

NAMED = {
    "gcm_init_clmul": ("ghash", "init", "clmul", ""),
    "GFp_gcm_gmult_4bit": ("ghash", "gmult", "4bit", "GFp_"),
    "ossl_gcm_ghash_vpclmulqdq_avx512": ("ghash", "ghash", "vpclmulqdq_avx512", "ossl_"),
    "p_ChaCha20_ctr32_ssse3_4x": ("chacha20", "ctr32", "ssse3_4x", "p_"),
    "ChaCha20_ctr32": ("chacha20", "ctr32", "plain", ""),
    "poly1305_blocks": ("poly1305", "blocks", "plain", ""),
    "poly1305_emit_avx": ("poly1305", "emit", "avx", ""),
    "aes_hw_encrypt": ("aes", "encrypt", "hw", ""),
    "ring_core_0_17_aes_nohw_ctr32_encrypt_blocks": (
        "aes", "ctr32_encrypt_blocks", "nohw", "ring_core_0_17_",
    ),
    "private_vpaes_set_encrypt_key": ("aes", "set_encrypt_key", "vpaes", "private_"),
    "bsaes_ctr32_encrypt_blocks": ("aes", "ctr32_encrypt_blocks", "bsaes", ""),
    "aesni_encrypt": ("aes", "encrypt", "aesni", ""),
    "aesni_gcm_decrypt": ("aes_gcm_fused", "open", "aesni", ""),
    "rig_aes_gcm_fused_seal_ce_pmull": ("aes_gcm_fused", "seal", "ce_pmull", "rig_"),
    "AES_set_encrypt_key": ("aes", "set_encrypt_key", "plain", ""),
    "rig_aes_encrypt_ct64": ("aes", "encrypt", "ct64", "rig_"),
}  # fmt: skip


@pytest.mark.parametrize("symbol", NAMED)
def test_a_name_of_the_field(symbol):
    found = meaning(symbol)
    assert found is not None
    assert (found.primitive, found.role, found.variant, found.prefix) == NAMED[symbol]


@pytest.mark.parametrize(
    "symbol",
    [
        "chacha20_poly1305_init",
        "aes_hw_encrypt_key_to_decrypt_key",
        "gcm_init",
        "vpaes_encrypt_core",
        "sha256_block_data_order",
    ],
)
def test_a_name_that_means_nothing_here(symbol):
    assert meaning(symbol) is None


@pytest.mark.parametrize(
    ("symbol", "wanted"),
    [
        ("OPENSSL_ia32cap_P", True),
        ("GFp_armcap_P", True),
        ("aws_lc_0_39_0_OPENSSL_ia32cap_P", True),
        ("rig_ia32cap", True),
        ("OPENSSL_ia32cap_init", False),
        ("OPENSSL_cpuid_setup", False),
    ],
)
def test_a_capability_vector(symbol, wanted):
    assert is_vector(symbol) is wanted


def test_roles_are_those_of_the_contracts():
    from rig.contracts import read
    from rig.data import data_folder
    from rig.primitives import PRIMITIVES

    for name, roles in ROLES.items():
        header = data_folder("native") / "include" / PRIMITIVES[name].header
        assert read(header).roles == roles
