/*
 * Poly1305's numbers (RFC 8439 section 2.5) as two words of 64 bits and a third of what is above:
 * fewest multiplications in scalar code, and the carries of a block are those of the machine. r is
 * clamped, so r[1] is a multiple of 4 and 2^128 * r[1] = 2^130 * r[1] / 4 = r[1] + r[1] / 4 modulo p.
 */
#ifndef RIG_POLY1305_WORDS64_H
#define RIG_POLY1305_WORDS64_H

#include "words.h"

typedef unsigned __int128 uint128;

struct accumulator {
    uint64_t h[3], r[2], wrap; /* wrap: r[1] * 5 / 4 */
};

/* key: r, clamped here (section 2.5.1). */
static inline void begin_words(struct accumulator *a, const uint8_t key[16])
{
    a->h[0] = a->h[1] = a->h[2] = 0;
    a->r[0] = load64_le(key) & 0x0ffffffc0fffffff;
    a->r[1] = load64_le(key + 8) & 0x0ffffffc0ffffffc;
    a->wrap = a->r[1] + (a->r[1] >> 2);
}

/*
 * h below 2^128 * 5 before and after: the sums of products stay below 2^127, h[2] * r and d2 below
 * 2^63, d2 / 4 * 5 below 2^64.
 */
static inline void add_block_words(struct accumulator *a, const uint8_t block[16])
{
    const uint64_t r0 = a->r[0], r1 = a->r[1], wrap = a->wrap;
    uint128 sum = (uint128)a->h[0] + load64_le(block);
    const uint64_t h0 = (uint64_t)sum;
    const uint128 next = (uint128)a->h[1] + load64_le(block + 8) + (uint64_t)(sum >> 64);
    const uint64_t h1 = (uint64_t)next, h2 = a->h[2] + (uint64_t)(next >> 64) + 1;
    const uint128 d0 = (uint128)h0 * r0 + (uint128)h1 * wrap;
    const uint128 d1 = (uint128)h0 * r1 + (uint128)h1 * r0 + h2 * wrap + (uint64_t)(d0 >> 64);
    const uint64_t d2 = h2 * r0 + (uint64_t)(d1 >> 64);

    sum = (uint128)(uint64_t)d0 + (d2 >> 2) * 5;
    a->h[0] = (uint64_t)sum;
    sum = (uint128)(uint64_t)d1 + (uint64_t)(sum >> 64);
    a->h[1] = (uint64_t)sum;
    a->h[2] = (d2 & 3) + (uint64_t)(sum >> 64);
}

/* mac = (h mod p + s) mod 2^128: h - p where h + 5 reaches 2^130, by masks only. */
static inline void end_words(const struct accumulator *a, uint8_t mac[16], const uint8_t s[16])
{
    const uint128 h = (uint128)a->h[1] << 64 | a->h[0], plus5 = h + 5;
    const uint64_t above = a->h[2] + (plus5 < h);
    const uint128 reaches = (uint128)0 - (above >> 2);
    const uint128 reduced = h ^ ((h ^ plus5) & reaches);
    const uint128 sum = reduced + ((uint128)load64_le(s + 8) << 64 | load64_le(s));

    store64_le(mac, (uint64_t)sum);
    store64_le(mac + 8, (uint64_t)(sum >> 64));
}

#endif
