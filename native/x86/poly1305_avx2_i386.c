/*
 * Poly1305 (RFC 8439 section 2.5): long inputs eight blocks in parallel by AVX2
 * (poly1305_eight.h), short ones and what is left of long ones block by block; both
 * in limbs of 26 bits. The powers of r are made for the first long input.
 */
#include "poly1305.h"
#include "poly1305_eight.h"

#define LONG 256 /* octets from which the powers are worth their making */

struct poly1305 {
    powers power;  /* all but r itself only where has_powers is set */
    uint32_t h[5]; /* < 2^26 + 2^12 */
    uint32_t has_powers;
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_avx2;
__typeof__(poly1305_blocks) rig_poly1305_blocks_avx2;
__typeof__(poly1305_emit) rig_poly1305_emit_avx2;

void rig_poly1305_init_avx2(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;

    store_key(poly->power, key);
    for (int i = 0; i < 5; i++)
        poly->h[i] = 0;
    poly->has_powers = 0;
}

void rig_poly1305_blocks_avx2(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;
    uint32_t r[5], wrap[5];

    load_key(r, poly->power);
    wrap26(wrap, r);
    if (len >= LONG) {
        const size_t part = len - len % GROUP;

        if (!poly->has_powers)
            find_powers(poly->power);
        poly->has_powers = 1;
        absorb_groups(poly->h, poly->power, in, part, padbit);
        in += part;
        len -= part;
    }
    for (; len; len -= 16, in += 16) {
        add_block26(poly->h, in, padbit);
        multiply26(poly->h, r, wrap);
    }
}

void rig_poly1305_emit_avx2(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit26(mac, poly->h, nonce);
}
