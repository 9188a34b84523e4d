/*
 * The AEAD of RFC 8439 section 2.8 over the slots chacha20 and poly1305. The
 * block counter has 32 bits: callers keep messages below 2^38 - 64 octets.
 */
#include "chacha20_poly1305_padded.h"

__typeof__(aead_init) rig_chacha20_poly1305_init;
__typeof__(aead_seal) rig_chacha20_poly1305_seal;
__typeof__(aead_open) rig_chacha20_poly1305_open;

static int has_lengths(size_t nonce_len, size_t tag_len)
{
    return nonce_len == 12 && tag_len == 16;
}

static void load_counter(uint32_t counter[4], const uint8_t nonce[12])
{
    counter[0] = 0;
    counter[1] = load32_le(nonce);
    counter[2] = load32_le(nonce + 4);
    counter[3] = load32_le(nonce + 8);
}

int rig_chacha20_poly1305_init(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)
{
    return chapoly_init(ctx, slots, key, key_len);
}

int rig_chacha20_poly1305_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                               const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                               size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, out, in_len};
    uint32_t counter[4];

    if (!has_lengths(nonce_len, tag_len))
        return -1;
    load_counter(counter, nonce);
    chapoly_crypt(ctx, out, in, in_len, counter);
    compute_tag(ctx, tag, counter, authenticate, &message);
    return 0;
}

int rig_chacha20_poly1305_open(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,
                               const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                               size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, in, in_len};
    uint32_t counter[4];

    if (!has_lengths(nonce_len, tag_len))
        return refuse(out, in_len);
    load_counter(counter, nonce);
    if (!verify(ctx, tag, counter, authenticate, &message))
        return refuse(out, in_len);
    chapoly_crypt(ctx, out, in, in_len, counter);
    return 0;
}
