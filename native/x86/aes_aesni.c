/*
 * AES with the AES instructions. Counter mode keeps eight blocks in flight, so
 * that aesenc's throughput and not its latency decides.
 *
 * Built with -maes only: no pshufb, so counters are swapped as integers.
 * The schedule is the round keys in order, then the number of rounds.
 */
#include <wmmintrin.h>

#include "aes.h"
#include "aes_key.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_aesni;
__typeof__(aes_encrypt) rig_aes_encrypt_aesni;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_aesni;

enum { LANES = 8 };

static inline __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static inline void store(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

/* aeskeygenassist leaves SubWord of the second word in the first. */
static uint32_t sub_word(uint32_t w)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set1_epi32((int)w), 0));
}

int rig_aes_set_encrypt_key_aesni(const uint8_t *key, int bits, void *schedule)
{
    aes_expand_key(schedule, key, bits, sub_word);
    return 0;
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

#include "aes_ctr32.h"

void rig_aes_encrypt_aesni(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    __m128i s = load(in);

    encrypt(&s, 1, schedule);
    store(out, s);
}

void rig_aes_ctr32_encrypt_blocks_aesni(const uint8_t *in, uint8_t *out, size_t blocks,
                                        const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
