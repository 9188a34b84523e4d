/*
 * GHASH with carry-less multiplication, eight blocks in parallel: Xi * H^8 and
 * what follows it down to H^1 are added up as 256-bit products and reduced once
 * (C. Gouvea, J. Lopez, Implementing GCM on ARMv8, CT-RSA 2015). Each product of
 * 128 bits is three of 64 bits by Karatsuba's method.
 *
 * A block is read as a big-endian number, x^i at bit 127 - i. The product of
 * two such numbers has x^i at bit 254 - i, so Htable (ghash_pmull8.h) holds
 * powers of H divided by x instead, which puts x^i at bit 255 - i. A block comes
 * from rev64 with its high half in lane 0, and stays so: only products have
 * their low half there.
 */
#include "ghash_pmull8.h"

        .text

/* What REDUCE needs: 0 in v31, the polynomial's top bits in lane 0 of v30; x9 is lost. */
        .macro  CONSTANTS
        movi    v31.2d, #0
        mov     x9, #0xc200000000000000
        fmov    d30, x9
        .endm

/* v0 = v2:v1 + v3 * x^64, of 256 bits, modulo the polynomial; v29 is lost. */
        .macro  REDUCE
        eor     v3.16b, v3.16b, v1.16b
        eor     v3.16b, v3.16b, v2.16b
        ext     v29.16b, v31.16b, v3.16b, #8
        ext     v3.16b, v3.16b, v31.16b, #8
        eor     v1.16b, v1.16b, v29.16b
        eor     v2.16b, v2.16b, v3.16b
        pmull   v29.1q, v1.1d, v30.1d
        ext     v1.16b, v1.16b, v1.16b, #8
        eor     v1.16b, v1.16b, v29.16b
        pmull   v29.1q, v1.1d, v30.1d
        ext     v1.16b, v1.16b, v1.16b, #8
        eor     v2.16b, v2.16b, v29.16b
        eor     v1.16b, v1.16b, v2.16b
        ext     v0.16b, v1.16b, v1.16b, #8
        .endm

/* v1, v2, v3 = the low, the high and the middle product of \x and \h; \sum: that of h's halves. */
        .macro  MULTIPLY x, h, sum
        ext     v3.16b, \x\().16b, \x\().16b, #8
        pmull2  v1.1q, \x\().2d, \h\().2d
        eor     v3.16b, v3.16b, \x\().16b
        pmull   v2.1q, \x\().1d, \h\().1d
        pmull   v3.1q, v3.1d, \sum\().1d
        .endm

/* \to += \x * \h in the lanes that \pmull and \from say; v28 is lost. */
        .macro  ADD_PRODUCT to, pmull, x, h, from
        \pmull  v28.1q, \x\().\from, \h\().\from
        eor     \to\().16b, \to\().16b, v28.16b
        .endm

/* v1, v2, v3 += \a * \h + \b * \k; \sums: those of h's and k's halves. \a and \b are lost. */
        .macro  ADD_PAIR a, b, h, k, sums
        ADD_PRODUCT v1, pmull2, \a, \h, 2d
        ADD_PRODUCT v2, pmull, \a, \h, 1d
        ADD_PRODUCT v1, pmull2, \b, \k, 2d
        ADD_PRODUCT v2, pmull, \b, \k, 1d
        trn1    v29.2d, \a\().2d, \b\().2d
        trn2    \a\().2d, \a\().2d, \b\().2d
        eor     \a\().16b, \a\().16b, v29.16b
        ADD_PRODUCT v3, pmull, \a, \sums, 1d
        ADD_PRODUCT v3, pmull2, \a, \sums, 2d
        .endm

/* The next four blocks into v4 to v7. */
        .macro  LOAD_FOUR
        ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [x2], #64
        rev64   v4.16b, v4.16b
        rev64   v5.16b, v5.16b
        rev64   v6.16b, v6.16b
        rev64   v7.16b, v7.16b
        .endm

        .macro  CLEAR_SUMS
        movi    v1.2d, #0
        movi    v2.2d, #0
        movi    v3.2d, #0
        .endm

/*
 * void rig_ghash_init_pmull8(void *Htable, const uint64_t H[2]);
 *
 *   x0     Htable
 *   x1     H
 *   x2:x3  H/x
 *   x4 x5  where the last power and its sum were written
 *   v0     the power
 *   v4     the sum of its halves
 *   v16    H/x
 *   v17    the sum of its halves
 *
 * AAPCS64, a leaf without a frame. Loses x2-x5, x9, v0-v4, v16, v17, v29-v31
 * and the flags.
 */
        .globl  rig_ghash_init_pmull8
        .type   rig_ghash_init_pmull8, %function
        .p2align 4
rig_ghash_init_pmull8:
        .cfi_startproc
        CONSTANTS
        ldp     x2, x3, [x1]
        asr     x4, x2, #63
        extr    x2, x2, x3, #63
        lsl     x3, x3, #1
        and     x5, x4, x9
        eor     x2, x2, x5
        sub     x3, x3, x4
        eor     x5, x2, x3
        fmov    d16, x2
        mov     v16.d[1], x3
        fmov    d17, x5
        mov     v0.16b, v16.16b
        add     x4, x0, #PMULL8_POWERS + 128
        add     x5, x0, #PMULL8_SUMS + 64
        mov     x3, #8
