/*
 * AES-GCM's counter mode and GHASH in one loop over groups of vectors: each of the first rounds
 * on a group of counter blocks goes with the product of one vector of ciphertext. Sealing hashes
 * the group that it has written before; opening hashes the group that it reads. The schedule is
 * aesni's, the table pclmul8's. Included behind aes_groups.h and ghash_groups.h.
 */
#ifndef RIG_AES_GCM_GROUPS_H
#define RIG_AES_GCM_GROUPS_H

struct keys {
    const uint8_t *schedule, *last;
    const void *Htable;
};

/* The next group of key stream into s; hashed is the group that Xi absorbs. */
static inline __attribute__((always_inline)) __m128i
next_group_and_absorb(vector s[VECTORS], vector *counters, __m128i Xi, const uint8_t *hashed,
                      const struct keys *keys)
{
    const uint8_t *power = powers_for(keys->Htable, GROUP);
    struct sums sums = no_sums();
    vector x = first(Xi);

    begin_group(s, counters, keys->schedule);
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
        round_of(s, keys->schedule + 16 * (i + 1));
        add_product(&sums, add(x, swap(load(hashed + i * sizeof x))), load(power + i * sizeof x));
        x = zero();
    }
    Xi = reduce_sums(&sums);
    end_group(s, keys->schedule + 16 * (VECTORS + 1), keys->last);
    return Xi;
}

static inline struct keys keys_at(const uint8_t *schedule, const void *Htable)
{
    return (struct keys){schedule, last_key(schedule), Htable};
}

/* The counter in ivec, blocks on. */
static inline void advance(uint8_t ivec[16], size_t blocks)
{
    store32_be(ivec + 12, load32_be(ivec + 12) + (uint32_t)blocks);
}

static inline __attribute__((always_inline)) size_t
seal_blocks(const uint8_t *in, uint8_t *out, size_t len, const uint8_t *schedule, uint8_t ivec[16],
     const void *Htable, uint8_t Xi[16])
{
    const struct keys keys = keys_at(schedule, Htable);
    const size_t groups = len - len % GROUP, rest = len % GROUP - len % 16;
    vector s[VECTORS], counters = first_counters(ivec);
    __m128i x = load_Xi(Xi);

    if (groups) {
        next_group(s, &counters, schedule);
        xor_group(out, in, s);
        for (size_t at = GROUP; at != groups; at += GROUP) {
            x = next_group_and_absorb(s, &counters, x, out + at - GROUP, &keys);
            xor_group(out + at, in + at, s);
        }
        x = absorb_group(x, Htable, out + groups - GROUP);
    }
    if (rest) {
        next_group(s, &counters, schedule);
        xor_rest(out + groups, in + groups, rest, s);
        x = absorb_rest(x, Htable, out + groups, rest);
    }
    store_Xi(Xi, x);
    advance(ivec, (groups + rest) / 16);
    return groups + rest;
}

static inline __attribute__((always_inline)) size_t
open_blocks(const uint8_t *in, uint8_t *out, size_t len, const uint8_t *schedule, uint8_t ivec[16],
     const void *Htable, uint8_t Xi[16])
{
    const struct keys keys = keys_at(schedule, Htable);
    const size_t groups = len - len % GROUP, rest = len % GROUP - len % 16;
    vector s[VECTORS], counters = first_counters(ivec);
    __m128i x = load_Xi(Xi);

    for (size_t at = 0; at != groups; at += GROUP) {
        x = next_group_and_absorb(s, &counters, x, in + at, &keys);
        xor_group(out + at, in + at, s);
    }
    if (rest) {
        next_group(s, &counters, schedule);
        x = absorb_rest(x, Htable, in + groups, rest);
        xor_rest(out + groups, in + groups, rest, s);
    }
    store_Xi(Xi, x);
    advance(ivec, (groups + rest) / 16);
    return groups + rest;
}

#endif
