/*
 * Fused AES-GCM as aes-gcm-avx2-x86_64 and aes-gcm-avx512-x86_64 have it: the
 * whole of a message, its last block padded with zeros for GHASH. ivec is read
 * only: the caller advances it.
 */
#ifndef RIG_AES_GCM_UPDATE_H
#define RIG_AES_GCM_UPDATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * As aes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_gcm_update_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * As ghash_init.
 *   @Htable  out, size 256, align 16, secret, opaque
 *   @H       in, size 16, align 8, secret
 */
void aes_gcm_update_init(void *Htable, const uint64_t H[2]);

/*
 * aes_gcm_enc_update_vaes_*.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, min 0, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      in, size 16, public
 *   @Htable    in, size 256, align 16, secret, opaque
 *   @Xi        inout, size 16, secret
 */
void aes_gcm_update_seal(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                         const uint8_t ivec[16], const void *Htable, uint8_t Xi[16]);

/*
 * aes_gcm_dec_update_vaes_*.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, min 0, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      in, size 16, public
 *   @Htable    in, size 256, align 16, secret, opaque
 *   @Xi        inout, size 16, secret
 */
void aes_gcm_update_open(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                         const uint8_t ivec[16], const void *Htable, uint8_t Xi[16]);

#endif
