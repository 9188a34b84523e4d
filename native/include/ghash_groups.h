/*
 * GHASH over units of as many blocks as the table has powers, in vectors (vector128.h and its wider
 * likes, of which one is included before): the products of a unit, or of what remains of one, are
 * added up as numbers of 256 bits and reduced once. Each product of 128 bits is three of 64 bits by
 * Karatsuba's method. Numbers: ghash_clmul.h; table: ghash_powers.h.
 */
#ifndef RIG_GHASH_GROUPS_H
#define RIG_GHASH_GROUPS_H

#include "ghash_powers.h"

/* A unit's octets, its vectors. */
enum { UNIT = 16 * GHASH_POWERS, UNIT_VECTORS = GHASH_POWERS / LANES };

/* A sum by lanes: low, times x^64 middle, times x^128 high; middle has both others in it too. */
struct sums {
    vector low, middle, high;
};

/*
 * What the vectors of a unit meet. Joined, each block its power, so that the sum of the lanes is
 * the result. Apart, all of a vector its first block's power, which takes each lane as far as a
 * whole vector goes: the result is for the vector behind the unit, lane by lane. half_sums: by
 * lanes the sum of the factor's halves, of an even vector's in the low half, of the next one's in
 * the high half.
 */
struct factors {
    const uint8_t *powers;
    int apart;
    vector half_sums[UNIT_VECTORS / 2];
};

static inline struct sums no_sums(void)
{
    return (struct sums){zero(), zero(), zero()};
}

static inline vector factor(const struct factors *f, int i)
{
    const uint8_t *power = f->powers + i * sizeof(vector);

    return f->apart ? each(_mm_loadu_si128((const __m128i *)power)) : load(power);
}

static inline struct factors factors(const void *Htable, int apart)
{
    struct factors f = {.powers = powers_for(Htable, UNIT), .apart = apart};

#pragma GCC unroll 8
    for (int i = 0; i < UNIT_VECTORS / 2; i++) {
        const vector even = factor(&f, 2 * i), odd = factor(&f, 2 * i + 1);

        f.half_sums[i] = add(low_halves(even, odd), high_halves(even, odd));
    }
    return f;
}

/* Vector i of a unit. */
static inline void add_vector(struct sums *sums, vector x, const struct factors *f, int i)
{
    const vector h = factor(f, i), half_sums = f->half_sums[i / 2];
    const vector half_sum = add(x, exchange(x));

    sums->low = add(sums->low, low_product(x, h));
    sums->high = add(sums->high, high_product(x, h));
    sums->middle = add(sums->middle, i % 2 ? low_high_product(half_sum, half_sums)
                                           : low_product(half_sum, half_sums));
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

static inline vector reduce_each(const struct sums *sums)
{
    const vector middle = add(sums->middle, add(sums->low, sums->high));

    return add(sums->high, fold_each(add(middle, fold_each(sums->low))));
}

/* The first vector comes last: it waits for x. */
static inline __attribute__((always_inline)) vector absorb_unit(vector x, const uint8_t *in,
                                                                const struct factors *f)
{
    struct sums sums = no_sums();

#pragma GCC unroll 15
    for (int i = UNIT_VECTORS - 1; i > 0; i--)
        add_vector(&sums, swap(load(in + i * sizeof x)), f, i);
    add_vector(&sums, add(swap(load(in)), x), f, 0);
    return reduce_each(&sums);
}

/* len octets: whole blocks, one at least, fewer than a unit's. x: Xi in the first lane. */
static inline __attribute__((always_inline)) __m128i absorb_rest(vector x, const void *Htable,
                                                                 const uint8_t *in, size_t len)
{
    const size_t least = LANES > 1 ? sizeof x : 1; /* where it fills a vector; blocks are whole */
    const uint8_t *power = powers_for(Htable, len);
    struct sums sums = no_sums();

    for (; len >= least; len -= sizeof x, in += sizeof x, power += sizeof x) {
        add_product(&sums, add(x, swap(load(in))), load(power));
        x = zero();
    }
    if (LANES > 1 && len)
        add_product(&sums, add(x, swap(load_part(in, len))), load_part(power, len));
    return total(reduce_each(&sums));
}

/* len octets: whole blocks, fewer than two units', with one lane fewer than one unit's. */
static inline __attribute__((always_inline)) __m128i absorb_last(vector x, const void *Htable,
                                                                 const uint8_t *in, size_t len)
{
    if (LANES > 1 && len >= UNIT) {
        const struct factors joined = factors(Htable, 0);

        x = first(total(absorb_unit(x, in, &joined)));
        in += UNIT;
        len -= UNIT;
    }
    return len ? absorb_rest(x, Htable, in, len) : total(x);
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
    const size_t last = LANES > 1 ? 2 * UNIT : UNIT; /* absorb_last takes what is shorter */
    vector x = first(load_Xi(Xi));

    if (len >= last) {
        const struct factors apart = factors(Htable, 1);

        for (; len >= last; in += UNIT, len -= UNIT)
            x = absorb_unit(x, in, &apart);
    }
    store_Xi(Xi, absorb_last(x, Htable, in, len));
}

#endif
