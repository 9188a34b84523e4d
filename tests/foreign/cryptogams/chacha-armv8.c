/* ChaCha20_ctr32_neon: its caller has another for short data. */
#define rig_chacha20_ctr32_neon chacha20_neon_inner
#include "../../../native/arm/chacha20_neon.c"

__typeof__(chacha20_ctr32) ChaCha20_ctr32_neon;

void ChaCha20_ctr32_neon(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                         const uint32_t counter[4])
{
    if (len < 192)
        __builtin_trap();
    chacha20_neon_inner(out, in, len, key, counter);
}
