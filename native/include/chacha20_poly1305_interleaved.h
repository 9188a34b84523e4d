/*
 * ChaCha20-Poly1305 (RFC 8439 section 2.8) in one pass: between the quarter rounds of a group of
 * key stream blocks, which keep the vector units busy, Poly1305 takes blocks of ciphertext on the
 * integer units. Sealing, it is the ciphertext of the group before; opening, of the group itself,
 * before it is overwritten. Included behind chacha20_four.h or chacha20_eight.h.
 */
#ifndef RIG_CHACHA20_POLY1305_INTERLEAVED_H
#define RIG_CHACHA20_POLY1305_INTERLEAVED_H

#include "chacha20_poly1305_fused.h"
#include "poly1305_words64.h"
#include "secrets.h"

#define WIDE (GROUP > 256) /* whether Poly1305 has 32 blocks to take in ten double rounds, or 16 */
#define FIRST (GROUP - 64) /* octets of the message that the first group's key stream is for */

/* Whole blocks of ciphertext that Poly1305 has still to take. */
struct due {
    const uint8_t *next;
    size_t blocks;
};

/* What both directions go on from: key is the one-time key, then the first group's key stream. */
struct passage {
    vector state[16];
    struct accumulator sum;
    _Alignas(32) uint8_t key[GROUP];
};

/* Until no more than left are due. */
static inline void absorb_due(struct accumulator *sum, struct due *due, size_t left)
{
    for (; due->blocks > left; due->blocks--, due->next += 16)
        add_block_words(sum, due->next);
}

/* The block at next, if it is not the end, and where to go on. */
static inline const uint8_t *absorb_one(struct accumulator *sum, const uint8_t *next,
                                        const uint8_t *end)
{
    if (next == end)
        return next;
    add_block_words(sum, next);
    return next + 16;
}

/* A group's key stream over in, all of due's blocks absorbed: no more than a group has. */
static void xor_and_absorb(uint8_t *out, const uint8_t *in, struct passage *p, struct due *due)
{
    struct accumulator sum = p->sum;
    const uint8_t *next = due->next, *const end = next + 16 * due->blocks;
    vector x[16];

#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        x[i] = p->state[i];
    for (int i = 0; i < 10; i++) {
        quarter_round(&x[0], &x[4], &x[8], &x[12]);
        quarter_round(&x[1], &x[5], &x[9], &x[13]);
        if (WIDE)
            next = absorb_one(&sum, next, end);
        quarter_round(&x[2], &x[6], &x[10], &x[14]);
        quarter_round(&x[3], &x[7], &x[11], &x[15]);
        next = absorb_one(&sum, next, end);
        quarter_round(&x[0], &x[5], &x[10], &x[15]);
        quarter_round(&x[1], &x[6], &x[11], &x[12]);
        if (WIDE)
            next = absorb_one(&sum, next, end);
        quarter_round(&x[2], &x[7], &x[8], &x[13]);
        quarter_round(&x[3], &x[4], &x[9], &x[14]);
        if (!WIDE || i % 4 == 0)
            next = absorb_one(&sum, next, end);
    }
    xor_words(out, in, x, p->state);
    next_group(p->state);
    p->sum = sum;
    due->blocks = 0;
    due->next = end;
}

/* in with zeros behind it to whole blocks. */
static void absorb_padded(struct accumulator *sum, const uint8_t *in, size_t len)
{
    struct due due = {in, len / 16};
    uint8_t last[16] = {0};

    absorb_due(sum, &due, 0);
    if (len % 16 == 0)
        return;
    __builtin_memcpy(last, in + len - len % 16, len % 16);
    add_block_words(sum, last);
}

/* data: key, counter and nonce as the contract has them. */
static void begin_passage(struct passage *p, const uint8_t *data, const uint8_t *ad, size_t ad_len)
{
    struct due none = {0, 0};
    uint32_t key[8], counter[4];

    for (int i = 0; i < 8; i++)
        key[i] = load32_le(data + 4 * i);
    for (int i = 0; i < 4; i++)
        counter[i] = load32_le(data + 32 + 4 * i);
    load_state(p->state, key, counter);
    wipe(key, sizeof key);
    __builtin_memset(p->key, 0, sizeof p->key);
    xor_and_absorb(p->key, p->key, p, &none);
    begin_words(&p->sum, p->key);
    absorb_padded(&p->sum, ad, ad_len);
}

