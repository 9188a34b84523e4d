/*
 * The AEAD of RFC 8439 section 2.8 over the slots chacha20 and poly1305, with a
 * fused kernel for whole messages where there is one. The block counter has 32
 * bits: callers keep messages below 2^38 - 64 octets.
 */
#include "chacha20_poly1305_fused.h"
#include "chacha20_poly1305_padded.h"

__typeof__(aead_init) rig_chacha20_poly1305_init;
__typeof__(aead_seal) rig_chacha20_poly1305_seal;
__typeof__(aead_open) rig_chacha20_poly1305_open;
__typeof__(aead_begin) rig_chacha20_poly1305_begin;
__typeof__(aead_aad) rig_chacha20_poly1305_aad;
__typeof__(aead_encrypt) rig_chacha20_poly1305_encrypt;
__typeof__(aead_decrypt) rig_chacha20_poly1305_decrypt;
__typeof__(aead_finish) rig_chacha20_poly1305_finish;
__typeof__(aead_verify) rig_chacha20_poly1305_verify;

/* The first slot, NULL if it is not used. */
struct fused {
    __typeof__(chacha20_poly1305_fused_seal) *seal;
    __typeof__(chacha20_poly1305_fused_open) *open;
};

#define FUSED_FUNCTIONS 2

/* The context. What is behind fused is of a message in parts, between two calls. */
struct parts {
    struct chapoly keyed;
    struct fused fused;
    _Alignas(16) uint8_t poly1305[192];
    uint32_t s[4], counter[4]; /* counter: of the key stream's next block */
    uint8_t key_stream[64];    /* the block that a part of the text has ended in */
    uint8_t block[16];         /* what of additional data or text poly1305 has not had yet */
    uint64_t aad_len, len;
};

_Static_assert(sizeof(struct parts) <= 1024, "the contract's context");

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
    struct parts *parts = ctx;

    if (chapoly_init(&parts->keyed, slots + FUSED_FUNCTIONS, key, key_len) != 0)
        return -1;
    __builtin_memcpy(&parts->fused, slots, sizeof parts->fused);
    return 0;
}

/* What a fused kernel takes and gives. */
union data {
    struct {
        uint32_t key[8], counter[4];
        const uint8_t *extra; /* ciphertext behind this one: none */
        uint64_t extra_len;
    } in;
    _Alignas(16) uint8_t tag[16];
};

static void fill(union data *data, const struct parts *parts, const uint32_t counter[4])
{
    __builtin_memcpy(data->in.key, parts->keyed.key, sizeof data->in.key);
    __builtin_memcpy(data->in.counter, counter, sizeof data->in.counter);
    data->in.extra = 0;
    data->in.extra_len = 0;
}

static void seal_fused(const struct parts *parts, uint8_t *out, uint8_t tag[16],
                       const uint32_t counter[4], const uint8_t *in, const struct message *message)
{
    union data data;

    fill(&data, parts, counter);
    parts->fused.seal(out, in, message->len, message->aad, message->aad_len, &data);
    __builtin_memcpy(tag, data.tag, 16);
    wipe(&data, sizeof data);
}

/* Whether tag is that of the message; if not, out is for nobody. */
static int open_fused(const struct parts *parts, uint8_t *out, const uint8_t tag[16],
                      const uint32_t counter[4], const struct message *message)
{
    union data data;
    uintptr_t differ;

    fill(&data, parts, counter);
    parts->fused.open(out, message->ciphertext, message->len, message->aad, message->aad_len,
                      &data);
    differ = tags_differ(data.tag, tag);
    wipe(&data, sizeof data);
    return differ == 0;
}

int rig_chacha20_poly1305_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                               const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                               size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct parts *parts = ctx;
    const struct message message = {aad, aad_len, out, in_len};
    uint32_t counter[4];

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return -1;
    load_counter(counter, nonce);
    if (parts->fused.seal) {
        seal_fused(parts, out, tag, counter, in, &message);
        return 0;
    }
    chapoly_crypt(&parts->keyed, out, in, in_len, counter);
    compute_tag(&parts->keyed, tag, counter, authenticate, &message);
    return 0;
}

int rig_chacha20_poly1305_open(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,
                               const uint8_t *nonce, size_t nonce_len, const uint8_t *aad,
                               size_t aad_len, const uint8_t *in, size_t in_len)
{
    const struct parts *parts = ctx;
    const struct message message = {aad, aad_len, in, in_len};
    uint32_t counter[4];

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return refuse(out, in_len);
    load_counter(counter, nonce);
    if (parts->fused.open)
        return open_fused(parts, out, tag, counter, &message) ? 0 : refuse(out, in_len);
    if (!verify(&parts->keyed, tag, counter, authenticate, &message))
        return refuse(out, in_len);
    chapoly_crypt(&parts->keyed, out, in, in_len, counter);
    return 0;
}

static void take_slots(struct parts *parts, void *const *slots)
{
    __builtin_memcpy(&parts->keyed.slots, slots + FUSED_FUNCTIONS, sizeof parts->keyed.slots);
}

/* What of len octets a block of size still takes of which used are there, fewer than size. */
static size_t room(size_t size, size_t used, size_t len)
{
    const size_t left = size - used;

    return len < left ? len : left;
}

