/*
 * Poly1305 (RFC 8439 section 2.5): long inputs eight blocks in parallel by
 * AVX-512 IFMA, short ones and what is left of long ones block by block, both in
 * limbs of 44, 44 and 42 bits (poly1305_limbs44.h). Three vectors hold the limbs
 * of eight numbers; lane j absorbs blocks 8i + j. Each group multiplies all lanes
 * by r^8 but the last, which multiplies them by r^8 to r; then their sum is the
 * accumulator. r^2 to r^4 are made for the first long input.
 */
#include <immintrin.h>

#include "poly1305.h"
#include "poly1305_limbs44.h"

#define GROUP 128 /* octets in eight blocks */
#define LONG  256 /* octets from which the powers are worth their making */

struct poly1305 {
    uint64_t power[3][4]; /* limb by limb: r^4 to r; all but r only where has_powers is set */
    uint64_t h[3];        /* h[0] and h[1] < 2^44 + 2^11, h[2] < 2^42 */
    uint32_t has_powers;
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_avx512ifma;
__typeof__(poly1305_blocks) rig_poly1305_blocks_avx512ifma;
__typeof__(poly1305_emit) rig_poly1305_emit_avx512ifma;

/* A factor: r, and 20 * r for what overflows. */
struct factor {
    __m512i r[3], wrap[3];
};

/* A sum of products: low + 2^52 * high. */
struct sum {
    __m512i low, high;
};

static inline __m512i times5(__m512i x)
{
    return _mm512_add_epi64(x, _mm512_slli_epi64(x, 2));
}

static inline void set_factor(struct factor *factor, const __m512i r[3])
{
    for (int i = 0; i < 3; i++) {
        factor->r[i] = r[i];
        factor->wrap[i] = _mm512_slli_epi64(times5(r[i]), 2);
    }
}

static inline void add_product(struct sum *sum, __m512i x, __m512i y)
{
    sum->low = _mm512_madd52lo_epu64(sum->low, x, y);
    sum->high = _mm512_madd52hi_epu64(sum->high, x, y);
}

/* What of a sum goes to the next limb, where this one has 44 bits; the rest stays. */
static inline __m512i carry44_of(__m512i *low, __m512i high)
{
    const __m512i over = _mm512_add_epi64(_mm512_srli_epi64(*low, 44), _mm512_slli_epi64(high, 8));

    *low = _mm512_and_si512(*low, _mm512_set1_epi64(LIMB44));
    return over;
}

static inline __m512i carry42_of(__m512i *low, __m512i high)
{
    const __m512i over =
        _mm512_add_epi64(_mm512_srli_epi64(*low, 42), _mm512_slli_epi64(high, 10));

    *low = _mm512_and_si512(*low, _mm512_set1_epi64(LIMB42));
    return over;
}

/*
 * h limbs < 2^45 + 2^11, r limbs < 2^44 + 2^11, wrap < 2^49: each fits the 52 bits that are
 * multiplied, high < 2^44 and what is carried < 2^53. In range then but for h[1] < 2^44 + 2^12.
 */
static inline void multiply(__m512i h[3], const struct factor *factor)
{
    const __m512i *r = factor->r, *wrap = factor->wrap, none = _mm512_setzero_si512();
    struct sum d[3] = {{none, none}, {none, none}, {none, none}};

    add_product(&d[0], h[1], wrap[2]);
    add_product(&d[1], h[1], r[0]);
    add_product(&d[2], h[1], r[1]);
    add_product(&d[0], h[2], wrap[1]);
    add_product(&d[1], h[2], wrap[2]);
    add_product(&d[2], h[2], r[0]);
    add_product(&d[0], h[0], r[0]);
    add_product(&d[1], h[0], r[1]);
    add_product(&d[2], h[0], r[2]);
    d[1].low = _mm512_add_epi64(d[1].low, carry44_of(&d[0].low, d[0].high));
    d[2].low = _mm512_add_epi64(d[2].low, carry44_of(&d[1].low, d[1].high));
    h[0] = _mm512_add_epi64(d[0].low, times5(carry42_of(&d[2].low, d[2].high)));
    h[1] = _mm512_add_epi64(d[1].low, carry44_of(&h[0], none));
    h[2] = d[2].low;
}

/* Block j to lane j. */
static inline void add_blocks(__m512i h[3], const uint8_t *in, __m512i pad)
{
    const __m512i first = _mm512_loadu_si512(in), second = _mm512_loadu_si512(in + 64);
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i low = _mm512_permutex2var_epi64(first, even, second);
    const __m512i high = _mm512_permutex2var_epi64(first, odd, second);
    const __m512i across =
        _mm512_or_si512(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20));
    const __m512i limb44 = _mm512_set1_epi64(LIMB44);

