/*
 * Poly1305 (RFC 8439 section 2.5) by AVX2, eight blocks in parallel: five vectors hold the
 * limbs, of 26 bits, of four numbers; lane j absorbs blocks 8i + j and 8i + 4 + j. Each group
 * multiplies its first half by r^8, its second by r^4, and carries once; the last one multiplies
 * them by r^8 to r, and the sum of the lanes is the accumulator. In memory lane j is at
 * place 0, 2, 1, 3, as unpacking leaves them.
 */
#ifndef RIG_POLY1305_EIGHT_H
#define RIG_POLY1305_EIGHT_H

#include <immintrin.h>

#include "poly1305_limbs26.h"

#define GROUP 128 /* octets in eight blocks */

/* Limb by limb: r^8, r^6, r^7, r^5, r^4, r^2, r^3, r. */
typedef uint32_t powers[5][8];

/* All but r itself are left for find_powers. */
static inline void store_key(powers power, const uint8_t key[16])
{
    uint32_t r[5];

    split_key26(r, key);
    for (int i = 0; i < 5; i++)
        power[i][7] = r[i];
}

static inline void load_key(uint32_t r[5], const powers power)
{
    for (int i = 0; i < 5; i++)
        r[i] = power[i][7];
}

static inline __m256i times5(__m256i x)
{
    return _mm256_add_epi64(x, _mm256_slli_epi64(x, 2));
}

static inline __m256i widen(const uint32_t limb[4])
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)limb));
}

/*
 * d += h * r. The limbs of h < 2^27 + 2^13, of r < 2^26 + 2^12: times 5 they fit 32 bits and
 * the sum of two products stays below 2^59.
 */
static inline __attribute__((always_inline)) void
add_product(__m256i d[5], const __m256i h[5], const __m256i r[5], const __m256i wrap[5])
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
#pragma GCC unroll 5
        for (int j = 0; j < 5; j++)
            d[(i + j) % 5] = _mm256_add_epi64(
                d[(i + j) % 5], _mm256_mul_epu32(h[i], i + j < 5 ? r[j] : wrap[j]));
}

static inline __m256i low26(__m256i x)
{
    return _mm256_and_si256(x, _mm256_set1_epi64x(LIMB26));
}

static inline void carry(__m256i *from, __m256i *to)
{
    *to = _mm256_add_epi64(*to, _mm256_srli_epi64(*from, 26));
    *from = low26(*from);
}

/* Sums < 2^61 become limbs < 2^26 + 2^12, by two chains of carries side by side. */
static inline void reduce(__m256i d[5])
{
    __m256i over = _mm256_setzero_si256();

    carry(&d[0], &d[1]);
    carry(&d[3], &d[4]);
    carry(&d[1], &d[2]);
    carry(&d[4], &over);
    d[0] = _mm256_add_epi64(d[0], times5(over));
    carry(&d[2], &d[3]);
    carry(&d[0], &d[1]);
    carry(&d[3], &d[4]);
}

/* to may be one of the others. */
static inline void product(__m256i to[5], const __m256i a[5], const __m256i b[5])
{
    __m256i d[5], wrap[5];

    for (int i = 0; i < 5; i++) {
        d[i] = _mm256_setzero_si256();
        wrap[i] = times5(b[i]);
    }
    add_product(d, a, b, wrap);
    reduce(d);
    for (int i = 0; i < 5; i++)
        to[i] = d[i];
}

/* The low words of the lanes. */
static inline void store_low(uint32_t to[4], __m256i x)
{
    const __m256i packed =
        _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));

    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(packed));
}

