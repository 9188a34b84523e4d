/* gcm_*_clmul. */
#define rig_ghash_init_pclmul gcm_init_clmul
#define rig_ghash_gmult_pclmul gcm_gmult_clmul
#define rig_ghash_ghash_pclmul gcm_ghash_clmul
#include "../../../native/x86/ghash_pclmul.c"
