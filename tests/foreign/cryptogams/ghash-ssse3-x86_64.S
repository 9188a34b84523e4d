/* gcm_*_ssse3. */
#define rig_ghash_init_ssse3 gcm_init_ssse3
#define rig_ghash_gmult_ssse3 gcm_gmult_ssse3
#define rig_ghash_ghash_ssse3 gcm_ghash_ssse3
#include "../../../native/x86/ghash_ssse3.S"
