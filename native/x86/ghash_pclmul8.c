/*
 * GHASH with carry-less multiplication, eight blocks and eight more in parallel:
 * Xi * H^16 and what follows it down to H^1 are added up as 256-bit products and
 * reduced once (ghash_groups.h).
 */
#include "ghash.h"
#include "ghash_clmul.h"
#include "vector128.h"

#include "ghash_groups.h"

__typeof__(ghash_init) rig_ghash_init_pclmul8;
__typeof__(ghash_gmult) rig_ghash_gmult_pclmul8;
__typeof__(ghash_ghash) rig_ghash_ghash_pclmul8;

/* H^(n+1) to H^2n are H to H^n, times H^n. */
void rig_ghash_init_pclmul8(void *Htable, const uint64_t H[2])
{
    __m128i *end = (__m128i *)Htable + GHASH_POWERS;

    end[-1] = over_x(H);
    for (int n = 1; n < GHASH_POWERS; n *= 2)
        for (int i = 1; i <= n; i++)
            end[-n - i] = multiply(end[-i], end[-n]);
}

void rig_ghash_gmult_pclmul8(uint8_t Xi[16], const void *Htable)
{
    store_Xi(Xi, multiply(load_Xi(Xi), load(powers_for(Htable, 16))));
}

void rig_ghash_ghash_pclmul8(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    absorb(Xi, Htable, in, len);
}
