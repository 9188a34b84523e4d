/*
 * Blocks through the AES instructions. The schedule is the round keys in order,
 * then the number of rounds (aes_key.h).
 */
#ifndef RIG_AESNI_H
#define RIG_AESNI_H

#include <wmmintrin.h>

#include "aes_key.h"

static inline __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static inline void store(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

/*
 * Enciphers n blocks at once; n is a constant at each call. The loop over rounds
 * stays a loop: unrolled it has branches that none of the three key sizes takes.
 */
static inline __attribute__((always_inline)) void
encrypt(__m128i s[], int n, const uint8_t *schedule)
{
    const uint8_t *last = schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
    __m128i key = load(schedule);

#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        s[i] = _mm_xor_si128(s[i], key);
    schedule += 16;
#pragma GCC unroll 1
    do {
        key = load(schedule);
#pragma GCC unroll 8
        for (int i = 0; i < n; i++)
            s[i] = _mm_aesenc_si128(s[i], key);
    } while ((schedule += 16) != last);
    key = load(last);
#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        s[i] = _mm_aesenclast_si128(s[i], key);
}

#endif
