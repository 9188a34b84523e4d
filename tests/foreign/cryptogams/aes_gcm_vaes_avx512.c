/*
 * aes_gcm_enc_update_vaes_avx512 and aes_gcm_dec_update_vaes_avx512: four blocks in a vector.
 */
#include <immintrin.h>
#include <stdint.h>

static void ctr_four(const uint8_t *in, uint8_t *out, const uint8_t *schedule, __m128i nonce,
                     uint32_t counter);

#define CTR_FOUR ctr_four
#define SEAL aes_gcm_enc_update_vaes_avx512
#define OPEN aes_gcm_dec_update_vaes_avx512
#include "aes_gcm_whole.h"

static inline __m512i round_key(const uint8_t *p)
{
    return _mm512_broadcast_i32x4(load(p));
}

static void ctr_four(const uint8_t *in, uint8_t *out, const uint8_t *schedule, __m128i nonce,
                     uint32_t counter)
{
    const uint8_t *last = schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
    __m512i s = _mm512_castsi128_si512(counter_block(nonce, counter));

    s = _mm512_inserti32x4(s, counter_block(nonce, counter + 1), 1);
    s = _mm512_inserti32x4(s, counter_block(nonce, counter + 2), 2);
    s = _mm512_inserti32x4(s, counter_block(nonce, counter + 3), 3);
    s = _mm512_xor_si512(s, round_key(schedule));
#pragma GCC unroll 1
    while ((schedule += 16) != last)
        s = _mm512_aesenc_epi128(s, round_key(schedule));
    s = _mm512_aesenclast_epi128(s, round_key(last));
    _mm512_storeu_si512(out, _mm512_xor_si512(s, _mm512_loadu_si512(in)));
}
