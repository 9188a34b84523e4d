/*
 * What a tag of RFC 8439 section 2.8 authenticates: additional data and ciphertext, both padded to
 * whole blocks, then their lengths.
 */
#ifndef RIG_CHACHA20_POLY1305_PADDED_H
#define RIG_CHACHA20_POLY1305_PADDED_H

#include "chacha20_poly1305_parts.h"

/* in, padded with zeros to whole blocks, which all have the bit 128. */
static void absorb(const struct slots *slots, void *poly1305, const uint8_t *in, size_t len)
{
    size_t rest = len % 16;
    uint8_t last[16] = {0};

    slots->blocks(poly1305, in, len - rest, 1);
    if (!rest)
        return;
    __builtin_memcpy(last, in + (len - rest), rest);
    slots->blocks(poly1305, last, 16, 1);
}

static void authenticate(const struct slots *slots, void *poly1305, const struct message *message)
{
    uint8_t lengths[16];

    store64_le(lengths, message->aad_len);
    store64_le(lengths + 8, message->len);
    absorb(slots, poly1305, message->aad, message->aad_len);
    absorb(slots, poly1305, message->ciphertext, message->len);
    slots->blocks(poly1305, lengths, 16, 1);
}

#endif
