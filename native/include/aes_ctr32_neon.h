/*
 * Counter mode on NEON registers over whole blocks with LANES of them in flight.
 * Included behind what the variant defines: LANES and encrypt(s, n, schedule), n
 * a constant at each call.
 */
#ifndef RIG_AES_CTR32_NEON_H
#define RIG_AES_CTR32_NEON_H

#include <arm_neon.h>

#include "words.h"

/* The counter is the last word, big-endian. */
static inline uint8x16_t counter_block(uint32x4_t nonce, uint32_t counter)
{
    return vreinterpretq_u8_u32(vsetq_lane_u32(__builtin_bswap32(counter), nonce, 3));
}

static inline __attribute__((always_inline)) void
ctr(const uint8_t *in, uint8_t *out, int n, const uint8_t *schedule, uint32x4_t nonce,
    uint32_t counter)
{
    uint8x16_t s[LANES];

#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        s[i] = counter_block(nonce, counter + (uint32_t)i);
    encrypt(s, n, schedule);
#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        vst1q_u8(out + 16 * i, veorq_u8(vld1q_u8(in + 16 * i), s[i]));
}

static inline __attribute__((always_inline)) void
ctr32(const uint8_t *in, uint8_t *out, size_t blocks, const void *schedule, const uint8_t ivec[16])
{
    const uint32x4_t nonce = vreinterpretq_u32_u8(vld1q_u8(ivec));
    uint32_t counter = load32_be(ivec + 12);

    for (; blocks >= LANES; blocks -= LANES, counter += LANES) {
        ctr(in, out, LANES, schedule, nonce, counter);
        in += 16 * LANES;
        out += 16 * LANES;
    }
    for (; blocks; blocks--, counter++) {
        ctr(in, out, 1, schedule, nonce, counter);
        in += 16;
        out += 16;
    }
}

#endif
