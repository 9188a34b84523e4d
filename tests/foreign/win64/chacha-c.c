/* The portable one: the compiler knows the convention. */
#include "chacha20.h"

static uint32_t rotated(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b, *d = rotated(*d ^ *a, 16);
    *c += *d, *b = rotated(*b ^ *c, 12);
    *a += *b, *d = rotated(*d ^ *a, 8);
    *c += *d, *b = rotated(*b ^ *c, 7);
}

static void block(uint32_t out[16], const uint32_t in[16])
{
    for (int i = 0; i < 16; i++)
        out[i] = in[i];
    for (int round = 0; round < 20; round++)
        for (int i = 0, turn = round % 2; i < 4; i++)
            quarter(out + i, out + 4 + (i + turn) % 4, out + 8 + (i + 2 * turn) % 4,
                    out + 12 + (i + 3 * turn) % 4);
    for (int i = 0; i < 16; i++)
        out[i] += in[i];
}

__attribute__((ms_abi)) void ChaCha20_ctr32_nohw(uint8_t *out, const uint8_t *in, size_t len,
                                                 const uint32_t key[8], const uint32_t counter[4])
{
    uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, words[16];

    for (int i = 0; i < 8; i++)
        state[4 + i] = key[i];
    for (int i = 0; i < 4; i++)
        state[12 + i] = counter[i];
    for (size_t i = 0; i < len; i++) {
        if (i % 64 == 0) {
            block(words, state);
            state[12]++;
        }
        out[i] = in[i] ^ (uint8_t)(words[i % 64 / 4] >> 8 * (i % 4));
    }
}