/* Behind before octets of the same kind. */
static void absorb_more(struct parts *parts, uint64_t before, const uint8_t *in, size_t len)
{
    const struct slots *slots = &parts->keyed.slots;
    const size_t used = before % 16;
    size_t done = 0, rest;

    if (used) {
        done = room(16, used, len);
        __builtin_memcpy(parts->block + used, in, done);
        if (used + done == 16)
            slots->blocks(parts->poly1305, parts->block, 16, 1);
    }
    rest = (len - done) % 16;
    slots->blocks(parts->poly1305, in + done, len - done - rest, 1);
    if (rest)
        __builtin_memcpy(parts->block, in + (len - rest), rest);
}

/* Zeros to the end of a block that began: len octets of one kind are complete. */
static void pad(struct parts *parts, uint64_t len)
{
    const size_t used = len % 16;

    if (!used)
        return;
    __builtin_memset(parts->block + used, 0, 16 - used);
    parts->keyed.slots.blocks(parts->poly1305, parts->block, 16, 1);
}

/* The part of a block of key stream, of which used octets are spent. */
static void crypt_part(const struct parts *parts, uint8_t *out, const uint8_t *in, size_t used,
                       size_t len)
{
    uint8_t text[64] = {0};

    __builtin_memcpy(text + used, in, len);
    for (int i = 0; i < 64; i++)
        text[i] ^= parts->key_stream[i];
    __builtin_memcpy(out, text + used, len);
    wipe(text, sizeof text);
}

/* Behind before octets of text. */
static void crypt_more(struct parts *parts, uint64_t before, uint8_t *out, const uint8_t *in,
                       size_t len)
{
    const struct chapoly *keyed = &parts->keyed;
    const size_t used = before % 64;
    size_t done = 0, rest;

    if (used) {
        done = room(64, used, len);
        crypt_part(parts, out, in, used, done);
    }
    rest = (len - done) % 64;
    keyed->slots.ctr32(out + done, in + done, len - done - rest, keyed->key, parts->counter);
    parts->counter[0] += (uint32_t)((len - done) / 64);
    if (!rest)
        return;
    __builtin_memset(parts->key_stream, 0, 64);
    keyed->slots.ctr32(parts->key_stream, parts->key_stream, 64, keyed->key, parts->counter);
    parts->counter[0]++;
    crypt_part(parts, out + (len - rest), in + (len - rest), 0, rest);
}

int rig_chacha20_poly1305_begin(void *ctx, void *const *slots, const uint8_t *nonce,
                                size_t nonce_len)
{
    struct parts *parts = ctx;
    uint8_t r[16];

    if (!has_lengths(nonce_len, 16))
        return -1;
    take_slots(parts, slots);
    load_counter(parts->counter, nonce);
    one_time_key(&parts->keyed, r, parts->s, parts->counter);
    parts->keyed.slots.init(parts->poly1305, r);
    wipe(r, sizeof r);
    parts->counter[0] = 1;
    parts->aad_len = 0;
    parts->len = 0;
    return 0;
}

void rig_chacha20_poly1305_aad(void *ctx, void *const *slots, const uint8_t *aad, size_t aad_len)
{
    struct parts *parts = ctx;

    if (!aad_len)
        return;
    take_slots(parts, slots);
    absorb_more(parts, parts->aad_len, aad, aad_len);
    parts->aad_len += aad_len;
}

void rig_chacha20_poly1305_encrypt(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in,
                                   size_t in_len)
{
    struct parts *parts = ctx;
    const uint64_t before = parts->len;

    if (!in_len)
        return;
    take_slots(parts, slots);
    if (!before)
        pad(parts, parts->aad_len);
    crypt_more(parts, before, out, in, in_len);
    absorb_more(parts, before, out, in_len);
    parts->len = before + in_len;
}

void rig_chacha20_poly1305_decrypt(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in,
                                   size_t in_len)
{
    struct parts *parts = ctx;
    const uint64_t before = parts->len;

    if (!in_len)
        return;
    take_slots(parts, slots);
    if (!before)
        pad(parts, parts->aad_len);
    absorb_more(parts, before, in, in_len);
    crypt_more(parts, before, out, in, in_len);
    parts->len = before + in_len;
}

/* The message is over: of its state nothing is left. */
static void end_message(struct parts *parts, void *const *slots, uint8_t tag[16])
{
    uint8_t lengths[16];

    take_slots(parts, slots);
    pad(parts, parts->len ? parts->len : parts->aad_len);
    store64_le(lengths, parts->aad_len);
    store64_le(lengths + 8, parts->len);
    parts->keyed.slots.blocks(parts->poly1305, lengths, 16, 1);
    parts->keyed.slots.emit(parts->poly1305, tag, parts->s);
    wipe(parts->poly1305, sizeof *parts - offsetof(struct parts, poly1305));
}

int rig_chacha20_poly1305_finish(void *ctx, void *const *slots, uint8_t *tag, size_t tag_len)
{
    if (!has_lengths(12, tag_len))
        return -1;
    end_message(ctx, slots, tag);
    return 0;
}

int rig_chacha20_poly1305_verify(void *ctx, void *const *slots, const uint8_t *tag, size_t tag_len)
{
    uint8_t expected[16];
    uint64_t differ;

    if (!has_lengths(12, tag_len))
        return -1;
    end_message(ctx, slots, expected);
    differ = tags_differ(expected, tag);
    wipe(expected, sizeof expected);
    return differ == 0 ? 0 : -1;
}
