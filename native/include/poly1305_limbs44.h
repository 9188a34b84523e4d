/*
 * Poly1305's numbers (RFC 8439 section 2.5) as three limbs of 44, 44 and 42 bits,
 * so that the sums of products fit 128 bits and carries may wait until the end of
 * a block. 2^130 = 5 modulo p, so what overflows the third limb by 2^132 comes
 * back times 20.
 */
#ifndef RIG_POLY1305_LIMBS44_H
#define RIG_POLY1305_LIMBS44_H

#include "words.h"

#define LIMB44 (((uint64_t)1 << 44) - 1)
#define LIMB42 (((uint64_t)1 << 42) - 1)

typedef unsigned __int128 uint128;

/* The 128 bits of block as limbs. */
static inline void split44(uint64_t limb[3], uint64_t low, uint64_t high)
{
    limb[0] = low & LIMB44;
    limb[1] = (low >> 44 | high << 20) & LIMB44;
    limb[2] = high >> 24;
}

/* r: the key, clamped (section 2.5.1). */
static inline void split_key44(uint64_t r[3], const uint8_t key[16])
{
    split44(r, load64_le(key) & 0x0ffffffc0fffffff, load64_le(key + 8) & 0x0ffffffc0ffffffc);
}

static inline void add_block44(uint64_t h[3], const uint8_t block[16], uint64_t padbit)
{
    uint64_t limb[3];

    split44(limb, load64_le(block), load64_le(block + 8));
    h[0] += limb[0];
    h[1] += limb[1];
    h[2] += limb[2] | padbit << 40;
}

/* What multiply44 takes beside r: 20 * r; wrap[0] is unused: no product with r[0] overflows. */
static inline void wrap44(uint64_t wrap[3], const uint64_t r[3])
{
    for (int i = 0; i < 3; i++)
        wrap[i] = 20 * r[i];
}

/* h limbs < 2^45 + 2^11, r limbs < 2^44, wrap < 2^49: the sums stay below 2^96. */
static inline void multiply44(uint64_t h[3], const uint64_t r[3], const uint64_t wrap[3])
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

/* Takes each limb into range. Twice, since the 5 may ripple through again. */
static inline void carry44(uint64_t h[3])
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
static inline void subtract_p44(uint64_t h[3])
{
    uint64_t g0 = h[0] + 5;
    uint64_t g1 = h[1] + (g0 >> 44);
    uint64_t g2 = h[2] + (g1 >> 44);
    uint64_t reaches = 0 - (g2 >> 42);

    h[0] ^= (h[0] ^ (g0 & LIMB44)) & reaches;
    h[1] ^= (h[1] ^ (g1 & LIMB44)) & reaches;
    h[2] ^= (h[2] ^ (g2 & LIMB42)) & reaches;
}

/* mac = (h mod p + nonce) mod 2^128; the limbs of h may be somewhat out of range. */
static inline void emit44(uint8_t mac[16], const uint64_t accumulator[3], const uint32_t nonce[4])
{
    uint64_t h[3] = {accumulator[0], accumulator[1], accumulator[2]};
    uint128 sum;

    carry44(h);
    subtract_p44(h);
    sum = (uint128)(h[1] >> 20 | h[2] << 24) << 64 | (h[0] | h[1] << 44);
    sum += (uint128)((uint64_t)nonce[3] << 32 | nonce[2]) << 64;
    sum += (uint64_t)nonce[1] << 32 | nonce[0];
    store64_le(mac, (uint64_t)sum);
    store64_le(mac + 8, (uint64_t)(sum >> 64));
}

#endif
