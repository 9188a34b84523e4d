/*
 * AES-GCM (SP 800-38D) composed over the slots aes and ghash, with a fused
 * kernel for the whole blocks of a message where there is one. Clause 7.1
 * seals, clause 7.2 opens. Callers keep the bounds on lengths of clause 5.2.1.1
 * (a message has at most 2^36 - 32 octets): nothing here checks them.
 */
#include "aead.h"
#include "aes.h"
#include "aes_gcm_fused.h"
#include "ghash.h"
#include "secrets.h"
#include "words.h"

/* The slot fused is all NULL if it is not used; aes and ghash set up for it. */
struct slots {
    __typeof__(aes_gcm_fused_set_encrypt_key) *fused_set_encrypt_key;
    __typeof__(aes_gcm_fused_init) *fused_init;
    __typeof__(aes_gcm_fused_seal) *fused_seal;
    __typeof__(aes_gcm_fused_open) *fused_open;
    __typeof__(aes_set_encrypt_key) *set_encrypt_key;
    __typeof__(aes_encrypt) *encrypt;
    __typeof__(aes_ctr32_encrypt_blocks) *ctr32_encrypt_blocks;
    __typeof__(ghash_init) *init;
    __typeof__(ghash_gmult) *gmult;
    __typeof__(ghash_ghash) *ghash;
};

/* A message in parts between two calls. A block that a part has ended in is in Xi but not yet
   multiplied; of a text block key_stream is what enciphers it, and counter that of the next. */
struct parts {
    uint8_t J0[16], counter[16], Xi[16], key_stream[16];
    uint64_t aad_len, len;
};

struct gcm {
    struct slots slots;
    _Alignas(16) uint8_t schedule[256];
    _Alignas(16) uint8_t Htable[256];
    struct parts parts;
};

_Static_assert(sizeof(struct gcm) <= 1024, "the contract's context");

__typeof__(aead_init) rig_aes_gcm_init;
__typeof__(aead_seal) rig_aes_gcm_seal;
__typeof__(aead_open) rig_aes_gcm_open;
__typeof__(aead_begin) rig_aes_gcm_begin;
__typeof__(aead_aad) rig_aes_gcm_aad;
__typeof__(aead_encrypt) rig_aes_gcm_encrypt;
__typeof__(aead_decrypt) rig_aes_gcm_decrypt;
__typeof__(aead_finish) rig_aes_gcm_finish;
__typeof__(aead_verify) rig_aes_gcm_verify;

int rig_aes_gcm_init(void *ctx, void *const *slots, const uint8_t *key, size_t key_len)
{
    struct gcm *gcm = ctx;
    uint8_t H[16] = {0};
    uint64_t words[2];

    if (key_len != 16 && key_len != 24 && key_len != 32)
        return -1;
    __builtin_memcpy(&gcm->slots, slots, sizeof gcm->slots);
    gcm->slots.set_encrypt_key(key, (int)key_len * 8, gcm->schedule);
    gcm->slots.encrypt(H, H, gcm->schedule);
    words[0] = load64_be(H);
    words[1] = load64_be(H + 8);
    gcm->slots.init(gcm->Htable, words);
    wipe(H, sizeof H);
    wipe(words, sizeof words);
    return 0;
}

/* Clause 5.2.1: any nonce but the empty one; tags of 4, 8 and 12 to 16 octets. */
static int has_lengths(size_t nonce_len, size_t tag_len)
{
    const uint32_t tag_lens = 1u << 4 | 1u << 8 | 0x1fu << 12;

    return nonce_len != 0 && tag_len <= 16 && (tag_lens >> tag_len & 1);
}

static void xor_block(uint8_t out[16], const uint8_t block[16])
{
    uint64_t x[2], y[2];

    __builtin_memcpy(x, out, 16);
    __builtin_memcpy(y, block, 16);
    x[0] ^= y[0];
    x[1] ^= y[1];
    __builtin_memcpy(out, x, 16);
}

static void absorb_block(const struct gcm *gcm, uint8_t Xi[16], const uint8_t block[16])
{
    xor_block(Xi, block);
    gcm->slots.gmult(Xi, gcm->Htable);
}

