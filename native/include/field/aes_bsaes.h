/*
 * AES in bitsliced form whose schedule is made from another variant's, as
 * bsaes-armv7 has it. The comment lines are explained in aes.h.
 */
#ifndef RIG_AES_BSAES_H
#define RIG_AES_BSAES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The other variant's: vpaes_set_encrypt_key.
 *   @key       in, size bits/8, secret
 *   @bits      value, public
 *   @schedule  out, size 244, align 4, secret, opaque
 */
int aes_bsaes_set_encrypt_key(const uint8_t *key, int bits, void *schedule);

/*
 * vpaes_encrypt_key_to_bsaes.
 *   @converted  out, size 244, align 4, secret, opaque
 *   @schedule   in, size 244, align 4, secret, opaque
 */
void aes_bsaes_convert_key(void *converted, const void *schedule);

/*
 * As aes_ctr32_encrypt_blocks, with the converted schedule.
 *   @in         in, size blocks*16, secret, nullable
 *   @out        out, size blocks*16, secret, nullable, alias in
 *   @blocks     value, min 0, public
 *   @converted  in, size 244, align 4, secret, opaque
 *   @ivec       in, size 16, public
 */
void aes_bsaes_ctr32_encrypt_blocks(const uint8_t *in, uint8_t *out, size_t blocks,
                                    const void *converted, const uint8_t ivec[16]);

#endif
