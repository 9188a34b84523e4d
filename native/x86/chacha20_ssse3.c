/*
 * ChaCha20 by SSSE3, four blocks in parallel (chacha20_four.h): pshufb rotates
 * by 16 and 8.
 */
#include <tmmintrin.h>

static inline __m128i rotate16(__m128i x)
{
    return _mm_shuffle_epi8(
        x, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
}

static inline __m128i rotate8(__m128i x)
{
    return _mm_shuffle_epi8(
        x, _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14));
}

#include "chacha20_four.h"

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_ssse3;

void rig_chacha20_ctr32_ssse3(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                              const uint32_t counter[4])
{
    xor_stream(out, in, len, key, counter);
}
