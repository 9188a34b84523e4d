/*
 * Faults against Microsoft's x64 convention. All have the prototype of win64.h and let
 * faulty_chacha20_work, which is of System V, do the work.
 *   rcx out, rdx in, r8 len, r9 key, 40(%rsp) counter. Home space is at 8(%rsp).
 */
        .text

        .macro begin name
        .globl \name
        .type \name, @function
        .p2align 4
\name:
        .cfi_startproc
        .endm

        .macro end name
        .cfi_endproc
        .size \name, .-\name
        .endm

        .macro enter name
        begin \name
        movq 40(%rsp), %rax
        pushq %rdi
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rdi, 0
        pushq %rsi
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rsi, 0
        subq $168, %rsp
        .cfi_adjust_cfa_offset 168
        .irp n, 6,7,8,9,10,11,12,13,14,15
        movaps %xmm\n, 16*(\n-6)(%rsp)
        .endr
        movq %rcx, %rdi
        movq %rdx, %rsi
        movq %r8, %rdx
        movq %r9, %rcx
        movq %rax, %r8
        call faulty_chacha20_work
        movl $-1, %esi
        movl $-1, %edi
        .irp n, 6,7,8,9,10,11,12,13,14,15
        pcmpeqd %xmm\n, %xmm\n
        .endr
        .endm

        .macro leave name
        addq $168, %rsp
        .cfi_adjust_cfa_offset -168
        popq %rsi
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rsi
        popq %rdi
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rdi
        ret
        end \name
        .endm

        .macro restore from, to
        .irp n, 6,7,8,9,10,11,12,13,14,15
        .if \n >= \from && \n <= \to
        movaps 16*(\n-6)(%rsp), %xmm\n
        .endif
        .endr
        .endm

/* xmm6 is restored by its twin only; of xmm15 the upper half comes back wrong. */
        enter faulty_win64_xmm6
        restore 7, 15
        leave faulty_win64_xmm6

        enter faulty_win64_xmm15
        restore 6, 14
        movlps 16*9(%rsp), %xmm15
        leave faulty_win64_xmm15

/* System V's idea of rdi and rsi: the callee's. */
        enter faulty_win64_rdi
        restore 6, 15
        movq $0, 176(%rsp)
        leave faulty_win64_rdi

        enter faulty_win64_rsi
        restore 6, 15
        movq %rax, 168(%rsp)
        leave faulty_win64_rsi

/* A fifth word where the home space has four. */
        enter faulty_win64_home
        restore 6, 15
        movq %rax, 184+48(%rsp)
        leave faulty_win64_home

/* System V's red zone. */
        begin faulty_win64_zone
        movq %rcx, -8(%rsp)
        jmp faulty_win64_twin
        end faulty_win64_zone

        enter faulty_win64_twin
        restore 6, 15
        movq %rax, 184+32(%rsp)
        leave faulty_win64_twin

        .section .note.GNU-stack,"",@progbits