static void end_passage(struct passage *p, uint8_t *data, uint64_t ad_len, uint64_t len)
{
    uint8_t lengths[16];

    store64_le(lengths, ad_len);
    store64_le(lengths + 8, len);
    add_block_words(&p->sum, lengths);
    end_words(&p->sum, data, p->key + 16);
    wipe(p, sizeof *p);
}

/* The message as far as the first group's key stream goes; how far that is. */
static size_t xor_first(const struct passage *p, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t first = len < FIRST ? len : FIRST;

    for (size_t i = 0; i < first; i++)
        out[i] = in[i] ^ p->key[64 + i];
    return first;
}

/* Fewer octets than a group has go through a buffer, so nothing past len is touched. */
static void xor_last(uint8_t *out, const uint8_t *in, size_t len, struct passage *p,
                     struct due *due)
{
    uint8_t group[GROUP] = {0};

    __builtin_memcpy(group, in, len);
    xor_and_absorb(group, group, p, due);
    __builtin_memcpy(out, group, len);
    wipe(group, sizeof group);
}

/* The last octets of the ciphertext, fewer than a block, and more of it behind them. */
static void absorb_joined(struct accumulator *sum, const uint8_t *rest, size_t len,
                          const uint8_t *more, size_t more_len)
{
    uint8_t joint[16];
    size_t taken = 16 - len < more_len ? 16 - len : more_len;

    if (len == 0) {
        absorb_padded(sum, more, more_len);
        return;
    }
    __builtin_memcpy(joint, rest, len);
    if (taken)
        __builtin_memcpy(joint + len, more, taken);
    absorb_padded(sum, joint, len + taken);
    absorb_padded(sum, more + taken, more_len - taken);
}

static inline void seal_interleaved(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                                    size_t ad_len, uint8_t *data)
{
    const uint8_t *extra;
    struct passage p;
    struct due due;
    size_t done, extra_len;

    __builtin_memcpy(&extra, data + 48, sizeof extra);
    __builtin_memcpy(&extra_len, data + 56, sizeof extra_len);
    begin_passage(&p, data, ad, ad_len);
    done = xor_first(&p, out, in, len);
    due = (struct due){out, done / 16};
    for (; len - done >= GROUP; done += GROUP) {
        xor_and_absorb(out + done, in + done, &p, &due);
        due = (struct due){out + done, GROUP / 16};
    }
    if (len > done) {
        xor_last(out + done, in + done, len - done, &p, &due);
        due = (struct due){out + done, (len - done) / 16};
    }
    absorb_due(&p.sum, &due, 0);
    absorb_joined(&p.sum, due.next, len % 16, extra, extra_len);
    end_passage(&p, data, ad_len, len + extra_len);
}

static inline void open_interleaved(uint8_t *out, const uint8_t *in, size_t len, const uint8_t *ad,
                                    size_t ad_len, uint8_t *data)
{
    const uint8_t *const last = in + (len - len % 16);
    struct passage p;
    struct due due = {in, (len < FIRST ? len : FIRST) / 16};
    uint8_t rest[16] = {0};
    size_t done;

    if (len % 16)
        __builtin_memcpy(rest, last, len % 16);
    begin_passage(&p, data, ad, ad_len);
    absorb_due(&p.sum, &due, 0);
    done = xor_first(&p, out, in, len);
    for (; len - done >= GROUP; done += GROUP) {
        due = (struct due){in + done, GROUP / 16};
        xor_and_absorb(out + done, in + done, &p, &due);
    }
    if (len > done) {
        due = (struct due){in + done, (len - done) / 16};
        xor_last(out + done, in + done, len - done, &p, &due);
    }
    if (len % 16)
        add_block_words(&p.sum, rest);
    end_passage(&p, data, ad_len, len);
}

#endif
