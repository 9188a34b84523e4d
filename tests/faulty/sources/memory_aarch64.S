/*
 * Writes above the arguments, into the caller's frame. All have the prototype of
 * chacha20_ctr32 and let faulty_chacha20_work do the work, with its arguments untouched:
 * x0 out, x1 in, x2 len, x3 key, x4 counter. ABI: AAPCS64.
 */
        .text

        .macro begin name
        .globl \name
        .type \name, %function
        .p2align 4
\name:
        .cfi_startproc
        .endm

        .macro end name
        .cfi_endproc
        .size \name, .-\name
        .endm

/* The word 8 bytes above the arguments. */
        begin faulty_memory_above
        str x2, [sp, #8]
        b faulty_chacha20_work
        end faulty_memory_above

/* One byte, 303 bytes above the arguments. */
        begin faulty_memory_above_far
        strb w2, [sp, #303]
        b faulty_chacha20_work
        end faulty_memory_above_far

/* Nothing above them. */
        begin faulty_memory_above_twin
        mov x5, sp
        b faulty_chacha20_work
        end faulty_memory_above_twin

/* The first byte that is not the callee's. */
        begin faulty_memory_below
        sturb w2, [sp, #-1]
        b faulty_chacha20_work
        end faulty_memory_below

/* A word of a frame that has been given back. */
        begin faulty_memory_below_late
        str x2, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        add sp, sp, #16
        .cfi_adjust_cfa_offset -16
        stur xzr, [sp, #-16]
        b faulty_chacha20_work
        end faulty_memory_below_late

/* As far down as the ABI allows, and frames that come and go. */
        begin faulty_memory_below_twin
        stp x2, x3, [sp, #-32]!
        .cfi_adjust_cfa_offset 32
        str x2, [sp, #16]
        ldp x2, x3, [sp], #32
        .cfi_adjust_cfa_offset -32
        b faulty_chacha20_work
        end faulty_memory_below_twin

        .section .note.GNU-stack,"",%progbits
