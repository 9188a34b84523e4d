/*
 * SHA-256 with the SHA instructions (Intel SDM, SHA256RNDS2). Two registers hold
 * the state as words A B E F and C D G H, the first one highest.
 */
#include <immintrin.h>

#include "sha256.h"
#include "sha256_constants.h"

__typeof__(sha256_block_data_order) sha256_block_data_order_shani;

static __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static __m128i load_words(const uint8_t *in)
{
    const __m128i order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);

    return _mm_shuffle_epi8(load(in), order);
}

/* Four words of the message schedule from the sixteen before, w[0] the oldest four. */
static __m128i schedule(const __m128i w[4])
{
    const __m128i x = _mm_sha256msg1_epu32(w[0], w[1]);

    return _mm_sha256msg2_epu32(_mm_add_epi32(x, _mm_alignr_epi8(w[3], w[2], 4)), w[3]);
}

void sha256_block_data_order_shani(uint32_t state[8], const uint8_t *in, size_t num_blocks)
{
    __m128i abcd = _mm_shuffle_epi32(load(state), 0x1b);
    __m128i efgh = _mm_shuffle_epi32(load(state + 4), 0x1b);
    __m128i abef = _mm_unpackhi_epi64(efgh, abcd), cdgh = _mm_unpacklo_epi64(efgh, abcd);

    for (; num_blocks; num_blocks--, in += 64) {
        __m128i ab = abef, cd = cdgh, w[4];

        for (int i = 0; i < 4; i++)
            w[i] = load_words(in + 16 * i);
        for (int t = 0; t < 64; t += 4) {
            const __m128i k = _mm_add_epi32(w[0], load(sha256_constants + t)), next = schedule(w);
            const __m128i two = _mm_sha256rnds2_epu32(cd, ab, k);

            cd = ab;
            ab = _mm_sha256rnds2_epu32(cd, two, _mm_shuffle_epi32(k, 0x0e));
            cd = two;
            w[0] = w[1];
            w[1] = w[2];
            w[2] = w[3];
            w[3] = next;
        }
        abef = _mm_add_epi32(abef, ab);
        cdgh = _mm_add_epi32(cdgh, cd);
    }
    abcd = _mm_shuffle_epi32(_mm_unpackhi_epi64(cdgh, abef), 0x1b);
    efgh = _mm_shuffle_epi32(_mm_unpacklo_epi64(cdgh, abef), 0x1b);
    _mm_storeu_si128((__m128i *)state, abcd);
    _mm_storeu_si128((__m128i *)(state + 4), efgh);
}
