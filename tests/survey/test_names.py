"""What the names of the field's functions say."""

import pytest

from rig.survey.names import FORM_ROLES, ROLES, given_lengths, is_vector, meaning

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
    "aes_hw_decrypt": ("aes", "decrypt", "hw", ""),
    "GFp_aesni_cbc_encrypt": ("aes", "cbc_encrypt", "aesni", "GFp_"),
    "AES_set_decrypt_key": ("aes", "set_decrypt_key", "plain", ""),
    "vpaes_encrypt_key_to_bsaes": ("aes", "convert_key", "bsaes", ""),
    "p_aes_gcm_enc_update_vaes_avx512": ("aes_gcm_fused", "seal", "vaes_avx512", "p_"),
    "aes_gcm_dec_kernel": ("aes_gcm_fused", "open", "kernel", ""),
    "chacha20_poly1305_seal": ("chacha20_poly1305_fused", "seal", "plain", ""),
    "aws_lc_0_39_0_chacha20_poly1305_open_sse41": (
        "chacha20_poly1305_fused", "open", "sse41", "aws_lc_0_39_0_",
    ),
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
        "rig_chacha20_poly1305_seal",
        "aes_hw_encrypt_key_to_decrypt_key",
        "gcm_init",
        "vpaes_encrypt_core",
        "sha256_block_data_order",
    ],
)
def test_a_name_that_means_nothing_here(symbol):
    assert meaning(symbol) is None


@pytest.mark.parametrize(
    ("symbol", "arch", "wanted"),
    [
        ("OPENSSL_ia32cap_P", "x86_64", True),
        ("OPENSSL_ia32cap_P", "aarch64", False),
        ("GFp_armcap_P", "arm", True),
        ("aws_lc_0_39_0_OPENSSL_ia32cap_P", "i386", True),
        ("rig_ia32cap", "x86_64", True),
        ("OPENSSL_ia32cap_init", "x86_64", False),
        ("OPENSSL_cpuid_setup", "x86_64", False),
    ],
)
def test_a_capability_vector(symbol, arch, wanted):
    assert is_vector(symbol, arch) is wanted


@pytest.mark.parametrize(
    ("symbol", "lengths"),
    [
        ("p_ChaCha20_ctr32_avx2", {"min": 129}),
        ("gcm_ghash_vpclmulqdq_avx2_16", {"min": 16, "max": 16}),
        ("ChaCha20_ctr32_ssse3", {}),
        ("rig_chacha20_ctr32_avx2", {}),
    ],
)
def test_the_lengths_that_callers_of_the_field_give(symbol, lengths):
    assert given_lengths(symbol) == lengths


def test_roles_are_those_of_the_contracts():
    from rig.contracts import read
    from rig.data import data_folder
    from rig.primitives import PRIMITIVES

    include = data_folder("native") / "include"
    for name, roles in ROLES.items():
        assert read(include / PRIMITIVES[name].header).roles == roles
    for name, roles in FORM_ROLES.items():
        assert read(include / "field" / f"{name}.h").roles == roles