/* GHASH over in, padded with zeros to whole blocks. */
static void absorb(const struct gcm *gcm, uint8_t Xi[16], const uint8_t *in, size_t len)
{
    size_t rest = len % 16;
    uint8_t last[16] = {0};

    gcm->slots.ghash(Xi, gcm->Htable, in, len - rest);
    if (!rest)
        return;
    __builtin_memcpy(last, in + (len - rest), rest);
    absorb_block(gcm, Xi, last);
}

/* The block of two lengths, in bits. */
static void absorb_lengths(const struct gcm *gcm, uint8_t Xi[16], uint64_t first,
                           uint64_t second)
{
    uint8_t lengths[16];

    store64_be(lengths, (uint64_t)first * 8);
    store64_be(lengths + 8, (uint64_t)second * 8);
    absorb_block(gcm, Xi, lengths);
}

/* Clause 7.1 step 2. */
static void pre_counter_block(const struct gcm *gcm, uint8_t J0[16], const uint8_t *nonce,
                              size_t nonce_len)
{
    __builtin_memset(J0, 0, 16);
    if (nonce_len == 12) {
        __builtin_memcpy(J0, nonce, 12);
        J0[15] = 1;
        return;
    }
    absorb(gcm, J0, nonce, nonce_len);
    absorb_lengths(gcm, J0, 0, nonce_len);
}

/* inc32 of clause 6.2, blocks times. */
static void advance(uint8_t counter[16], size_t blocks)
{
    store32_be(counter + 12, load32_be(counter + 12) + (uint32_t)blocks);
}

/* GCTR of clause 6.5. */
static void crypt(const struct gcm *gcm, uint8_t counter[16], uint8_t *out, const uint8_t *in,
                  size_t len)
{
    size_t rest = len % 16;
    uint8_t keystream[16], last[16] = {0};

    gcm->slots.ctr32_encrypt_blocks(in, out, len / 16, gcm->schedule, counter);
    if (!rest)
        return;
    advance(counter, len / 16);
    gcm->slots.encrypt(counter, keystream, gcm->schedule);
    __builtin_memcpy(last, in + (len - rest), rest);
    xor_block(last, keystream);
    __builtin_memcpy(out + (len - rest), last, rest);
    wipe(keystream, sizeof keystream);
    wipe(last, sizeof last);
}

/* inc32(J0), and GHASH over the additional data, which the message follows. */
static void begin(const struct gcm *gcm, uint8_t counter[16], uint8_t Xi[16],
                  const uint8_t J0[16], const uint8_t *aad, size_t aad_len)
{
    __builtin_memcpy(counter, J0, 16);
    advance(counter, 1);
    __builtin_memset(Xi, 0, 16);
    absorb(gcm, Xi, aad, aad_len);
}

/* Clause 7.1 steps 5 and 6: Xi becomes the whole tag, of which callers use a prefix. */
static void finish(const struct gcm *gcm, uint8_t Xi[16], const uint8_t J0[16], uint64_t aad_len,
                   uint64_t len)
{
    uint8_t mask[16];

    absorb_lengths(gcm, Xi, aad_len, len);
    gcm->slots.encrypt(J0, mask, gcm->schedule);
    xor_block(Xi, mask);
    wipe(mask, sizeof mask);
}

/* What the kernel does of a message, in bytes from its front. */
static size_t fuse(const struct gcm *gcm, __typeof__(aes_gcm_fused_seal) *kernel,
                   const uint8_t *in, uint8_t *out, size_t len, uint8_t counter[16],
                   uint8_t Xi[16])
{
    return kernel ? kernel(in, out, len, gcm->schedule, counter, gcm->Htable, Xi) : 0;
}

