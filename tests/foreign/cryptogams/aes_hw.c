/* aes_hw_*. */
#define rig_aes_set_encrypt_key_aesni aes_hw_set_encrypt_key
#define rig_aes_encrypt_aesni aes_hw_encrypt
#define rig_aes_ctr32_encrypt_blocks_aesni aes_hw_ctr32_encrypt_blocks
#include "../../../native/x86/aes_aesni.c"
