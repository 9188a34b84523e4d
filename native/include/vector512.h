/*
 * A vector of four blocks, by AVX-512 (F and BW). The names are explained in vector128.h.
 */
#ifndef RIG_VECTOR512_H
#define RIG_VECTOR512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef __m512i vector;

enum { LANES = 4, VECTORS = 4, GROUP = 16 * LANES * VECTORS };

static inline __m512i load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline void store(uint8_t *p, __m512i x)
{
    _mm512_storeu_si512(p, x);
}

static inline __m512i load_part(const uint8_t *p, size_t len)
{
    return _mm512_maskz_loadu_epi64((__mmask8)((1u << len / 8) - 1), p);
}

static inline void store_part(uint8_t *p, __m512i x, size_t len)
{
    _mm512_mask_storeu_epi64(p, (__mmask8)((1u << len / 8) - 1), x);
}

static inline __m512i zero(void)
{
    return _mm512_setzero_si512();
}

static inline __m512i each(__m128i x)
{
    return _mm512_broadcast_i32x4(x);
}

static inline __m512i first(__m128i x)
{
    return _mm512_zextsi128_si512(x);
}

static inline __m128i total(__m512i x)
{
    const __m256i sum =
        _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));

    return _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

static inline __m512i places(void)
{
    return _mm512_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0);
}

static inline __m512i add32(__m512i x, __m512i y)
{
    return _mm512_add_epi32(x, y);
}

static inline __m512i add(__m512i x, __m512i y)
{
    return _mm512_xor_si512(x, y);
}

static inline __m512i swap(__m512i x)
{
    return _mm512_shuffle_epi8(
        x, each(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
}

static inline __m512i exchange(__m512i x)
{
    return _mm512_shuffle_epi32(x, 0x4e);
}

static inline __m512i low_halves(__m512i x, __m512i y)
{
    return _mm512_unpacklo_epi64(x, y);
}

static inline __m512i high_halves(__m512i x, __m512i y)
{
    return _mm512_unpackhi_epi64(x, y);
}

#ifdef __VPCLMULQDQ__

static inline __m512i low_product(__m512i x, __m512i y)
{
    return _mm512_clmulepi64_epi128(x, y, 0x00);
}

static inline __m512i high_product(__m512i x, __m512i y)
{
    return _mm512_clmulepi64_epi128(x, y, 0x11);
}

static inline __m512i low_high_product(__m512i x, __m512i y)
{
    return _mm512_clmulepi64_epi128(x, y, 0x10);
}

#endif

#ifdef __VAES__

static inline __m512i middle_round(__m512i x, __m512i key)
{
    return _mm512_aesenc_epi128(x, key);
}

static inline __m512i last_round(__m512i x, __m512i key)
{
    return _mm512_aesenclast_epi128(x, key);
}

#endif

#endif
