/*
 * ChaCha20-Poly1305 (RFC 8439 section 2.8) over its slots, with one fault for
 * each set of symbols. clean is the same source without the fault.
 */
#include "chacha20_poly1305_parts.h"

enum fault {
    NONE,
    RELEASES,
    LEAVES,
    LEAVES_TAIL,
    LAST_BYTE,
    SUM,
    EMPTY,
    SHORT_TAG,
    LONG_TAG,
    LONG_NONCE,
    LONG_KEY,
    WRITES,
    KEYS_EARLY,
    BYTEWISE,
    WORDWISE,
    OVERLAPS,
    OVERLAPS_BEFORE,
    CLEARS,
};

#define INLINE static inline __attribute__((always_inline))

static void load_counter(uint32_t counter[4], const uint8_t nonce[12])
{
    counter[0] = 0;
    for (int i = 0; i < 3; i++)
        counter[1 + i] = load32_le(nonce + 4 * i);
}

static void absorb(const struct slots *slots, void *poly1305, const uint8_t *in, size_t len)
{
    const size_t rest = len % 16;
    uint8_t last[16] = {0};

    slots->blocks(poly1305, in, len - rest, 1);
    for (size_t i = 0; i < rest; i++)
        last[i] = in[len - rest + i];
    if (rest)
        slots->blocks(poly1305, last, 16, 1);
}

static void authenticate(const struct slots *slots, void *poly1305, const struct message *message)
{
    uint8_t lengths[16];

    absorb(slots, poly1305, message->aad, message->aad_len);
    absorb(slots, poly1305, message->ciphertext, message->len);
    store64_le(lengths, message->aad_len);
    store64_le(lengths + 8, message->len);
    slots->blocks(poly1305, lengths, 16, 1);
}

/* Of two words a caller that branches on the result makes two comparisons. */
static inline uint64_t words_differ(const uint8_t a[16], const uint8_t b[16])
{
    return (load64_le(a) ^ load64_le(b)) | (load64_le(a + 8) ^ load64_le(b + 8));
}

static int same_bytes(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return 0;
    return 1;
}

INLINE int same(enum fault fault, const uint8_t *a, const uint8_t *b, size_t len)
{
    uint8_t differ = 0;

    if (fault == BYTEWISE)
        return same_bytes(a, b, len);
    if (fault == WORDWISE)
        return !words_differ(a, b);
    for (size_t i = 0; i < len; i++)
        differ = fault == SUM ? differ + (a[i] ^ b[i]) : differ | (a[i] ^ b[i]);
    return differ == 0;
}

INLINE int has_lengths(enum fault fault, size_t nonce_len, size_t tag_len)
{
    if (fault == LONG_NONCE && nonce_len > 12)
        nonce_len = 12;
    if (fault == LONG_TAG && tag_len > 16)
        tag_len = 16;
    return nonce_len == 12 && (tag_len == 16 || (fault == SHORT_TAG && tag_len < 16));
}

/* What open leaves in out when it refuses. */
INLINE int refuse_open(enum fault fault, uint8_t *out, size_t len)
{
    if (fault == LEAVES)
        return -1;
    return refuse(out, fault == LEAVES_TAIL ? len - len % 16 : len);
}

/* Whether out and in have some of the same memory, but are not the same. */
INLINE int overlap(enum fault fault, const uint8_t *out, const uint8_t *in, size_t len)
{
    if (fault == OVERLAPS || (fault == OVERLAPS_BEFORE && out < in))
        return 0;
    return shares_in_part(out, in, len);
}

INLINE int init(enum fault fault, void *ctx, void *const *slots, const uint8_t *key,
                size_t key_len)
{
    if (fault == KEYS_EARLY && key_len)
        ((uint8_t *)ctx)[64] = key[0];
    return chapoly_init(ctx, slots, key, fault == LONG_KEY && key_len > 32 ? 32 : key_len);
}

INLINE int seal(enum fault fault, const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, out, in_len};
    uint32_t counter[4];

    if (overlap(fault, out, in, in_len))
        return fault == CLEARS ? refuse(out, in_len) : -1;
    if (!has_lengths(fault == SHORT_TAG ? NONE : fault, nonce_len, tag_len))
        return fault == WRITES ? refuse(out, in_len) : -1; /* as open refuses */
    load_counter(counter, nonce);
    chapoly_crypt(ctx, out, in, in_len, counter);
    compute_tag(ctx, tag, counter, authenticate, &message);
    return 0;
}

INLINE int verifies(enum fault fault, const void *ctx, const uint8_t *tag, size_t tag_len,
                    const uint32_t counter[4], const struct message *message)
{
    const size_t compared = fault == LAST_BYTE ? 15 : fault == SHORT_TAG ? tag_len : 16;
    uint8_t expected[16];

    if (fault == EMPTY && !message->len)
        return 1;
    compute_tag(ctx, expected, counter, authenticate, message);
    return same(fault, tag, expected, compared);
}

INLINE int open(enum fault fault, const void *ctx, uint8_t *out, const uint8_t *tag,
                size_t tag_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, in, in_len};
    uint32_t counter[4];

    if (overlap(fault, out, in, in_len))
        return fault == CLEARS ? refuse(out, in_len) : -1;
    if (!has_lengths(fault, nonce_len, tag_len))
        return refuse_open(fault, out, in_len);
    load_counter(counter, nonce);
    if (!verifies(fault, ctx, tag, tag_len, counter, &message)) {
        if (fault != RELEASES)
            return refuse_open(fault, out, in_len);
        chapoly_crypt(ctx, out, in, in_len, counter);
        return -1;
    }
    chapoly_crypt(ctx, out, in, in_len, counter);
    return 0;
}

#define VARIANT(name, fault)                                                                    \
    __typeof__(aead_init) faulty_init_##name;                                                   \
    __typeof__(aead_seal) faulty_seal_##name;                                                   \
    __typeof__(aead_open) faulty_open_##name;                                                   \
    int faulty_init_##name(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)   \
    {                                                                                           \
        return init(fault, ctx, slots, key, key_len);                                           \
    }                                                                                           \
    int faulty_seal_##name(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,         \
                           const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,          \
                           size_t aad_len, const uint8_t *in, size_t in_len)                    \
    {                                                                                           \
        return seal(fault, ctx, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in, in_len); \
    }                                                                                           \
    int faulty_open_##name(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,   \
                           const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,          \
                           size_t aad_len, const uint8_t *in, size_t in_len)                    \
    {                                                                                           \
        return open(fault, ctx, out, tag, tag_len, nonce, nonce_len, aad, aad_len, in, in_len); \
    }

VARIANT(clean, NONE)
VARIANT(releases, RELEASES)
VARIANT(leaves, LEAVES)
VARIANT(leaves_tail, LEAVES_TAIL)
VARIANT(last_byte, LAST_BYTE)
VARIANT(sum, SUM)
VARIANT(empty, EMPTY)
VARIANT(short_tag, SHORT_TAG)
VARIANT(long_tag, LONG_TAG)
VARIANT(long_nonce, LONG_NONCE)
VARIANT(long_key, LONG_KEY)
VARIANT(writes, WRITES)
VARIANT(keys_early, KEYS_EARLY)
VARIANT(bytewise, BYTEWISE)
VARIANT(wordwise, WORDWISE)
VARIANT(overlaps, OVERLAPS)
VARIANT(overlaps_before, OVERLAPS_BEFORE)
VARIANT(clears, CLEARS)
