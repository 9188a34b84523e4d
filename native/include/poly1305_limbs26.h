/*
 * Poly1305's numbers (RFC 8439 section 2.5) as five limbs of 26 bits, so that the
 * sums of products fit 64 bits and carries may wait until the end of a block.
 * 2^130 = 5 modulo p, so what overflows the fifth limb comes back times 5.
 */
#ifndef RIG_POLY1305_LIMBS26_H
#define RIG_POLY1305_LIMBS26_H

#include "words.h"

#define LIMB26 (((uint32_t)1 << 26) - 1)

/* The 128 bits of block as limbs. */
static inline void split26(uint32_t limb[5], const uint32_t word[4])
{
    limb[0] = word[0] & LIMB26;
    limb[1] = (word[0] >> 26 | word[1] << 6) & LIMB26;
    limb[2] = (word[1] >> 20 | word[2] << 12) & LIMB26;
    limb[3] = (word[2] >> 14 | word[3] << 18) & LIMB26;
    limb[4] = word[3] >> 8;
}

/* r: the key, clamped (section 2.5.1). */
static inline void split_key26(uint32_t r[5], const uint8_t key[16])
{
    const uint32_t clamped[4] = {
        load32_le(key) & 0x0fffffff,
        load32_le(key + 4) & 0x0ffffffc,
        load32_le(key + 8) & 0x0ffffffc,
        load32_le(key + 12) & 0x0ffffffc,
    };

    split26(r, clamped);
}

/* What multiply26 takes beside r: 5 * r; wrap[0] is unused: no product with r[0] overflows. */
static inline void wrap26(uint32_t wrap[5], const uint32_t r[5])
{
    for (int i = 0; i < 5; i++)
        wrap[i] = 5 * r[i];
}

static inline void add_block26(uint32_t h[5], const uint8_t block[16], uint32_t padbit)
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

static inline uint64_t product26(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

/* h limbs < 2^27 + 2^10, r limbs < 2^26, wrap < 2^29: the sums stay below 2^59. */
static inline void multiply26(uint32_t h[5], const uint32_t r[5], const uint32_t wrap[5])
{
    uint64_t d0 = product26(h[0], r[0]) + product26(h[1], wrap[4]) + product26(h[2], wrap[3]) +
                  product26(h[3], wrap[2]) + product26(h[4], wrap[1]);
    uint64_t d1 = product26(h[0], r[1]) + product26(h[1], r[0]) + product26(h[2], wrap[4]) +
                  product26(h[3], wrap[3]) + product26(h[4], wrap[2]);
    uint64_t d2 = product26(h[0], r[2]) + product26(h[1], r[1]) + product26(h[2], r[0]) +
                  product26(h[3], wrap[4]) + product26(h[4], wrap[3]);
    uint64_t d3 = product26(h[0], r[3]) + product26(h[1], r[2]) + product26(h[2], r[1]) +
                  product26(h[3], r[0]) + product26(h[4], wrap[4]);
    uint64_t d4 = product26(h[0], r[4]) + product26(h[1], r[3]) + product26(h[2], r[2]) +
                  product26(h[3], r[1]) + product26(h[4], r[0]);

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

/* Takes each limb into range. Twice, since the 5 may ripple through again. */
static inline void carry26(uint32_t h[5])
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 4; i++) {
            h[i + 1] += h[i] >> 26;
            h[i] &= LIMB26;
        }
        h[0] += 5 * (h[4] >> 26);
        h[4] &= LIMB26;
    }
}

/* h < 2^130 becomes h mod p: h - p where h + 5 reaches 2^130, by masks only. */
static inline void subtract_p26(uint32_t h[5])
{
    uint32_t g[5], over = 5;

    for (int i = 0; i < 5; i++) {
        g[i] = h[i] + over;
        over = g[i] >> 26;
        g[i] &= LIMB26;
    }
    for (int i = 0; i < 5; i++)
        h[i] ^= (h[i] ^ g[i]) & (0 - over);
}

/* mac = (h mod p + nonce) mod 2^128; the limbs of h may be somewhat out of range. */
static inline void emit26(uint8_t mac[16], const uint32_t accumulator[5], const uint32_t nonce[4])
{
    uint32_t h[5] = {accumulator[0], accumulator[1], accumulator[2], accumulator[3],
                     accumulator[4]};
    uint64_t sum = 0;

    carry26(h);
    subtract_p26(h);
    const uint32_t word[4] = {h[0] | h[1] << 26, h[1] >> 6 | h[2] << 20, h[2] >> 12 | h[3] << 14,
                              h[3] >> 18 | h[4] << 8};
    for (int i = 0; i < 4; i++) {
        sum = (sum >> 32) + word[i] + nonce[i];
        store32_le(mac + 4 * i, (uint32_t)sum);
    }
}

#endif
