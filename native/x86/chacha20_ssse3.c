/*
 * ChaCha20 by SSSE3, four blocks in parallel (chacha20_four.h): pshufb rotates
 * by 16 and 8.
 */
#include "chacha20_rotate_ssse3.h"

#include "chacha20_four.h"
#include "chacha20_stream.h"

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_ssse3;

void rig_chacha20_ctr32_ssse3(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                              const uint32_t counter[4])
{
    xor_stream(out, in, len, key, counter);
}
