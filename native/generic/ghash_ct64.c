/*
 * GHASH in constant time from integer multiplications with holes. Each factor
 * of 32 bits is split into four numbers whose bits stand four apart; a place of
 * a product of two such numbers receives at most eight ones, and a carry ends
 * within its hole of four bits. Multiplication time must not depend on data,
 * as on every x86_64.
 *
 * 128 by 128 bits is Karatsuba's method twice: nine products of 32 bits. A
 * block is read as a big-endian number, x^i at bit 127 - i. The product of two
 * such numbers has x^i at bit 254 - i, so the table is made from H/x instead,
 * which puts x^i at bit 255 - i.
 */
#include "ghash.h"
#include "words.h"

__typeof__(ghash_init) rig_ghash_init_ct64;
__typeof__(ghash_gmult) rig_ghash_gmult_ct64;
__typeof__(ghash_ghash) rig_ghash_ghash_ct64;

/* The nine factors of a number, split into their four numbers with holes. */
struct split {
    uint32_t part[9][4];
};

static void split32(uint32_t part[4], uint32_t x)
{
    for (int i = 0; i < 4; i++)
        part[i] = x & (UINT32_C(0x11111111) << i);
}

/* low, high and low + high of high:low. */
static void split64(uint32_t part[3][4], uint64_t x)
{
    split32(part[0], (uint32_t)x);
    split32(part[1], (uint32_t)(x >> 32));
    split32(part[2], (uint32_t)(x ^ x >> 32));
}

static void split128(struct split *s, uint64_t high, uint64_t low)
{
    split64(s->part, low);
    split64(s->part + 3, high);
    split64(s->part + 6, low ^ high);
}

static uint64_t multiply32(const uint32_t a[4], const uint32_t b[4])
{
    uint64_t product = 0;

    for (int place = 0; place < 4; place++) {
        uint64_t sum = 0;
        for (int i = 0; i < 4; i++)
            sum ^= (uint64_t)a[i] * b[(place - i) & 3];
        product |= sum & (UINT64_C(0x1111111111111111) << place);
    }
    return product;
}

static void multiply64(uint64_t *high, uint64_t *low, const uint32_t a[3][4],
                       const uint32_t b[3][4])
{
    const uint64_t l = multiply32(a[0], b[0]), h = multiply32(a[1], b[1]);
    const uint64_t middle = multiply32(a[2], b[2]) ^ l ^ h;

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

void rig_ghash_init_ct64(void *Htable, const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63;

    split128(Htable, (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56), H[1] << 1 ^ one);
}

void rig_ghash_gmult_ct64(uint8_t Xi[16], const void *Htable)
{
    uint64_t x[2] = {load64_be(Xi), load64_be(Xi + 8)};

    multiply(x, Htable);
    store64_be(Xi, x[0]);
    store64_be(Xi + 8, x[1]);
}

void rig_ghash_ghash_ct64(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    uint64_t x[2] = {load64_be(Xi), load64_be(Xi + 8)};

    for (; len; in += 16, len -= 16) {
        x[0] ^= load64_be(in);
        x[1] ^= load64_be(in + 8);
        multiply(x, Htable);
    }
    store64_be(Xi, x[0]);
    store64_be(Xi + 8, x[1]);
}
