/*
 * Faults that C cannot express. All hand the work to control_run, the plain
 * function of faults.c.
 */
        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .cfi_sections .debug_frame
        .text

/*
 * void control_clobber(uint8_t *out, const uint8_t *in, size_t len,
 *                      const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * AAPCS32, broken on purpose: r4 is not restored.
 */
        .globl control_clobber
        .type control_clobber, %function
        .p2align 2
control_clobber:
        .cfi_startproc
        mov     r4, #0
        b       control_run
        .cfi_endproc
        .size control_clobber, .-control_clobber

/*
 * void control_clobber_d(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * AAPCS32, broken on purpose: d8 is not restored.
 */
        .globl control_clobber_d
        .type control_clobber_d, %function
        .p2align 2
control_clobber_d:
        .cfi_startproc
        vmov.i32 d8, #0
        b       control_run
        .cfi_endproc
        .size control_clobber_d, .-control_clobber_d

/*
 * void control_above(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * AAPCS32, broken on purpose: len goes into the caller's frame, above the argument.
 */
        .globl control_above
        .type control_above, %function
        .p2align 2
control_above:
        .cfi_startproc
        str     r2, [sp, #8]
        b       control_run
        .cfi_endproc
        .size control_above, .-control_above

/*
 * void control_below(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * AAPCS32, broken on purpose: len goes below the stack pointer.
 */
        .globl control_below
        .type control_below, %function
        .p2align 2
control_below:
        .cfi_startproc
        str     r2, [sp, #-4]
        b       control_run
        .cfi_endproc
        .size control_below, .-control_below

/*
 * void control_exits(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * Ends the process by exit(3) where len is 65.
 */
        .globl control_exits
        .type control_exits, %function
        .p2align 2
control_exits:
        .cfi_startproc
        cmp     r2, #65
        bne     control_run
        mov     r0, #3
        mov     r7, #1
        svc     #0
        udf     #0
        .cfi_endproc
        .size control_exits, .-control_exits

/*
 * void control_neon(uint8_t *out, const uint8_t *in, size_t len,
 *                   const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * Claims to need nothing, and executes an instruction of NEON.
 */
        .globl control_neon
        .type control_neon, %function
        .p2align 2
control_neon:
        .cfi_startproc
        veor    q0, q0, q1
        b       control_run
        .cfi_endproc
        .size control_neon, .-control_neon

/*
 * void control_neon_unrun(uint8_t *out, const uint8_t *in, size_t len,
 *                         const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * The same, but the instruction is for a length that no case has.
 */
        .globl control_neon_unrun
        .type control_neon_unrun, %function
        .p2align 2
control_neon_unrun:
        .cfi_startproc
        cmn     r2, #1
        bne     control_run
        veor    q0, q0, q1
        b       control_run
        .cfi_endproc
        .size control_neon_unrun, .-control_neon_unrun

/*
 * void control_pool(uint8_t *out, const uint8_t *in, size_t len,
 *                   const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * Right, by a literal pool that stands in its way; must pass.
 */
        .globl control_pool
        .type control_pool, %function
        .p2align 2
control_pool:
        .cfi_startproc
        ldr     r12, 1f
        b       2f
1:      .word   0xe1a00000              @ mov r0, r0, if it were code
2:      sub     r12, r12, #0xe1000000
        subs    r12, r12, #0x00a00000
        beq     control_run
        bx      lr
        .cfi_endproc
        .size control_pool, .-control_pool

/*
 * void control_beside_pool(uint8_t *out, const uint8_t *in, size_t len,
 *                          const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * Claims to need nothing; behind its literal pool NEON is executed.
 */
        .globl control_beside_pool
        .type control_beside_pool, %function
        .p2align 2
control_beside_pool:
        .cfi_startproc
        ldr     r12, 1f
        b       2f
1:      .word   0x01234567
2:      veor    q0, q0, q1
        b       control_run
        .cfi_endproc
        .size control_beside_pool, .-control_beside_pool

/*
 * void control_framed(uint8_t *out, const uint8_t *in, size_t len,
 *                     const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * Saves and restores a register, with call frame information; must pass.
 */
        .globl control_framed
        .type control_framed, %function
        .p2align 2
control_framed:
        .cfi_startproc
        push    {r4, r5}
        .cfi_def_cfa_offset 8
        .cfi_offset r4, -8
        .cfi_offset r5, -4
        mov     r4, #0
        pop     {r4, r5}
        .cfi_def_cfa_offset 0
        .cfi_restore r4
        .cfi_restore r5
        b       control_run
        .cfi_endproc
        .size control_framed, .-control_framed

/*
 * void control_misframed(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: r0 out, r1 in, r2 len, r3 key, on the stack counter.
 * The same, but its epilogue leaves the CFA where it was.
 */
        .globl control_misframed
        .type control_misframed, %function
        .p2align 2
control_misframed:
        .cfi_startproc
        push    {r4, r5}
        .cfi_def_cfa_offset 8
        .cfi_offset r4, -8
        .cfi_offset r5, -4
        mov     r4, #0
        pop     {r4, r5}
        .cfi_restore r4
        .cfi_restore r5
        b       control_run
        .cfi_endproc
        .size control_misframed, .-control_misframed

        .section .note.GNU-stack,"",%progbits
