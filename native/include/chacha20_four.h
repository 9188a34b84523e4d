/*
 * ChaCha20 (RFC 8439 section 2.4), four blocks in parallel: vector i holds
 * word i of four blocks with successive counters, so a quarter round is the
 * scalar one on vectors. A transposition of 4x4 words puts the key stream into
 * memory order. Included behind what the variant defines: rotate16 and rotate8.
 */
#ifndef RIG_CHACHA20_FOUR_H
#define RIG_CHACHA20_FOUR_H

#include "chacha20.h"

typedef __m128i vector;

#define GROUP 256 /* octets in four blocks */

static inline __m128i rotate_left(__m128i x, int n)
{
    return _mm_or_si128(_mm_slli_epi32(x, n), _mm_srli_epi32(x, 32 - n));
}

static inline void quarter_round(__m128i *a, __m128i *b, __m128i *c, __m128i *d)
{
    *a = _mm_add_epi32(*a, *b);
    *d = rotate16(_mm_xor_si128(*d, *a));
    *c = _mm_add_epi32(*c, *d);
    *b = rotate_left(_mm_xor_si128(*b, *c), 12);
    *a = _mm_add_epi32(*a, *b);
    *d = rotate8(_mm_xor_si128(*d, *a));
    *c = _mm_add_epi32(*c, *d);
    *b = rotate_left(_mm_xor_si128(*b, *c), 7);
}

static inline void column_round(__m128i x[16])
{
    quarter_round(&x[0], &x[4], &x[8], &x[12]);
    quarter_round(&x[1], &x[5], &x[9], &x[13]);
    quarter_round(&x[2], &x[6], &x[10], &x[14]);
    quarter_round(&x[3], &x[7], &x[11], &x[15]);
}

static inline void diagonal_round(__m128i x[16])
{
    quarter_round(&x[0], &x[5], &x[10], &x[15]);
    quarter_round(&x[1], &x[6], &x[11], &x[12]);
    quarter_round(&x[2], &x[7], &x[8], &x[13]);
    quarter_round(&x[3], &x[4], &x[9], &x[14]);
}

/* The lanes' counters wrap modulo 2^32 each for itself, as the contract wants. */
static inline void load_state(__m128i state[16], const uint32_t key[8], const uint32_t counter[4])
{
    state[0] = _mm_set1_epi32(0x61707865);
    state[1] = _mm_set1_epi32(0x3320646e);
    state[2] = _mm_set1_epi32(0x79622d32);
    state[3] = _mm_set1_epi32(0x6b206574);
    for (int i = 0; i < 8; i++)
        state[4 + i] = _mm_set1_epi32((int)key[i]);
    for (int i = 0; i < 4; i++)
        state[12 + i] = _mm_set1_epi32((int)counter[i]);
    state[12] = _mm_add_epi32(state[12], _mm_setr_epi32(0, 1, 2, 3));
}

/* Four words of four blocks become, per block, 16 octets in memory order. */
static inline void transpose(__m128i w[4])
{
    __m128i ab_low = _mm_unpacklo_epi32(w[0], w[1]), ab_high = _mm_unpackhi_epi32(w[0], w[1]);
    __m128i cd_low = _mm_unpacklo_epi32(w[2], w[3]), cd_high = _mm_unpackhi_epi32(w[2], w[3]);

    w[0] = _mm_unpacklo_epi64(ab_low, cd_low);
    w[1] = _mm_unpackhi_epi64(ab_low, cd_low);
    w[2] = _mm_unpacklo_epi64(ab_high, cd_high);
    w[3] = _mm_unpackhi_epi64(ab_high, cd_high);
}

static inline void xor16(uint8_t *out, const uint8_t *in, __m128i x)
{
    x = _mm_xor_si128(x, _mm_loadu_si128((const __m128i *)in));
    _mm_storeu_si128((__m128i *)out, x);
}

/*
 * The words of four blocks after their rounds, state added, as key stream. out
 * may be in: each 16 octets are read before they are written.
 */
static inline void xor_words(uint8_t *out, const uint8_t *in, __m128i x[16],
                             const __m128i state[16])
{
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = _mm_add_epi32(x[i], state[i]);
#pragma GCC unroll 4
    for (int part = 0; part < 4; part++) {
        transpose(&x[4 * part]);
#pragma GCC unroll 4
        for (int block = 0; block < 4; block++)
            xor16(out + 64 * block + 16 * part, in + 64 * block + 16 * part, x[4 * part + block]);
    }
}

static inline void next_group(__m128i state[16])
{
    state[12] = _mm_add_epi32(state[12], _mm_set1_epi32(4));
}

#endif
