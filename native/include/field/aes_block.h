/*
 * AES with decryption and CBC beside what aes.h has, as aesni-x86_64, aesv8-armx
 * and vpaes-* have them. The comment lines are explained in aes.h.
 */
#ifndef RIG_AES_BLOCK_H
#define RIG_AES_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/*
 * As aes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_block_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * As aes_encrypt.
 *   @in        in, size 16, secret
 *   @out       out, size 16, secret, alias in
 *   @schedule  in, size 244, align 4, secret, opaque
 */
void aes_block_encrypt(const uint8_t in[16], uint8_t out[16], const void *schedule);

/*
 * As aes_ctr32_encrypt_blocks.
 *   @in        in, size blocks*16, secret, nullable
 *   @out       out, size blocks*16, secret, nullable, alias in
 *   @blocks    value, min 0, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      in, size 16, public
 */
void aes_block_ctr32_encrypt_blocks(const uint8_t *in, uint8_t *out, size_t blocks,
                                    const void *schedule, const uint8_t ivec[16]);

/*
 * Expands a key for decryption (FIPS 197 clause 5.3.5, or any other schedule
 * from which the variant deciphers). Returns 0.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_block_set_decrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * Deciphers one block (FIPS 197 clause 5.3); the schedule is set_decrypt_key's.
 *   @in        in, size 16, secret
 *   @out       out, size 16, secret, alias in
 *   @schedule  in, size 244, align 4, secret, opaque
 */
void aes_block_decrypt(const uint8_t in[16], uint8_t out[16], const void *schedule);

/*
 * CBC over whole blocks (SP 800-38A clause 6.2), enciphering with the schedule of
 * set_encrypt_key if enc is 1, deciphering with that of set_decrypt_key if it is
 * 0. Leaves the last block of the ciphertext in ivec, which stays as it was where
 * there is none.
 *   @in        in, size len, secret, nullable
 *   @out       out, size len, secret, nullable, alias in
 *   @len       value, multiple 16, min 0, public
 *   @schedule  in, size 244, align 4, secret, opaque
 *   @ivec      inout, size 16, public
 *   @enc       value, min 0, max 1, public
 */
void aes_block_cbc_encrypt(const uint8_t *in, uint8_t *out, size_t len, const void *schedule,
                           uint8_t ivec[16], int enc);

#endif
