/*
 * GHASH in constant time by pshufb: every product reads the whole table, in
 * order, and the secrets are only ever pshufb's indices.
 *
 * A block is read as a big-endian number, x^i at bit 127 - i; in a register its
 * first byte is the highest. T(n) is n * H, n's bit 3 as x^0. Row j of Htable is
 * byte j, counted from the highest, of T(0) to T(15). One pshufb by the block's
 * 16 high nibbles gives byte j of 16 products at once, where lane and row both
 * weigh x^8: the rows are added up with a step of one byte between them. The
 * low nibbles' sum is the same, to be shifted by x^4 at the end.
 */

        .section .rodata
        .p2align 4
.Lswap: .byte   15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
.Lnibble:
        .fill   16, 1, 0x0f
/* Byte 15 in the lanes n that have bit 3, 2, 1 or 0; in the others none. */
.Lbit3: .fill   8, 1, 0x8f
        .fill   8, 1, 0x0f
.Lbit2: .quad   0x0f0f0f0f8f8f8f8f, 0x0f0f0f0f8f8f8f8f
.Lbit1: .fill   4, 4, 0x0f0f8f8f
.Lbit0: .fill   8, 2, 0x0f8f

        .text

/* rax:rdx = rax:rdx * x; rcx is lost, r8 holds the polynomial's top bits. */
        .macro  TIMES_X
        mov     %rdx, %rcx
        and     $1, %ecx
        neg     %rcx
        and     %r8, %rcx
        shrd    $1, %rax, %rdx
        shr     $1, %rax
        xor     %rcx, %rax
        .endm

/* \to = rax:rdx; xmm8 is lost. */
        .macro  MOVE_TO to
        movq    %rdx, \to
        movq    %rax, %xmm8
        punpcklqdq %xmm8, \to
        .endm

/*
 * xmm0 = xmm0 * H, with the table at rsi, xmm9 unchanged and 0x0f in each byte
 * of xmm10. rax and xmm1-xmm8 are lost:
 *   rax        offset from the table's end
 *   xmm1 xmm2  the high and the low nibbles
 *   xmm3:xmm4  256-bit sum of the high nibbles' products, x^i at bit 255 - i
 *   xmm5:xmm6  that of the low nibbles
 */
        .macro  MULTIPLY
        movdqa  %xmm0, %xmm1
        movdqa  %xmm0, %xmm2
        psrlw   $4, %xmm1
        pand    %xmm10, %xmm1
        pand    %xmm10, %xmm2
        pxor    %xmm3, %xmm3
        pxor    %xmm4, %xmm4
        pxor    %xmm5, %xmm5
        pxor    %xmm6, %xmm6
        mov     $-256, %rax
1:      movdqa  256(%rsi,%rax), %xmm7
        movdqa  %xmm7, %xmm8
        pshufb  %xmm1, %xmm7
        pshufb  %xmm2, %xmm8
        pxor    %xmm7, %xmm4
        pxor    %xmm8, %xmm6
        palignr $15, %xmm4, %xmm3
        palignr $15, %xmm6, %xmm5
        pslldq  $1, %xmm4
        pslldq  $1, %xmm6
        add     $16, %rax
        jnz     1b

        /* xmm3:xmm4 ^= xmm5:xmm6 >> 4. */
        movdqa  %xmm5, %xmm7
        movdqa  %xmm5, %xmm8
        palignr $8, %xmm6, %xmm7
        psrldq  $8, %xmm8
        psrlq   $4, %xmm6
        psrlq   $4, %xmm5
        psllq   $60, %xmm7
        psllq   $60, %xmm8
        pxor    %xmm6, %xmm4
        pxor    %xmm5, %xmm3
        pxor    %xmm7, %xmm4
        pxor    %xmm8, %xmm3

        /* x^128 = 1 + x + x^2 + x^7: first the bits that cross a half's end. */
        movdqa  %xmm4, %xmm5
        psllq   $1, %xmm5
        pxor    %xmm4, %xmm5
        psllq   $5, %xmm5
        pxor    %xmm4, %xmm5
        psllq   $57, %xmm5
        movdqa  %xmm5, %xmm6
        pslldq  $8, %xmm5
        psrldq  $8, %xmm6
        pxor    %xmm5, %xmm4
        pxor    %xmm6, %xmm3
        movdqa  %xmm4, %xmm0
        pxor    %xmm3, %xmm0
        psrlq   $1, %xmm4
        pxor    %xmm4, %xmm0
        psrlq   $1, %xmm4
        pxor    %xmm4, %xmm0
        psrlq   $5, %xmm4
        pxor    %xmm4, %xmm0
        .endm

