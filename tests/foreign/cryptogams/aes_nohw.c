/* aes_nohw_*: portable C, decryption and CBC too. */
#define rig_aes_set_encrypt_key_ct64 aes_nohw_set_encrypt_key
#define rig_aes_encrypt_ct64 aes_nohw_encrypt
#define rig_aes_ctr32_encrypt_blocks_ct64 aes_nohw_ctr32_encrypt_blocks
#include "../../../native/generic/aes_ct64.c"
#include "aes_nohw_cbc.h"
