/* gcm_*_4bit. */
#define rig_ghash_init_table4 gcm_init_4bit
#define rig_ghash_gmult_table4 gcm_gmult_4bit
#define rig_ghash_ghash_table4 gcm_ghash_4bit
#include "../../../native/generic/ghash_table4.c"
