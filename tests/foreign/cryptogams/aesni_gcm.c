/*
 * aesni_gcm_encrypt does six blocks at a time, eighteen at least; aesni_gcm_decrypt
 * six at least. ossl_* are the same with the table 32 bytes behind Xi.
 */
#include "aes_gcm_four.h"

__typeof__(aes_gcm_fused_seal) aesni_gcm_encrypt, aesni_gcm_decrypt;
size_t ossl_gcm_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                        uint8_t ivec[16], void *Xi);
size_t ossl_gcm_decrypt(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                        uint8_t ivec[16], void *Xi);

size_t aesni_gcm_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                         uint8_t ivec[16], const void *Htable, uint8_t Xi[16])
{
    return len < 288 ? 0 : pass(in, out, len - len % 96, key, ivec, Htable, Xi, 1);
}

size_t aesni_gcm_decrypt(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                         uint8_t ivec[16], const void *Htable, uint8_t Xi[16])
{
    return len < 96 ? 0 : pass(in, out, len - len % 96, key, ivec, Htable, Xi, 0);
}

size_t ossl_gcm_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                        uint8_t ivec[16], void *Xi)
{
    return aesni_gcm_encrypt(in, out, len, key, ivec, (uint8_t *)Xi + 32, Xi);
}

size_t ossl_gcm_decrypt(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                        uint8_t ivec[16], void *Xi)
{
    return aesni_gcm_decrypt(in, out, len, key, ivec, (uint8_t *)Xi + 32, Xi);
}
