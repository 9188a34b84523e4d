/*
 * GHASH in constant time by pshufb, for i386: the method and the table of
 * ghash_ssse3.S in eight registers. Every product reads the whole table, in
 * order, and the secrets are only ever pshufb's indices.
 *
 * A block is read as a big-endian number, x^i at bit 127 - i; in a register its
 * first byte is the highest. T(n) is n * H, n's bit 3 as x^0. Row j of Htable is
 * byte j, counted from the highest, of T(0) to T(15). One pshufb by the block's
 * 16 high nibbles gives byte j of 16 products at once, where lane and row both
 * weigh x^8: the rows are added up with a step of one byte between them. The
 * low nibbles' sum is the same, to be shifted by x^4 at the end.
 *
 * Constants are immediates, so the text needs no relocation.
 */

        .text

/* The order of bytes for SWAP, on the stack; PUSHED bytes of it. */
        .set    PUSHED, 16
        .macro  PUSH_ORDER
        pushl   $0x00010203
        .cfi_adjust_cfa_offset 4
        pushl   $0x04050607
        .cfi_adjust_cfa_offset 4
        pushl   $0x08090a0b
        .cfi_adjust_cfa_offset 4
        pushl   $0x0c0d0e0f
        .cfi_adjust_cfa_offset 4
        .endm

        .macro  DROP_ORDER
        add     $PUSHED, %esp
        .cfi_adjust_cfa_offset -PUSHED
        .endm

/* \block with its bytes in reverse; xmm7 is lost. */
        .macro  SWAP block
        movdqu  (%esp), %xmm7
        pshufb  %xmm7, \block
        .endm

/*
 * \to = \from * x, where xmm7 holds the polynomial's top bits; xmm4 is lost.
 * The carry's mask goes through psrad, so that no time depends on it.
 */
        .macro  TIMES_X from, to
        movdqa  \from, \to
        movdqa  \from, %xmm4
        psllq   $63, %xmm4
        psrldq  $8, %xmm4
        psrlq   $1, \to
        por     %xmm4, \to
        movdqa  \from, %xmm4
        pslld   $31, %xmm4
        psrad   $31, %xmm4
        pshufd  $0, %xmm4, %xmm4
        pand    %xmm7, %xmm4
        pxor    %xmm4, \to
        .endm

/* xmm5 ^= the byte at xmm6 of \multiple in the lanes that \shift of ones leaves. */
        .macro  ADD_BYTE multiple, shift, bits
        movdqa  \multiple, %xmm4
        pshufb  %xmm6, %xmm4
        pcmpeqd %xmm7, %xmm7
        \shift  $\bits, %xmm7
        pand    %xmm7, %xmm4
        pxor    %xmm4, %xmm5
        .endm

/*
 * xmm0 = xmm0 * H, with the table at edx. ecx and xmm1-xmm7 are lost:
 *   ecx        offset from the table's end
 *   xmm1 xmm2  the high and the low nibbles
 *   xmm3:xmm4  256-bit sum of the high nibbles' products, x^i at bit 255 - i
 *   xmm5:xmm6  that of the low nibbles
 */
        .macro  MULTIPLY
        pcmpeqd %xmm7, %xmm7
        psrlw   $12, %xmm7
        packuswb %xmm7, %xmm7
        movdqa  %xmm0, %xmm1
        movdqa  %xmm0, %xmm2
        psrlw   $4, %xmm1
        pand    %xmm7, %xmm1
        pand    %xmm7, %xmm2
        pxor    %xmm3, %xmm3
        pxor    %xmm4, %xmm4
        pxor    %xmm5, %xmm5
        pxor    %xmm6, %xmm6
        mov     $-256, %ecx
1:      movdqa  256(%edx,%ecx), %xmm7
        movdqa  %xmm7, %xmm0
        pshufb  %xmm1, %xmm7
        pshufb  %xmm2, %xmm0
        pxor    %xmm7, %xmm4
        pxor    %xmm0, %xmm6
        palignr $15, %xmm4, %xmm3
        palignr $15, %xmm6, %xmm5
        pslldq  $1, %xmm4
        pslldq  $1, %xmm6
        add     $16, %ecx
        jnz     1b

        /* xmm3:xmm4 ^= xmm5:xmm6 >> 4. */
        movdqa  %xmm5, %xmm7
        movdqa  %xmm5, %xmm0
        palignr $8, %xmm6, %xmm7
        psrldq  $8, %xmm0
        psrlq   $4, %xmm6
        psrlq   $4, %xmm5
        psllq   $60, %xmm7
        psllq   $60, %xmm0
        pxor    %xmm6, %xmm4
        pxor    %xmm5, %xmm3
        pxor    %xmm7, %xmm4
        pxor    %xmm0, %xmm3

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
 *   eax        Htable, row by row
 *   edx        H
 *   ecx        rows left
 *   xmm0-xmm3  T(8), T(4), T(2), T(1)
 *   xmm5       the row
 *   xmm6       which byte of T, in each byte
 *
 * System V ABI for i386, a leaf without a frame. Loses eax, ecx, edx, xmm0-xmm7
 * and the flags.
 */
        .globl  rig_ghash_init_ssse3
        .type   rig_ghash_init_ssse3, @function
        .p2align 4
