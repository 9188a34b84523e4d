/*
 * Carry-less products of 64 bits and what GHASH's reduction makes of them, as
 * intrinsics. A number of 128 bits has its low half in lane 0.
 */
#ifndef RIG_PMULL_H
#define RIG_PMULL_H

#include <arm_neon.h>

static inline uint64x2_t exchange_halves(uint64x2_t x)
{
    return vextq_u64(x, x, 1);
}

/* Of the numbers in both lanes 0. */
static inline uint64x2_t multiply_first(uint64x2_t a, uint64x2_t b)
{
    return vreinterpretq_u64_p128(
        vmull_p64((poly64_t)vgetq_lane_u64(a, 0), (poly64_t)vgetq_lane_u64(b, 0)));
}

/* Of the numbers in both lanes 1. */
static inline uint64x2_t multiply_second(uint64x2_t a, uint64x2_t b)
{
    return vreinterpretq_u64_p128(
        vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)));
}

/* Takes x^128 to x^191 of x, its low half, to lower powers; halves change places. */
static inline uint64x2_t fold(uint64x2_t x)
{
    return veorq_u64(exchange_halves(x), multiply_first(x, vdupq_n_u64(UINT64_C(0xc2) << 56)));
}

/* high:low of 256 bits, x^i at bit 255 - i, modulo the polynomial. middle is
 * Karatsuba's product of sums, still with low and high in it. */
static inline uint64x2_t reduce(uint64x2_t low, uint64x2_t high, uint64x2_t middle)
{
    const uint64x2_t zero = vdupq_n_u64(0);

    middle = veorq_u64(middle, veorq_u64(low, high));
    low = veorq_u64(low, vextq_u64(zero, middle, 1));
    high = veorq_u64(high, vextq_u64(middle, zero, 1));
    return veorq_u64(high, fold(fold(low)));
}

#endif
