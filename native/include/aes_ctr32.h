/*
 * Counter mode over whole blocks with LANES of them in flight. Included behind
 * what the variant defines: LANES, load, store and encrypt(s, n, schedule), n a
 * constant at each call.
 */
#ifndef RIG_AES_CTR32_H
#define RIG_AES_CTR32_H

/* nonce is the counter block with zero in place of its counter. */
static inline __m128i counter_block(__m128i nonce, uint32_t counter)
{
    const __m128i last = _mm_cvtsi32_si128((int)__builtin_bswap32(counter));

    return _mm_or_si128(nonce, _mm_slli_si128(last, 12));
}

static inline __attribute__((always_inline)) void
ctr(const uint8_t *in, uint8_t *out, int n, const uint8_t *schedule, __m128i nonce,
    uint32_t counter)
{
    __m128i s[LANES];

#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        s[i] = counter_block(nonce, counter + (uint32_t)i);
    encrypt(s, n, schedule);
#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        store(out + 16 * i, _mm_xor_si128(load(in + 16 * i), s[i]));
}

static inline __attribute__((always_inline)) void
ctr32(const uint8_t *in, uint8_t *out, size_t blocks, const void *schedule, const uint8_t ivec[16])
{
    const __m128i nonce = _mm_and_si128(load(ivec), _mm_setr_epi32(-1, -1, -1, 0));
    uint32_t counter = load32_be(ivec + 12);

    for (; blocks >= LANES; blocks -= LANES, counter += LANES) {
        ctr(in, out, LANES, schedule, nonce, counter);
        in += 16 * LANES;
        out += 16 * LANES;
    }
    for (; blocks; blocks--, counter++) {
        ctr(in, out, 1, schedule, nonce, counter);
        in += 16;
        out += 16;
    }
}

#endif
