/*
 * ChaCha20 (RFC 8439 section 2.4), eight blocks in parallel by AVX2: what
 * chacha20_four.h has for four, with the same names. vpshufb rotates by 16 and
 * 8; transpositions of 4x4 words in both 128-bit lanes, then exchanges of lanes,
 * put the key stream into memory order.
 */
#ifndef RIG_CHACHA20_EIGHT_H
#define RIG_CHACHA20_EIGHT_H

#include <immintrin.h>

#include "chacha20.h"

typedef __m256i vector;

#define GROUP 512 /* octets in eight blocks */

#define TWICE(...) {__VA_ARGS__, __VA_ARGS__}

static const _Alignas(32) uint8_t ROTATED16[32] =
    TWICE(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
static const _Alignas(32) uint8_t ROTATED8[32] =
    TWICE(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);

/*
 * x with octets in this order in both lanes. As assembly, because the compiler would make two
 * shuffles of it, of words or of what x is the sum of, and spend registers on the order.
 */
static inline __m256i ordered(__m256i x, const uint8_t order[32])
{
    __asm__("vpshufb %1, %0, %0" : "+x"(x) : "m"(*(const __m256i *)order));
    return x;
}

static inline __m256i rotate16(__m256i x)
{
    return ordered(x, ROTATED16);
}

static inline __m256i rotate8(__m256i x)
{
    return ordered(x, ROTATED8);
}

static inline __m256i rotate_left(__m256i x, int n)
{
    return _mm256_or_si256(_mm256_slli_epi32(x, n), _mm256_srli_epi32(x, 32 - n));
}

static inline void quarter_round(__m256i *a, __m256i *b, __m256i *c, __m256i *d)
{
    *a = _mm256_add_epi32(*a, *b);
    *d = rotate16(_mm256_xor_si256(*d, *a));
    *c = _mm256_add_epi32(*c, *d);
    *b = rotate_left(_mm256_xor_si256(*b, *c), 12);
    *a = _mm256_add_epi32(*a, *b);
    *d = rotate8(_mm256_xor_si256(*d, *a));
    *c = _mm256_add_epi32(*c, *d);
    *b = rotate_left(_mm256_xor_si256(*b, *c), 7);
}

static inline void column_round(__m256i x[16])
{
    quarter_round(&x[0], &x[4], &x[8], &x[12]);
    quarter_round(&x[1], &x[5], &x[9], &x[13]);
    quarter_round(&x[2], &x[6], &x[10], &x[14]);
    quarter_round(&x[3], &x[7], &x[11], &x[15]);
}

static inline void diagonal_round(__m256i x[16])
{
    quarter_round(&x[0], &x[5], &x[10], &x[15]);
    quarter_round(&x[1], &x[6], &x[11], &x[12]);
    quarter_round(&x[2], &x[7], &x[8], &x[13]);
    quarter_round(&x[3], &x[4], &x[9], &x[14]);
}

/* The lanes' counters wrap modulo 2^32 each for itself, as the contract wants. */
static inline void load_state(__m256i state[16], const uint32_t key[8], const uint32_t counter[4])
{
    state[0] = _mm256_set1_epi32(0x61707865);
    state[1] = _mm256_set1_epi32(0x3320646e);
    state[2] = _mm256_set1_epi32(0x79622d32);
    state[3] = _mm256_set1_epi32(0x6b206574);
    for (int i = 0; i < 8; i++)
        state[4 + i] = _mm256_set1_epi32((int)key[i]);
    for (int i = 0; i < 4; i++)
        state[12 + i] = _mm256_set1_epi32((int)counter[i]);
    state[12] = _mm256_add_epi32(state[12], _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Four words of eight blocks: w[j] becomes 16 octets each of blocks j and j + 4. */
static inline void transpose(__m256i w[4])
{
    __m256i ab_low = _mm256_unpacklo_epi32(w[0], w[1]);
    __m256i ab_high = _mm256_unpackhi_epi32(w[0], w[1]);
    __m256i cd_low = _mm256_unpacklo_epi32(w[2], w[3]);
    __m256i cd_high = _mm256_unpackhi_epi32(w[2], w[3]);

    w[0] = _mm256_unpacklo_epi64(ab_low, cd_low);
    w[1] = _mm256_unpackhi_epi64(ab_low, cd_low);
    w[2] = _mm256_unpacklo_epi64(ab_high, cd_high);
    w[3] = _mm256_unpackhi_epi64(ab_high, cd_high);
}

static inline void xor32(uint8_t *out, const uint8_t *in, __m256i x)
{
    x = _mm256_xor_si256(x, _mm256_loadu_si256((const __m256i *)in));
    _mm256_storeu_si256((__m256i *)out, x);
}

/* x: eight words of eight blocks, which out and in have at a stride of 64 octets. */
static inline void xor_half(uint8_t *out, const uint8_t *in, __m256i x[8])
{
    transpose(&x[0]);
    transpose(&x[4]);
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        __m256i low = _mm256_permute2x128_si256(x[j], x[4 + j], 0x20);
        __m256i high = _mm256_permute2x128_si256(x[j], x[4 + j], 0x31);

        xor32(out + 64 * j, in + 64 * j, low);
        xor32(out + 64 * (j + 4), in + 64 * (j + 4), high);
    }
}

/*
 * The words of eight blocks after their rounds, state added, as key stream. out
 * may be in: each 32 octets are read before they are written.
 */
static inline void xor_words(uint8_t *out, const uint8_t *in, __m256i x[16],
                             const __m256i state[16])
{
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = _mm256_add_epi32(x[i], state[i]);
    xor_half(out, in, &x[0]);
    xor_half(out + 32, in + 32, &x[8]);
}

static inline void next_group(__m256i state[16])
{
    state[12] = _mm256_add_epi32(state[12], _mm256_set1_epi32(8));
}

#endif
