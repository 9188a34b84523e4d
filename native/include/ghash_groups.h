/*
 * GHASH over groups of vectors (vector128.h and its wider likes, of which one is included
 * before): the products of a group, or of what remains of one, are added up as numbers of 256
 * bits and reduced once. Each product of 128 bits is three of 64 bits by Karatsuba's method.
 * Numbers: ghash_clmul.h; table: ghash_powers.h.
 */
#ifndef RIG_GHASH_GROUPS_H
#define RIG_GHASH_GROUPS_H

#include "ghash_powers.h"

/* A sum by lanes: low, times x^64 middle, times x^128 high; middle has both others in it too. */
struct sums {
    vector low, middle, high;
};

static inline struct sums no_sums(void)
{
    return (struct sums){zero(), zero(), zero()};
}

static inline void add_product(struct sums *sums, vector x, vector h)
{
    sums->low = add(sums->low, low_product(x, h));
    sums->high = add(sums->high, high_product(x, h));
    sums->middle = add(sums->middle, low_product(add(x, exchange(x)), add(h, exchange(h))));
}

/* As fold of ghash_clmul.h. */
static inline vector fold_each(vector x)
{
    const vector poly = each(_mm_set_epi32(0, 0, (int)0xc2000000, 0));

    return add(exchange(x), low_product(x, poly));
}

static inline __m128i reduce_sums(const struct sums *sums)
{
    const vector middle = add(sums->middle, add(sums->low, sums->high));
    const vector low = add(sums->low, raise(middle));
    const vector high = add(sums->high, lower(middle));

    return total(add(high, fold_each(fold_each(low))));
}

static inline __attribute__((always_inline)) __m128i absorb_group(__m128i Xi, const void *Htable,
                                                                  const uint8_t *in)
{
    const uint8_t *power = powers_for(Htable, GROUP);
    struct sums sums = no_sums();
    vector x = first(Xi);

#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
        add_product(&sums, add(x, swap(load(in))), load(power));
        in += sizeof x;
        power += sizeof x;
        x = zero();
    }
    return reduce_sums(&sums);
}

/* len octets, at least a block's and fewer than a group's. */
static inline __attribute__((always_inline)) __m128i absorb_rest(__m128i Xi, const void *Htable,
                                                                 const uint8_t *in, size_t len)
{
    const uint8_t *power = powers_for(Htable, len);
    struct sums sums = no_sums();
    vector x = first(Xi);

#pragma GCC unroll 7
    for (int i = 0; i < VECTORS - 1; i++) {
        if ((i || sizeof x > 16) && len < sizeof x)
            break;
        add_product(&sums, add(x, swap(load(in))), load(power));
        in += sizeof x;
        power += sizeof x;
        len -= sizeof x;
        x = zero();
    }
    if (sizeof x > 16 && len)
        add_product(&sums, add(x, swap(load_part(in, len))), load_part(power, len));
    return reduce_sums(&sums);
}

static inline __m128i load_Xi(const uint8_t Xi[16])
{
    return swap_bytes(_mm_loadu_si128((const __m128i *)Xi));
}

static inline void store_Xi(uint8_t Xi[16], __m128i x)
{
    _mm_storeu_si128((__m128i *)Xi, swap_bytes(x));
}

static inline void absorb(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    __m128i x = load_Xi(Xi);

    for (; len >= GROUP; in += GROUP, len -= GROUP)
        x = absorb_group(x, Htable, in);
    if (len)
        x = absorb_rest(x, Htable, in, len);
    store_Xi(Xi, x);
}

#endif
