/*
 * NEON for sources that serve AArch64 and ARM: the intrinsics of A64 that A32
 * lacks, made of those that it has.
 */
#ifndef RIG_NEON_A64_H
#define RIG_NEON_A64_H

#include <arm_neon.h>

#if defined(__arm__)

/* An index past the table gives 0, as in A64. */
static inline uint8x16_t vqtbl1q_u8(uint8x16_t table, uint8x16_t index)
{
    const uint8x8x2_t halves = {{vget_low_u8(table), vget_high_u8(table)}};

    return vcombine_u8(vtbl2_u8(halves, vget_low_u8(index)), vtbl2_u8(halves, vget_high_u8(index)));
}

static inline uint32x4_t vzip1q_u32(uint32x4_t a, uint32x4_t b)
{
    return vzipq_u32(a, b).val[0];
}

static inline uint32x4_t vzip2q_u32(uint32x4_t a, uint32x4_t b)
{
    return vzipq_u32(a, b).val[1];
}

static inline uint64x2_t vzip1q_u64(uint64x2_t a, uint64x2_t b)
{
    return vcombine_u64(vget_low_u64(a), vget_low_u64(b));
}

static inline uint64x2_t vzip2q_u64(uint64x2_t a, uint64x2_t b)
{
    return vcombine_u64(vget_high_u64(a), vget_high_u64(b));
}

static inline uint32x4_t vuzp1q_u32(uint32x4_t a, uint32x4_t b)
{
    return vuzpq_u32(a, b).val[0];
}

static inline uint64x2_t vmlal_high_u32(uint64x2_t sum, uint32x4_t a, uint32x4_t b)
{
    return vmlal_u32(sum, vget_high_u32(a), vget_high_u32(b));
}

static inline uint64_t vaddvq_u64(uint64x2_t x)
{
    return vgetq_lane_u64(x, 0) + vgetq_lane_u64(x, 1);
}

#endif

#endif