int rig_aes_gcm_seal(const void *ctx, uint8_t *out, uint8_t *tag, size_t tag_len,
                     const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                     const uint8_t *in, size_t in_len)
{
    const struct gcm *gcm = ctx;
    uint8_t J0[16], counter[16], Xi[16];
    size_t done;

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return -1;
    pre_counter_block(gcm, J0, nonce, nonce_len);
    begin(gcm, counter, Xi, J0, aad, aad_len);
    done = fuse(gcm, gcm->slots.fused_seal, in, out, in_len, counter, Xi);
    if (done != in_len) {
        crypt(gcm, counter, out + done, in + done, in_len - done);
        absorb(gcm, Xi, out + done, in_len - done);
    }
    finish(gcm, Xi, J0, aad_len, in_len);
    __builtin_memcpy(tag, Xi, tag_len);
    wipe(Xi, sizeof Xi);
    return 0;
}

static int equal(const uint8_t *whole_tag, const uint8_t *tag, size_t tag_len)
{
    uint8_t expected[16] = {0}, received[16] = {0};
    uint64_t differ;

    __builtin_memcpy(expected, whole_tag, tag_len);
    __builtin_memcpy(received, tag, tag_len);
    differ = tags_differ(expected, received);
    wipe(expected, sizeof expected);
    return differ == 0;
}

int rig_aes_gcm_open(const void *ctx, uint8_t *out, const uint8_t *tag, size_t tag_len,
                     const uint8_t *nonce, size_t nonce_len, const uint8_t *aad, size_t aad_len,
                     const uint8_t *in, size_t in_len)
{
    const struct gcm *gcm = ctx;
    uint8_t J0[16], counter[16], Xi[16];
    size_t done;
    int genuine;

    if (shares_in_part(out, in, in_len))
        return -1;
    if (!has_lengths(nonce_len, tag_len))
        return refuse(out, in_len);
    pre_counter_block(gcm, J0, nonce, nonce_len);
    begin(gcm, counter, Xi, J0, aad, aad_len);
    done = fuse(gcm, gcm->slots.fused_open, in, out, in_len, counter, Xi);
    if (done != in_len)
        absorb(gcm, Xi, in + done, in_len - done);
    finish(gcm, Xi, J0, aad_len, in_len);
    genuine = equal(Xi, tag, tag_len);
    wipe(Xi, sizeof Xi);
    if (!genuine)
        return refuse(out, in_len);
    if (done != in_len)
        crypt(gcm, counter, out + done, in + done, in_len - done);
    return 0;
}

static void take_slots(struct gcm *gcm, void *const *slots)
{
    __builtin_memcpy(&gcm->slots, slots, sizeof gcm->slots);
}

/* What of len octets the block still takes of which used are there, at most 15. */
static size_t room(size_t used, size_t len)
{
    const size_t left = 16 - used;

    return len < left ? len : left;
}

/* Octets of a block that has used of them. */
static void absorb_part(struct gcm *gcm, const uint8_t *in, size_t used, size_t len)
{
    uint8_t block[16] = {0};

    __builtin_memcpy(block + used, in, len);
    xor_block(gcm->parts.Xi, block);
    if (used + len == 16)
        gcm->slots.gmult(gcm->parts.Xi, gcm->Htable);
}

/* Multiplies a block that began and is not full. */
static void end_block(struct gcm *gcm, uint64_t len)
{
    if (len % 16)
        gcm->slots.gmult(gcm->parts.Xi, gcm->Htable);
}

/* The part of a text block, of which used octets are done; opens: it is ciphertext. */
static void crypt_part(struct gcm *gcm, uint8_t *out, const uint8_t *in, size_t used, size_t len,
                       int opens)
{
    uint8_t text[16] = {0};

    __builtin_memcpy(text + used, in, len);
    if (opens)
        absorb_part(gcm, in, used, len);
    xor_block(text, gcm->parts.key_stream);
    __builtin_memcpy(out, text + used, len);
    if (!opens)
        absorb_part(gcm, out, used, len);
    wipe(text, sizeof text);
}

/* Whole blocks. */
static void crypt_blocks(struct gcm *gcm, uint8_t *out, const uint8_t *in, size_t len, int opens)
{
    struct parts *parts = &gcm->parts;

    if (opens)
        gcm->slots.ghash(parts->Xi, gcm->Htable, in, len);
    gcm->slots.ctr32_encrypt_blocks(in, out, len / 16, gcm->schedule, parts->counter);
    advance(parts->counter, len / 16);
    if (!opens)
        gcm->slots.ghash(parts->Xi, gcm->Htable, out, len);
}

