/*
 * AES in counter mode, four blocks to an instruction and sixteen in flight
 * (aes_groups.h). The key schedule and what makes it are aesni's, and so is the
 * encryption of one block.
 */
#include "aes.h"
#include "vector512.h"

#include "aes_groups.h"

__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_vaes_avx512;

void rig_aes_ctr32_encrypt_blocks_vaes_avx512(const uint8_t *in, uint8_t *out, size_t blocks,
                                              const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, 16 * blocks, schedule, ivec);
}
