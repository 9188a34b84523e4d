/*
 * AES by vector permutes, in constant time, for the 16 registers of AArch32: vtbl
 * looks up 8 nibbles at once in a pair of them. The method is explained in
 * aes_permute.h.
 */
#include "aes.h"
#include "neon_a64.h"
#include "words.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_neon;
__typeof__(aes_encrypt) rig_aes_encrypt_neon;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_neon;

enum { LANES = 4 };

typedef uint8x16_t vector;

static inline uint8x16_t load(const uint8_t *p)
{
    return vld1q_u8(p);
}

static inline void store(uint8_t *p, uint8x16_t v)
{
    vst1q_u8(p, v);
}

static inline uint8x16_t permute(uint8x16_t x, uint8x16_t index)
{
    return vqtbl1q_u8(x, index);
}

static inline uint8x16_t of_bytes(uint8_t x)
{
    return vdupq_n_u8(x);
}

static inline uint8x16_t low_nibbles(uint8x16_t x)
{
    return vandq_u8(x, of_bytes(15));
}

static inline uint8x16_t high_nibbles(uint8x16_t x)
{
    return vshrq_n_u8(x, 4);
}

static inline uint8x16_t of_word(uint32_t x)
{
    return vreinterpretq_u8_u32(vsetq_lane_u32(x, vdupq_n_u32(0), 0));
}

static inline uint32_t word(uint8x16_t v)
{
    return vgetq_lane_u32(vreinterpretq_u32_u8(v), 0);
}

#include "aes_permute.h"

#include "aes_ctr32_neon.h"

int rig_aes_set_encrypt_key_neon(const uint8_t *key, int bits, void *schedule)
{
    set_encrypt_key(schedule, key, bits);
    return 0;
}

void rig_aes_encrypt_neon(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    uint8x16_t s = vld1q_u8(in);

    encrypt(&s, 1, schedule);
    vst1q_u8(out, s);
}

void rig_aes_ctr32_encrypt_blocks_neon(const uint8_t *in, uint8_t *out, size_t blocks,
                                       const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
