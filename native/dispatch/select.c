/*
 * Chooses variants by the capability vector, for each primitive the last one
 * of its stanza in rig.toml whose needs all hold. A bit stands for itself: none
 * implies another, so every combination of bits has exactly one answer.
 *
 * rig_select_PRIMITIVE fills table with the functions of the choice: of a leaf
 * in the order of its contract's header, of an AEAD slot by slot. len is the
 * length class asked for; no choice depends on it.
 */
#include <stdbool.h>

#include "aes.h"
#include "chacha20.h"
#include "ghash.h"
#include "poly1305.h"

/* Word 0 is CPUID.1:EDX, 1 is CPUID.1:ECX, 2 is CPUID.7.0:EBX (capabilities.h). */
enum capability {
    PCLMUL = 32 * 1 + 1,
    SSSE3 = 32 * 1 + 9,
    AES = 32 * 1 + 25,
    AVX2 = 32 * 2 + 5,
};

extern uint32_t rig_ia32cap[10];

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_ct64, rig_aes_set_encrypt_key_ssse3,
    rig_aes_set_encrypt_key_aesni;
__typeof__(aes_encrypt) rig_aes_encrypt_ct64, rig_aes_encrypt_ssse3, rig_aes_encrypt_aesni;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_ct64,
    rig_aes_ctr32_encrypt_blocks_ssse3, rig_aes_ctr32_encrypt_blocks_aesni;
__typeof__(ghash_init) rig_ghash_init_ct64, rig_ghash_init_ssse3, rig_ghash_init_pclmul;
__typeof__(ghash_gmult) rig_ghash_gmult_ct64, rig_ghash_gmult_ssse3, rig_ghash_gmult_pclmul;
__typeof__(ghash_ghash) rig_ghash_ghash_ct64, rig_ghash_ghash_ssse3, rig_ghash_ghash_pclmul;
__typeof__(chacha20_ctr32) rig_chacha20_ctr32_generic, rig_chacha20_ctr32_ssse3,
    rig_chacha20_ctr32_avx2;
__typeof__(poly1305_init) rig_poly1305_init_donna44;
__typeof__(poly1305_blocks) rig_poly1305_blocks_donna44;
__typeof__(poly1305_emit) rig_poly1305_emit_donna44;

typedef void select_function(void **table, size_t len);

select_function rig_select_aes, rig_select_ghash, rig_select_chacha20, rig_select_poly1305,
    rig_select_aes_gcm, rig_select_chacha20_poly1305, rig_select_chacha20_poly1305_old;

#define AES_FUNCTIONS 3
#define CHACHA20_FUNCTIONS 1

#define TAKE_AES(table, name)                                     \
    do {                                                          \
        (table)[0] = (void *)rig_aes_set_encrypt_key_##name;      \
        (table)[1] = (void *)rig_aes_encrypt_##name;              \
        (table)[2] = (void *)rig_aes_ctr32_encrypt_blocks_##name; \
    } while (0)

#define TAKE_GHASH(table, name)                      \
    do {                                             \
        (table)[0] = (void *)rig_ghash_init_##name;  \
        (table)[1] = (void *)rig_ghash_gmult_##name; \
        (table)[2] = (void *)rig_ghash_ghash_##name; \
    } while (0)

static bool has(enum capability capability)
{
    return rig_ia32cap[capability / 32] >> capability % 32 & 1;
}

void rig_select_aes(void **table, size_t len)
{
    (void)len;
    if (has(AES))
        TAKE_AES(table, aesni);
    else if (has(SSSE3))
        TAKE_AES(table, ssse3);
    else
        TAKE_AES(table, ct64);
}

void rig_select_ghash(void **table, size_t len)
{
    (void)len;
    if (has(SSSE3) && has(PCLMUL))
        TAKE_GHASH(table, pclmul);
    else if (has(SSSE3))
        TAKE_GHASH(table, ssse3);
    else
        TAKE_GHASH(table, ct64);
}

void rig_select_chacha20(void **table, size_t len)
{
    (void)len;
    if (has(AVX2))
        table[0] = (void *)rig_chacha20_ctr32_avx2;
    else if (has(SSSE3))
        table[0] = (void *)rig_chacha20_ctr32_ssse3;
    else
        table[0] = (void *)rig_chacha20_ctr32_generic;
}

void rig_select_poly1305(void **table, size_t len)
{
    (void)len;
    table[0] = (void *)rig_poly1305_init_donna44;
    table[1] = (void *)rig_poly1305_blocks_donna44;
    table[2] = (void *)rig_poly1305_emit_donna44;
}

void rig_select_aes_gcm(void **table, size_t len)
{
    rig_select_aes(table, len);
    rig_select_ghash(table + AES_FUNCTIONS, len);
}

void rig_select_chacha20_poly1305(void **table, size_t len)
{
    rig_select_chacha20(table, len);
    rig_select_poly1305(table + CHACHA20_FUNCTIONS, len);
}

void rig_select_chacha20_poly1305_old(void **table, size_t len)
{
    rig_select_chacha20_poly1305(table, len);
}
