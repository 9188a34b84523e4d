/*
 * ChaCha20 (RFC 8439 section 2.4), sixteen blocks in parallel: vector i holds
 * word i of sixteen blocks with successive counters, so a quarter round is the
 * scalar one on vectors. Transpositions of 4x4 words in each 128-bit lane, then
 * one of 4x4 lanes, put the key stream into memory order.
 */
#include <immintrin.h>

#include "chacha20.h"
#include "secrets.h"

#define GROUP 1024 /* octets in sixteen blocks */

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_avx512;

static inline void quarter_round(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    *a = _mm512_add_epi32(*a, *b);
    *d = _mm512_rol_epi32(_mm512_xor_si512(*d, *a), 16);
    *c = _mm512_add_epi32(*c, *d);
    *b = _mm512_rol_epi32(_mm512_xor_si512(*b, *c), 12);
    *a = _mm512_add_epi32(*a, *b);
    *d = _mm512_rol_epi32(_mm512_xor_si512(*d, *a), 8);
    *c = _mm512_add_epi32(*c, *d);
    *b = _mm512_rol_epi32(_mm512_xor_si512(*b, *c), 7);
}

static inline void double_round(__m512i x[16])
{
    quarter_round(&x[0], &x[4], &x[8], &x[12]);
    quarter_round(&x[1], &x[5], &x[9], &x[13]);
    quarter_round(&x[2], &x[6], &x[10], &x[14]);
    quarter_round(&x[3], &x[7], &x[11], &x[15]);
    quarter_round(&x[0], &x[5], &x[10], &x[15]);
    quarter_round(&x[1], &x[6], &x[11], &x[12]);
    quarter_round(&x[2], &x[7], &x[8], &x[13]);
    quarter_round(&x[3], &x[4], &x[9], &x[14]);
}

/* The lanes' counters wrap modulo 2^32 each for itself, as the contract wants. */
static inline void load_state(__m512i state[16], const uint32_t key[8], const uint32_t counter[4])
{
    state[0] = _mm512_set1_epi32(0x61707865);
    state[1] = _mm512_set1_epi32(0x3320646e);
    state[2] = _mm512_set1_epi32(0x79622d32);
    state[3] = _mm512_set1_epi32(0x6b206574);
    for (int i = 0; i < 8; i++)
        state[4 + i] = _mm512_set1_epi32((int)key[i]);
    for (int i = 0; i < 4; i++)
        state[12 + i] = _mm512_set1_epi32((int)counter[i]);
    state[12] = _mm512_add_epi32(
        state[12], _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/* Four words of sixteen blocks: w[j] becomes 16 octets each of blocks j, j + 4, j + 8, j + 12. */
static inline void transpose_words(__m512i w[4])
{
    const __m512i ab_low = _mm512_unpacklo_epi32(w[0], w[1]);
    const __m512i ab_high = _mm512_unpackhi_epi32(w[0], w[1]);
    const __m512i cd_low = _mm512_unpacklo_epi32(w[2], w[3]);
    const __m512i cd_high = _mm512_unpackhi_epi32(w[2], w[3]);

    w[0] = _mm512_unpacklo_epi64(ab_low, cd_low);
    w[1] = _mm512_unpackhi_epi64(ab_low, cd_low);
    w[2] = _mm512_unpacklo_epi64(ab_high, cd_high);
    w[3] = _mm512_unpackhi_epi64(ab_high, cd_high);
}

static inline void xor64(uint8_t *out, const uint8_t *in, __m512i x)
{
    _mm512_storeu_si512(out, _mm512_xor_si512(x, _mm512_loadu_si512(in)));
}

/* The quarters of four blocks, which out and in have at a stride of 256 octets. */
static inline void xor_blocks(uint8_t *out, const uint8_t *in, __m512i a, __m512i b, __m512i c,
                              __m512i d)
{
    const __m512i ab_low = _mm512_shuffle_i32x4(a, b, 0x44);
    const __m512i ab_high = _mm512_shuffle_i32x4(a, b, 0xee);
    const __m512i cd_low = _mm512_shuffle_i32x4(c, d, 0x44);
    const __m512i cd_high = _mm512_shuffle_i32x4(c, d, 0xee);

    xor64(out, in, _mm512_shuffle_i32x4(ab_low, cd_low, 0x88));
    xor64(out + 256, in + 256, _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd));
    xor64(out + 512, in + 512, _mm512_shuffle_i32x4(ab_high, cd_high, 0x88));
    xor64(out + 768, in + 768, _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd));
}

/* out may be in: each block is read before it is written. */
static void xor_group(uint8_t *out, const uint8_t *in, const __m512i state[16])
{
    __m512i x[16];

#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = state[i];
    for (int i = 0; i < 10; i++)
        double_round(x);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = _mm512_add_epi32(x[i], state[i]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        transpose_words(&x[4 * i]);
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
        xor_blocks(out + 64 * j, in + 64 * j, x[j], x[4 + j], x[8 + j], x[12 + j]);
}

/* An incomplete group goes through a buffer, so nothing past len is touched. */
static void xor_tail(uint8_t *out, const uint8_t *in, size_t len, const __m512i state[16])
{
    uint8_t group[GROUP] = {0};

    __builtin_memcpy(group, in, len);
    xor_group(group, group, state);
    __builtin_memcpy(out, group, len);
    wipe(group, sizeof group);
}

void rig_chacha20_ctr32_avx512(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                               const uint32_t counter[4])
{
    __m512i state[16];

    load_state(state, key, counter);
    for (; len >= GROUP; len -= GROUP, in += GROUP, out += GROUP) {
        xor_group(out, in, state);
        state[12] = _mm512_add_epi32(state[12], _mm512_set1_epi32(16));
    }
    if (len)
        xor_tail(out, in, len, state);
    wipe(state, sizeof state);
}
