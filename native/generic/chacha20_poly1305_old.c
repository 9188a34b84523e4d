/*
 * ChaCha20-Poly1305 before RFC 7539 (draft-agl-tls-chacha20poly1305-04 section
 * 5) over the slots chacha20 and poly1305: a nonce of 8 octets, and a MAC over
 * AAD, its length, ciphertext, its length, without padding between them.
 *
 * The construction's block counter has 64 bits, in words 12 and 13 of the
 * state; ctr32 counts in word 12 only, so callers keep messages below
 * 2^38 - 64 octets.
 */
#include "chacha20_poly1305_parts.h"

__typeof__(aead_init) rig_chacha20_poly1305_old_init;
__typeof__(aead_seal) rig_chacha20_poly1305_old_seal;
__typeof__(aead_open) rig_chacha20_poly1305_old_open;

static int has_lengths(size_t nonce_len, size_t tag_len)
{
    return nonce_len == 8 && tag_len == 16;
}

static void load_counter(uint32_t counter[4], const uint8_t nonce[8])
{
    counter[0] = 0;
    counter[1] = 0;
    counter[2] = load32_le(nonce);
    counter[3] = load32_le(nonce + 4);
}

/* A poly1305 input in pieces of any length: used octets wait in block, at most 15. */
struct stream {
    const struct slots *slots;
    void *poly1305;
    uint8_t block[16];
    size_t used;
};

/* Takes as much of in as the waiting block has room for; returns how much. */
static size_t fill_block(struct stream *stream, const uint8_t *in, size_t len)
{
    size_t room = 16 - stream->used;
    size_t taken = len < room ? len : room;

    __builtin_memcpy(stream->block + stream->used, in, taken);
    stream->used += taken;
    if (stream->used == 16) {
        stream->slots->blocks(stream->poly1305, stream->block, 16, 1);
        stream->used = 0;
    }
    return taken;
}

static void absorb(struct stream *stream, const uint8_t *in, size_t len)
{
    size_t taken, whole;

    if (!len)
        return;
    taken = fill_block(stream, in, len);
    in += taken;
    len -= taken;
    /* If any is left, nothing waits. */
    whole = len - len % 16;
    stream->slots->blocks(stream->poly1305, in, whole, 1);
    __builtin_memcpy(stream->block + stream->used, in + whole, len - whole);
    stream->used += len - whole;
}

static void absorb_length(struct stream *stream, size_t len)
{
    uint8_t octets[8];

    store64_le(octets, len);
    absorb(stream, octets, sizeof octets);
}

/* The last block: a 1 behind the octets, then zeros, and no bit 128. */
static void finish(struct stream *stream)
{
    if (!stream->used)
        return;
    __builtin_memset(stream->block + stream->used, 0, 16 - stream->used);
    stream->block[stream->used] = 1;
    stream->slots->blocks(stream->poly1305, stream->block, 16, 0);
}

static void authenticate(const struct slots *slots, void *poly1305, const struct message *message)
{
    struct stream stream = {.slots = slots, .poly1305 = poly1305};

    absorb(&stream, message->aad, message->aad_len);
    absorb_length(&stream, message->aad_len);
    absorb(&stream, message->ciphertext, message->len);
    absorb_length(&stream, message->len);
    finish(&stream);
}

int rig_chacha20_poly1305_old_init(void *ctx, void *const *slots, const uint8_t *key,
                                   size_t key_len)
{
    return chapoly_init(ctx, slots, key, key_len);
}

int rig_chacha20_poly1305_old_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                                   const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                                   size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct message message = {aad, aad_len, out, in_len};
    uint32_t counter[4];

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return -1;
    load_counter(counter, nonce);
    chapoly_crypt(ctx, out, in, in_len, counter);
    compute_tag(ctx, tag, counter, authenticate, &message);
    return 0;
}

int rig_chacha20_poly1305_old_open(const void *ctx, uint8_t *out, const uint8_t *tag,
                                   size_t tag_len, const uint8_t *nonce, size_t nonce_len,
                                   const uint8_t *aad, size_t aad_len, const uint8_t *in,
                                   size_t in_len)
{
    const struct message message = {aad, aad_len, in, in_len};
    uint32_t counter[4];

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return refuse(out, in_len);
    load_counter(counter, nonce);
    if (!verify(ctx, tag, counter, authenticate, &message))
        return refuse(out, in_len);
    chapoly_crypt(ctx, out, in, in_len, counter);
    return 0;
}
