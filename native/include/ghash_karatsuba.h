/*
 * GHASH by multiplication of 32-bit polynomials: 128 by 128 bits is Karatsuba's
 * method twice, nine products. Included behind what the variant defines: struct
 * factor, what it keeps of a number of 32 bits; split32, which makes it; and
 * multiply32, the product of 63 bits.
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of two
 * such numbers has x^i at bit 254 - i, so the table is made from H/x instead,
 * which puts x^i at bit 255 - i.
 */
#ifndef RIG_GHASH_KARATSUBA_H
#define RIG_GHASH_KARATSUBA_H

#include "words.h"

/* The nine factors of a number of 128 bits. */
struct split {
    struct factor part[9];
};

_Static_assert(sizeof(struct split) <= 256, "the contract's Htable");

/* low, high and low + high of high:low. */
static void split64(struct factor part[3], uint64_t x)
{
    split32(&part[0], (uint32_t)x);
    split32(&part[1], (uint32_t)(x >> 32));
    split32(&part[2], (uint32_t)(x ^ x >> 32));
}

static void split128(struct split *s, uint64_t high, uint64_t low)
{
    split64(s->part, low);
    split64(s->part + 3, high);
    split64(s->part + 6, low ^ high);
}

static void multiply64(uint64_t *high, uint64_t *low, const struct factor a[3],
                       const struct factor b[3])
{
    const uint64_t l = multiply32(&a[0], &b[0]), h = multiply32(&a[1], &b[1]);
    const uint64_t middle = multiply32(&a[2], &b[2]) ^ l ^ h;

    *high = h ^ middle >> 32;
    *low = l ^ middle << 32;
}

/* Of v[3]:v[2]:v[1]:v[0] the two low numbers have powers of x from 128. */
static void reduce(uint64_t x[2], uint64_t v[4])
{
    for (int i = 0; i < 2; i++) {
        v[i + 1] ^= v[i] << 63 ^ v[i] << 62 ^ v[i] << 57;
        v[i + 2] ^= v[i] ^ v[i] >> 1 ^ v[i] >> 2 ^ v[i] >> 7;
    }
    x[0] = v[3];
    x[1] = v[2];
}

/* x = x * H, where x[0] is the number's high half. */
static void multiply(uint64_t x[2], const struct split *h)
{
    struct split s;
    uint64_t v[4], high, low;

    split128(&s, x[0], x[1]);
    multiply64(&v[1], &v[0], s.part, h->part);
    multiply64(&v[3], &v[2], s.part + 3, h->part + 3);
    multiply64(&high, &low, s.part + 6, h->part + 6);
    high ^= v[1] ^ v[3];
    low ^= v[0] ^ v[2];
    v[1] ^= low;
    v[2] ^= high;
    reduce(x, v);
}

/* The table is the split of H/x. */
static inline void init(struct split *table, const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63;

    split128(table, (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56), H[1] << 1 ^ one);
}

static inline void gmult(uint8_t Xi[16], const struct split *table)
{
    uint64_t x[2] = {load64_be(Xi), load64_be(Xi + 8)};

    multiply(x, table);
    store64_be(Xi, x[0]);
    store64_be(Xi + 8, x[1]);
}

static inline void ghash(uint8_t Xi[16], const struct split *table, const uint8_t *in, size_t len)
{
    uint64_t x[2] = {load64_be(Xi), load64_be(Xi + 8)};

    for (; len; in += 16, len -= 16) {
        x[0] ^= load64_be(in);
        x[1] ^= load64_be(in + 8);
        multiply(x, table);
    }
    store64_be(Xi, x[0]);
    store64_be(Xi + 8, x[1]);
}

#endif