    h[0] = _mm512_add_epi64(h[0], _mm512_and_si512(low, limb44));
    h[1] = _mm512_add_epi64(h[1], _mm512_and_si512(across, limb44));
    h[2] = _mm512_add_epi64(h[2], _mm512_or_si512(_mm512_srli_epi64(high, 24), pad));
}

/* r^8 in each lane; r^8 to r. */
static inline void load_factors(struct factor *all, struct factor *last,
                                const uint64_t power[3][4])
{
    __m512i four[3], r[3];

    for (int i = 0; i < 3; i++) {
        r[i] = _mm512_zextsi256_si512(_mm256_loadu_si256((const __m256i *)power[i]));
        four[i] = _mm512_set1_epi64((int64_t)power[i][0]);
    }
    set_factor(all, four);
    multiply(r, all);
    for (int i = 0; i < 3; i++) {
        four[i] = _mm512_permutexvar_epi64(_mm512_setzero_si512(), r[i]);
        r[i] = _mm512_inserti64x4(r[i], _mm256_loadu_si256((const __m256i *)power[i]), 1);
    }
    set_factor(all, four);
    set_factor(last, r);
}

/* The sum of eight lanes; limbs < 2^48 into range, but for the second. */
static inline void sum_lanes(uint64_t sum[3], const __m512i h[3])
{
    const uint64_t low = (uint64_t)_mm512_reduce_add_epi64(h[0]);
    const uint64_t middle = (uint64_t)_mm512_reduce_add_epi64(h[1]) + (low >> 44);
    const uint64_t high = (uint64_t)_mm512_reduce_add_epi64(h[2]) + (middle >> 44);

    sum[0] = (low & LIMB44) + 5 * (high >> 42);
    sum[1] = middle & LIMB44;
    sum[2] = high & LIMB42;
}

/* len octets, a multiple of a group's and not 0. */
static void absorb_groups(struct poly1305 *poly, const uint8_t *in, size_t len, uint32_t padbit)
{
    const __m512i pad = _mm512_set1_epi64((int64_t)padbit << 40);
    struct factor all, last;
    __m512i h[3];

    load_factors(&all, &last, poly->power);
    for (int i = 0; i < 3; i++)
        h[i] = _mm512_zextsi128_si512(_mm_cvtsi64_si128((int64_t)poly->h[i]));
    add_blocks(h, in, pad);
    while ((len -= GROUP)) {
        in += GROUP;
        multiply(h, &all);
        add_blocks(h, in, pad);
    }
    multiply(h, &last);
    sum_lanes(poly->h, h);
}

void rig_poly1305_init_avx512ifma(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;
    uint64_t r[3];

    split_key44(r, key);
    for (int i = 0; i < 3; i++) {
        poly->power[i][3] = r[i];
        poly->h[i] = 0;
    }
    poly->has_powers = 0;
}

static void find_powers(struct poly1305 *poly, const uint64_t r[3], const uint64_t wrap[3])
{
    uint64_t power[3] = {r[0], r[1], r[2]};

    for (int n = 2; n <= 4; n++) {
        multiply44(power, r, wrap);
        for (int i = 0; i < 3; i++)
            poly->power[i][4 - n] = power[i];
    }
    poly->has_powers = 1;
}

void rig_poly1305_blocks_avx512ifma(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;
    const uint64_t r[3] = {poly->power[0][3], poly->power[1][3], poly->power[2][3]};
    uint64_t wrap[3];

    wrap44(wrap, r);
    if (len >= LONG) {
        const size_t part = len - len % GROUP;

        if (!poly->has_powers)
            find_powers(poly, r, wrap);
        absorb_groups(poly, in, part, padbit);
        in += part;
        len -= part;
    }
    for (; len; len -= 16, in += 16) {
        add_block44(poly->h, in, padbit);
        multiply44(poly->h, r, wrap);
    }
}

void rig_poly1305_emit_avx512ifma(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit44(mac, poly->h, nonce);
}
