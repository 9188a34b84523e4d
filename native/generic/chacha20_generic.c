/*
 * ChaCha20 in portable C, one block at a time: RFC 8439 sections 2.1 to 2.4
 * as they are written.
 */
#include "chacha20.h"
#include "chacha20_rounds.h"
#include "secrets.h"
#include "words.h"

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_generic;

/* out may be in: each word is read before it is written. */
static void xor_block(uint8_t *out, const uint8_t *in, const uint32_t state[16])
{
    uint32_t x[16];

    __builtin_memcpy(x, state, sizeof x);
    twenty_rounds(x);
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
