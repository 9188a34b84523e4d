/* SHA-256 with the ARMv8 instructions (Arm ARM, SHA256H). */
#include <arm_neon.h>

#include "sha256.h"
#include "sha256_constants.h"

__typeof__(sha256_block_data_order) sha256_block_data_order_armv8;

static uint32x4_t load_words(const uint8_t *in)
{
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(in)));
}

void sha256_block_data_order_armv8(uint32_t state[8], const uint8_t *in, size_t num_blocks)
{
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);

    for (; num_blocks; num_blocks--, in += 64) {
        uint32x4_t x = abcd, y = efgh, w[4];

        for (int i = 0; i < 4; i++)
            w[i] = load_words(in + 16 * i);
        for (int t = 0; t < 64; t += 4) {
            const uint32x4_t k = vaddq_u32(w[0], vld1q_u32(sha256_constants + t)), before = x;
            const uint32x4_t next = vsha256su1q_u32(vsha256su0q_u32(w[0], w[1]), w[2], w[3]);

            x = vsha256hq_u32(x, y, k);
            y = vsha256h2q_u32(y, before, k);
            w[0] = w[1];
            w[1] = w[2];
            w[2] = w[3];
            w[3] = next;
        }
        abcd = vaddq_u32(abcd, x);
        efgh = vaddq_u32(efgh, y);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}