static void crypt_more(struct gcm *gcm, uint8_t *out, const uint8_t *in, size_t len, int opens)
{
    struct parts *parts = &gcm->parts;
    const size_t used = parts->len % 16;
    size_t done = 0, rest;

    if (!len)
        return;
    if (!parts->len)
        end_block(gcm, parts->aad_len);
    parts->len += len;
    if (used) {
        done = room(used, len);
        crypt_part(gcm, out, in, used, done, opens);
    }
    done += fuse(gcm, opens ? gcm->slots.fused_open : gcm->slots.fused_seal, in + done, out + done,
                 len - done, parts->counter, parts->Xi);
    rest = (len - done) % 16;
    crypt_blocks(gcm, out + done, in + done, len - done - rest, opens);
    if (!rest)
        return;
    gcm->slots.encrypt(parts->counter, parts->key_stream, gcm->schedule);
    advance(parts->counter, 1);
    crypt_part(gcm, out + (len - rest), in + (len - rest), 0, rest, opens);
}

int rig_aes_gcm_begin(void *ctx, void *const *slots, const uint8_t *nonce, size_t nonce_len)
{
    struct gcm *gcm = ctx;
    struct parts *parts = &gcm->parts;

    if (!nonce_len)
        return -1;
    take_slots(gcm, slots);
    pre_counter_block(gcm, parts->J0, nonce, nonce_len);
    begin(gcm, parts->counter, parts->Xi, parts->J0, NULL, 0);
    parts->aad_len = 0;
    parts->len = 0;
    return 0;
}

void rig_aes_gcm_aad(void *ctx, void *const *slots, const uint8_t *aad, size_t aad_len)
{
    struct gcm *gcm = ctx;
    const size_t used = gcm->parts.aad_len % 16;
    size_t done = 0, rest;

    if (!aad_len)
        return;
    take_slots(gcm, slots);
    gcm->parts.aad_len += aad_len;
    if (used) {
        done = room(used, aad_len);
        absorb_part(gcm, aad, used, done);
    }
    rest = (aad_len - done) % 16;
    gcm->slots.ghash(gcm->parts.Xi, gcm->Htable, aad + done, aad_len - done - rest);
    absorb_part(gcm, aad + (aad_len - rest), 0, rest);
}

void rig_aes_gcm_encrypt(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in,
                         size_t in_len)
{
    take_slots(ctx, slots);
    crypt_more(ctx, out, in, in_len, 0);
}

void rig_aes_gcm_decrypt(void *ctx, void *const *slots, uint8_t *out, const uint8_t *in,
                         size_t in_len)
{
    take_slots(ctx, slots);
    crypt_more(ctx, out, in, in_len, 1);
}

/* The whole tag takes the place of Xi. */
static void end_message(struct gcm *gcm, void *const *slots)
{
    struct parts *parts = &gcm->parts;

    take_slots(gcm, slots);
    end_block(gcm, parts->len ? parts->len : parts->aad_len);
    finish(gcm, parts->Xi, parts->J0, parts->aad_len, parts->len);
}

int rig_aes_gcm_finish(void *ctx, void *const *slots, uint8_t *tag, size_t tag_len)
{
    struct gcm *gcm = ctx;

    if (!has_lengths(12, tag_len))
        return -1;
    end_message(gcm, slots);
    __builtin_memcpy(tag, gcm->parts.Xi, tag_len);
    wipe(&gcm->parts, sizeof gcm->parts);
    return 0;
}

int rig_aes_gcm_verify(void *ctx, void *const *slots, const uint8_t *tag, size_t tag_len)
{
    struct gcm *gcm = ctx;
    int genuine;

    if (!has_lengths(12, tag_len))
        return -1;
    end_message(gcm, slots);
    genuine = equal(gcm->parts.Xi, tag, tag_len);
    wipe(&gcm->parts, sizeof gcm->parts);
    return genuine ? 0 : -1;
}
