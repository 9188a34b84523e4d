/* gcm_*_neon, on both widths. */
#define rig_ghash_init_neon gcm_init_neon
#define rig_ghash_gmult_neon gcm_gmult_neon
#define rig_ghash_ghash_neon gcm_ghash_neon
#include "../../../native/arm/ghash_neon.c"