1:      ext     v4.16b, v0.16b, v0.16b, #8
        eor     v4.16b, v4.16b, v0.16b
        str     q0, [x4, #-16]!
        str     d4, [x5, #-8]!
        MULTIPLY v0, v16, v17
        REDUCE
        subs    x3, x3, #1
        b.ne    1b
        ret
        .cfi_endproc
        .size   rig_ghash_init_pmull8, . - rig_ghash_init_pmull8

/*
 * void rig_ghash_gmult_pmull8(uint8_t Xi[16], const void *Htable);
 *
 *   x0      Xi
 *   x1      Htable
 *   v0      the product
 *   v4      Xi
 *   v5 v6   H/x, the sum of its halves
 *
 * AAPCS64, a leaf without a frame. Loses x9, v0-v6, v29-v31.
 */
        .globl  rig_ghash_gmult_pmull8
        .type   rig_ghash_gmult_pmull8, %function
        .p2align 4
rig_ghash_gmult_pmull8:
        .cfi_startproc
        CONSTANTS
        ldr     q4, [x0]
        ldr     q5, [x1, #PMULL8_POWERS + 112]
        ldr     d6, [x1, #PMULL8_SUMS + 56]
        rev64   v4.16b, v4.16b
        MULTIPLY v4, v5, v6
        REDUCE
        rev64   v0.16b, v0.16b
        str     q0, [x0]
        ret
        .cfi_endproc
        .size   rig_ghash_gmult_pmull8, . - rig_ghash_gmult_pmull8

/*
 * void rig_ghash_ghash_pmull8(uint8_t Xi[16], const void *Htable,
 *                             const uint8_t *in, size_t len);
 *
 *   x0       Xi
 *   x1       Htable
 *   x2       the next block of in
 *   x3       bytes left, a multiple of 16, 0 allowed
 *   x4 x5    the next power and its sum
 *   v0       Xi
 *   v1-v3    the low, the high and the middle sum of products
 *   v4-v7    blocks
 *   v16-v23  H^8/x to H/x
 *   v24-v27  the sums of their halves, in pairs
 *
 * AAPCS64, a leaf without a frame. Loses x2-x5, x9, v0-v7, v16-v31 and the
 * flags.
 */
        .globl  rig_ghash_ghash_pmull8
        .type   rig_ghash_ghash_pmull8, %function
        .p2align 4
rig_ghash_ghash_pmull8:
        .cfi_startproc
        cbz     x3, 5f
        CONSTANTS
        ldr     q0, [x0]
        rev64   v0.16b, v0.16b
        cmp     x3, #128
        b.lo    2f
        add     x4, x1, #PMULL8_POWERS
        add     x5, x1, #PMULL8_SUMS
        ld1     {v16.2d, v17.2d, v18.2d, v19.2d}, [x4], #64
        ld1     {v20.2d, v21.2d, v22.2d, v23.2d}, [x4]
        ld1     {v24.2d, v25.2d, v26.2d, v27.2d}, [x5]
1:      LOAD_FOUR
        CLEAR_SUMS
        eor     v4.16b, v4.16b, v0.16b
        ADD_PAIR v4, v5, v16, v17, v24
        ADD_PAIR v6, v7, v18, v19, v25
        LOAD_FOUR
        ADD_PAIR v4, v5, v20, v21, v26
        ADD_PAIR v6, v7, v22, v23, v27
        REDUCE
        sub     x3, x3, #128
        cmp     x3, #128
        b.hs    1b
        cbz     x3, 4f

        /* 1 to 7 blocks: the powers for n of them begin with H^n. */
2:      add     x4, x1, #PMULL8_POWERS + 128
        add     x5, x1, #PMULL8_SUMS + 64
        sub     x4, x4, x3
        sub     x5, x5, x3, lsr #1
        CLEAR_SUMS
3:      ldr     q4, [x2], #16
        ldr     q5, [x4], #16
        ldr     d6, [x5], #8
        rev64   v4.16b, v4.16b
        eor     v4.16b, v4.16b, v0.16b
        movi    v0.2d, #0
        ADD_PRODUCT v1, pmull2, v4, v5, 2d
        ADD_PRODUCT v2, pmull, v4, v5, 1d
        ext     v7.16b, v4.16b, v4.16b, #8
        eor     v4.16b, v4.16b, v7.16b
        ADD_PRODUCT v3, pmull, v4, v6, 1d
        subs    x3, x3, #16
        b.ne    3b
        REDUCE
4:      rev64   v0.16b, v0.16b
        str     q0, [x0]
5:      ret
        .cfi_endproc
        .size   rig_ghash_ghash_pmull8, . - rig_ghash_ghash_pmull8

        .section .note.GNU-stack, "", %progbits
