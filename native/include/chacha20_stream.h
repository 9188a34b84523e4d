/*
 * ChaCha20's key stream group by group. Included behind chacha20_four.h or
 * chacha20_eight.h.
 */
#ifndef RIG_CHACHA20_STREAM_H
#define RIG_CHACHA20_STREAM_H

#include "secrets.h"

static void xor_group(uint8_t *out, const uint8_t *in, const vector state[16])
{
    vector x[16];

#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = state[i];
    for (int i = 0; i < 10; i++) {
        column_round(x);
        diagonal_round(x);
    }
    xor_words(out, in, x, state);
}

/* An incomplete group goes through a buffer, so nothing past len is touched. */
static void xor_tail(uint8_t *out, const uint8_t *in, size_t len, const vector state[16])
{
    uint8_t group[GROUP] = {0};

    __builtin_memcpy(group, in, len);
    xor_group(group, group, state);
    __builtin_memcpy(out, group, len);
    wipe(group, sizeof group);
}

static inline void xor_stream(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                              const uint32_t counter[4])
{
    vector state[16];

    load_state(state, key, counter);
    for (; len >= GROUP; len -= GROUP, in += GROUP, out += GROUP) {
        xor_group(out, in, state);
        next_group(state);
    }
    if (len)
        xor_tail(out, in, len, state);
    wipe(state, sizeof state);
}

#endif
