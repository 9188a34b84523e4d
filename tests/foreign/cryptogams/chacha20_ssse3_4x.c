/* ChaCha20_ctr32_ssse3_4x: its caller has another for short data. */
#define rig_chacha20_ctr32_ssse3 chacha20_ssse3_inner
#include "../../../native/x86/chacha20_ssse3.c"

__typeof__(chacha20_ctr32) ChaCha20_ctr32_ssse3_4x;

void ChaCha20_ctr32_ssse3_4x(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                             const uint32_t counter[4])
{
    if (len <= 128)
        __builtin_trap();
    chacha20_ssse3_inner(out, in, len, key, counter);
}
