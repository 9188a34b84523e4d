/*
 * Faults that C cannot express. Both hand the work to control_run, the plain
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

        .section .note.GNU-stack,"",@progbits
