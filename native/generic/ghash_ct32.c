/*
 * GHASH in constant time for 32-bit machines, some of which have a product of 64
 * bits only in a time that depends on the factors: low words of products alone.
 *
 * Products are made of integer multiplications with holes: each factor is split
 * into four numbers whose bits stand four apart; a place of a product of two
 * such numbers receives at most eight ones, and a carry ends within its hole of
 * four bits. The high word of a product comes from
 * factors with their bits in reverse: bit i of a 63-bit product is bit 62 - i of
 * the product of the reversed factors.
 */
#include "ghash.h"

__typeof__(ghash_init) rig_ghash_init_ct32;
__typeof__(ghash_gmult) rig_ghash_gmult_ct32;
__typeof__(ghash_ghash) rig_ghash_ghash_ct32;

struct factor {
    uint32_t x;
    uint32_t reversed;
};

static uint32_t reverse(uint32_t x)
{
    x = __builtin_bswap32(x);
    x = (x >> 4 & UINT32_C(0x0f0f0f0f)) | (x & UINT32_C(0x0f0f0f0f)) << 4;
    x = (x >> 2 & UINT32_C(0x33333333)) | (x & UINT32_C(0x33333333)) << 2;
    return (x >> 1 & UINT32_C(0x55555555)) | (x & UINT32_C(0x55555555)) << 1;
}

static void split32(struct factor *factor, uint32_t x)
{
    factor->x = x;
    factor->reversed = reverse(x);
}

/* The low 32 bits of the product. */
static uint32_t multiply_low(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (int place = 0; place < 4; place++) {
        uint32_t sum = 0;
        for (int i = 0; i < 4; i++)
            sum ^= (a & (UINT32_C(0x11111111) << i)) *
                   (b & (UINT32_C(0x11111111) << ((place - i) & 3)));
        product |= sum & (UINT32_C(0x11111111) << place);
    }
    return product;
}

static uint64_t multiply32(const struct factor *a, const struct factor *b)
{
    const uint32_t high = reverse(multiply_low(a->reversed, b->reversed)) >> 1;

    return (uint64_t)high << 32 | multiply_low(a->x, b->x);
}

#include "ghash_karatsuba.h"

void rig_ghash_init_ct32(void *Htable, const uint64_t H[2])
{
    init(Htable, H);
}

void rig_ghash_gmult_ct32(uint8_t Xi[16], const void *Htable)
{
    gmult(Xi, Htable);
}

void rig_ghash_ghash_ct32(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    ghash(Xi, Htable, in, len);
}
