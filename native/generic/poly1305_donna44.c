/*
 * Poly1305 (RFC 8439 section 2.5) for machines with a 64x64 -> 128 bit
 * product (poly1305_limbs44.h).
 */
#include "poly1305.h"
#include "poly1305_limbs44.h"

struct poly1305 {
    uint64_t r[3];
    uint64_t wrap[3];
    uint64_t h[3]; /* between blocks h[0] and h[2] are in range, h[1] < 2^44 + 2^11 */
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_donna44;
__typeof__(poly1305_blocks) rig_poly1305_blocks_donna44;
__typeof__(poly1305_emit) rig_poly1305_emit_donna44;

void rig_poly1305_init_donna44(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;

    split_key44(poly->r, key);
    wrap44(poly->wrap, poly->r);
    for (int i = 0; i < 3; i++)
        poly->h[i] = 0;
}

void rig_poly1305_blocks_donna44(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;
    uint64_t h[3] = {poly->h[0], poly->h[1], poly->h[2]};

    for (; len; len -= 16, in += 16) {
        add_block44(h, in, padbit);
        multiply44(h, poly->r, poly->wrap);
    }
    for (int i = 0; i < 3; i++)
        poly->h[i] = h[i];
}

void rig_poly1305_emit_donna44(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;

    emit44(mac, poly->h, nonce);
}
