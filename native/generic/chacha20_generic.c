/*
 * ChaCha20 in portable C, one block at a time: RFC 8439 sections 2.1 to 2.4
 * as they are written.
 */
#include "chacha20.h"
#include "secrets.h"
#include "words.h"

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_generic;

static inline uint32_t rotate_left(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

/* Section 2.1. */
static inline void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b;
    *d = rotate_left(*d ^ *a, 16);
    *c += *d;
    *b = rotate_left(*b ^ *c, 12);
    *a += *b;
    *d = rotate_left(*d ^ *a, 8);
    *c += *d;
    *b = rotate_left(*b ^ *c, 7);
}

static inline void double_round(uint32_t x[16])
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

/* Section 2.3. The constant is "expand 32-byte k". */
static void load_state(uint32_t state[16], const uint32_t key[8], const uint32_t counter[4])
{
    state[0] = 0x61707865;
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
    __builtin_memcpy(&state[4], key, 32);
    __builtin_memcpy(&state[12], counter, 16);
}

/* out may be in: each word is read before it is written. */
static void xor_block(uint8_t *out, const uint8_t *in, const uint32_t state[16])
{
    uint32_t x[16];

    __builtin_memcpy(x, state, sizeof x);
    for (int i = 0; i < 10; i++)
        double_round(x);
    for (int i = 0; i < 16; i++)
        store32_le(out + 4 * i, load32_le(in + 4 * i) ^ (x[i] + state[i]));
}

/* An incomplete block goes through a buffer, so nothing past len is touched. */
static void xor_tail(uint8_t *out, const uint8_t *in, size_t len, const uint32_t state[16])
{
    uint8_t block[64] = {0};

    __builtin_memcpy(block, in, len);
    xor_block(block, block, state);
    __builtin_memcpy(out, block, len);
    wipe(block, sizeof block);
}

void rig_chacha20_ctr32_generic(uint8_t *out, const uint8_t *in, size_t len,
                                const uint32_t key[8], const uint32_t counter[4])
{
    uint32_t state[16];

    load_state(state, key, counter);
    for (; len >= 64; len -= 64, in += 64, out += 64) {
        xor_block(out, in, state);
        state[12]++;
    }
    if (len)
        xor_tail(out, in, len, state);
    wipe(state, sizeof state);
}
