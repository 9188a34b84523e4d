/*
 * A message of any length, and ivec is the caller's to advance. The table is that of
 * gcm_init_vpclmulqdq_avx2: H is the last of 16. Included behind what a variant names: SEAL, OPEN.
 */
#include "aes_gcm_four.h"
#include "field/aes_gcm_update.h"

__typeof__(aes_gcm_update_seal) SEAL;
__typeof__(aes_gcm_update_open) OPEN;

static void update(const uint8_t *in, uint8_t *out, size_t len, const void *key,
                   const uint8_t ivec[16], const void *Htable, uint8_t Xi[16], int sealing)
{
    const void *H = (const uint8_t *)Htable + 15 * 16;
    uint8_t counter[16], last[16] = {0}, keystream[16];
    size_t done, rest = len % 16;

    __builtin_memcpy(counter, ivec, 16);
    done = pass(in, out, len, key, counter, H, Xi, sealing);
    if (!rest)
        return;
    ctr(last, keystream, 1, key, _mm_and_si128(load(ivec), _mm_setr_epi32(-1, -1, -1, 0)),
        load32_be(counter + 12));
    for (size_t i = 0; i < rest; i++) {
        const uint8_t read = in[done + i];

        out[done + i] = read ^ keystream[i];
        last[i] = sealing ? out[done + i] : read;
    }
    for (int i = 0; i < 16; i++)
        Xi[i] ^= last[i];
    store(Xi, swap_bytes(multiply(swap_bytes(load(Xi)), load(H))));
}

void SEAL(const uint8_t *in, uint8_t *out, size_t len, const void *key, const uint8_t ivec[16],
          const void *Htable, uint8_t Xi[16])
{
    update(in, out, len, key, ivec, Htable, Xi, 1);
}

void OPEN(const uint8_t *in, uint8_t *out, size_t len, const void *key, const uint8_t ivec[16],
          const void *Htable, uint8_t Xi[16])
{
    update(in, out, len, key, ivec, Htable, Xi, 0);
}
