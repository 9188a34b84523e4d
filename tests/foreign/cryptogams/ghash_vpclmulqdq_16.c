/* gcm_ghash_vpclmulqdq_avx2_16 takes exactly one block; its table has twelve powers. */
#define POWERS 12
#define INIT gcm_init_vpclmulqdq_avx2_16
#define GHASH ghash_12
#include "ghash_powers.h"

__typeof__(ghash_ghash) gcm_ghash_vpclmulqdq_avx2_16;

void gcm_ghash_vpclmulqdq_avx2_16(uint8_t Xi[16], const void *Htable, const uint8_t *in, size_t len)
{
    if (len != 16)
        __builtin_trap();
    ghash_12(Xi, Htable, in, len);
}
