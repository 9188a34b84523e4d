/*
 * GHASH with carry-less multiplication: one block at a time, each reduced at
 * once (S. Gueron, M. Kounavis, Intel Carry-Less Multiplication Instruction and
 * its Usage for Computing the GCM Mode).
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of
 * two such numbers has x^i at bit 254 - i, so the table holds H/x instead,
 * which puts x^i at bit 255 - i.
 */
#include <tmmintrin.h>
#include <wmmintrin.h>

#include "ghash.h"

__typeof__(ghash_init) rig_ghash_init_pclmul;
__typeof__(ghash_gmult) rig_ghash_gmult_pclmul;
__typeof__(ghash_ghash) rig_ghash_ghash_pclmul;

static inline __m128i swap_bytes(__m128i x)
{
    return _mm_shuffle_epi8(x, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

static inline __m128i load(const uint8_t *p)
{
    return swap_bytes(_mm_loadu_si128((const __m128i *)p));
}

static inline void store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, swap_bytes(x));
}

/* Takes x^128 to x^191 of x, its low half, to lower powers; halves change places. */
static inline __m128i fold(__m128i x)
{
    const __m128i poly = _mm_set_epi32(0, 0, (int)0xc2000000, 0);

    return _mm_xor_si128(_mm_shuffle_epi32(x, 0x4e), _mm_clmulepi64_si128(x, poly, 0x00));
}

static inline __m128i multiply(__m128i x, __m128i h)
{
    __m128i low = _mm_clmulepi64_si128(x, h, 0x00);
    __m128i high = _mm_clmulepi64_si128(x, h, 0x11);
    const __m128i middle =
        _mm_xor_si128(_mm_clmulepi64_si128(x, h, 0x01), _mm_clmulepi64_si128(x, h, 0x10));

    low = _mm_xor_si128(low, _mm_slli_si128(middle, 8));
    high = _mm_xor_si128(high, _mm_srli_si128(middle, 8));
    return _mm_xor_si128(high, fold(fold(low)));
}

void rig_ghash_init_pclmul(void *Htable, const uint64_t H[2])
{
    const uint64_t one = H[0] >> 63;
    uint64_t *table = Htable;

    table[0] = H[1] << 1 ^ one;
    table[1] = (H[0] << 1 | H[1] >> 63) ^ one * (UINT64_C(0xc2) << 56);
}

void rig_ghash_gmult_pclmul(uint8_t Xi[16], const void *Htable)
{
    store(Xi, multiply(load(Xi), _mm_load_si128(Htable)));
}

void rig_ghash_ghash_pclmul(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    const __m128i h = _mm_load_si128(Htable);
    __m128i x = load(Xi);

    for (; len; in += 16, len -= 16)
        x = multiply(_mm_xor_si128(x, load(in)), h);
    store(Xi, x);
}
