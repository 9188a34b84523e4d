/*
 * Fused AES-GCM as aes-gcm-armv8_64 has it in OpenSSL: as aes_gcm_kernel.h, but
 * the table stands 32 bytes behind Xi, and the bytes done are returned.
 */
#ifndef RIG_AES_GCM_KERNEL_OPENSSL_H
#define RIG_AES_GCM_KERNEL_OPENSSL_H

#include <stddef.h>
#include <stdint.h>

/*
 * As aes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_gcm_kernel_openssl_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * As ghash_init.
 *   @Htable  out, size 256, align 16, secret, opaque, at Xi+32
 *   @H       in, size 16, align 8, secret
 */
void aes_gcm_kernel_openssl_init(void *Htable, const uint64_t H[2]);

/*
 * aes_gcm_enc_128_kernel and its like.
 *   @in        in, size len_bits/8, secret, nullable
 *   @len_bits  value, multiple 128, min 128, public
 *   @out       out, size len_bits/8, secret, nullable, alias in
 *   @Xi        inout, size 16, secret
 *   @ivec      inout, size 16, public
 *   @schedule  in, size 244, align 4, secret, opaque
 */
size_t aes_gcm_kernel_openssl_seal(const uint8_t *in, uint64_t len_bits, uint8_t *out, void *Xi,
                                   uint8_t ivec[16], const void *schedule);

/*
 * aes_gcm_dec_128_kernel and its like.
 *   @in        in, size len_bits/8, secret, nullable
 *   @len_bits  value, multiple 128, min 128, public
 *   @out       out, size len_bits/8, secret, nullable, alias in
 *   @Xi        inout, size 16, secret
 *   @ivec      inout, size 16, public
 *   @schedule  in, size 244, align 4, secret, opaque
 */
size_t aes_gcm_kernel_openssl_open(const uint8_t *in, uint64_t len_bits, uint8_t *out, void *Xi,
                                   uint8_t ivec[16], const void *schedule);

#endif
