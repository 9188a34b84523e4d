/* gcm_*_v8, on both widths. */
#if defined(__aarch64__)
#define rig_ghash_init_pmull8 gcm_init_v8
#define rig_ghash_gmult_pmull8 gcm_gmult_v8
#define rig_ghash_ghash_pmull8 gcm_ghash_v8
#include "../../../native/arm/ghash_pmull8.S"
#else
#define rig_ghash_init_pmull gcm_init_v8
#define rig_ghash_gmult_pmull gcm_gmult_v8
#define rig_ghash_ghash_pmull gcm_ghash_v8
#include "../../../native/arm/ghash_pmull_a32.S"
#endif
