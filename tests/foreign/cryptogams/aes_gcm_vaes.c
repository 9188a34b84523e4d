/*
 * aes_gcm_enc_update_vaes_avx2 and aes_gcm_dec_update_vaes_avx2.
 */
#define SEAL aes_gcm_enc_update_vaes_avx2
#define OPEN aes_gcm_dec_update_vaes_avx2
#include "aes_gcm_whole.h"
