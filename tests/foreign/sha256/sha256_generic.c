/* SHA-256 (FIPS 180-4 clause 6.2.2) in portable C. */
#include "sha256.h"
#include "sha256_constants.h"

__typeof__(sha256_block_data_order) sha256_block_data_order_generic;

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load32_be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Word t of the message schedule, of which w holds the last sixteen. */
static uint32_t schedule(uint32_t w[16], int t)
{
    const uint32_t x = w[(t + 1) % 16], y = w[(t + 14) % 16];

    w[t % 16] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(t + 9) % 16] +
                 (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
    return w[t % 16];
}

static void compress(uint32_t state[8], const uint8_t in[64])
{
    uint32_t w[16], s[8];

    for (int i = 0; i < 8; i++)
        s[i] = state[i];
    for (int t = 0; t < 64; t++) {
        const uint32_t a = s[0], b = s[1], c = s[2], e = s[4], f = s[5], g = s[6];
        const uint32_t word = t < 16 ? (w[t] = load32_be(in + 4 * t)) : schedule(w, t);
        const uint32_t t1 = s[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                            ((e & f) ^ (~e & g)) + sha256_constants[t] + word;
        const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                            ((a & b) ^ (a & c) ^ (b & c));

        for (int i = 7; i > 0; i--)
            s[i] = s[i - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_block_data_order_generic(uint32_t state[8], const uint8_t *in, size_t num_blocks)
{
    for (; num_blocks; num_blocks--, in += 64)
        compress(state, in);
}
