/*
 * A vector of one block, by SSE: what vector256.h and vector512.h have for two and four, with
 * the same names. A lane is a block's 128 bits; no operation crosses lanes but total.
 */
#ifndef RIG_VECTOR128_H
#define RIG_VECTOR128_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef __m128i vector;

/*
 * In a vector blocks, in a group vectors, in a group octets. A group keeps the units busy and
 * fits the registers and GHASH's 16 powers of H.
 */
enum { LANES = 1, VECTORS = 8, GROUP = 16 * LANES * VECTORS };

static inline __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static inline void store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

/* len of p's octets, whole blocks and fewer than a vector's; 0 behind them. Here never called. */
static inline __m128i load_part(const uint8_t *p, size_t len)
{
    (void)len;
    return load(p);
}

static inline void store_part(uint8_t *p, __m128i x, size_t len)
{
    (void)len;
    store(p, x);
}

static inline __m128i zero(void)
{
    return _mm_setzero_si128();
}

/* x in every lane. */
static inline __m128i each(__m128i x)
{
    return x;
}

/* x in the first lane, 0 in the others. */
static inline __m128i first(__m128i x)
{
    return x;
}

/* The sum of the lanes. */
static inline __m128i total(__m128i x)
{
    return x;
}

/* The place of each lane, in its lowest word. */
static inline __m128i places(void)
{
    return _mm_setzero_si128();
}

static inline __m128i add32(__m128i x, __m128i y)
{
    return _mm_add_epi32(x, y);
}

static inline __m128i add(__m128i x, __m128i y)
{
    return _mm_xor_si128(x, y);
}

/* The octets of each lane in the other order. */
static inline __m128i swap(__m128i x)
{
    return _mm_shuffle_epi8(
        x, each(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
}

/* The halves of each lane exchanged. */
static inline __m128i exchange(__m128i x)
{
    return _mm_shuffle_epi32(x, 0x4e);
}

/* The low halves of x and of y, lane by lane; the high ones. */
static inline __m128i low_halves(__m128i x, __m128i y)
{
    return _mm_unpacklo_epi64(x, y);
}

static inline __m128i high_halves(__m128i x, __m128i y)
{
    return _mm_unpackhi_epi64(x, y);
}

#ifdef __PCLMUL__

/* Products of the low halves, of the high ones, of the low half of x and the high one of y. */
static inline __m128i low_product(__m128i x, __m128i y)
{
    return _mm_clmulepi64_si128(x, y, 0x00);
}

static inline __m128i high_product(__m128i x, __m128i y)
{
    return _mm_clmulepi64_si128(x, y, 0x11);
}

static inline __m128i low_high_product(__m128i x, __m128i y)
{
    return _mm_clmulepi64_si128(x, y, 0x10);
}

#endif

#ifdef __AES__

static inline __m128i middle_round(__m128i x, __m128i key)
{
    return _mm_aesenc_si128(x, key);
}

static inline __m128i last_round(__m128i x, __m128i key)
{
    return _mm_aesenclast_si128(x, key);
}

#endif

#endif
