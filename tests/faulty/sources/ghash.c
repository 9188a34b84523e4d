/*
 * GHASH (SP 800-38D clause 6.4), bit by bit, with a fault or without. A block is
 * read as a big-endian number, x^i at bit 127 - i. The table is H / x: bit i of
 * a factor then meets it after i + 1 steps.
 */
#include "ghash.h"
#include "words.h"

enum fault { NONE, TOP_BIT };

#define INLINE static inline __attribute__((always_inline))

struct element {
    uint64_t high, low;
};

/* x^0 of H leaves at the top, as x^-1 = x^127 + x^6 + x + 1. */
INLINE void init(enum fault fault, struct element *table, const uint64_t H[2])
{
    const uint64_t one = fault == TOP_BIT ? 0 : H[0] >> 63;

    table->high = (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56);
    table->low = H[1] << 1 ^ one;
}

static struct element times_x(struct element v)
{
    const uint64_t out = v.low & 1;

    v.low = v.low >> 1 | v.high << 63;
    v.high = v.high >> 1 ^ out * (UINT64_C(0xe1) << 56);
    return v;
}

static struct element multiply(struct element x, struct element v)
{
    struct element z = {0, 0};

    for (int i = 0; i < 128; i++) {
        const uint64_t word = i < 64 ? x.high : x.low, mask = 0 - (word >> (63 - i % 64) & 1);
        v = times_x(v);
        z.high ^= v.high & mask;
        z.low ^= v.low & mask;
    }
    return z;
}

static void absorb(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    struct element x = {load64_be(Xi), load64_be(Xi + 8)};

    for (; len; in += 16, len -= 16) {
        x.high ^= load64_be(in);
        x.low ^= load64_be(in + 8);
        x = multiply(x, *(const struct element *)Htable);
    }
    store64_be(Xi, x.high);
    store64_be(Xi + 8, x.low);
}

#define VARIANT(name, fault)                                                                   \
    __typeof__(ghash_init) faulty_ghash_init_##name;                                           \
    __typeof__(ghash_gmult) faulty_ghash_gmult_##name;                                         \
    __typeof__(ghash_ghash) faulty_ghash_ghash_##name;                                         \
    void faulty_ghash_init_##name(void *Htable, const uint64_t H[2]) { init(fault, Htable, H); } \
    void faulty_ghash_gmult_##name(uint8_t Xi[16], const void *Htable)                         \
    {                                                                                          \
        static const uint8_t zero[16];                                                         \
        absorb(Xi, Htable, zero, sizeof zero);                                                 \
    }                                                                                          \
    void faulty_ghash_ghash_##name(uint8_t Xi[16], const void *Htable, const uint8_t *in,      \
                                   size_t len)                                                 \
    {                                                                                          \
        absorb(Xi, Htable, in, len);                                                           \
    }

VARIANT(clean, NONE)
VARIANT(top_bit, TOP_BIT)
