/*
 * ChaCha20 by AVX2, eight blocks in parallel (chacha20_eight.h).
 */
#include "chacha20_eight.h"
#include "chacha20_stream.h"

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_avx2;

void rig_chacha20_ctr32_avx2(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                             const uint32_t counter[4])
{
    xor_stream(out, in, len, key, counter);
}
