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
    struct factors factors;
};

/* Vector i of the group that hashed begins; Xi is added to the first. It meets a unit's last. */
static inline __attribute__((always_inline)) void
absorb_vector(struct sums *sums, __m128i Xi, const uint8_t *hashed, const struct keys *keys, int i)
{
    const vector x = swap(load(hashed + i * sizeof x));

    add_vector(sums, i ? x : add(x, first(Xi)), &keys->factors, UNIT_VECTORS - VECTORS + i);
}

/* The next group of key stream into s; hashed is the group that Xi absorbs. */
static inline __attribute__((always_inline)) __m128i
next_group_and_absorb(vector s[VECTORS], vector *counters, __m128i Xi, const uint8_t *hashed,
                      const struct keys *keys)
{
    const uint8_t *round_key = keys->schedule;
    struct sums sums = no_sums();

    begin_group(s, counters, round_key);
#pragma GCC unroll 8
    for (int i = VECTORS - 1; i >= 0; i--) {
        round_of(s, round_key += 16);
        absorb_vector(&sums, Xi, hashed, keys, i);
    }
    Xi = total(reduce_each(&sums));
    end_group(s, round_key + 16, keys->last);
    return Xi;
}

static inline struct keys keys_at(const uint8_t *schedule, const void *Htable)
{
    return (struct keys){schedule, last_key(schedule), factors(Htable, 0)};
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
    const size_t hashed = groups ? groups - GROUP : 0;
    vector s[VECTORS], counters = first_counters(ivec);
    __m128i x = load_Xi(Xi);

    if (groups) {
        next_group(s, &counters, schedule);
        xor_group(out, in, s);
        for (size_t at = GROUP; at != groups; at += GROUP) {
            x = next_group_and_absorb(s, &counters, x, out + at - GROUP, &keys);
            xor_group(out + at, in + at, s);
        }
    }
    if (rest) {
        next_group(s, &counters, schedule);
        xor_rest(out + groups, in + groups, rest, s);
    }
    x = absorb_last(first(x), Htable, out + hashed, groups + rest - hashed);
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
        x = absorb_rest(first(x), Htable, in + groups, rest);
        xor_rest(out + groups, in + groups, rest, s);
    }
    store_Xi(Xi, x);
    advance(ivec, (groups + rest) / 16);
    return groups + rest;
}

#endif
