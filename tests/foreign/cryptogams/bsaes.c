/*
 * bsaes_*: no key set-up of its own. The schedule is made from that of aes_nohw
 * and has its words in the other byte order; one call does eight blocks at least.
 */
#define rig_aes_set_encrypt_key_ct64 bsaes_inner_set_encrypt_key
#define rig_aes_encrypt_ct64 bsaes_inner_encrypt_block
#define rig_aes_ctr32_encrypt_blocks_ct64 bsaes_inner_ctr32_encrypt_blocks
#include "../../../native/generic/aes_ct64.c"

enum { WORDS = 61 };

void nohw_encrypt_key_to_bsaes(void *bsaes, const void *nohw);
void bsaes_ctr32_encrypt_blocks(const uint8_t *in, uint8_t *out, size_t blocks, const void *bsaes,
                                const uint8_t ivec[16]);

static void swap_words(uint8_t *to, const uint8_t *from)
{
    for (int i = 0; i < WORDS; i++)
        store32_be(to + 4 * i, load32_le(from + 4 * i));
}

void nohw_encrypt_key_to_bsaes(void *bsaes, const void *nohw)
{
    swap_words(bsaes, nohw);
}

void bsaes_ctr32_encrypt_blocks(const uint8_t *in, uint8_t *out, size_t blocks, const void *bsaes,
                                const uint8_t ivec[16])
{
    uint8_t schedule[4 * WORDS];

    if (blocks < 8)
        __builtin_trap();
    swap_words(schedule, bsaes);
    bsaes_inner_ctr32_encrypt_blocks(in, out, blocks, schedule, ivec);
}