rig_ghash_init_ssse3:
        .cfi_startproc
        mov     4(%esp), %eax
        mov     8(%esp), %edx
        movdqu  (%edx), %xmm0
        pshufd  $0x4e, %xmm0, %xmm0
        mov     $0xe1000000, %ecx
        movd    %ecx, %xmm7
        pslldq  $12, %xmm7
        TIMES_X %xmm0, %xmm1
        TIMES_X %xmm1, %xmm2
        TIMES_X %xmm2, %xmm3
        pcmpeqd %xmm6, %xmm6
        psrlw   $12, %xmm6
        packuswb %xmm6, %xmm6
        mov     $16, %ecx
1:      pxor    %xmm5, %xmm5
        ADD_BYTE %xmm0, pslldq, 8
        ADD_BYTE %xmm1, psllq, 32
        ADD_BYTE %xmm2, pslld, 16
        ADD_BYTE %xmm3, psllw, 8
        movdqa  %xmm5, (%eax)
        pcmpeqd %xmm7, %xmm7
        paddb   %xmm7, %xmm6
        add     $16, %eax
        dec     %ecx
        jnz     1b
        ret
        .cfi_endproc
        .size   rig_ghash_init_ssse3, . - rig_ghash_init_ssse3

/*
 * void rig_ghash_gmult_ssse3(uint8_t Xi[16], const void *Htable);
 *
 *   eax   Xi
 *   edx   Htable
 *   xmm0  the product
 *
 * System V ABI for i386, a leaf with a frame of 16 bytes. Loses eax, ecx, edx,
 * xmm0-xmm7 and the flags.
 */
        .globl  rig_ghash_gmult_ssse3
        .type   rig_ghash_gmult_ssse3, @function
        .p2align 4
rig_ghash_gmult_ssse3:
        .cfi_startproc
        mov     4(%esp), %eax
        mov     8(%esp), %edx
        PUSH_ORDER
        movdqu  (%eax), %xmm0
        SWAP    %xmm0
        MULTIPLY
        SWAP    %xmm0
        movdqu  %xmm0, (%eax)
        DROP_ORDER
        ret
        .cfi_endproc
        .size   rig_ghash_gmult_ssse3, . - rig_ghash_gmult_ssse3

/*
 * void rig_ghash_ghash_ssse3(uint8_t Xi[16], const void *Htable,
 *                            const uint8_t *in, size_t len);
 *
 *   eax   Xi
 *   edx   Htable
 *   esi   the next block of in
 *   ebx   bytes left, a multiple of 16, 0 allowed
 *   xmm0  the sum
 *
 * System V ABI for i386, a leaf that saves ebx and esi and has a frame of 16
 * bytes. Loses eax, ecx, edx, xmm0-xmm7 and the flags.
 */
        .globl  rig_ghash_ghash_ssse3
        .type   rig_ghash_ghash_ssse3, @function
        .p2align 4
rig_ghash_ghash_ssse3:
        .cfi_startproc
        push    %ebx
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %ebx, 0
        push    %esi
        .cfi_adjust_cfa_offset 4
        .cfi_rel_offset %esi, 0
        mov     12(%esp), %eax
        mov     16(%esp), %edx
        mov     20(%esp), %esi
        mov     24(%esp), %ebx
        test    %ebx, %ebx
        jz      3f
        PUSH_ORDER
        movdqu  (%eax), %xmm0
        SWAP    %xmm0
2:      movdqu  (%esi), %xmm1
        SWAP    %xmm1
        pxor    %xmm1, %xmm0
        MULTIPLY
        add     $16, %esi
        sub     $16, %ebx
        jnz     2b
        SWAP    %xmm0
        movdqu  %xmm0, (%eax)
        DROP_ORDER
3:      pop     %esi
        .cfi_adjust_cfa_offset -4
        .cfi_restore %esi
        pop     %ebx
        .cfi_adjust_cfa_offset -4
        .cfi_restore %ebx
        ret
        .cfi_endproc
        .size   rig_ghash_ghash_ssse3, . - rig_ghash_ghash_ssse3

        .section .note.GNU-stack, "", @progbits
