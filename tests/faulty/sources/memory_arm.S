/*
 * Writes above the arguments, into the caller's frame. All have the prototype of
 * chacha20_ctr32 and let faulty_chacha20_work do the work, with its arguments untouched:
 * r0 out, r1 in, r2 len, r3 key, [sp] counter. ABI: AAPCS32.
 */
        .syntax unified
        .arch   armv7-a
        .arm
        .cfi_sections .debug_frame
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
        str r2, [sp, #12]
        b faulty_chacha20_work
        end faulty_memory_above

/* One byte, 303 bytes above the arguments. */
        begin faulty_memory_above_far
        strb r2, [sp, #307]
        b faulty_chacha20_work
        end faulty_memory_above_far

/* Nothing above them. */
        begin faulty_memory_above_twin
        ldr r12, [sp]
        b faulty_chacha20_work
        end faulty_memory_above_twin

/* The first byte that is not the callee's. */
        begin faulty_memory_below
        strb r2, [sp, #-1]
        b faulty_chacha20_work
        end faulty_memory_below

/* A word of a frame that has been given back. */
        begin faulty_memory_below_late
        str r2, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        add sp, sp, #16
        .cfi_adjust_cfa_offset -16
        str sp, [sp, #-16]
        b faulty_chacha20_work
        end faulty_memory_below_late

/* As far down as the ABI allows, and frames that come and go. */
        begin faulty_memory_below_twin
        push {r2, r3}
        .cfi_adjust_cfa_offset 8
        str r2, [sp, #4]
        ldr r2, [sp], #8
        .cfi_adjust_cfa_offset -8
        b faulty_chacha20_work
        end faulty_memory_below_twin

        .section .note.GNU-stack,"",%progbits
