/*
 * GHASH in constant time from NEON's products of polynomials of 8 bits (D.
 * Camara, C. Gouvea, J. Lopez, R. Dahab, Fast Software Polynomial Multiplication
 * on ARM Processors using the NEON Engine, MoCrySEn 2013). pmull gives eight
 * products of 16 bits: those of a's bytes with b's bytes k places on, for k = 0
 * to 7, are all that 64 by 64 bits needs. Turning a by k instead is as good as b
 * by 8 - k, so that k ends at 4. 128 by 128 bits is Karatsuba's method: three
 * products of 64 bits.
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of
 * two such numbers has x^i at bit 254 - i, so the table is made from H/x instead,
 * which puts x^i at bit 255 - i.
 */
#include <arm_neon.h>

#include "ghash.h"

__typeof__(ghash_init) rig_ghash_init_neon;
__typeof__(ghash_gmult) rig_ghash_gmult_neon;
__typeof__(ghash_ghash) rig_ghash_ghash_neon;

/* A factor of 64 bits: byte i of by[k] is its byte i + k modulo 8. */
struct turned {
    poly8x8_t by[5];
};

/* A factor of 128 bits: its halves and their sum. */
struct factor {
    struct turned low, high, sum;
};

_Static_assert(sizeof(struct factor) <= 256, "the contract's table");

static inline uint64x2_t load(const uint8_t *p)
{
    const uint64x2_t x = vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(p)));

    return vextq_u64(x, x, 1);
}

static inline void store(uint8_t *p, uint64x2_t x)
{
    vst1q_u8(p, vrev64q_u8(vreinterpretq_u8_u64(vextq_u64(x, x, 1))));
}

static inline struct turned turn(uint64x1_t x)
{
    const poly8x8_t bytes = vreinterpret_p8_u64(x);

    return (struct turned){{bytes, vext_p8(bytes, bytes, 1), vext_p8(bytes, bytes, 2),
                            vext_p8(bytes, bytes, 3), vext_p8(bytes, bytes, 4)}};
}

static inline struct factor split(uint64x2_t x)
{
    const uint64x1_t low = vget_low_u64(x), high = vget_high_u64(x);

    return (struct factor){turn(low), turn(high), turn(veor_u64(low, high))};
}

static inline uint64x2_t products(poly8x8_t a, poly8x8_t b)
{
    return vreinterpretq_u64_p16(vmull_p8(a, b));
}

/*
 * Product i of x weighs 2i + k bytes. But the last k of them, which are in past,
 * have a factor that was turned past its end, and weigh eight bytes less.
 */
static inline uint64x2_t weigh(uint64x2_t x, uint64_t past)
{
    const uint64x2_t zero = vdupq_n_u64(0);
    const uint64x2_t over = vandq_u64(x, vcombine_u64(vcreate_u64(0), vcreate_u64(past)));

    return veorq_u64(veorq_u64(x, over), vextq_u64(over, zero, 1));
}

#define SHIFT_BYTES(x, k) \
    vreinterpretq_u64_u8(vextq_u8(vdupq_n_u8(0), vreinterpretq_u8_u64(x), 16 - (k)))

static inline uint64x2_t multiply64(const struct turned *a, const struct turned *b)
{
    uint64x2_t x[5];

    x[0] = products(a->by[0], b->by[0]);
    for (int k = 1; k < 4; k++)
        x[k] = veorq_u64(products(a->by[k], b->by[0]), products(a->by[0], b->by[k]));
    x[4] = products(a->by[0], b->by[4]);
    for (int k = 1; k < 5; k++)
        x[k] = weigh(x[k], ~UINT64_C(0) << (64 - 16 * k));
    x[0] = veorq_u64(x[0], SHIFT_BYTES(x[1], 1));
    x[0] = veorq_u64(x[0], SHIFT_BYTES(x[2], 2));
    x[0] = veorq_u64(x[0], SHIFT_BYTES(x[3], 3));
    return veorq_u64(x[0], SHIFT_BYTES(x[4], 4));
}

/* x^128 = 1 + x + x^2 + x^7: first the bits that cross a half's end. */
static inline uint64x2_t reduce(uint64x2_t low, uint64x2_t high)
{
    const uint64x2_t zero = vdupq_n_u64(0);
    const uint64x2_t over = veorq_u64(veorq_u64(vshlq_n_u64(low, 63), vshlq_n_u64(low, 62)),
                                      vshlq_n_u64(low, 57));

    low = veorq_u64(low, vextq_u64(zero, over, 1));
    high = veorq_u64(high, vextq_u64(over, zero, 1));
    high = veorq_u64(high, veorq_u64(low, vshrq_n_u64(low, 1)));
    return veorq_u64(high, veorq_u64(vshrq_n_u64(low, 2), vshrq_n_u64(low, 7)));
}

static inline uint64x2_t multiply(uint64x2_t x, const struct factor *h)
{
    const uint64x2_t zero = vdupq_n_u64(0);
    const struct factor factor = split(x);
    uint64x2_t low = multiply64(&factor.low, &h->low);
    uint64x2_t high = multiply64(&factor.high, &h->high);
    uint64x2_t middle = multiply64(&factor.sum, &h->sum);

    middle = veorq_u64(middle, veorq_u64(low, high));
    low = veorq_u64(low, vextq_u64(zero, middle, 1));
    high = veorq_u64(high, vextq_u64(middle, zero, 1));
    return reduce(low, high);
}

void rig_ghash_init_neon(void *Htable, const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63, low = H[1] << 1 ^ one;
    const uint64_t high = (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56);

    *(struct factor *)Htable = split(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

void rig_ghash_gmult_neon(uint8_t Xi[16], const void *Htable)
{
    store(Xi, multiply(load(Xi), Htable));
}

void rig_ghash_ghash_neon(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    uint64x2_t x = load(Xi);

    for (; len; in += 16, len -= 16)
        x = multiply(veorq_u64(x, load(in)), Htable);
    store(Xi, x);
}