/* (r^4, r^2, r^3, r) is (r^2, r^2, r^2, r) * (r^2, 1, r, 1); times r^4 it is the first half. */
static void find_powers(powers power)
{
    __m256i left[5], right[5], four[5];

#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        right[i] = _mm256_set1_epi64x(power[i][7]);
    product(left, right, right);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        const __m256i r = right[i];

        right[i] = _mm256_blend_epi32(left[i], r, 0x30);
        right[i] = _mm256_blend_epi32(right[i], _mm256_set1_epi64x(i == 0), 0xcc);
        left[i] = _mm256_blend_epi32(left[i], r, 0xc0);
    }
    product(right, left, right);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        store_low(power[i] + 4, right[i]);
        four[i] = _mm256_permute4x64_epi64(right[i], 0);
    }
    product(right, right, four);
    for (int i = 0; i < 5; i++)
        store_low(power[i], right[i]);
}

/* Four blocks, one to a lane. */
static inline void split(__m256i limb[5], const uint8_t *in, __m256i pad)
{
    const __m256i first = _mm256_loadu_si256((const __m256i *)in);
    const __m256i second = _mm256_loadu_si256((const __m256i *)(in + 32));
    const __m256i low = _mm256_unpacklo_epi64(first, second);
    const __m256i high = _mm256_unpackhi_epi64(first, second);
    const __m256i across =
        _mm256_or_si256(_mm256_srli_epi64(low, 52), _mm256_slli_epi64(high, 12));

    limb[0] = low26(low);
    limb[1] = low26(_mm256_srli_epi64(low, 26));
    limb[2] = low26(across);
    limb[3] = low26(_mm256_srli_epi64(high, 14));
    limb[4] = _mm256_or_si256(_mm256_srli_epi64(high, 40), pad);
}

static inline void add_blocks(__m256i h[5], const uint8_t *in, __m256i pad)
{
    __m256i limb[5];

    split(limb, in, pad);
    for (int i = 0; i < 5; i++)
        h[i] = _mm256_add_epi64(h[i], limb[i]);
}

/* h = h * r of the first half + limb * r of the second. */
static inline __attribute__((always_inline)) void
multiply(__m256i h[5], const __m256i r[2][5], const __m256i wrap[2][5], const __m256i limb[5])
{
    __m256i d[5];

    for (int i = 0; i < 5; i++)
        d[i] = _mm256_setzero_si256();
    add_product(d, limb, r[1], wrap[1]);
    add_product(d, h, r[0], wrap[0]);
    for (int i = 0; i < 5; i++)
        h[i] = d[i];
}

/* The sum of the lanes, in the first. */
static inline __m256i total(__m256i x)
{
    const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));

    return _mm256_zextsi128_si256(_mm_add_epi64(pair, _mm_srli_si128(pair, 8)));
}

/* h absorbs len octets, a multiple of a group's and not 0. */
static inline __attribute__((always_inline)) void
absorb_groups(uint32_t accumulator[5], const powers power, const uint8_t *in, size_t len,
              uint32_t padbit)
{
    const __m256i pad = _mm256_set1_epi64x((int64_t)padbit << 24);
    __m256i h[5], r[2][5], wrap[2][5], limb[5];

#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        h[i] = _mm256_zextsi128_si256(_mm_cvtsi32_si128((int)accumulator[i]));
        r[0][i] = _mm256_set1_epi64x(power[i][0]);
        r[1][i] = _mm256_set1_epi64x(power[i][4]);
        wrap[0][i] = times5(r[0][i]);
        wrap[1][i] = times5(r[1][i]);
    }
    add_blocks(h, in, pad);
    split(limb, in + 64, pad);
    while ((len -= GROUP)) {
        in += GROUP;
        multiply(h, r, wrap, limb);
        reduce(h);
        add_blocks(h, in, pad);
        split(limb, in + 64, pad);
    }
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        r[0][i] = widen(power[i]);
        r[1][i] = widen(power[i] + 4);
        wrap[0][i] = times5(r[0][i]);
        wrap[1][i] = times5(r[1][i]);
    }
    multiply(h, r, wrap, limb);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        h[i] = total(h[i]);
    reduce(h);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        accumulator[i] = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(h[i]));
}

#endif
