/*
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03 section 2) over the slots
 * chacha20 and poly1305: HChaCha20 makes the message's key of the key and the
 * nonce's first 16 octets, and with it the AEAD of RFC 8439 has 4 zeros and the
 * nonce's last 8 octets as its nonce. Callers keep messages below 2^38 - 64
 * octets.
 */
#include "chacha20_poly1305_padded.h"
#include "chacha20_rounds.h"

__typeof__(aead_init) rig_xchacha20_poly1305_init;
__typeof__(aead_seal) rig_xchacha20_poly1305_seal;
__typeof__(aead_open) rig_xchacha20_poly1305_open;

static int has_lengths(size_t nonce_len, size_t tag_len)
{
    return nonce_len == 24 && tag_len == 16;
}

static void load_words(uint32_t words[4], const uint8_t octets[16])
{
    for (int i = 0; i < 4; i++)
        words[i] = load32_le(octets + 4 * i);
}

/* Section 2.2: the first and the last row after the rounds, without the state added. */
static void hchacha20(uint32_t subkey[8], const uint32_t key[8], const uint8_t nonce[16])
{
    uint32_t row[4], x[16];

    load_words(row, nonce);
    load_state(x, key, row);
    twenty_rounds(x);
    __builtin_memcpy(subkey, x, 16);
    __builtin_memcpy(subkey + 4, x + 12, 16);
    wipe(x, sizeof x);
}

/* Section 2.3: the context and the counter of the AEAD of RFC 8439 for one message. */
static void derive(struct chapoly *derived, uint32_t counter[4], const struct chapoly *keyed,
                   const uint8_t nonce[24])
{
    derived->slots = keyed->slots;
    hchacha20(derived->key, keyed->key, nonce);
    counter[0] = 0;
    counter[1] = 0;
    counter[2] = load32_le(nonce + 16);
    counter[3] = load32_le(nonce + 20);
}

int rig_xchacha20_poly1305_init(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)
{
    return chapoly_init(ctx, slots, key, key_len);
}

int rig_xchacha20_poly1305_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                                const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                                size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, out, in_len};
    struct chapoly derived;
    uint32_t counter[4];

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return -1;
    derive(&derived, counter, ctx, nonce);
    chapoly_crypt(&derived, out, in, in_len, counter);
    compute_tag(&derived, tag, counter, authenticate, &message);
    wipe(&derived, sizeof derived);
    return 0;
}

int rig_xchacha20_poly1305_open(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,
                                const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                                size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, in, in_len};
    struct chapoly derived;
    uint32_t counter[4];
    int genuine;

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return refuse(out, in_len);
    derive(&derived, counter, ctx, nonce);
    genuine = verify(&derived, tag, counter, authenticate, &message);
    if (genuine)
        chapoly_crypt(&derived, out, in, in_len, counter);
    wipe(&derived, sizeof derived);
    return genuine ? 0 : refuse(out, in_len);
}
