/*
 * Fused AES-GCM as aesni-gcm-x86_64 has it in OpenSSL: as aesni_gcm.h, but the
 * table stands 32 bytes behind Xi, and nobody says so in an argument.
 */
#ifndef RIG_AESNI_GCM_OPENSSL_H
#define RIG_AESNI_GCM_OPENSSL_H

#include <stddef.h>
#include <stdint.h>

/*
 * As aes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aesni_gcm_openssl_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * As ghash_init.
 *   @Htable  out, size 256, align 16, secret, opaque, at Xi+32
 *   @H       in, size 16, align 8, secret
 */
void aesni_gcm_openssl_init(void *Htable, const uint64_t H[2]);

/*
 * aesni_gcm_encrypt: does six blocks at a time from 18 blocks on and returns the
 * bytes done.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, multiple 96, min 288, partial, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      inout, size 16, public
 *   @Xi        inout, size 16, secret
 */
size_t aesni_gcm_openssl_seal(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                              uint8_t ivec[16], void *Xi);

/*
 * aesni_gcm_decrypt: does six blocks at a time and returns the bytes done.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, multiple 96, min 96, partial, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      inout, size 16, public
 *   @Xi        inout, size 16, secret
 */
size_t aesni_gcm_openssl_open(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                              uint8_t ivec[16], void *Xi);

#endif
