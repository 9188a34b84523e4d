/*
 * A vector of two blocks, by AVX2. The names are explained in vector128.h.
 */
#ifndef RIG_VECTOR256_H
#define RIG_VECTOR256_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef __m256i vector;

enum { LANES = 2, VECTORS = 8, GROUP = 16 * LANES * VECTORS };

static inline __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

static inline void store(uint8_t *p, __m256i x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

static inline __m256i load_part(const uint8_t *p, size_t len)
{
    (void)len; /* 16 */
    return _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)p));
}

static inline void store_part(uint8_t *p, __m256i x, size_t len)
{
    (void)len;
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(x));
}

static inline __m256i zero(void)
{
    return _mm256_setzero_si256();
}

static inline __m256i each(__m128i x)
{
    return _mm256_broadcastsi128_si256(x);
}

static inline __m256i first(__m128i x)
{
    return _mm256_zextsi128_si256(x);
}

static inline __m128i total(__m256i x)
{
    return _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

static inline __m256i places(void)
{
    return _mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0);
}

static inline __m256i add32(__m256i x, __m256i y)
{
    return _mm256_add_epi32(x, y);
}

static inline __m256i add(__m256i x, __m256i y)
{
    return _mm256_xor_si256(x, y);
}

static inline __m256i swap(__m256i x)
{
    return _mm256_shuffle_epi8(
        x, each(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
}

static inline __m256i exchange(__m256i x)
{
    return _mm256_shuffle_epi32(x, 0x4e);
}

static inline __m256i low_halves(__m256i x, __m256i y)
{
    return _mm256_unpacklo_epi64(x, y);
}

static inline __m256i high_halves(__m256i x, __m256i y)
{
    return _mm256_unpackhi_epi64(x, y);
}

#ifdef __VPCLMULQDQ__

static inline __m256i low_product(__m256i x, __m256i y)
{
    return _mm256_clmulepi64_epi128(x, y, 0x00);
}

static inline __m256i high_product(__m256i x, __m256i y)
{
    return _mm256_clmulepi64_epi128(x, y, 0x11);
}

static inline __m256i low_high_product(__m256i x, __m256i y)
{
    return _mm256_clmulepi64_epi128(x, y, 0x10);
}

#endif

#ifdef __VAES__

static inline __m256i middle_round(__m256i x, __m256i key)
{
    return _mm256_aesenc_epi128(x, key);
}

static inline __m256i last_round(__m256i x, __m256i key)
{
    return _mm256_aesenclast_epi128(x, key);
}

#endif

#endif
