#include "chacha20.h"

__typeof__(chacha20_ctr32) ChaCha20_ctr32_nohw;

void ChaCha20_ctr32_nohw(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                         const uint32_t counter[4])
{
    out[0] = in[0] ^ keystream[len];
}
