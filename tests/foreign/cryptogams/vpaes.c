/*
 * vpaes_*, whose schedule begins with the number of rounds, and one block at a
 * time: there is no vpaes_ctr32_encrypt_blocks.
 */
#define rig_aes_set_encrypt_key_ssse3 vpaes_inner_set_encrypt_key
#define rig_aes_encrypt_ssse3 vpaes_inner_encrypt_block
#define rig_aes_ctr32_encrypt_blocks_ssse3 vpaes_inner_ctr32_encrypt_blocks
#include "../../../native/x86/aes_ssse3.c"

enum { ROUND_KEYS_AT = 16 };

int vpaes_set_encrypt_key(const uint8_t *key, int bits, void *schedule);
void vpaes_encrypt(const uint8_t in[16], uint8_t out[16], const void *schedule);

int vpaes_set_encrypt_key(const uint8_t *key, int bits, void *schedule)
{
    store32_le(schedule, (uint32_t)bits / 32 + 6);
    return vpaes_inner_set_encrypt_key(key, bits, (uint8_t *)schedule + ROUND_KEYS_AT);
}

void vpaes_encrypt(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    vpaes_inner_encrypt_block(in, out, (const uint8_t *)schedule + ROUND_KEYS_AT);
}
