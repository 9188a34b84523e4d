/*
 * GHASH with the carry-less multiplication of 64 bits for AArch32, where
 * compilers have no intrinsic for it: one block at a time, three products by
 * Karatsuba's method, each block reduced at once (C. Gouvea, J. Lopez,
 * Implementing GCM on ARMv8, CT-RSA 2015).
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of
 * two such numbers has x^i at bit 254 - i, so the table holds H/x instead,
 * which puts x^i at bit 255 - i; then the sum of its halves.
 */

        .syntax unified
        .arch   armv8-a
        .fpu    crypto-neon-fp-armv8
        .arm
        .cfi_sections .debug_frame
        .text

/* q\q, which is d\low and d\high, is the block at \from as a number. */
        .macro  LOAD q, low, high, from:vararg
        vld1.8  {d\low, d\high}, \from
        vrev64.8 q\q, q\q
        vswp    d\low, d\high
        .endm

        .macro  STORE q, low, high, to:vararg
        vswp    d\low, d\high
        vrev64.8 q\q, q\q
        vst1.8  {d\low, d\high}, \to
        .endm

/* d16, d17 = H/x, d18 = the sum of its halves; d19 = what x^128 is, but for its 1. */
        .macro  LOAD_TABLE
        vld1.64 {d16, d17, d18}, [r1]
        vmov.i8 d19, #0xc2
        vshl.i64 d19, d19, #56
        .endm

/* q3 = q3 with x^128 to x^191, its low half, at lower powers; halves change places. */
        .macro  FOLD
        vmull.p64 q2, d6, d19
        vswp    d6, d7
        veor    q3, q3, q2
        .endm

/*
 * q0 = q0 * H, with the table in d16-d19. q1-q3 are lost:
 *   q1  the product's high half
 *   q2  its middle
 *   q3  its low half
 */
        .macro  MULTIPLY
        veor    d4, d0, d1
        vmull.p64 q3, d0, d16
        vmull.p64 q1, d1, d17
        vmull.p64 q2, d4, d18
        veor    q2, q2, q3
        veor    q2, q2, q1
        veor    d7, d7, d4
        veor    d2, d2, d5
        FOLD
        FOLD
        veor    q0, q1, q3
        .endm

/*
 * void rig_ghash_init_pmull(void *Htable, const uint64_t H[2]);
 *
 *   r0  Htable
 *   r1  H
 *   q0  H, then H/x
 *   d2  the bit that leaves H at its top
 *   d3  what it is at lower powers of x
 *   d4  the bit between the halves
 *
 * AAPCS, a leaf without a frame. Loses d0-d4.
 */
        .globl  rig_ghash_init_pmull
        .type   rig_ghash_init_pmull, %function
        .p2align 2
rig_ghash_init_pmull:
        .cfi_startproc
        vld1.64 {d0, d1}, [r1]
        vswp    d0, d1
        vshr.s64 d2, d1, #63
        vmov.i8 d3, #0xc2
        vshl.i64 d3, d3, #56
        vand    d3, d3, d2
        vshr.u64 d2, d2, #63
        vshr.u64 d4, d0, #63
        vshl.i64 q0, q0, #1
        veor    d1, d1, d4
        veor    q0, q0, q1
        veor    d2, d0, d1
        vst1.64 {d0, d1, d2}, [r0]
        bx      lr
        .cfi_endproc
        .size   rig_ghash_init_pmull, . - rig_ghash_init_pmull

/*
 * void rig_ghash_gmult_pmull(uint8_t Xi[16], const void *Htable);
 *
 *   r0  Xi
 *   r1  Htable
 *   q0  the product
 *
 * AAPCS, a leaf without a frame. Loses q0-q3 and d16-d19.
 */
        .globl  rig_ghash_gmult_pmull
        .type   rig_ghash_gmult_pmull, %function
        .p2align 2
rig_ghash_gmult_pmull:
        .cfi_startproc
        LOAD_TABLE
        LOAD    0, 0, 1, [r0]
        MULTIPLY
        STORE   0, 0, 1, [r0]
        bx      lr
        .cfi_endproc
        .size   rig_ghash_gmult_pmull, . - rig_ghash_gmult_pmull

/*
 * void rig_ghash_ghash_pmull(uint8_t Xi[16], const void *Htable,
 *                            const uint8_t *in, size_t len);
 *
 *   r0  Xi
 *   r1  Htable
 *   r2  the next block of in
 *   r3  bytes left, a multiple of 16, 0 allowed
 *   q0  the sum
 *
 * AAPCS, a leaf without a frame. Loses r2, r3, q0-q3, d16-d19 and the flags.
 */
        .globl  rig_ghash_ghash_pmull
        .type   rig_ghash_ghash_pmull, %function
        .p2align 2
rig_ghash_ghash_pmull:
        .cfi_startproc
        cmp     r3, #0
        bxeq    lr
        LOAD_TABLE
        LOAD    0, 0, 1, [r0]
1:      LOAD    1, 2, 3, [r2]!
        veor    q0, q0, q1
        MULTIPLY
        subs    r3, r3, #16
        bne     1b
        STORE   0, 0, 1, [r0]
        bx      lr
        .cfi_endproc
        .size   rig_ghash_ghash_pmull, . - rig_ghash_ghash_pmull

        .section .note.GNU-stack, "", %progbits
