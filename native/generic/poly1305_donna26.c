/*
 * Poly1305 (RFC 8439 section 2.5) for machines with a 32x32 -> 64 bit product
 * (poly1305_limbs26.h).
 */
#include "poly1305.h"
#include "poly1305_limbs26.h"

struct poly1305 {
    uint32_t r[5];
    uint32_t wrap[5];
    uint32_t h[5]; /* between blocks in range, but for h[1] < 2^26 + 2^10 */
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_donna26;
__typeof__(poly1305_blocks) rig_poly1305_blocks_donna26;
__typeof__(poly1305_emit) rig_poly1305_emit_donna26;

void rig_poly1305_init_donna26(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;

    split_key26(poly->r, key);
    wrap26(poly->wrap, poly->r);
    for (int i = 0; i < 5; i++)
        poly->h[i] = 0;
}

void rig_poly1305_blocks_donna26(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;

    for (; len; len -= 16, in += 16) {
        add_block26(poly->h, in, padbit);
        multiply26(poly->h, poly->r, poly->wrap);
    }
}

void rig_poly1305_emit_donna26(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit26(mac, poly->h, nonce);
}
