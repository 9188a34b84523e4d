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

struct gcm {
    struct slots slots;
    _Alignas(16) uint8_t schedule[256];
    _Alignas(16) uint8_t Htable[256];
};

_Static_assert(sizeof(struct gcm) <= 1024, "the contract's context");

__typeof__(aead_init) rig_aes_gcm_init;
__typeof__(aead_seal) rig_aes_gcm_seal;
__typeof__(aead_open) rig_aes_gcm_open;

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
static void absorb_lengths(const struct gcm *gcm, uint8_t Xi[16], size_t first, size_t second)
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
static void finish(const struct gcm *gcm, uint8_t Xi[16], const uint8_t J0[16], size_t aad_len,
                   size_t len)
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
