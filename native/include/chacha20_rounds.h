/*
 * The rounds of ChaCha20 (RFC 8439 sections 2.1 to 2.3) on one block, in portable C.
 */
#ifndef RIG_CHACHA20_ROUNDS_H
#define RIG_CHACHA20_ROUNDS_H

#include <stdint.h>

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

/* Section 2.3: what is enciphered, but for the addition of the state at the end. counter is the
   last row. The constant is "expand 32-byte k". */
static inline void load_state(uint32_t state[16], const uint32_t key[8], const uint32_t counter[4])
{
    state[0] = 0x61707865;
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
    __builtin_memcpy(&state[4], key, 32);
    __builtin_memcpy(&state[12], counter, 16);
}

static inline void twenty_rounds(uint32_t x[16])
{
    for (int i = 0; i < 10; i++)
        double_round(x);
}

#endif
