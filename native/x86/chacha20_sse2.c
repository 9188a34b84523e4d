/*
 * ChaCha20 by SSE2, four blocks in parallel (chacha20_four.h).
 */
#include <emmintrin.h>

static inline __m128i rotate16(__m128i x)
{
    return _mm_shufflehi_epi16(_mm_shufflelo_epi16(x, 0xb1), 0xb1);
}

static inline __m128i rotate8(__m128i x)
{
    return _mm_or_si128(_mm_slli_epi32(x, 8), _mm_srli_epi32(x, 24));
}

#include "chacha20_four.h"
#include "chacha20_stream.h"

__typeof__(chacha20_ctr32) rig_chacha20_ctr32_sse2;

void rig_chacha20_ctr32_sse2(uint8_t *out, const uint8_t *in, size_t len, const uint32_t key[8],
                             const uint32_t counter[4])
{
    xor_stream(out, in, len, key, counter);
}
