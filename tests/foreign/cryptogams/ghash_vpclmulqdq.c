/*
 * gcm_*_vpclmulqdq_avx2: sixteen powers, H last. _16 takes exactly one block, over
 * its own table of twelve.
 */
#define DESCENDING
#define POWERS 16
#define INIT gcm_init_vpclmulqdq_avx2
#define GHASH gcm_ghash_vpclmulqdq_avx2
#include "ghash_powers.h"

__typeof__(ghash_gmult) gcm_gmult_vpclmulqdq_avx2;

void gcm_gmult_vpclmulqdq_avx2(uint8_t Xi[16], const void *Htable)
{
    const __m128i x = swap_bytes(load(Xi));

    _mm_storeu_si128((__m128i *)Xi, swap_bytes(multiply(x, load((const __m128i *)Htable + 15))));
}
