/*
 * Poly1305 (RFC 8439 section 2.5), four blocks in parallel: five vectors hold
 * the limbs, of 26 bits, of four numbers; lane j absorbs blocks 4i + j. Each
 * group multiplies all lanes by r^4 but the last, which multiplies them by r^4
 * to r; then their sum is the accumulator, in lane 0. n < 4 blocks more meet r^n
 * to r. 2^130 = 5 modulo p, so what overflows the fifth limb comes back times 5.
 */
#include "neon_a64.h"
#include "poly1305.h"
#include "poly1305_limbs26.h"

#define LANES 4
#define GROUP 64 /* octets in four blocks */

struct poly1305 {
    uint32_t power[5][7]; /* limb by limb: r^4 to r, then zeros for lanes without a block */
    uint32_t h[5];        /* in range, but for h[1] < 2^26 + 2^11 */
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_neon;
__typeof__(poly1305_blocks) rig_poly1305_blocks_neon;
__typeof__(poly1305_emit) rig_poly1305_emit_neon;

/* Four lanes of sums of products. */
struct wide {
    uint64x2_t low, high;
};

static inline void add_product(struct wide *sum, uint32x4_t a, uint32x4_t b)
{
    sum->low = vmlal_u32(sum->low, vget_low_u32(a), vget_low_u32(b));
    sum->high = vmlal_high_u32(sum->high, a, b);
}

/*
 * The limbs of h < 2^27 + 2^11, of r < 2^26 + 2^11: times 5 they fit 32 bits
 * and a sum stays below 2^58.
 */
static inline void multiply(struct wide d[5], const uint32x4_t h[5], const uint32x4_t r[5])
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        d[i] = (struct wide){vdupq_n_u64(0), vdupq_n_u64(0)};
#pragma GCC unroll 5
    for (int j = 0; j < 5; j++) {
        const uint32x4_t wrap = vaddq_u32(r[j], vshlq_n_u32(r[j], 2));
#pragma GCC unroll 5
        for (int i = 0; i < 5; i++)
            add_product(&d[(i + j) % 5], h[i], i + j < 5 ? r[j] : wrap);
    }
}

static inline void carry2(uint64x2_t *from, uint64x2_t *to)
{
    *to = vaddq_u64(*to, vshrq_n_u64(*from, 26));
    *from = vandq_u64(*from, vdupq_n_u64(LIMB26));
}

static inline void carry(struct wide *from, struct wide *to)
{
    carry2(&from->low, &to->low);
    carry2(&from->high, &to->high);
}

static inline uint64x2_t times5(uint64x2_t x)
{
    return vaddq_u64(x, vshlq_n_u64(x, 2));
}

/* Sums < 2^60 become limbs in range, but for h[1] < 2^26 + 2^11. */
static inline void reduce(uint32x4_t h[5], struct wide d[5])
{
    struct wide over = {vdupq_n_u64(0), vdupq_n_u64(0)};

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        carry(&d[i], &d[i + 1]);
    carry(&d[4], &over);
    d[0].low = vaddq_u64(d[0].low, times5(over.low));
    d[0].high = vaddq_u64(d[0].high, times5(over.high));
    carry(&d[0], &d[1]);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        h[i] = vuzp1q_u32(vreinterpretq_u32_u64(d[i].low), vreinterpretq_u32_u64(d[i].high));
}

static inline void product(uint32x4_t to[5], const uint32x4_t a[5], const uint32x4_t b[5])
{
    struct wide d[5];

    multiply(d, a, b);
    reduce(to, d);
}

void rig_poly1305_init_neon(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;
    uint32_t limb[5];
    uint32x4_t r[5], power[5], one[5], left[5], right[5];

    split_key26(limb, key);
    for (int i = 0; i < 5; i++) {
        r[i] = vdupq_n_u32(limb[i]);
        one[i] = vdupq_n_u32(i == 0);
    }
    product(power, r, r);
    /* r^4, r^3, r^2, r = (r^2, r^2, r, 1) * (r^2, r, r, r). */
    for (int i = 0; i < 5; i++) {
        left[i] = vextq_u32(power[i], vzip1q_u32(r[i], one[i]), 2);
        right[i] = vextq_u32(power[i], r[i], 3);
    }
    product(power, left, right);
    for (int i = 0; i < 5; i++) {
        vst1q_u32(poly->power[i], power[i]);
        __builtin_memset(poly->power[i] + LANES, 0, 12);
        poly->h[i] = 0;
    }
}

/* Adds block j of four to lane j; ld4 puts word i of all of them into w.val[i]. */
static inline void add_blocks(uint32x4_t h[5], const uint8_t *in, uint32_t padbit)
{
    const uint32x4x4_t w = vld4q_u32((const uint32_t *)in);
    const uint32x4_t limb26 = vdupq_n_u32(LIMB26);
    const uint32x4_t limb1 = vsliq_n_u32(vshrq_n_u32(w.val[0], 26), w.val[1], 6);
    const uint32x4_t limb2 = vsliq_n_u32(vshrq_n_u32(w.val[1], 20), w.val[2], 12);
    const uint32x4_t limb3 = vsliq_n_u32(vshrq_n_u32(w.val[2], 14), w.val[3], 18);
    const uint32x4_t limb4 = vorrq_u32(vshrq_n_u32(w.val[3], 8), vdupq_n_u32(padbit << 24));

    h[0] = vaddq_u32(h[0], vandq_u32(w.val[0], limb26));
    h[1] = vaddq_u32(h[1], vandq_u32(limb1, limb26));
    h[2] = vaddq_u32(h[2], vandq_u32(limb2, limb26));
    h[3] = vaddq_u32(h[3], vandq_u32(limb3, limb26));
    h[4] = vaddq_u32(h[4], limb4);
}

/*
 * Up to four blocks, in a buffer of four: lane j times its power, summed into
 * lane 0. Fewer than four where lane 0 alone is in use.
 */
static inline void add_last(uint32x4_t h[5], const uint32_t power[5][7], const uint8_t *in,
                            size_t len, uint32_t padbit)
{
    uint8_t group[GROUP] = {0};
    uint32x4_t r[5];
    struct wide d[5];

    __builtin_memcpy(group, in, len);
    add_blocks(h, group, padbit);
    for (int i = 0; i < 5; i++)
        r[i] = vld1q_u32(&power[i][LANES - len / 16]);
    multiply(d, h, r);
    for (int i = 0; i < 5; i++) {
        const uint64_t sum = vaddvq_u64(vaddq_u64(d[i].low, d[i].high));

        d[i] = (struct wide){vsetq_lane_u64(sum, vdupq_n_u64(0), 0), vdupq_n_u64(0)};
    }
    reduce(h, d);
}

void rig_poly1305_blocks_neon(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;
    uint32x4_t h[5], r4[5];

    if (!len)
        return;
    for (int i = 0; i < 5; i++) {
        h[i] = vsetq_lane_u32(poly->h[i], vdupq_n_u32(0), 0);
        r4[i] = vld1q_dup_u32(&poly->power[i][0]);
    }
    for (; len >= 2 * GROUP; len -= GROUP, in += GROUP) {
        add_blocks(h, in, padbit);
        product(h, h, r4);
    }
    do {
        const size_t part = len < GROUP ? len : GROUP;

        add_last(h, poly->power, in, part, padbit);
        in += part;
        len -= part;
    } while (len);
    for (int i = 0; i < 5; i++)
        poly->h[i] = vgetq_lane_u32(h[i], 0);
}

void rig_poly1305_emit_neon(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit26(mac, poly->h, nonce);
}
