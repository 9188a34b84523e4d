/*
 * GHASH with carry-less multiplication of 64 bits: one block at a time, three
 * products by Karatsuba's method, each block reduced at once (C. Gouvea, J.
 * Lopez, Implementing GCM on ARMv8, CT-RSA 2015).
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of
 * two such numbers has x^i at bit 254 - i, so the table holds H/x instead,
 * which puts x^i at bit 255 - i; then the sum of its halves.
 */
#include "ghash.h"
#include "pmull.h"

__typeof__(ghash_init) rig_ghash_init_pmull;
__typeof__(ghash_gmult) rig_ghash_gmult_pmull;
__typeof__(ghash_ghash) rig_ghash_ghash_pmull;

static inline uint64x2_t load(const uint8_t *p)
{
    return exchange_halves(vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(p))));
}

static inline void store(uint8_t *p, uint64x2_t x)
{
    vst1q_u8(p, vrev64q_u8(vreinterpretq_u8_u64(exchange_halves(x))));
}

static inline uint64x2_t multiply(uint64x2_t x, uint64x2_t h, uint64x2_t h_sum)
{
    return reduce(multiply_first(x, h), multiply_second(x, h),
                  multiply_first(veorq_u64(x, exchange_halves(x)), h_sum));
}

void rig_ghash_init_pmull(void *Htable, const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63;
    uint64_t *table = Htable;

    table[0] = H[1] << 1 ^ one;
    table[1] = (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56);
    table[2] = table[0] ^ table[1];
}

void rig_ghash_gmult_pmull(uint8_t Xi[16], const void *Htable)
{
    const uint64_t *table = Htable;

    store(Xi, multiply(load(Xi), vld1q_u64(table), vld1q_dup_u64(table + 2)));
}

void rig_ghash_ghash_pmull(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    const uint64_t *table = Htable;
    const uint64x2_t h = vld1q_u64(table), h_sum = vld1q_dup_u64(table + 2);
    uint64x2_t x = load(Xi);

    for (; len; in += 16, len -= 16)
        x = multiply(veorq_u64(x, load(in)), h, h_sum);
    store(Xi, x);
}
