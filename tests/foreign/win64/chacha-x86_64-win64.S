# ChaCha20 by SSE2 in Microsoft's x64 convention, in ELF: rdi and rsi go into the home space above
# the return address, xmm6 to xmm9 onto the stack; nothing lies below the stack pointer.
        .text

        .macro rotate row, left, right
        movdqa  \row, %xmm4
        pslld   $\left, \row
        psrld   $\right, %xmm4
        por     %xmm4, \row
        .endm

        .macro quarters
        paddd   %xmm1, %xmm0
        pxor    %xmm0, %xmm3
        rotate  %xmm3, 16, 16
        paddd   %xmm3, %xmm2
        pxor    %xmm2, %xmm1
        rotate  %xmm1, 12, 20
        paddd   %xmm1, %xmm0
        pxor    %xmm0, %xmm3
        rotate  %xmm3, 8, 24
        paddd   %xmm3, %xmm2
        pxor    %xmm2, %xmm1
        rotate  %xmm1, 7, 25
        .endm

        .macro turn one, three
        pshufd  $\one, %xmm1, %xmm1
        pshufd  $0x4e, %xmm2, %xmm2
        pshufd  $\three, %xmm3, %xmm3
        .endm

# void ChaCha20_ctr32_sse2(uint8_t *out, const uint8_t *in, size_t len,
#                          const uint32_t key[8], const uint32_t counter[4])
# rcx out, rdx in, r8 len, r9 key, 40(%rsp) counter. Keystream at (%rsp), xmm6-xmm9 behind it.
        .globl  ChaCha20_ctr32_sse2
        .type   ChaCha20_ctr32_sse2, @function
        .p2align 5
ChaCha20_ctr32_sse2:
        .cfi_startproc
        movq    40(%rsp), %r10
        movq    %rdi, 8(%rsp)
        .cfi_offset %rdi, 0
        movq    %rsi, 16(%rsp)
        .cfi_offset %rsi, 8
        subq    $136, %rsp
        .cfi_adjust_cfa_offset 136
        movaps  %xmm6, 64(%rsp)
        movaps  %xmm7, 80(%rsp)
        movaps  %xmm8, 96(%rsp)
        movaps  %xmm9, 112(%rsp)
        movq    %rcx, %rdi
        movq    %rdx, %rsi
        movdqu  (%r9), %xmm6
        movdqu  16(%r9), %xmm7
        movdqu  (%r10), %xmm8
        movdqa  .Lsigma(%rip), %xmm9
.Lblock:
        testq   %r8, %r8
        jz      .Ldone
        movdqa  %xmm9, %xmm0
        movdqa  %xmm6, %xmm1
        movdqa  %xmm7, %xmm2
        movdqa  %xmm8, %xmm3
        movl    $10, %eax
.Lround:
        quarters
        turn    0x39, 0x93
        quarters
        turn    0x93, 0x39
        decl    %eax
        jnz     .Lround
        paddd   %xmm9, %xmm0
        paddd   %xmm6, %xmm1
        paddd   %xmm7, %xmm2
        paddd   %xmm8, %xmm3
        paddd   .Lone(%rip), %xmm8
        cmpq    $64, %r8
        jb      .Ltail
        movdqu  (%rsi), %xmm4
        pxor    %xmm4, %xmm0
        movdqu  16(%rsi), %xmm4
        pxor    %xmm4, %xmm1
        movdqu  32(%rsi), %xmm4
        pxor    %xmm4, %xmm2
        movdqu  48(%rsi), %xmm4
        pxor    %xmm4, %xmm3
        movdqu  %xmm0, (%rdi)
        movdqu  %xmm1, 16(%rdi)
        movdqu  %xmm2, 32(%rdi)
        movdqu  %xmm3, 48(%rdi)
        addq    $64, %rsi
        addq    $64, %rdi
        subq    $64, %r8
        jmp     .Lblock
.Ltail:
        movaps  %xmm0, (%rsp)
        movaps  %xmm1, 16(%rsp)
        movaps  %xmm2, 32(%rsp)
        movaps  %xmm3, 48(%rsp)
        xorl    %eax, %eax
.Lbyte:
        movzbl  (%rsi,%rax), %ecx
        xorb    (%rsp,%rax), %cl
        movb    %cl, (%rdi,%rax)
        incq    %rax
        cmpq    %r8, %rax
        jb      .Lbyte
.Ldone:
        movaps  64(%rsp), %xmm6
        movaps  80(%rsp), %xmm7
        movaps  96(%rsp), %xmm8
        movaps  112(%rsp), %xmm9
        addq    $136, %rsp
        .cfi_adjust_cfa_offset -136
        movq    8(%rsp), %rdi
        .cfi_restore %rdi
        movq    16(%rsp), %rsi
        .cfi_restore %rsi
        ret
        .cfi_endproc
        .size   ChaCha20_ctr32_sse2, .-ChaCha20_ctr32_sse2

        .section .rodata
        .p2align 4
.Lsigma:
        .long   0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
.Lone:
        .long   1, 0, 0, 0

        .section .note.GNU-stack, "", @progbits
