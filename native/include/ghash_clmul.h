/*
 * Products in GF(2^128) with carry-less multiplication (S. Gueron, M. Kounavis,
 * Intel Carry-Less Multiplication Instruction and its Usage for Computing the
 * GCM Mode).
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of
 * two such numbers has x^i at bit 254 - i, so one factor is H/x instead of H,
 * which puts x^i at bit 255 - i.
 */
#ifndef RIG_GHASH_CLMUL_H
#define RIG_GHASH_CLMUL_H

#include <stdint.h>
#include <tmmintrin.h>
#include <wmmintrin.h>

/* A product of 255 bits in three parts: low, times x^64 middle, times x^128 high. */
struct product {
    __m128i low, middle, high;
};

static inline __m128i swap_bytes(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

static inline struct product product(__m128i x, __m128i h)
{
    return (struct product){
        _mm_clmulepi64_si128(x, h, 0x00),
        _mm_xor_si128(_mm_clmulepi64_si128(x, h, 0x01), _mm_clmulepi64_si128(x, h, 0x10)),
        _mm_clmulepi64_si128(x, h, 0x11),
    };
}

/* H/x of a subkey as ghash_init takes it. */
static inline __m128i over_x(const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63;

    return _mm_set_epi64x((int64_t)((H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56)),
                          (int64_t)(H[1] << 1 ^ one));
}

/* Takes x^128 to x^191 of x, its low half, to lower powers; halves change places. */
static inline __m128i fold(__m128i x)
{
    const __m128i poly = _mm_set_epi32(0, 0, (int)0xc2000000, 0);

    return _mm_xor_si128(_mm_shuffle_epi32(x, 0x4e), _mm_clmulepi64_si128(x, poly, 0x00));
}

static inline __m128i reduce(struct product p)
{
    const __m128i low = _mm_xor_si128(p.low, _mm_slli_si128(p.middle, 8));
    const __m128i high = _mm_xor_si128(p.high, _mm_srli_si128(p.middle, 8));

    return _mm_xor_si128(high, fold(fold(low)));
}

static inline __m128i multiply(__m128i x, __m128i h)
{
    return reduce(product(x, h));
}

#endif
