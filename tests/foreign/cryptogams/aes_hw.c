/* aes_hw_*. The key set-up has its work done by a function that is nobody's entry. */
#define rig_aes_set_encrypt_key_aesni aes_hw_inner_set_encrypt_key
#define rig_aes_encrypt_aesni aes_hw_encrypt
#define rig_aes_ctr32_encrypt_blocks_aesni aes_hw_ctr32_encrypt_blocks
#include "../../../native/x86/aes_aesni.c"

__typeof__(aes_set_encrypt_key) aes_hw_set_encrypt_key;

static __attribute__((noinline)) int expand(const uint8_t *key, int bits, void *schedule)
{
    return aes_hw_inner_set_encrypt_key(key, bits, schedule);
}

int aes_hw_set_encrypt_key(const uint8_t *key, int bits, void *schedule)
{
    return expand(key, bits, schedule);
}
