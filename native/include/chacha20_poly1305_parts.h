/*
 * What ChaCha20-Poly1305 of RFC 8439, the construction before it and the one
 * with a longer nonce share, composed over the slots chacha20 and poly1305: all
 * but the nonce's place in the counter words and the order of what is
 * authenticated. Each AEAD's source brings these two.
 */
#ifndef RIG_CHACHA20_POLY1305_PARTS_H
#define RIG_CHACHA20_POLY1305_PARTS_H

#include "aead.h"
#include "chacha20.h"
#include "poly1305.h"
#include "secrets.h"
#include "words.h"

struct slots {
    __typeof__(chacha20_ctr32) *ctr32;
    __typeof__(poly1305_init) *init;
    __typeof__(poly1305_blocks) *blocks;
    __typeof__(poly1305_emit) *emit;
};

struct chapoly {
    struct slots slots;
    uint32_t key[8];
};

_Static_assert(sizeof(struct chapoly) <= 1024, "the contract's context");

/* What a tag authenticates. */
struct message {
    const uint8_t *aad;
    size_t aad_len;
    const uint8_t *ciphertext;
    size_t len;
};

/* Absorbs message into a poly1305 context, with lengths and padding. */
typedef void authenticate_function(const struct slots *slots, void *poly1305,
                                   const struct message *message);

static inline int chapoly_init(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)
{
    struct chapoly *chapoly = ctx;

    if (key_len != 32)
        return -1;
    __builtin_memcpy(&chapoly->slots, slots, sizeof chapoly->slots);
    for (int i = 0; i < 8; i++)
        chapoly->key[i] = load32_le(key + 4 * i);
    return 0;
}

/* Block 0 of the key stream is the one-time key, the message starts with block 1. */
static inline void chapoly_crypt(const struct chapoly *chapoly, uint8_t *out, const uint8_t *in,
                                 size_t len, const uint32_t counter[4])
{
    const uint32_t first[4] = {1, counter[1], counter[2], counter[3]};

    chapoly->slots.ctr32(out, in, len, chapoly->key, first);
}

/* RFC 8439 section 2.6. counter[0] is 0. */
static inline void one_time_key(const struct chapoly *chapoly, uint8_t r[16], uint32_t s[4],
                                const uint32_t counter[4])
{
    uint8_t key[32] = {0};

    chapoly->slots.ctr32(key, key, sizeof key, chapoly->key, counter);
    __builtin_memcpy(r, key, 16);
    for (int i = 0; i < 4; i++)
        s[i] = load32_le(key + 16 + 4 * i);
    wipe(key, sizeof key);
}

static inline void compute_tag(const struct chapoly *chapoly, uint8_t tag[16],
                               const uint32_t counter[4], authenticate_function *authenticate,
                               const struct message *message)
{
    _Alignas(16) uint8_t poly1305[192];
    uint8_t r[16];
    uint32_t s[4];

    one_time_key(chapoly, r, s, counter);
    chapoly->slots.init(poly1305, r);
    authenticate(&chapoly->slots, poly1305, message);
    chapoly->slots.emit(poly1305, tag, s);
    wipe(poly1305, sizeof poly1305);
    wipe(r, sizeof r);
    wipe(s, sizeof s);
}

static inline int verify(const struct chapoly *chapoly, const uint8_t tag[16],
                         const uint32_t counter[4], authenticate_function *authenticate,
                         const struct message *message)
{
    uint8_t expected[16];
    uint64_t differ;

    compute_tag(chapoly, expected, counter, authenticate, message);
    differ = tags_differ(expected, tag);
    wipe(expected, sizeof expected);
    return differ == 0;
}

#endif
