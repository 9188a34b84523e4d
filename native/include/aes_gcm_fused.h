/*
 * Contract of fused AES-GCM kernels: counter mode and GHASH (SP 800-38D clauses
 * 6.4 and 6.5) over a message in one pass, whole blocks only. Their caller does
 * the rest with functions that make the same key schedule and the same table,
 * which the first two here are. The comment lines are explained in aes.h.
 */
#ifndef RIG_AES_GCM_FUSED_H
#define RIG_AES_GCM_FUSED_H

#include <stddef.h>
#include <stdint.h>

/*
 * As aes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_gcm_fused_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * As ghash_init.
 *   @Htable  out, size 256, align 16, secret, opaque
 *   @H       in, size 16, align 8, secret
 */
void aes_gcm_fused_init(void *Htable, const uint64_t H[2]);

/*
 * Enciphers whole blocks of in from the counter block ivec on and absorbs what
 * it wrote into Xi. Returns the bytes done, in front: a multiple of 16, which a
 * stanza's `len` narrows, up to len. The last 32 bits of ivec, big-endian, are
 * advanced by one for each block done, modulo 2^32.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, multiple 16, min 0, partial, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      inout, size 16, public
 *   @Htable    in, size 256, align 16, secret, opaque
 *   @Xi        inout, size 16, secret
 */
size_t aes_gcm_fused_seal(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                          uint8_t ivec[16], const void *Htable, uint8_t Xi[16]);

/*
 * The same, but absorbs what it read.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, multiple 16, min 0, partial, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      inout, size 16, public
 *   @Htable    in, size 256, align 16, secret, opaque
 *   @Xi        inout, size 16, secret
 */
size_t aes_gcm_fused_open(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                          uint8_t ivec[16], const void *Htable, uint8_t Xi[16]);

#endif
