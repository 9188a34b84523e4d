/* ChaCha20_ctr32_nohw: portable C, and never nothing to do. */
#define rig_chacha20_ctr32_generic chacha20_inner
#include "../../../native/generic/chacha20_generic.c"

__typeof__(chacha20_ctr32) ChaCha20_ctr32_nohw;

void ChaCha20_ctr32_nohw(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                         const uint32_t counter[4])
{
    if (!len)
        __builtin_trap();
    chacha20_inner(out, in, len, key, counter);
}
