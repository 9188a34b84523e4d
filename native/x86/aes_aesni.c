/*
 * AES with the AES instructions. Counter mode keeps several blocks in flight, so
 * that aesenc's throughput and not its latency decides.
 *
 * Built with -maes only: no pshufb, so counters are swapped as integers.
 */
#include "aes.h"
#include "aes_key.h"
#include "aesni.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_aesni;
__typeof__(aes_encrypt) rig_aes_encrypt_aesni;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_aesni;

/* In registers, beside the round key: i386 has eight of them. */
#if defined(__x86_64__)
enum { LANES = 8 };
#else
enum { LANES = 6 };
#endif

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
