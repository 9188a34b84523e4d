/* vpaes_* of NEON; here with a counter mode, and no rounds in front of the schedule. */
#define rig_aes_set_encrypt_key_neon vpaes_set_encrypt_key
#define rig_aes_encrypt_neon vpaes_encrypt
#define rig_aes_ctr32_encrypt_blocks_neon vpaes_ctr32_encrypt_blocks
#if defined(__aarch64__)
#include "../../../native/arm/aes_neon.c"
#else
#include "../../../native/arm/aes_neon_a32.c"
#endif
