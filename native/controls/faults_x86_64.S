/*
 * Faults that C cannot express. All hand the work to control_run, the plain
 * function of faults.c.
 */
        .text

/*
 * void control_clobber(uint8_t *out, const uint8_t *in, size_t len,
 *                      const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * System V ABI, broken on purpose: rbx is not restored.
 */
        .globl control_clobber
        .type control_clobber, @function
        .p2align 4
control_clobber:
        .cfi_startproc
        xorl    %ebx, %ebx
        jmp     control_run
        .cfi_endproc
        .size control_clobber, .-control_clobber

/*
 * void control_above(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * System V, broken on purpose: len goes into the caller's frame, above the return address.
 */
        .globl control_above
        .type control_above, @function
        .p2align 4
control_above:
        .cfi_startproc
        movq    %rdx, 16(%rsp)
        jmp     control_run
        .cfi_endproc
        .size control_above, .-control_above

/*
 * void control_uppers(uint8_t *out, const uint8_t *in, size_t len,
 *                     const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * Leaves bits 128 to 255 of ymm0 in use: no vzeroupper.
 */
        .globl control_uppers
        .type control_uppers, @function
        .p2align 4
control_uppers:
        .cfi_startproc
        vcmpps  $15, %ymm0, %ymm0, %ymm0
        jmp     control_run
        .cfi_endproc
        .size control_uppers, .-control_uppers

/*
 * void control_below(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * System V, broken on purpose: len goes below the red zone.
 */
        .globl control_below
        .type control_below, @function
        .p2align 4
control_below:
        .cfi_startproc
        movq    %rdx, -136(%rsp)
        jmp     control_run
        .cfi_endproc
        .size control_below, .-control_below

/*
 * void control_exits(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * Ends the process by exit(3) where len is 65.
 */
        .globl control_exits
        .type control_exits, @function
        .p2align 4
control_exits:
        .cfi_startproc
        cmpq    $65, %rdx
        jne     control_run
        movl    $3, %edi
        movl    $60, %eax
        syscall
        ud2
        .cfi_endproc
        .size control_exits, .-control_exits

/*
 * void control_sse41(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * Claims to need SSSE3 only, and executes an instruction of SSE4.1.
 */
        .globl control_sse41
        .type control_sse41, @function
        .p2align 4
control_sse41:
        .cfi_startproc
        pxor    %xmm0, %xmm0
        ptest   %xmm0, %xmm0
        jmp     control_run
        .cfi_endproc
        .size control_sse41, .-control_sse41

/*
 * void control_sse41_unrun(uint8_t *out, const uint8_t *in, size_t len,
 *                          const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * The same, but the instruction is for a length that no case has.
 */
        .globl control_sse41_unrun
        .type control_sse41_unrun, @function
        .p2align 4
control_sse41_unrun:
        .cfi_startproc
        cmpq    $-1, %rdx
        jne     control_run
        pxor    %xmm0, %xmm0
        ptest   %xmm0, %xmm0
        jmp     control_run
        .cfi_endproc
        .size control_sse41_unrun, .-control_sse41_unrun

/*
 * void control_framed(uint8_t *out, const uint8_t *in, size_t len,
 *                     const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * Saves and restores a register, with call frame information; must pass.
 */
        .globl control_framed
        .type control_framed, @function
        .p2align 4
control_framed:
        .cfi_startproc
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        xorl    %ebx, %ebx
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        jmp     control_run
        .cfi_endproc
        .size control_framed, .-control_framed

/*
 * void control_misframed(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: rdi out, rsi in, rdx len, rcx key, r8 counter.
 * The same, but its epilogue leaves the CFA where it was.
 */
        .globl control_misframed
        .type control_misframed, @function
        .p2align 4
control_misframed:
        .cfi_startproc
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        xorl    %ebx, %ebx
        popq    %rbx
        .cfi_restore %rbx
        jmp     control_run
        .cfi_endproc
        .size control_misframed, .-control_misframed

        .section .note.GNU-stack,"",@progbits
