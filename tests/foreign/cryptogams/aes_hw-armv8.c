/* aes_hw_* of ARMv8, on both widths. */
#define rig_aes_set_encrypt_key_ce aes_hw_set_encrypt_key
#define rig_aes_encrypt_ce aes_hw_encrypt
#define rig_aes_ctr32_encrypt_blocks_ce aes_hw_ctr32_encrypt_blocks
#include "../../../native/arm/aes_ce.c"
