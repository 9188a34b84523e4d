/*
 * ChaCha20 (RFC 8439 section 2.4), four blocks in parallel: vector i holds
 * word i of four blocks with successive counters, so a quarter round is the
 * scalar one on vectors. A transposition of 4x4 words puts the key stream
 * into memory order.
 */
#include "chacha20.h"
#include "neon_a64.h"
#include "secrets.h"

#define GROUP 256 /* octets in four blocks */

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_neon;

static inline uint32x4_t rotate16(uint32x4_t x)
{
    return vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)));
}

static inline uint32x4_t rotate12(uint32x4_t x)
{
    return vsriq_n_u32(vshlq_n_u32(x, 12), x, 20);
}

static inline uint32x4_t rotate8(uint32x4_t x)
{
    static const uint8_t ORDER[16] = {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};

    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), vld1q_u8(ORDER)));
}

static inline uint32x4_t rotate7(uint32x4_t x)
{
    return vsriq_n_u32(vshlq_n_u32(x, 7), x, 25);
}

static inline void quarter_round(uint32x4_t *a, uint32x4_t *b, uint32x4_t *c, uint32x4_t *d)
{
    *a = vaddq_u32(*a, *b);
    *d = rotate16(veorq_u32(*d, *a));
    *c = vaddq_u32(*c, *d);
    *b = rotate12(veorq_u32(*b, *c));
    *a = vaddq_u32(*a, *b);
    *d = rotate8(veorq_u32(*d, *a));
    *c = vaddq_u32(*c, *d);
    *b = rotate7(veorq_u32(*b, *c));
}

static inline void double_round(uint32x4_t x[16])
{
    quarter_round(&x[0], &x[4], &x[8], &x[12]);
    quarter_round(&x[1], &x[5], &x[9], &x[13]);
    quarter_round(&x[2], &x[6], &x[10], &x[14]);
    quarter_round(&x[3], &x[7], &x[11], &x[15]);
    quarter_round(&x[0], &x[5], &x[10], &x[15]);
    quarter_round(&x[1], &x[6], &x[11], &x[12]);
    quarter_round(&x[2], &x[7], &x[8], &x[13]);
    quarter_round(&x[3], &x[4], &x[9], &x[14]);
}

/* The lanes' counters wrap modulo 2^32 each for itself, as the contract wants. */
static inline void load_state(uint32x4_t state[16], const uint32_t key[8],
                              const uint32_t counter[4])
{
    static const uint32_t LANE[4] = {0, 1, 2, 3};

    state[0] = vdupq_n_u32(0x61707865);
    state[1] = vdupq_n_u32(0x3320646e);
    state[2] = vdupq_n_u32(0x79622d32);
    state[3] = vdupq_n_u32(0x6b206574);
    for (int i = 0; i < 8; i++)
        state[4 + i] = vld1q_dup_u32(&key[i]);
    for (int i = 0; i < 4; i++)
        state[12 + i] = vld1q_dup_u32(&counter[i]);
    state[12] = vaddq_u32(state[12], vld1q_u32(LANE));
}

/* Four words of four blocks become, per block, 16 octets in memory order. */
static inline void transpose(uint32x4_t w[4])
{
    const uint64x2_t ab_low = vreinterpretq_u64_u32(vzip1q_u32(w[0], w[1]));
    const uint64x2_t ab_high = vreinterpretq_u64_u32(vzip2q_u32(w[0], w[1]));
    const uint64x2_t cd_low = vreinterpretq_u64_u32(vzip1q_u32(w[2], w[3]));
    const uint64x2_t cd_high = vreinterpretq_u64_u32(vzip2q_u32(w[2], w[3]));

    w[0] = vreinterpretq_u32_u64(vzip1q_u64(ab_low, cd_low));
    w[1] = vreinterpretq_u32_u64(vzip2q_u64(ab_low, cd_low));
    w[2] = vreinterpretq_u32_u64(vzip1q_u64(ab_high, cd_high));
    w[3] = vreinterpretq_u32_u64(vzip2q_u64(ab_high, cd_high));
}

static inline void xor16(uint8_t *out, const uint8_t *in, uint32x4_t x)
{
    vst1q_u8(out, veorq_u8(vreinterpretq_u8_u32(x), vld1q_u8(in)));
}

/* out may be in: each 16 octets are read before they are written. */
static void xor_group(uint8_t *out, const uint8_t *in, const uint32x4_t state[16])
{
    uint32x4_t x[16];

#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = state[i];
    for (int i = 0; i < 10; i++)
        double_round(x);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = vaddq_u32(x[i], state[i]);
#pragma GCC unroll 4
    for (int part = 0; part < 4; part++) {
        transpose(&x[4 * part]);
#pragma GCC unroll 4
        for (int block = 0; block < 4; block++)
            xor16(out + 64 * block + 16 * part, in + 64 * block + 16 * part, x[4 * part + block]);
    }
}

/* An incomplete group goes through a buffer, so nothing past len is touched. */
static void xor_tail(uint8_t *out, const uint8_t *in, size_t len, const uint32x4_t state[16])
{
    uint8_t group[GROUP] = {0};

    __builtin_memcpy(group, in, len);
    xor_group(group, group, state);
    __builtin_memcpy(out, group, len);
    wipe(group, sizeof group);
}

void rig_chacha20_ctr32_neon(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                             const uint32_t counter[4])
{
    uint32x4_t state[16];

    load_state(state, key, counter);
    for (; len >= GROUP; len -= GROUP, in += GROUP, out += GROUP) {
        xor_group(out, in, state);
        state[12] = vaddq_u32(state[12], vdupq_n_u32(4));
    }
    if (len)
        xor_tail(out, in, len, state);
    wipe(state, sizeof state);
}
