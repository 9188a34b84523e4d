/*
 * AES-GCM's counter mode and GHASH in one loop, eight blocks at a time: each of
 * the first eight rounds on eight counter blocks goes with the product of one
 * block of ciphertext, and AES-128 has nine before its last. Sealing hashes the
 * group that it has written before; opening hashes the group that it reads.
 *
 * The schedule is that of ce, Htable that of pmull8. Whole groups of 128 octets
 * are done, the rest is the caller's.
 */
#include "aes_gcm_fused.h"
#include "aes_key.h"
#include "ghash_pmull8.h"
#include "pmull.h"

__typeof__(aes_gcm_fused_seal) rig_aes_gcm_fused_seal_ce_pmull;
__typeof__(aes_gcm_fused_open) rig_aes_gcm_fused_open_ce_pmull;

#define BLOCKS 8
#define GROUP  128 /* octets in eight blocks */

/* What a group takes over from the one before. Xi has its high half in lane 0. */
struct state {
    uint32x4_t nonce;
    uint32_t counter;
    uint64x2_t Xi;
};

struct keys {
    const uint8_t *schedule, *last, *Htable;
};

/* The sums of eight products of 128 bits. */
struct sums {
    uint64x2_t low, high, middle;
};

static inline struct keys find_keys(const uint8_t *schedule, const uint8_t *Htable)
{
    return (struct keys){schedule, schedule + 16 * load32_le(schedule + AES_ROUNDS_AT), Htable};
}

static inline uint64x2_t load_block(const uint8_t *p)
{
    return vreinterpretq_u64_u8(vrev64q_u8(vld1q_u8(p)));
}

static inline struct state load_state(const uint8_t ivec[16], const uint8_t Xi[16])
{
    return (struct state){vreinterpretq_u32_u8(vld1q_u8(ivec)), load32_be(ivec + 12),
                          load_block(Xi)};
}

static inline void store_state(uint8_t ivec[16], uint8_t Xi[16], const struct state *state)
{
    store32_be(ivec + 12, state->counter);
    vst1q_u8(Xi, vrev64q_u8(vreinterpretq_u8_u64(state->Xi)));
}

static inline void next_counters(uint8x16_t s[BLOCKS], struct state *state)
{
#pragma GCC unroll 8
    for (int i = 0; i < BLOCKS; i++)
        s[i] = vreinterpretq_u8_u32(
            vsetq_lane_u32(__builtin_bswap32(state->counter++), state->nonce, 3));
}

static inline void middle_round(uint8x16_t s[BLOCKS], const uint8_t *round_key)
{
    const uint8x16_t key = vld1q_u8(round_key);

#pragma GCC unroll 8
    for (int i = 0; i < BLOCKS; i++)
        s[i] = vaesmcq_u8(vaeseq_u8(s[i], key));
}

/* The last rounds from that of round_key on, which is not the very last. */
static inline void last_rounds(uint8x16_t s[BLOCKS], const uint8_t *round_key,
                               const uint8_t *last)
{
#pragma GCC unroll 1
    do
        middle_round(s, round_key);
    while ((round_key += 16) != last - 16);
    const uint8x16_t key = vld1q_u8(round_key), last_key = vld1q_u8(last);
#pragma GCC unroll 8
    for (int i = 0; i < BLOCKS; i++)
        s[i] = veorq_u8(vaeseq_u8(s[i], key), last_key);
}

/* Block i of a group meets H^(8-i). */
static inline void add_product(struct sums *sums, uint64x2_t x, const uint8_t *Htable, int i)
{
    const uint64x2_t h = vld1q_u64((const uint64_t *)(Htable + PMULL8_POWERS + 16 * i));
    const uint64x2_t h_sum = vld1q_dup_u64((const uint64_t *)(Htable + PMULL8_SUMS + 8 * i));
    const uint64x2_t x_sum = veorq_u64(x, exchange_halves(x));

    sums->low = veorq_u64(sums->low, multiply_second(x, h));
    sums->high = veorq_u64(sums->high, multiply_first(x, h));
    sums->middle = veorq_u64(sums->middle, multiply_first(x_sum, h_sum));
}

static inline void add_block(struct sums *sums, struct state *state, const uint8_t *group, int i,
                             const uint8_t *Htable)
{
    uint64x2_t x = load_block(group + 16 * i);

    if (i == 0)
        x = veorq_u64(x, state->Xi);
    add_product(sums, x, Htable, i);
}

static inline void take_sums(struct state *state, const struct sums *sums)
{
    state->Xi = exchange_halves(reduce(sums->low, sums->high, sums->middle));
}

static inline void absorb(struct state *state, const uint8_t *group, const struct keys *keys)
{
    struct sums sums = {vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0)};

#pragma GCC unroll 8
    for (int i = 0; i < BLOCKS; i++)
        add_block(&sums, state, group, i, keys->Htable);
    take_sums(state, &sums);
}

static inline void encrypt(uint8x16_t s[BLOCKS], const struct keys *keys)
{
    last_rounds(s, keys->schedule, keys->last);
}

static inline void encrypt_and_absorb(uint8x16_t s[BLOCKS], struct state *state,
                                      const uint8_t *group, const struct keys *keys)
{
    struct sums sums = {vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0)};

#pragma GCC unroll 8
    for (int i = 0; i < BLOCKS; i++) {
        middle_round(s, keys->schedule + 16 * i);
        add_block(&sums, state, group, i, keys->Htable);
    }
    take_sums(state, &sums);
    last_rounds(s, keys->schedule + 16 * BLOCKS, keys->last);
}

static inline void xor_group(uint8_t *out, const uint8_t *in, const uint8x16_t s[BLOCKS])
{
#pragma GCC unroll 8
    for (int i = 0; i < BLOCKS; i++)
        vst1q_u8(out + 16 * i, veorq_u8(vld1q_u8(in + 16 * i), s[i]));
}

size_t rig_aes_gcm_fused_seal_ce_pmull(const uint8_t *in, uint8_t *out, size_t len,
                                       const void *schedule, uint8_t ivec[16], const void *Htable,
                                       uint8_t Xi[16])
{
    const struct keys keys = find_keys(schedule, Htable);
    const size_t done = len / GROUP * GROUP;
    struct state state = load_state(ivec, Xi);
    uint8x16_t s[BLOCKS];

    if (!done)
        return 0;
    next_counters(s, &state);
    encrypt(s, &keys);
    xor_group(out, in, s);
    for (size_t at = GROUP; at != done; at += GROUP) {
        next_counters(s, &state);
        encrypt_and_absorb(s, &state, out + at - GROUP, &keys);
        xor_group(out + at, in + at, s);
    }
    absorb(&state, out + done - GROUP, &keys);
    store_state(ivec, Xi, &state);
    return done;
}

size_t rig_aes_gcm_fused_open_ce_pmull(const uint8_t *in, uint8_t *out, size_t len,
                                       const void *schedule, uint8_t ivec[16], const void *Htable,
                                       uint8_t Xi[16])
{
    const struct keys keys = find_keys(schedule, Htable);
    const size_t done = len / GROUP * GROUP;
    struct state state = load_state(ivec, Xi);
    uint8x16_t s[BLOCKS];

    for (size_t at = 0; at != done; at += GROUP) {
        next_counters(s, &state);
        encrypt_and_absorb(s, &state, in + at, &keys);
        xor_group(out + at, in + at, s);
    }
    store_state(ivec, Xi, &state);
    return done;
}
