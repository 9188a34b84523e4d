/*
 * AES without tables, in constant time: two blocks bitsliced into eight 32-bit
 * planes. Plane i holds bit i of every byte; the byte of row r and column c of
 * block b is its bit 8r + 2c + b, so that a step between rows is a rotation by
 * 8 and ShiftRows rotates each byte.
 *
 * A round key is the same in both blocks, so the schedule keeps one bit of each
 * two: two planes in one 32-bit number.
 */
#include "aes.h"
#include "aes_key.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_ct32;
__typeof__(aes_encrypt) rig_aes_encrypt_ct32;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_ct32;

#define BLOCK0 UINT32_C(0x55555555) /* the bits of block 0 in a plane */

typedef uint32_t plane;

static inline plane turn_rows(plane x, int n)
{
    return x >> 8 * n | x << (32 - 8 * n);
}

#include "aes_bitslice.h"

/* w[4b + c] is column c of block b. */
static void to_planes(uint32_t q[8], const uint32_t w[8])
{
    for (int c = 0; c < 4; c++) {
        q[2 * c] = w[c];
        q[2 * c + 1] = w[4 + c];
    }
    transpose(q);
}

static void from_planes(uint32_t w[8], uint32_t q[8])
{
    transpose(q);
    for (int c = 0; c < 4; c++) {
        w[c] = q[2 * c];
        w[4 + c] = q[2 * c + 1];
    }
}

/* Row r turns by r columns: rows 2 and 3 by two, then rows 1 and 3 by one. */
static void shift_rows(uint32_t q[8])
{
    for (int i = 0; i < 8; i++) {
        uint32_t x = q[i], t = (x ^ x >> 4) & UINT32_C(0x0f0f0000);
        x ^= t ^ t << 4;
        q[i] = (x & UINT32_C(0x00ff00ff)) | (x >> 2 & UINT32_C(0x3f003f00)) |
               (x << 6 & UINT32_C(0xc000c000));
    }
}

static void add_round_key(uint32_t q[8], const uint8_t *round_key)
{
    for (int i = 0; i < 4; i++) {
        const uint32_t key = load32_le(round_key + 4 * i);

        q[2 * i] ^= (key & BLOCK0) * 3;
        q[2 * i + 1] ^= (key >> 1 & BLOCK0) * 3;
    }
}

#include "aes_bitsliced_blocks.h"

int rig_aes_set_encrypt_key_ct32(const uint8_t *key, int bits, void *schedule)
{
    uint8_t *k = schedule;
    const uint8_t *last = k + 16 * aes_expand_key(schedule, key, bits, sub_word);

    do {
        uint32_t w[8] = {0}, q[8];

        load_block(w, k);
        to_planes(q, w);
        for (int i = 0; i < 4; i++)
            store32_le(k + 4 * i, q[2 * i] | q[2 * i + 1] << 1);
    } while ((k += 16) <= last);
    return 0;
}

void rig_aes_encrypt_ct32(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    encrypt_block(in, out, schedule);
}

void rig_aes_ctr32_encrypt_blocks_ct32(const uint8_t *in, uint8_t *out, size_t blocks,
                                       const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
