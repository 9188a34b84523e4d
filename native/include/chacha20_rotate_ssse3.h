/*
 * ChaCha20's rotations by whole octets: pshufb. What chacha20_four.h wants before it.
 */
#ifndef RIG_CHACHA20_ROTATE_SSSE3_H
#define RIG_CHACHA20_ROTATE_SSSE3_H

#include <tmmintrin.h>

/*
 * x with its octets in this order. The empty assembly hides the order from the compiler, which
 * would make two shuffles of each: of words, or of what x is the sum of.
 */
static inline __m128i ordered(__m128i x, __m128i order)
{
    __asm__("" : "+x"(order));
    return _mm_shuffle_epi8(x, order);
}

static inline __m128i rotate16(__m128i x)
{
    return ordered(x, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
}

static inline __m128i rotate8(__m128i x)
{
    return ordered(x, _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14));
}

#endif
