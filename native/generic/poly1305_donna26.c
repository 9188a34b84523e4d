/*
 * Poly1305 (RFC 8439 section 2.5) for machines with a 32x32 -> 64 bit product.
 * Numbers have five limbs of 26 bits, so that the sums of products fit 64 bits
 * and carries may wait until the end of a block. 2^130 = 5 modulo p, so what
 * overflows the fifth limb comes back times 5: these multiples of r are kept
 * as wrap.
 */
#include "poly1305.h"
#include "poly1305_limbs26.h"

struct poly1305 {
    uint32_t r[5];
    uint32_t wrap[5]; /* 5 * r; wrap[0] is unused: no product with r[0] overflows */
    uint32_t h[5];    /* between blocks in range, but for h[1] < 2^26 + 2^10 */
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_donna26;
__typeof__(poly1305_blocks) rig_poly1305_blocks_donna26;
__typeof__(poly1305_emit) rig_poly1305_emit_donna26;

void rig_poly1305_init_donna26(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;

    split_key26(poly->r, key);
    for (int i = 0; i < 5; i++) {
        poly->wrap[i] = 5 * poly->r[i];
        poly->h[i] = 0;
    }
}

static inline void add_block(uint32_t h[5], const uint8_t block[16], uint32_t padbit)
{
    const uint32_t word[4] = {load32_le(block), load32_le(block + 4), load32_le(block + 8),
                              load32_le(block + 12)};
    uint32_t limb[5];

    split26(limb, word);
    h[0] += limb[0];
    h[1] += limb[1];
    h[2] += limb[2];
    h[3] += limb[3];
    h[4] += limb[4] | padbit << 24;
}

static inline uint64_t product(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

/* h limbs < 2^27 + 2^10, r limbs < 2^26, wrap < 2^29: the sums stay below 2^59. */
static inline void multiply(uint32_t h[5], const uint32_t r[5], const uint32_t wrap[5])
{
    uint64_t d0 = product(h[0], r[0]) + product(h[1], wrap[4]) + product(h[2], wrap[3]) +
                  product(h[3], wrap[2]) + product(h[4], wrap[1]);
    uint64_t d1 = product(h[0], r[1]) + product(h[1], r[0]) + product(h[2], wrap[4]) +
                  product(h[3], wrap[3]) + product(h[4], wrap[2]);
    uint64_t d2 = product(h[0], r[2]) + product(h[1], r[1]) + product(h[2], r[0]) +
                  product(h[3], wrap[4]) + product(h[4], wrap[3]);
    uint64_t d3 = product(h[0], r[3]) + product(h[1], r[2]) + product(h[2], r[1]) +
                  product(h[3], r[0]) + product(h[4], wrap[4]);
    uint64_t d4 = product(h[0], r[4]) + product(h[1], r[3]) + product(h[2], r[2]) +
                  product(h[3], r[1]) + product(h[4], r[0]);

    d1 += d0 >> 26;
    d2 += d1 >> 26;
    d3 += d2 >> 26;
    d4 += d3 >> 26;
    d0 = (d0 & LIMB26) + 5 * (d4 >> 26);
    h[0] = (uint32_t)d0 & LIMB26;
    h[1] = ((uint32_t)d1 & LIMB26) + (uint32_t)(d0 >> 26);
    h[2] = (uint32_t)d2 & LIMB26;
    h[3] = (uint32_t)d3 & LIMB26;
    h[4] = (uint32_t)d4 & LIMB26;
}

void rig_poly1305_blocks_donna26(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;

    for (; len; len -= 16, in += 16) {
        add_block(poly->h, in, padbit);
        multiply(poly->h, poly->r, poly->wrap);
    }
}

void rig_poly1305_emit_donna26(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit26(mac, poly->h, nonce);
}
