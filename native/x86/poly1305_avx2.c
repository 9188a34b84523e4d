/*
 * Poly1305 (RFC 8439 section 2.5): long inputs eight blocks in parallel by AVX2,
 * in limbs of 26 bits (poly1305_eight.h); short ones and what is left of long ones
 * block by block in limbs of 44 bits (poly1305_limbs44.h). The accumulator rests in
 * the latter and is converted where a message changes from one to the other. The
 * powers of r are made for the first long input.
 */
#include "poly1305.h"
#include "poly1305_eight.h"
#include "poly1305_limbs44.h"

#define LONG 256 /* octets from which the powers are worth their making */

struct poly1305 {
    powers power;  /* all but r itself only where has_powers is set */
    uint64_t h[3]; /* h[0] < 2^44 + 2^7, h[1] < 2^44 + 2^11, h[2] < 2^42 */
    uint32_t has_powers;
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_avx2;
__typeof__(poly1305_blocks) rig_poly1305_blocks_avx2;
__typeof__(poly1305_emit) rig_poly1305_emit_avx2;

/* 3 limbs of at most 2^45 to 5; the last may be out of range by 2. */
static inline void limbs26_of_44(uint32_t to[5], const uint64_t from[3])
{
    const uint64_t low = from[0], middle = from[1] + (low >> 44), high = from[2] + (middle >> 44);

    to[0] = low & LIMB26;
    to[1] = (uint32_t)((low & LIMB44) >> 26 | middle << 18) & LIMB26;
    to[2] = (uint32_t)(middle >> 8) & LIMB26;
    to[3] = (uint32_t)((middle & LIMB44) >> 34 | high << 10) & LIMB26;
    to[4] = (uint32_t)(high >> 16);
}

/* The limbs < 2^27. */
static inline void limbs44_of_26(uint64_t to[3], const uint32_t from[5])
{
    const uint64_t low = from[0] + ((uint64_t)from[1] << 26);
    const uint64_t middle = (low >> 44) + ((uint64_t)from[2] << 8) + ((uint64_t)from[3] << 34);
    const uint64_t high = (middle >> 44) + ((uint64_t)from[4] << 16);

    to[0] = (low & LIMB44) + 5 * (high >> 42);
    to[1] = middle & LIMB44;
    to[2] = high & LIMB42;
}

void rig_poly1305_init_avx2(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;

    store_key(poly->power, key);
    for (int i = 0; i < 3; i++)
        poly->h[i] = 0;
    poly->has_powers = 0;
}

static void absorb_long(struct poly1305 *poly, const uint8_t *in, size_t len, uint32_t padbit)
{
    uint32_t limb[5];

    limbs26_of_44(limb, poly->h);
    absorb_groups(limb, poly->power, in, len, padbit);
    limbs44_of_26(poly->h, limb);
}

void rig_poly1305_blocks_avx2(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;
    uint32_t limb[5];
    uint64_t r[3], wrap[3];

    load_key(limb, poly->power);
    limbs44_of_26(r, limb);
    wrap44(wrap, r);
    if (len >= LONG) {
        const size_t part = len - len % GROUP;

        if (!poly->has_powers)
            find_powers(poly->power);
        poly->has_powers = 1;
        absorb_long(poly, in, part, padbit);
        in += part;
        len -= part;
    }
    for (; len; len -= 16, in += 16) {
        add_block44(poly->h, in, padbit);
        multiply44(poly->h, r, wrap);
    }
}

void rig_poly1305_emit_avx2(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit44(mac, poly->h, nonce);
}
