/*
 * What this library's kernels share: AES-GCM with the AES instructions and carry-less multiplication in one pass:
 * four counter blocks in flight, four products to one reduction. The schedule
 * is aes_aesni.c's, the table that of ghash_pclmul.c, which holds H alone: the
 * powers are made anew in each call that has use for them.
 */
#include "aes_gcm_fused.h"
#include "add_product.h"
#include "aesni.h"
#include "words.h"

enum { LANES = 4 };

#include "aes_ctr32.h"

/* What fills the four lanes; an includer may have another. */
#ifndef CTR_FOUR
#define CTR_FOUR(in, out, schedule, nonce, counter) ctr(in, out, LANES, schedule, nonce, counter)
#endif

/* powers[i] is H to the power of LANES - i, over x. */
static inline __m128i absorb(__m128i x, const uint8_t *in, int n, const __m128i powers[])
{
    const __m128i *power = powers + LANES - n;
    struct product sum = product(_mm_xor_si128(x, swap_bytes(load(in))), power[0]);

#pragma GCC unroll 4
    for (int i = 1; i < n; i++)
        sum = add_product(sum, swap_bytes(load(in + 16 * i)), power[i]);
    return reduce(sum);
}

/* sealing is a constant at each call: what is absorbed is written or read. */
static inline __attribute__((always_inline)) size_t
pass(const uint8_t *in, uint8_t *out, size_t len, const uint8_t *schedule, uint8_t ivec[16],
     const void *Htable, uint8_t Xi[16], int sealing)
{
    const __m128i nonce = _mm_and_si128(load(ivec), _mm_setr_epi32(-1, -1, -1, 0));
    const size_t whole = len - len % 16;
    uint32_t counter = load32_be(ivec + 12);
    __m128i powers[LANES], x = swap_bytes(load(Xi));
    size_t done = 0;

    powers[LANES - 1] = _mm_load_si128(Htable);
    if (whole >= 16 * LANES)
        for (int i = LANES - 1; i > 0; i--)
            powers[i - 1] = multiply(powers[i], powers[LANES - 1]);
    for (; whole - done >= 16 * LANES; done += 16 * LANES, counter += LANES) {
        if (!sealing)
            x = absorb(x, in + done, LANES, powers);
        CTR_FOUR(in + done, out + done, schedule, nonce, counter);
        if (sealing)
            x = absorb(x, out + done, LANES, powers);
    }
    for (; done != whole; done += 16, counter++) {
        if (!sealing)
            x = absorb(x, in + done, 1, powers);
        ctr(in + done, out + done, 1, schedule, nonce, counter);
        if (sealing)
            x = absorb(x, out + done, 1, powers);
    }
    store(Xi, swap_bytes(x));
    store32_be(ivec + 12, counter);
    return whole;
}
