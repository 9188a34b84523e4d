/*
 * AES without tables, in constant time: four blocks bitsliced into eight
 * 64-bit planes. Plane i holds bit i of every byte; the byte of row r and
 * column c of block b is its bit 16r + 4c + b, so that a step between rows is
 * a rotation by 16 and ShiftRows rotates each 16-bit lane.
 *
 * A round key is the same in all four blocks, so the schedule keeps one bit of
 * each four: planes 0-3 in one 64-bit number, planes 4-7 in a second.
 */
#include "aes.h"
#include "aes_key.h"

__typeof__(aes_set_encrypt_key) rig_aes_set_encrypt_key_ct64;
__typeof__(aes_encrypt) rig_aes_encrypt_ct64;
__typeof__(aes_ctr32_encrypt_blocks) rig_aes_ctr32_encrypt_blocks_ct64;

#define BLOCK0 UINT64_C(0x1111111111111111) /* the bits of block 0 in a plane */

typedef uint64_t plane;

static inline plane turn_rows(plane x, int n)
{
    return x >> 16 * n | x << (64 - 16 * n);
}

#include "aes_bitslice.h"

/* The bytes of two columns in turn: the first column's go to even places. */
static inline uint64_t zip(uint32_t first, uint32_t second)
{
    uint64_t x = first | (uint64_t)second << 32, t;

    t = (x ^ x >> 16) & UINT64_C(0x00000000ffff0000);
    x ^= t ^ t << 16;
    t = (x ^ x >> 8) & UINT64_C(0x0000ff000000ff00);
    return x ^ t ^ t << 8;
}

static inline uint64_t unzip(uint64_t x)
{
    uint64_t t = (x ^ x >> 8) & UINT64_C(0x0000ff000000ff00);

    x ^= t ^ t << 8;
    t = (x ^ x >> 16) & UINT64_C(0x00000000ffff0000);
    return x ^ t ^ t << 16;
}

/* w[4b + c] is column c of block b. */
static void to_planes(uint64_t q[8], const uint32_t w[16])
{
    for (int b = 0; b < 4; b++) {
        q[b] = zip(w[4 * b], w[4 * b + 2]);
        q[4 + b] = zip(w[4 * b + 1], w[4 * b + 3]);
    }
    transpose(q);
}

static void from_planes(uint32_t w[16], uint64_t q[8])
{
    transpose(q);
    for (int b = 0; b < 4; b++) {
        uint64_t even = unzip(q[b]), odd = unzip(q[4 + b]);
        w[4 * b] = (uint32_t)even;
        w[4 * b + 1] = (uint32_t)odd;
        w[4 * b + 2] = (uint32_t)(even >> 32);
        w[4 * b + 3] = (uint32_t)(odd >> 32);
    }
}

/* Row r turns by r columns: rows 2 and 3 by two, then rows 1 and 3 by one. */
static void shift_rows(uint64_t q[8])
{
    for (int i = 0; i < 8; i++) {
        uint64_t x = q[i], t = (x ^ x >> 8) & UINT64_C(0x00ff00ff00000000);
        x ^= t ^ t << 8;
        q[i] = (x & UINT64_C(0x0000ffff0000ffff)) | (x >> 4 & UINT64_C(0x0fff00000fff0000)) |
               (x << 12 & UINT64_C(0xf0000000f0000000));
    }
}

static void add_round_key(uint64_t q[8], const uint8_t *round_key)
{
    const uint64_t low = load64_le(round_key), high = load64_le(round_key + 8);

    for (int i = 0; i < 4; i++) {
        q[i] ^= (low >> i & BLOCK0) * 15;
        q[4 + i] ^= (high >> i & BLOCK0) * 15;
    }
}

#include "aes_bitsliced_blocks.h"

int rig_aes_set_encrypt_key_ct64(const uint8_t *key, int bits, void *schedule)
{
    uint8_t *k = schedule;
    const uint8_t *last = k + 16 * aes_expand_key(schedule, key, bits, sub_word);

    do {
        uint32_t w[16] = {0};
        uint64_t q[8];

        load_block(w, k);
        to_planes(q, w);
        store64_le(k, q[0] | q[1] << 1 | q[2] << 2 | q[3] << 3);
        store64_le(k + 8, q[4] | q[5] << 1 | q[6] << 2 | q[7] << 3);
    } while ((k += 16) <= last);
    return 0;
}

void rig_aes_encrypt_ct64(const uint8_t in[16], uint8_t out[16], const void *schedule)
{
    encrypt_block(in, out, schedule);
}

void rig_aes_ctr32_encrypt_blocks_ct64(const uint8_t *in, uint8_t *out, size_t blocks,
                                       const void *schedule, const uint8_t ivec[16])
{
    ctr32(in, out, blocks, schedule, ivec);
}
