/*
 * Instructions that the variants' `needs` do not allow. All have the prototype
 * of chacha20_ctr32 and let faulty_chacha20_work do the work, with its arguments
 * in rdi, rsi, rdx, rcx and r8 untouched; each changes rax and xmm0 at most.
 */
        .text

        .macro begin name
        .globl \name
        .type \name, @function
        .p2align 4
\name:
        .cfi_startproc
        .endm

        .macro finish name
        jmp faulty_chacha20_work
        .cfi_endproc
        .size \name, .-\name
        .endm

/* The twin: what every CPU takes, or takes for a nop. */
        begin faulty_chacha20_benign
        endbr64
        pause
        nopw (%rax,%rax)
        prefetchw (%rsp)
        cmovel %eax, %eax
        bsfl %edx, %eax
        finish faulty_chacha20_benign

        begin faulty_chacha20_sse41
        pxor %xmm0, %xmm0
        ptest %xmm0, %xmm0
        ptest %xmm0, %xmm0
        finish faulty_chacha20_sse41

        begin faulty_chacha20_movbe
        movbe (%r8), %eax
        finish faulty_chacha20_movbe

        begin faulty_chacha20_rorx
        rorx $1, %eax, %eax
        finish faulty_chacha20_rorx

/* All CPUs with AES have SSSE3 too, but AES does not say so. */
        begin faulty_chacha20_pshufb
        pshufb %xmm0, %xmm0
        finish faulty_chacha20_pshufb

        begin faulty_chacha20_scan
        tzcntq %rdx, %rax
        finish faulty_chacha20_scan

        begin faulty_chacha20_zeros
        tzcntq %rdx, %rax
        lzcntq %rdx, %rax
        finish faulty_chacha20_zeros

/* For a length that no case has. */
        begin faulty_chacha20_unrun
        cmpq $-1, %rdx
        jne faulty_chacha20_work
        ptest %xmm0, %xmm0
        finish faulty_chacha20_unrun

/* A helper that avx may use; no_avx comes to it by a pointer that no flow shows. */
        .type with_avx, @function
        .p2align 4
with_avx:
        .cfi_startproc
        vpxor %xmm0, %xmm0, %xmm0
        finish with_avx

        begin faulty_chacha20_no_avx
        movq pointer(%rip), %rax
        jmp *%rax
        .cfi_endproc
        .size faulty_chacha20_no_avx, .-faulty_chacha20_no_avx

        begin faulty_chacha20_avx
        pshufb %xmm0, %xmm0
        jmp with_avx
        .cfi_endproc
        .size faulty_chacha20_avx, .-faulty_chacha20_avx

        .data
        .p2align 3
pointer:
        .quad with_avx

        .section .note.GNU-stack,"",@progbits
