/*
 * Poly1305 (RFC 8439 section 2.5) for machines with a 64x64 -> 128 bit
 * product. Numbers have three limbs of 44, 44 and 42 bits, so that the sums of
 * products fit 128 bits and carries may wait until the end of a block.
 * 2^130 = 5 modulo p, so what overflows the third limb by 2^132 comes back
 * times 20: these multiples of r are kept as wrap.
 */
#include "poly1305.h"
#include "words.h"

#define LIMB44 (((uint64_t)1 << 44) - 1)
#define LIMB42 (((uint64_t)1 << 42) - 1)

typedef unsigned __int128 uint128;

struct poly1305 {
    uint64_t r[3];
    uint64_t wrap[3]; /* 20 * r; wrap[0] is unused: no product with r[0] overflows */
    uint64_t h[3];    /* between blocks h[0] and h[2] are in range, h[1] < 2^44 + 2^11 */
};

_Static_assert(sizeof(struct poly1305) <= 192, "the contract's context");

__typeof__(poly1305_init) rig_poly1305_init_donna44;
__typeof__(poly1305_blocks) rig_poly1305_blocks_donna44;
__typeof__(poly1305_emit) rig_poly1305_emit_donna44;

void rig_poly1305_init_donna44(void *ctx, const uint8_t key[16])
{
    struct poly1305 *poly = ctx;
    uint64_t low = load64_le(key) & 0x0ffffffc0fffffff;
    uint64_t high = load64_le(key + 8) & 0x0ffffffc0ffffffc;

    poly->r[0] = low & LIMB44;
    poly->r[1] = (low >> 44 | high << 20) & LIMB44;
    poly->r[2] = high >> 24;
    for (int i = 0; i < 3; i++) {
        poly->wrap[i] = 20 * poly->r[i];
        poly->h[i] = 0;
    }
}

static inline void add_block(uint64_t h[3], const uint8_t block[16], uint64_t padbit)
{
    uint64_t low = load64_le(block), high = load64_le(block + 8);

    h[0] += low & LIMB44;
    h[1] += (low >> 44 | high << 20) & LIMB44;
    h[2] += high >> 24 | padbit << 40;
}

/* h limbs < 2^45 + 2^11, r limbs < 2^44, wrap < 2^49: the sums stay below 2^96. */
static inline void multiply(uint64_t h[3], const uint64_t r[3], const uint64_t wrap[3])
{
    uint128 d0 = (uint128)h[0] * r[0] + (uint128)h[1] * wrap[2] + (uint128)h[2] * wrap[1];
    uint128 d1 = (uint128)h[0] * r[1] + (uint128)h[1] * r[0] + (uint128)h[2] * wrap[2];
    uint128 d2 = (uint128)h[0] * r[2] + (uint128)h[1] * r[1] + (uint128)h[2] * r[0];

    d1 += (uint64_t)(d0 >> 44);
    d2 += (uint64_t)(d1 >> 44);
    h[0] = ((uint64_t)d0 & LIMB44) + 5 * (uint64_t)(d2 >> 42);
    h[1] = ((uint64_t)d1 & LIMB44) + (h[0] >> 44);
    h[2] = (uint64_t)d2 & LIMB42;
    h[0] &= LIMB44;
}

void rig_poly1305_blocks_donna44(void *ctx, const uint8_t *in, size_t len, uint32_t padbit)
{
    struct poly1305 *poly = ctx;
    uint64_t h[3] = {poly->h[0], poly->h[1], poly->h[2]};

    for (; len; len -= 16, in += 16) {
        add_block(h, in, padbit);
        multiply(h, poly->r, poly->wrap);
    }
    for (int i = 0; i < 3; i++)
        poly->h[i] = h[i];
}

/* Takes each limb into range. Twice, since the 5 may ripple through again. */
static void carry(uint64_t h[3])
{
    for (int pass = 0; pass < 2; pass++) {
        h[1] += h[0] >> 44;
        h[0] &= LIMB44;
        h[2] += h[1] >> 44;
        h[1] &= LIMB44;
        h[0] += 5 * (h[2] >> 42);
        h[2] &= LIMB42;
    }
}

/* h < 2^130 becomes h mod p: h - p where h + 5 reaches 2^130, by masks only. */
static void subtract_p(uint64_t h[3])
{
    uint64_t g0 = h[0] + 5;
    uint64_t g1 = h[1] + (g0 >> 44);
    uint64_t g2 = h[2] + (g1 >> 44);
    uint64_t reaches = 0 - (g2 >> 42);

    h[0] ^= (h[0] ^ (g0 & LIMB44)) & reaches;
    h[1] ^= (h[1] ^ (g1 & LIMB44)) & reaches;
    h[2] ^= (h[2] ^ (g2 & LIMB42)) & reaches;
}

void rig_poly1305_emit_donna44(void *ctx, uint8_t mac[16], const uint32_t nonce[4])
{
    const struct poly1305 *poly = ctx;
    uint64_t h[3] = {poly->h[0], poly->h[1], poly->h[2]};
    uint128 sum;

    carry(h);
    subtract_p(h);
    sum = (uint128)(h[1] >> 20 | h[2] << 24) << 64 | (h[0] | h[1] << 44);
    sum += (uint128)((uint64_t)nonce[3] << 32 | nonce[2]) << 64;
    sum += (uint64_t)nonce[1] << 32 | nonce[0];
    store64_le(mac, (uint64_t)sum);
    store64_le(mac + 8, (uint64_t)(sum >> 64));
}
