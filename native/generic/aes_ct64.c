/*
 * AES without tables, in constant time: four blocks bitsliced into eight
 * 64-bit planes. Plane i holds bit i of every byte; the byte of row r and
 * column c of block b is its bit 16r + 4c + b, so that a step between rows is
 * a rotation by 16 and ShiftRows rotates each 16-bit lane.
 *
 * S-box: the circuit of 115 gates by J. Boyar and R. Peralta (A New Combinational
 * Logic Minimization Technique with Applications to Cryptology, SEA 2010).
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

static inline uint64_t rotr64(uint64_t x, int n)
{
    return x >> n | x << (64 - n);
}

/* Exchanges the bits of mask << n in a with those of mask in b. */
static inline void exchange(uint64_t *a, uint64_t *b, int n, uint64_t mask)
{
    uint64_t t = (*a >> n ^ *b) & mask;

    *b ^= t;
    *a ^= t << n;
}

/* In each byte position, bit j of word i becomes bit i of word j. */
static void transpose(uint64_t q[8])
{
    for (int i = 0; i < 4; i++)
        exchange(&q[2 * i], &q[2 * i + 1], 1, UINT64_C(0x5555555555555555));
    for (int i = 0; i < 4; i++)
        exchange(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, UINT64_C(0x3333333333333333));
    for (int i = 0; i < 4; i++)
        exchange(&q[i], &q[i + 4], 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
}

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

static inline void load_block(uint32_t w[4], const uint8_t *p)
{
    for (int i = 0; i < 4; i++)
        w[i] = load32_le(p + 4 * i);
}

static inline void xor_block(uint8_t *out, const uint8_t *in, const uint32_t w[4])
{
    for (int i = 0; i < 4; i++)
        store32_le(out + 4 * i, load32_le(in + 4 * i) ^ w[i]);
}

/* Names are the paper's, whose x0 and s0 are the most significant bits. */
static void sub_bytes(uint64_t q[8])
{
    const uint64_t x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4];
    const uint64_t x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];

    const uint64_t y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
    const uint64_t t0 = x1 ^ x2, y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14;
    const uint64_t y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8, t1 = x4 ^ y12;
    const uint64_t y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0;
    const uint64_t y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
    const uint64_t y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    const uint64_t t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2;
    const uint64_t t7 = y13 & y16, t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7;
    const uint64_t t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
    const uint64_t t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19;
    const uint64_t t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;

    const uint64_t t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26;
    const uint64_t t29 = (t25 & t27) ^ t22, t30 = t23 ^ t24, t31 = t22 ^ t26;
    const uint64_t t33 = (t31 & t30) ^ t24, t34 = t23 ^ t33, t35 = t27 ^ t33;
    const uint64_t t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36;
    const uint64_t t40 = t25 ^ (t29 & t38), t41 = t40 ^ t37, t42 = t29 ^ t33;
    const uint64_t t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

    const uint64_t z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16;
    const uint64_t z4 = t40 & y1, z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17;
    const uint64_t z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const uint64_t z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9;
    const uint64_t z16 = t45 & y14, z17 = t41 & y8;

    const uint64_t t46 = z15 ^ z16, t48 = z5 ^ z13, t49 = z9 ^ z10, t52 = z7 ^ z8;
    const uint64_t t53 = z0 ^ z3, t54 = z6 ^ z7, t57 = z2 ^ z12 ^ t53, t58 = z4 ^ t46;
    const uint64_t t59 = z3 ^ t54, t60 = t46 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
    const uint64_t t64 = z4 ^ t59, t65 = z14 ^ t57 ^ t62, t66 = z1 ^ t63, s3 = t53 ^ t66;

    q[7] = t59 ^ t63;
    q[6] = ~(t64 ^ s3);
    q[5] = ~(z16 ^ z17 ^ t64 ^ t65);
    q[4] = s3;
    q[3] = z2 ^ z5 ^ t66;
    q[2] = z10 ^ z11 ^ t65;
    q[1] = ~(z12 ^ t48 ^ t62);
    q[0] = ~(t48 ^ t60);
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

/* 2a + 3a' + a'' + a''' = 2(a + a') + a' + (a + a')'', each prime a row on. */
static void mix_columns(uint64_t q[8])
{
    uint64_t next[8], sum[8];

    for (int i = 0; i < 8; i++) {
        next[i] = rotr64(q[i], 16);
        sum[i] = q[i] ^ next[i];
    }
    for (int i = 0; i < 8; i++)
        q[i] = next[i] ^ rotr64(sum[i], 32) ^ sum[(i + 7) % 8];
    q[1] ^= sum[7];
    q[3] ^= sum[7];
    q[4] ^= sum[7];
}

static void add_round_key(uint64_t q[8], const uint8_t *round_key)
{
    const uint64_t low = load64_le(round_key), high = load64_le(round_key + 8);

    for (int i = 0; i < 4; i++) {
        q[i] ^= (low >> i & BLOCK0) * 15;
        q[4 + i] ^= (high >> i & BLOCK0) * 15;
    }
}

static void encrypt4(uint32_t w[16], const uint8_t *schedule)
{
    const uint8_t *last = schedule + 16 * load32_le(schedule + AES_ROUNDS_AT);
    uint64_t q[8];

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

static uint32_t sub_word(uint32_t w)
{
    uint64_t q[8] = {w};

    transpose(q);
    sub_bytes(q);
    transpose(q);
    return (uint32_t)q[0];
}

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
    uint32_t w[16] = {0};

    load_block(w, in);
    encrypt4(w, schedule);
    for (int i = 0; i < 4; i++)
        store32_le(out + 4 * i, w[i]);
}

void rig_aes_ctr32_encrypt_blocks_ct64(const uint8_t *in, uint8_t *out, size_t blocks,
                                       const void *schedule, const uint8_t ivec[16])
{
    uint32_t counter = load32_be(ivec + 12);

    while (blocks) {
        uint32_t w[16];

        for (int b = 0; b < 16; b += 4) {
            load_block(w + b, ivec);
            w[b + 3] = __builtin_bswap32(counter++);
        }
        encrypt4(w, schedule);
        for (int b = 0; b < 16 && blocks; b += 4, blocks--, in += 16, out += 16)
            xor_block(out, in, w + b);
    }
}
