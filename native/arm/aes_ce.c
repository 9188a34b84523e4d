/*
 * AES with the instructions of ARMv8's Cryptographic Extension. aese adds the
 * round key first, then substitutes and shifts rows: so a round's key is the
 * one that FIPS 197 adds at the end of the round before. Counter mode keeps
 * eight blocks in flight, so that throughput and not latency decides.
 *
 * The schedule is the round keys in order, then the number of rounds.
 */
#include <arm_neon.h>

#include "aes.h"
#include "aes_key.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_ce;
__typeof__(aes_encrypt) rig_aes_encrypt_ce;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_ce;

enum { LANES = 8 };

/* Where all columns are equal the shift of rows changes nothing. */
static uint32_t sub_word(uint32_t w)
{
    const uint8x16_t x = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(w)), vdupq_n_u8(0));

    return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

int rig_aes_set_encrypt_key_ce(const uint8_t *key, int bits, void *schedule)
{
    aes_expand_key(schedule, key, bits, sub_word);
    return 0;
}

/*
 * Enciphers n blocks at once; n is a constant at each call. The loop over rounds
 * stays a loop: unrolled it has branches that none of the three key sizes takes.
 */
static inline __attribute__((always_inline)) void
encrypt(uint8x16_t s[], int n, const uint8_t *schedule)
{
    const uint8_t *last = schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
    uint8x16_t key = vld1q_u8(schedule);

#pragma GCC unroll 1
    do {
#pragma GCC unroll 8
        for (int i = 0; i < n; i++)
            s[i] = vaesmcq_u8(vaeseq_u8(s[i], key));
        schedule += 16;
        key = vld1q_u8(schedule);
    } while (schedule != last - 16);
    const uint8x16_t last_key = vld1q_u8(last);
#pragma GCC unroll 8
    for (int i = 0; i < n; i++)
        s[i] = veorq_u8(vaeseq_u8(s[i], key), last_key);
}

#include "aes_ctr32_neon.h"

void rig_aes_encrypt_ce(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    uint8x16_t s = vld1q_u8(in);

    encrypt(&s, 1, schedule);
    vst1q_u8(out, s);
}

void rig_aes_ctr32_encrypt_blocks_ce(const uint8_t *in, uint8_t *out, size_t blocks,
                                     const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
