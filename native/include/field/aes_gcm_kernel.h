/*
 * Fused AES-GCM as aesv8-gcm-armv8 has it in BoringSSL and AWS-LC: whole blocks,
 * their length in bits, and the arguments in an order of their own.
 */
#ifndef RIG_AES_GCM_KERNEL_H
#define RIG_AES_GCM_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/*
 * As aes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_gcm_kernel_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * As ghash_init.
 *   @Htable  out, size 256, align 16, secret, opaque
 *   @H       in, size 16, align 8, secret
 */
void aes_gcm_kernel_init(void *Htable, const uint64_t H[2]);

/*
 * aes_gcm_enc_kernel.
 *   @in        in, size len_bits/8, secret, nullable
 *   @len_bits  value, multiple 128, min 128, public
 *   @out       out, size len_bits/8, secret, nullable, alias in
 *   @Xi        inout, size 16, secret
 *   @ivec      inout, size 16, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @Htable    in, size 256, align 16, secret, opaque
 */
void aes_gcm_kernel_seal(const uint8_t *in, uint64_t len_bits, uint8_t *out, void *Xi,
                         uint8_t ivec[16], const void *schedule, const void *Htable);

/*
 * aes_gcm_dec_kernel.
 *   @in        in, size len_bits/8, secret, nullable
 *   @len_bits  value, multiple 128, min 128, public
 *   @out       out, size len_bits/8, secret, nullable, alias in
 *   @Xi        inout, size 16, secret
 *   @ivec      inout, size 16, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @Htable    in, size 256, align 16, secret, opaque
 */
void aes_gcm_kernel_open(const uint8_t *in, uint64_t len_bits, uint8_t *out, void *Xi,
                         uint8_t ivec[16], const void *schedule, const void *Htable);

#endif
