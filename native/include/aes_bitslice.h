/*
 * Bitsliced AES over planes of any width: plane i holds bit i of every byte.
 * Included behind what the variant defines: the integer type plane, and
 * turn_rows(x, n), which puts the bits of row r + n in the place of row r's.
 *
 * S-box: the circuit of 115 gates by J. Boyar and R. Peralta (A New Combinational
 * Logic Minimization Technique with Applications to Cryptology, SEA 2010).
 */
#ifndef RIG_AES_BITSLICE_H
#define RIG_AES_BITSLICE_H

#include "words.h"

/* Exchanges the bits of mask << n in a with those of mask in b. */
static inline void exchange(plane *a, plane *b, int n, plane mask)
{
    plane t = (*a >> n ^ *b) & mask;

    *b ^= t;
    *a ^= t << n;
}

/* In each byte position, bit j of word i becomes bit i of word j. */
static void transpose(plane q[8])
{
    for (int i = 0; i < 4; i++)
        exchange(&q[2 * i], &q[2 * i + 1], 1, (plane)UINT64_C(0x5555555555555555));
    for (int i = 0; i < 4; i++)
        exchange(&q[i + (i & 2)], &q[i + (i & 2) + 2], 2, (plane)UINT64_C(0x3333333333333333));
    for (int i = 0; i < 4; i++)
        exchange(&q[i], &q[i + 4], 4, (plane)UINT64_C(0x0f0f0f0f0f0f0f0f));
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
static void sub_bytes(plane q[8])
{
    const plane x0 = q[7], x1 = q[6], x2 = q[5], x3 = q[4];
    const plane x4 = q[3], x5 = q[2], x6 = q[1], x7 = q[0];

    const plane y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
    const plane t0 = x1 ^ x2, y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14;
    const plane y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8, t1 = x4 ^ y12;
    const plane y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0;
    const plane y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
    const plane y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

    const plane t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2;
    const plane t7 = y13 & y16, t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7;
    const plane t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
    const plane t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19;
    const plane t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;

    const plane t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26;
    const plane t29 = (t25 & t27) ^ t22, t30 = t23 ^ t24, t31 = t22 ^ t26;
    const plane t33 = (t31 & t30) ^ t24, t34 = t23 ^ t33, t35 = t27 ^ t33;
    const plane t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36;
    const plane t40 = t25 ^ (t29 & t38), t41 = t40 ^ t37, t42 = t29 ^ t33;
    const plane t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

    const plane z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16;
    const plane z4 = t40 & y1, z5 = t29 & y7, z6 = t42 & y11, z7 = t45 & y17;
    const plane z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
    const plane z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9;
    const plane z16 = t45 & y14, z17 = t41 & y8;

    const plane t46 = z15 ^ z16, t48 = z5 ^ z13, t49 = z9 ^ z10, t52 = z7 ^ z8;
    const plane t53 = z0 ^ z3, t54 = z6 ^ z7, t57 = z2 ^ z12 ^ t53, t58 = z4 ^ t46;
    const plane t59 = z3 ^ t54, t60 = t46 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
    const plane t64 = z4 ^ t59, t65 = z14 ^ t57 ^ t62, t66 = z1 ^ t63, s3 = t53 ^ t66;

    q[7] = t59 ^ t63;
    q[6] = ~(t64 ^ s3);
    q[5] = ~(z16 ^ z17 ^ t64 ^ t65);
    q[4] = s3;
    q[3] = z2 ^ z5 ^ t66;
    q[2] = z10 ^ z11 ^ t65;
    q[1] = ~(z12 ^ t48 ^ t62);
    q[0] = ~(t48 ^ t60);
}

/* 2a + 3a' + a'' + a''' = 2(a + a') + a' + (a + a')'', each prime a row on. */
static void mix_columns(plane q[8])
{
    plane next[8], sum[8];

    for (int i = 0; i < 8; i++) {
        next[i] = turn_rows(q[i], 1);
        sum[i] = q[i] ^ next[i];
    }
    for (int i = 0; i < 8; i++)
        q[i] = next[i] ^ turn_rows(sum[i], 2) ^ sum[(i + 7) % 8];
    q[1] ^= sum[7];
    q[3] ^= sum[7];
    q[4] ^= sum[7];
}

static uint32_t sub_word(uint32_t w)
{
    plane q[8] = {w};

    transpose(q);
    sub_bytes(q);
    transpose(q);
    return (uint32_t)q[0];
}

#endif