/*
 * void rig_ghash_init_ssse3(void *Htable, const uint64_t H[2]);
 *
 *   rdi        Htable, row by row
 *   rsi        H
 *   rax:rdx    H times 1, x, x^2, x^3
 *   ecx        rows left
 *   xmm0-xmm3  T(8), T(4), T(2), T(1)
 *   xmm4-xmm7  the row's byte for each of them, in the lanes that take it
 *   xmm10      -1 in each byte
 *
 * System V ABI, a leaf without a frame. Loses rax, rcx, rdx, rdi, r8,
 * xmm0-xmm10 and the flags.
 */
        .globl  rig_ghash_init_ssse3
        .type   rig_ghash_init_ssse3, @function
        .p2align 4
rig_ghash_init_ssse3:
        .cfi_startproc
        mov     (%rsi), %rax
        mov     8(%rsi), %rdx
        movabs  $0xe100000000000000, %r8
        MOVE_TO %xmm0
        TIMES_X
        MOVE_TO %xmm1
        TIMES_X
        MOVE_TO %xmm2
        TIMES_X
        MOVE_TO %xmm3
        movdqa  .Lbit3(%rip), %xmm4
        movdqa  .Lbit2(%rip), %xmm5
        movdqa  .Lbit1(%rip), %xmm6
        movdqa  .Lbit0(%rip), %xmm7
        pcmpeqd %xmm10, %xmm10
        mov     $16, %ecx
1:      movdqa  %xmm0, %xmm8
        pshufb  %xmm4, %xmm8
        movdqa  %xmm1, %xmm9
        pshufb  %xmm5, %xmm9
        pxor    %xmm9, %xmm8
        movdqa  %xmm2, %xmm9
        pshufb  %xmm6, %xmm9
        pxor    %xmm9, %xmm8
        movdqa  %xmm3, %xmm9
        pshufb  %xmm7, %xmm9
        pxor    %xmm9, %xmm8
        movdqa  %xmm8, (%rdi)
        paddb   %xmm10, %xmm4
        paddb   %xmm10, %xmm5
        paddb   %xmm10, %xmm6
        paddb   %xmm10, %xmm7
        add     $16, %rdi
        dec     %ecx
        jnz     1b
        ret
        .cfi_endproc
        .size   rig_ghash_init_ssse3, . - rig_ghash_init_ssse3

/*
 * void rig_ghash_gmult_ssse3(uint8_t Xi[16], const void *Htable);
 *
 *   rdi         Xi
 *   rsi         Htable
 *   xmm0        the product
 *   xmm9 xmm10  byte swap, 0x0f in each byte
 *
 * System V ABI, a leaf without a frame. Loses rax, xmm0-xmm10 and the flags.
 */
        .globl  rig_ghash_gmult_ssse3
        .type   rig_ghash_gmult_ssse3, @function
        .p2align 4
rig_ghash_gmult_ssse3:
        .cfi_startproc
        movdqa  .Lswap(%rip), %xmm9
        movdqa  .Lnibble(%rip), %xmm10
        movdqu  (%rdi), %xmm0
        pshufb  %xmm9, %xmm0
        MULTIPLY
        pshufb  %xmm9, %xmm0
        movdqu  %xmm0, (%rdi)
        ret
        .cfi_endproc
        .size   rig_ghash_gmult_ssse3, . - rig_ghash_gmult_ssse3

/*
 * void rig_ghash_ghash_ssse3(uint8_t Xi[16], const void *Htable,
 *                            const uint8_t *in, size_t len);
 *
 *   rdi         Xi
 *   rsi         Htable
 *   rdx         the next block of in
 *   rcx         bytes left, a multiple of 16, 0 allowed
 *   xmm0        the sum
 *   xmm9 xmm10  byte swap, 0x0f in each byte
 *
 * System V ABI, a leaf without a frame. Loses rax, rcx, rdx, xmm0-xmm10 and
 * the flags.
 */
        .globl  rig_ghash_ghash_ssse3
        .type   rig_ghash_ghash_ssse3, @function
        .p2align 4
rig_ghash_ghash_ssse3:
        .cfi_startproc
        test    %rcx, %rcx
        jz      3f
        movdqa  .Lswap(%rip), %xmm9
        movdqa  .Lnibble(%rip), %xmm10
        movdqu  (%rdi), %xmm0
        pshufb  %xmm9, %xmm0
2:      movdqu  (%rdx), %xmm1
        pshufb  %xmm9, %xmm1
        pxor    %xmm1, %xmm0
        MULTIPLY
        add     $16, %rdx
        sub     $16, %rcx
        jnz     2b
        pshufb  %xmm9, %xmm0
        movdqu  %xmm0, (%rdi)
3:      ret
        .cfi_endproc
        .size   rig_ghash_ghash_ssse3, . - rig_ghash_ghash_ssse3

        .section .note.GNU-stack, "", @progbits
