/*
 * GHASH with carry-less multiplication of four blocks at once, sixteen in
 * parallel (ghash_groups.h). The table and what makes it are pclmul8's.
 */
#include "ghash.h"
#include "ghash_clmul.h"
#include "vector512.h"

#include "ghash_groups.h"

__typeof__(ghash_ghash) rig_ghash_ghash_vpclmul_avx512;

void rig_ghash_ghash_vpclmul_avx512(uint8_t Xi[16], const void *Htable, const uint8_t *in,
                                    size_t len)
{
    absorb(Xi, Htable, in, len);
}
