/*
 * The blocks of a bitsliced variant, as many at a time as its planes hold.
 * Included behind aes_bitslice.h and what the variant defines for its layout:
 * to_planes, from_planes, shift_rows, add_round_key.
 */
#ifndef RIG_AES_BITSLICED_BLOCKS_H
#define RIG_AES_BITSLICED_BLOCKS_H

#include "aes_key.h"

enum { COLUMNS = 2 * sizeof(plane) }; /* columns of all blocks */

static void encrypt_columns(uint32_t w[COLUMNS], const uint8_t *schedule)
{
    const uint8_t *last = schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
    plane q[8];

    to_planes(q, w);
    add_round_key(q, schedule);
    schedule += 16;
    do {
        sub_bytes(q);
        shift_rows(q);
        mix_columns(q);
        add_round_key(q, schedule);
    } while ((schedule += 16) != last);
    sub_bytes(q);
    shift_rows(q);
    add_round_key(q, last);
    from_planes(w, q);
}

static inline void encrypt_block(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    uint32_t w[COLUMNS] = {0};

    load_block(w, in);
    encrypt_columns(w, schedule);
    for (int i = 0; i < 4; i++)
        store32_le(out + 4 * i, w[i]);
}

static inline void ctr32(const uint8_t *in, uint8_t *out, size_t blocks, const void *schedule,
                         const uint8_t ivec[16])
{
    uint32_t counter = load32_be(ivec + 12);

    if (!blocks)
        return;
    for (;;) {
        uint32_t w[COLUMNS];

        for (int b = 0; b < COLUMNS; b += 4) {
            load_block(w + b, ivec);
            w[b + 3] = __builtin_bswap32(counter++);
        }
        encrypt_columns(w, schedule);
        for (int b = 0; b < COLUMNS; b += 4, in += 16, out += 16) {
            xor_block(out, in, w + b);
            if (!--blocks)
                return;
        }
    }
}

#endif
