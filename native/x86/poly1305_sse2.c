/*
 * Poly1305 (RFC 8439 section 2.5), two blocks in parallel: each 64-bit lane of
 * five vectors holds a number in limbs of 26 bits, into which only every second
 * block goes. A step multiplies both lanes by r^2; the last one multiplies the low
 * lane by r^2 and the high one by r, and their sum is the accumulator. The first of
 * an odd number of blocks goes into the high lane, the low one being 0. 2^130 = 5
 * modulo p, so what overflows the fifth limb comes back times 5.
 */
#include <emmintrin.h>

#include "poly1305.h"
#include "poly1305_limbs26.h"

#define GROUP 32 /* octets in two blocks */

struct poly1305 {
    uint32_t power[5][2]; /* limb by limb: r^2, r */
    uint32_t h[5];        /* in range, but for h[1] < 2^26 + 2^11 */
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_sse2;
__typeof__(poly1305_blocks) rig_poly1305_blocks_sse2;
__typeof__(poly1305_emit) rig_poly1305_emit_sse2;

/* x in the low half of each lane. */
static inline __m128i both(uint32_t x)
{
    return _mm_set_epi32(0, (int)x, 0, (int)x);
}

static inline __m128i times5(__m128i x)
{
    return _mm_add_epi64(x, _mm_slli_epi64(x, 2));
}

/*
 * The limbs of h < 2^27 + 2^11, of r < 2^26 + 2^11: times 5 they fit 32 bits
 * and a sum stays below 2^58.
 */
static inline void multiply(__m128i d[5], const __m128i h[5], const __m128i r[5])
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        d[i] = _mm_mul_epu32(h[i], r[0]);
#pragma GCC unroll 4
    for (int j = 1; j < 5; j++) {
        const __m128i wrap = times5(r[j]);
#pragma GCC unroll 5
        for (int i = 0; i < 5; i++)
            d[(i + j) % 5] =
                _mm_add_epi64(d[(i + j) % 5], _mm_mul_epu32(h[i], i + j < 5 ? r[j] : wrap));
    }
}

static inline void carry(__m128i *from, __m128i *to)
{
    *to = _mm_add_epi64(*to, _mm_srli_epi64(*from, 26));
    *from = _mm_and_si128(*from, both(LIMB26));
}

/* Sums < 2^60 become limbs in range, but for the second < 2^26 + 2^11. */
static inline void reduce(__m128i d[5])
{
    __m128i over = _mm_setzero_si128();

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        carry(&d[i], &d[i + 1]);
    carry(&d[4], &over);
    d[0] = _mm_add_epi64(d[0], times5(over));
    carry(&d[0], &d[1]);
}

static inline void multiply_by(__m128i h[5], const __m128i r[5])
{
    __m128i d[5];

    multiply(d, h, r);
    reduce(d);
    __builtin_memcpy(h, d, sizeof d);
}

void rig_poly1305_init_sse2(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;
    uint32_t limb[5];
    __m128i r[5], square[5];

    split_key26(limb, key);
    for (int i = 0; i < 5; i++)
        r[i] = square[i] = _mm_cvtsi32_si128((int)limb[i]);
    multiply_by(square, r);
    for (int i = 0; i < 5; i++) {
        poly->power[i][0] = (uint32_t)_mm_cvtsi128_si32(square[i]);
        poly->power[i][1] = limb[i];
        poly->h[i] = 0;
    }
}

/* Adds the first block to the low lane, the second to the high one. */
static inline void add_blocks(__m128i h[5], const uint8_t *in, __m128i pad)
{
    const __m128i first = _mm_loadu_si128((const __m128i *)in);
    const __m128i second = _mm_loadu_si128((const __m128i *)(in + 16));
    const __m128i low = _mm_unpacklo_epi64(first, second);
    const __m128i high = _mm_unpackhi_epi64(first, second);
    const __m128i across = _mm_or_si128(_mm_srli_epi64(low, 52), _mm_slli_epi64(high, 12));
    const __m128i limb26 = both(LIMB26);

    h[0] = _mm_add_epi64(h[0], _mm_and_si128(low, limb26));
    h[1] = _mm_add_epi64(h[1], _mm_and_si128(_mm_srli_epi64(low, 26), limb26));
    h[2] = _mm_add_epi64(h[2], _mm_and_si128(across, limb26));
    h[3] = _mm_add_epi64(h[3], _mm_and_si128(_mm_srli_epi64(high, 14), limb26));
    h[4] = _mm_add_epi64(h[4], _mm_or_si128(_mm_srli_epi64(high, 40), pad));
}

/* A block alone: it and the accumulator, so far in the low lane, go into the high one. */
static inline void add_odd_block(__m128i h[5], const uint8_t *in, __m128i pad)
{
    uint8_t group[GROUP] = {0};

    __builtin_memcpy(group + 16, in, 16);
    for (int i = 0; i < 5; i++)
        h[i] = _mm_slli_si128(h[i], 8);
    add_blocks(h, group, _mm_slli_si128(pad, 8));
}

/* Each lane times its power of r; their sum is in the low lane. */
static inline void multiply_last(__m128i h[5], const uint32_t power[5][2])
{
    __m128i r[5], d[5];

    for (int i = 0; i < 5; i++) {
        r[i] = _mm_loadl_epi64((const __m128i *)power[i]);
        r[i] = _mm_unpacklo_epi32(r[i], _mm_setzero_si128());
    }
    multiply(d, h, r);
    for (int i = 0; i < 5; i++)
        d[i] = _mm_add_epi64(d[i], _mm_srli_si128(d[i], 8));
    reduce(d);
    __builtin_memcpy(h, d, sizeof d);
}

void rig_poly1305_blocks_sse2(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    const __m128i pad = both(padbit << 24);
    struct poly1305 *poly = ctx;
    __m128i h[5], r2[5];

    if (!len)
        return;
    for (int i = 0; i < 5; i++) {
        h[i] = _mm_cvtsi32_si128((int)poly->h[i]);
        r2[i] = both(poly->power[i][0]);
    }
    if (len % GROUP) {
        add_odd_block(h, in, pad);
        len -= 16;
        in += 16;
    } else {
        add_blocks(h, in, pad);
        len -= GROUP;
        in += GROUP;
    }
    for (; len; len -= GROUP, in += GROUP) {
        multiply_by(h, r2);
        add_blocks(h, in, pad);
    }
    multiply_last(h, poly->power);
    for (int i = 0; i < 5; i++)
        poly->h[i] = (uint32_t)_mm_cvtsi128_si32(h[i]);
}

void rig_poly1305_emit_sse2(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit26(mac, poly->h, nonce);
}
