/* gcm_init_avx and gcm_ghash_avx: eight powers. gcm_gmult_avx is a jump, in ghash-avx-x86_64.S. */
#define POWERS 8
#define INIT gcm_init_avx
#define GHASH gcm_ghash_avx
#include "ghash_powers.h"
