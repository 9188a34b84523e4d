/*
 * GHASH with carry-less multiplication: one block at a time, each reduced at
 * once. The table holds H/x (ghash_clmul.h).
 */
#include "ghash.h"
#include "ghash_clmul.h"

__typeof__(ghash_init) rig_ghash_init_pclmul;
__typeof__(ghash_gmult) rig_ghash_gmult_pclmul;
__typeof__(ghash_ghash) rig_ghash_ghash_pclmul;

static inline __m128i load(const uint8_t *p)
{
    return swap_bytes(_mm_loadu_si128((const __m128i *)p));
}

static inline void store(uint8_t *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, swap_bytes(x));
}

void rig_ghash_init_pclmul(void *Htable, const uint64_t H[2])
{
    _mm_store_si128(Htable, over_x(H));
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
