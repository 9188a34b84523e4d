/*
 * AES-GCM with AES and carry-less multiplication of two blocks to an instruction
 * in one pass, sixteen blocks at a time (aes_gcm_groups.h).
 */
#include "aes_gcm_fused.h"
#include "ghash_clmul.h"
#include "vector256.h"

#include "aes_groups.h"
#include "ghash_groups.h"

#include "aes_gcm_groups.h"

__typeof__(aes_gcm_fused_seal) rig_aes_gcm_fused_seal_vaes_avx2;
__typeof__(aes_gcm_fused_open) rig_aes_gcm_fused_open_vaes_avx2;

size_t rig_aes_gcm_fused_seal_vaes_avx2(const uint8_t *in, uint8_t *out, size_t len,
                                          const void *schedule, uint8_t ivec[16],
                                          const void *Htable, uint8_t Xi[16])
{
    return seal_blocks(in, out, len, schedule, ivec, Htable, Xi);
}

size_t rig_aes_gcm_fused_open_vaes_avx2(const uint8_t *in, uint8_t *out, size_t len,
                                          const void *schedule, uint8_t ivec[16],
                                          const void *Htable, uint8_t Xi[16])
{
    return open_blocks(in, out, len, schedule, ivec, Htable, Xi);
}
