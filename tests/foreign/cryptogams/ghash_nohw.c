/* gcm_*_nohw: portable C. */
#define rig_ghash_init_ct64 gcm_init_nohw
#define rig_ghash_gmult_ct64 gcm_gmult_nohw
#define rig_ghash_ghash_ct64 gcm_ghash_nohw
#include "../../../native/generic/ghash_ct64.c"
