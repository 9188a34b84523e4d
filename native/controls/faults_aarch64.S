/*
 * Faults that C cannot express. All hand the work to control_run, the plain
 * function of faults.c.
 */
        .arch armv8-a+aes
        .text

/*
 * void control_clobber(uint8_t *out, const uint8_t *in, size_t len,
 *                      const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * AAPCS64, broken on purpose: x19 is not restored.
 */
        .globl control_clobber
        .type control_clobber, %function
        .p2align 2
control_clobber:
        .cfi_startproc
        mov     x19, xzr
        b       control_run
        .cfi_endproc
        .size control_clobber, .-control_clobber

/*
 * void control_clobber_d(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * AAPCS64, broken on purpose: d8 is not restored.
 */
        .globl control_clobber_d
        .type control_clobber_d, %function
        .p2align 2
control_clobber_d:
        .cfi_startproc
        movi    d8, #0
        b       control_run
        .cfi_endproc
        .size control_clobber_d, .-control_clobber_d

/*
 * void control_above(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * AAPCS64, broken on purpose: len goes into the caller's frame.
 */
        .globl control_above
        .type control_above, %function
        .p2align 2
control_above:
        .cfi_startproc
        str     x2, [sp, #8]
        b       control_run
        .cfi_endproc
        .size control_above, .-control_above

/*
 * void control_below(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * AAPCS64, broken on purpose: len goes below the stack pointer.
 */
        .globl control_below
        .type control_below, %function
        .p2align 2
control_below:
        .cfi_startproc
        stur    x2, [sp, #-8]
        b       control_run
        .cfi_endproc
        .size control_below, .-control_below

/*
 * void control_exits(uint8_t *out, const uint8_t *in, size_t len,
 *                    const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * Ends the process by exit(3) where len is 65.
 */
        .globl control_exits
        .type control_exits, %function
        .p2align 2
control_exits:
        .cfi_startproc
        cmp     x2, #65
        b.ne    control_run
        mov     x0, #3
        mov     x8, #93
        svc     #0
        brk     #1
        .cfi_endproc
        .size control_exits, .-control_exits

/*
 * void control_aes(uint8_t *out, const uint8_t *in, size_t len,
 *                  const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * Claims to need NEON only, and executes an instruction of AES.
 */
        .globl control_aes
        .type control_aes, %function
        .p2align 2
control_aes:
        .cfi_startproc
        aese    v0.16b, v1.16b
        b       control_run
        .cfi_endproc
        .size control_aes, .-control_aes

/*
 * void control_aes_unrun(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * The same, but the instruction is for a length that no case has.
 */
        .globl control_aes_unrun
        .type control_aes_unrun, %function
        .p2align 2
control_aes_unrun:
        .cfi_startproc
        cmn     x2, #1
        b.ne    control_run
        aese    v0.16b, v1.16b
        b       control_run
        .cfi_endproc
        .size control_aes_unrun, .-control_aes_unrun

/*
 * void control_pool(uint8_t *out, const uint8_t *in, size_t len,
 *                   const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * Right, by a literal pool that stands in its way; must pass.
 */
        .globl control_pool
        .type control_pool, %function
        .p2align 2
control_pool:
        .cfi_startproc
        ldr     w5, 1f
        b       2f
1:      .word   0xd503201f              // nop, if it were code
2:      mov     w6, #0x201f
        movk    w6, #0xd503, lsl #16
        cmp     w5, w6
        b.eq    control_run
        ret
        .cfi_endproc
        .size control_pool, .-control_pool

/*
 * void control_beside_pool(uint8_t *out, const uint8_t *in, size_t len,
 *                          const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * Claims to need NEON only; behind its literal pool AES is executed.
 */
        .globl control_beside_pool
        .type control_beside_pool, %function
        .p2align 2
control_beside_pool:
        .cfi_startproc
        ldr     x5, 1f
        b       2f
1:      .quad   0x0123456789abcdef
2:      aese    v0.16b, v1.16b
        b       control_run
        .cfi_endproc
        .size control_beside_pool, .-control_beside_pool

/*
 * void control_framed(uint8_t *out, const uint8_t *in, size_t len,
 *                     const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * Saves and restores a register, with call frame information; must pass.
 */
        .globl control_framed
        .type control_framed, %function
        .p2align 2
control_framed:
        .cfi_startproc
        str     x19, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x19, -16
        mov     x19, xzr
        ldr     x19, [sp], #16
        .cfi_def_cfa_offset 0
        .cfi_restore x19
        b       control_run
        .cfi_endproc
        .size control_framed, .-control_framed

/*
 * void control_misframed(uint8_t *out, const uint8_t *in, size_t len,
 *                        const uint32_t key[8], const uint32_t counter[4])
 * Arguments: x0 out, x1 in, x2 len, x3 key, x4 counter.
 * The same, but its epilogue leaves the CFA where it was.
 */
        .globl control_misframed
        .type control_misframed, %function
        .p2align 2
control_misframed:
        .cfi_startproc
        str     x19, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x19, -16
        mov     x19, xzr
        ldr     x19, [sp], #16
        .cfi_restore x19
        b       control_run
        .cfi_endproc
        .size control_misframed, .-control_misframed

        .section .note.GNU-stack,"",%progbits
