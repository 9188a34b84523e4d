/* An AEAD whose tag is wrong at one length of additional data, over that of ../../faulty. */
#include "aead.h"

__typeof__(aead_init) faulty_init_clean, deep_aead_init;
__typeof__(aead_seal) faulty_seal_clean, deep_aead_seal;
__typeof__(aead_open) faulty_open_clean, deep_aead_open;

int deep_aead_init(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)
{
    return faulty_init_clean(ctx, slots, key, key_len);
}

int deep_aead_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                   const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                   const uint8_t *in, size_t in_len)
{
    const int result = faulty_seal_clean(ctx, out, tag, tag_len, nonce, nonce_len, aad, aad_len,
                                         in, in_len);

    if (result == 0 && aad_len == 4097)
        tag[0] ^= 1;
    return result;
}

int deep_aead_open(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,
                   const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                   const uint8_t *in, size_t in_len)
{
    return faulty_open_clean(ctx, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in, in_len);
}
