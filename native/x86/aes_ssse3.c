/*
 * AES by vector permutes, in constant time: pshufb looks up 16 nibbles at once.
 * The method is explained in aes_permute.h.
 */
#include <tmmintrin.h>

#include "aes.h"
#include "words.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_ssse3;
__typeof__(aes_encrypt) rig_aes_encrypt_ssse3;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_ssse3;

enum { LANES = 4 };

typedef __m128i vector;

static inline __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static inline void store(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

static inline __m128i permute(__m128i x, __m128i index)
{
    return _mm_shuffle_epi8(x, index);
}

static inline __m128i of_bytes(uint8_t x)
{
    return _mm_set1_epi8((char)x);
}

static inline __m128i low_nibbles(__m128i x)
{
    return _mm_and_si128(x, of_bytes(15));
}

static inline __m128i high_nibbles(__m128i x)
{
    return low_nibbles(_mm_srli_epi32(x, 4));
}

static inline __m128i of_word(uint32_t x)
{
    return _mm_cvtsi32_si128((int)x);
}

static inline uint32_t word(__m128i v)
{
    return (uint32_t)_mm_cvtsi128_si32(v);
}

#include "aes_permute.h"

#include "aes_ctr32.h"

int rig_aes_set_encrypt_key_ssse3(const uint8_t *key, int bits, void *schedule)
{
    set_encrypt_key(schedule, key, bits);
    return 0;
}

void rig_aes_encrypt_ssse3(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    __m128i s = load(in);

    encrypt(&s, 1, schedule);
    store(out, s);
}

void rig_aes_ctr32_encrypt_blocks_ssse3(const uint8_t *in, uint8_t *out, size_t blocks,
                                        const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
