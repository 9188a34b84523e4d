/*
 * ChaCha20-Poly1305 in parts (native/include/aead.h): the bundled composition, with one fault
 * around it for each set of symbols. clean is the composition itself.
 */
#define rig_chacha20_poly1305_init faulty_init_clean
#define rig_chacha20_poly1305_seal faulty_seal_clean
#define rig_chacha20_poly1305_open faulty_open_clean
#define rig_chacha20_poly1305_begin faulty_begin_clean
#define rig_chacha20_poly1305_aad faulty_aad_clean
#define rig_chacha20_poly1305_encrypt faulty_encrypt_clean
#define rig_chacha20_poly1305_decrypt faulty_decrypt_clean
#define rig_chacha20_poly1305_finish faulty_finish_clean
#define rig_chacha20_poly1305_verify faulty_verify_clean
#include "../../../native/generic/chacha20_poly1305.c"

enum fault { EMPTY, FRESH, STALE, SHARED, LAST_BYTE, NOTHING, KEPT };

#define INLINE static inline __attribute__((always_inline))

static uint8_t shared_block[16]; /* of all contexts, where one of each was meant */

INLINE int init(enum fault fault, void *ctx, void *const *slots, const uint8_t *key,
                size_t key_len)
{
    const int refused = faulty_init_clean(ctx, slots, key, key_len);

    if (fault == STALE && !refused)
        ((struct parts *)ctx)->aad_len = 0;
    return refused;
}

INLINE int begin(enum fault fault, void *ctx, void *const *slots, const uint8_t *nonce,
                 size_t nonce_len)
{
    struct parts *parts = ctx;
    const uint64_t aad_len = parts->aad_len;
    const int refused = faulty_begin_clean(ctx, slots, nonce, nonce_len);

    if (fault == STALE && !refused)
        parts->aad_len = aad_len;
    return refused;
}

INLINE void encrypt(enum fault fault, void *ctx, void *const *slots, uint8_t *out,
                    const uint8_t *in, size_t in_len)
{
    struct parts *parts = ctx;

    if (fault == EMPTY && !in_len)
        pad(parts, parts->len);
    if (fault == SHARED)
        __builtin_memcpy(parts->block, shared_block, 16);
    faulty_encrypt_clean(ctx, slots, out, in, in_len);
    if (fault == SHARED)
        __builtin_memcpy(shared_block, parts->block, 16);
    /* What is left of the key stream's block is never used. */
    if (fault == FRESH)
        __builtin_memset(parts->key_stream, 0, 64);
}

INLINE int finish(enum fault fault, void *ctx, void *const *slots, uint8_t *tag, size_t tag_len)
{
    struct parts *parts = ctx;
    const uint64_t aad_len = parts->aad_len;
    const int refused = faulty_finish_clean(ctx, slots, tag, tag_len);

    if (fault == STALE && !refused)
        parts->aad_len = aad_len;
    return refused;
}

INLINE int verify_parts(enum fault fault, void *ctx, void *const *slots, const uint8_t *tag,
                  size_t tag_len)
{
    const struct parts *parts = ctx;
    uint8_t expected[16], received[16] = {0};

    if (fault == NOTHING && tag_len == 16 && !parts->len && !parts->aad_len)
        return 0;
    if (fault != LAST_BYTE || tag_len != 16)
        return faulty_verify_clean(ctx, slots, tag, tag_len);
    end_message(ctx, slots, expected);
    expected[15] = 0;
    __builtin_memcpy(received, tag, 15);
    return tags_differ(expected, received) ? -1 : 0;
}

/* Through the slots of init, whatever is in force; the fused one before them is not looked at. */
#define SLOTS(fault, ctx, slots)                                                          \
    ((fault) == KEPT                                                                      \
         ? (void *const *)(void *)&((struct parts *)(ctx))->keyed.slots - FUSED_FUNCTIONS \
         : (slots))

#define VARIANT(name, fault)                                                                      \
    __typeof__(aead_init) faulty_init_##name;                                                     \
    __typeof__(aead_seal) faulty_seal_##name;                                                     \
    __typeof__(aead_open) faulty_open_##name;                                                     \
    __typeof__(aead_begin) faulty_begin_##name;                                                   \
    __typeof__(aead_aad) faulty_aad_##name;                                                       \
    __typeof__(aead_encrypt) faulty_encrypt_##name;                                               \
    __typeof__(aead_decrypt) faulty_decrypt_##name;                                               \
    __typeof__(aead_finish) faulty_finish_##name;                                                 \
    __typeof__(aead_verify) faulty_verify_##name;                                                 \
    int faulty_init_##name(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)     \
    {                                                                                             \
        return init(fault, ctx, slots, key, key_len);                                             \
    }                                                                                             \
    int faulty_seal_##name(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,           \
                           const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,            \
                           size_t aad_len, const uint8_t *in, size_t in_len)                      \
    {                                                                                             \
        return faulty_seal_clean(ctx, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in,      \
                                 in_len);                                                         \
    }                                                                                             \
    int faulty_open_##name(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,     \
                           const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,            \
                           size_t aad_len, const uint8_t *in, size_t in_len)                      \
    {                                                                                             \
        return faulty_open_clean(ctx, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in,      \
                                 in_len);                                                         \
    }                                                                                             \
    int faulty_begin_##name(void *ctx, void *const *slots, const uint8_t *nonce,                  \
                            size_t nonce_len)                                                     \
    {                                                                                             \
        return begin(fault, ctx, SLOTS(fault, ctx, slots), nonce, nonce_len);                     \
    }                                                                                             \
    void faulty_aad_##name(void *ctx, void *const *slots, const uint8_t *aad, size_t aad_len)     \
    {                                                                                             \
        faulty_aad_clean(ctx, SLOTS(fault, ctx, slots), aad, aad_len);                            \
    }                                                                                             \
    void faulty_encrypt_##name(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in,    \
                               size_t in_len)                                                     \
    {                                                                                             \
        encrypt(fault, ctx, SLOTS(fault, ctx, slots), out, in, in_len);                           \
    }                                                                                             \
    void faulty_decrypt_##name(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in,    \
                               size_t in_len)                                                     \
    {                                                                                             \
        faulty_decrypt_clean(ctx, SLOTS(fault, ctx, slots), out, in, in_len);                     \
    }                                                                                             \
    int faulty_finish_##name(void *ctx, void *const *slots, uint8_t *tag, size_t tag_len)         \
    {                                                                                             \
        return finish(fault, ctx, SLOTS(fault, ctx, slots), tag, tag_len);                        \
    }                                                                                             \
    int faulty_verify_##name(void *ctx, void *const *slots, const uint8_t *tag, size_t tag_len)   \
    {                                                                                             \
        return verify_parts(fault, ctx, SLOTS(fault, ctx, slots), tag, tag_len);                        \
    }

VARIANT(empty, EMPTY)
VARIANT(fresh, FRESH)
VARIANT(stale, STALE)
VARIANT(shared, SHARED)
VARIANT(last_byte, LAST_BYTE)
VARIANT(nothing, NOTHING)
VARIANT(kept, KEPT)
