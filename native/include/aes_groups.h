/*
 * AES in counter mode over groups of vectors (vector128.h and its wider likes, of which one is
 * included before). The schedule is the round keys in order, then the number of rounds
 * (aes_key.h).
 */
#ifndef RIG_AES_GROUPS_H
#define RIG_AES_GROUPS_H

#include "aes_key.h"

static inline vector each_of(const uint8_t block[16])
{
    return each(_mm_loadu_si128((const __m128i *)block));
}

/* Counter blocks with octets swapped, so that the counter is a lane's lowest word. */
static inline vector first_counters(const uint8_t ivec[16])
{
    return add32(swap(each_of(ivec)), places());
}

static inline const uint8_t *last_key(const uint8_t *schedule)
{
    return schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
}

/* The next counter blocks, with the first round key added. */
static inline __attribute__((always_inline)) void
begin_group(vector s[VECTORS], vector *counters, const uint8_t *schedule)
{
    const vector step = each(_mm_cvtsi32_si128(LANES)), key = each_of(schedule);

#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++) {
        s[i] = add(swap(*counters), key);
        *counters = add32(*counters, step);
    }
}

static inline __attribute__((always_inline)) void round_of(vector s[VECTORS],
                                                           const uint8_t *round_key)
{
    const vector key = each_of(round_key);

#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++)
        s[i] = middle_round(s[i], key);
}

/*
 * The rounds from that of round_key on. The loop stays a loop: unrolled it has branches that
 * none of the three key sizes takes.
 */
static inline __attribute__((always_inline)) void
end_group(vector s[VECTORS], const uint8_t *round_key, const uint8_t *last)
{
#pragma GCC unroll 1
    do
        round_of(s, round_key);
    while ((round_key += 16) != last);
    const vector key = each_of(last);
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++)
        s[i] = last_round(s[i], key);
}

static inline __attribute__((always_inline)) void
next_group(vector s[VECTORS], vector *counters, const uint8_t *schedule)
{
    begin_group(s, counters, schedule);
    end_group(s, schedule + 16, last_key(schedule));
}

/* out may be in. */
static inline void xor_group(uint8_t *out, const uint8_t *in, const vector s[VECTORS])
{
#pragma GCC unroll 8
    for (int i = 0; i < VECTORS; i++)
        store(out + i * sizeof(vector), add(load(in + i * sizeof(vector)), s[i]));
}

/* len octets, at least a block's and fewer than a group's. */
static inline __attribute__((always_inline)) void
xor_rest(uint8_t *out, const uint8_t *in, size_t len, const vector s[VECTORS])
{
    vector next = s[0];

#pragma GCC unroll 7
    for (int i = 0; i < VECTORS - 1; i++) {
        if ((i || LANES > 1) && len < sizeof(vector))
            break;
        store(out, add(load(in), next));
        in += sizeof(vector);
        out += sizeof(vector);
        len -= sizeof(vector);
        next = s[i + 1];
    }
    if (LANES > 1 && len)
        store_part(out, add(load_part(in, len), next), len);
}

static inline __attribute__((always_inline)) void
ctr32(const uint8_t *in, uint8_t *out, size_t len, const uint8_t *schedule, const uint8_t ivec[16])
{
    vector s[VECTORS], counters = first_counters(ivec);

    for (; len >= GROUP; in += GROUP, out += GROUP, len -= GROUP) {
        next_group(s, &counters, schedule);
        xor_group(out, in, s);
    }
    if (!len)
        return;
    next_group(s, &counters, schedule);
    xor_rest(out, in, len, s);
}

#endif
