/*
 * Faults in call frame information, arm. All have the prototype of
 * chacha20_ctr32, use r4 meanwhile, the vector ones d8, and leave the work to
 * faulty_chacha20_work, with the arguments untouched.
 */
#define RIGHT 0
#define MOVED 1     /* the push does not move the CFA */
#define EPILOGUE 2  /* nor does the pop, alone */
#define SLOT 3      /* r4 is said to be one word lower */
#define BARE 4      /* no information at all */

        .syntax unified
        .arch armv7-a
        .fpu neon
        .arm
        .cfi_sections .debug_frame
        .text

        .macro begin name, fault
        .globl \name
        .type \name, %function
        .p2align 2
\name:
        .if \fault != BARE
        .cfi_startproc
        .endif
        .endm

        .macro end name, fault
        .if \fault != BARE
        .cfi_endproc
        .endif
        .size \name, .-\name
        .endm

        .macro framed name, fault
        begin \name, \fault
        push {r4, lr}
        .if \fault != BARE
        .if \fault != MOVED
        .cfi_def_cfa_offset 8
        .endif
        .cfi_offset lr, -4
        .if \fault == SLOT
        .cfi_offset r4, -12
        .else
        .cfi_offset r4, -8
        .endif
        .endif
        mov r4, #0
        bl helper
        pop {r4, lr}
        .if \fault != BARE
        .if \fault != EPILOGUE
        .cfi_def_cfa_offset 0
        .endif
        .cfi_restore r4
        .cfi_restore lr
        .endif
        b faulty_chacha20_work
        end \name, \fault
        .endm

        framed faulty_chacha20_twin, RIGHT
        framed faulty_chacha20_moved, MOVED
        framed faulty_chacha20_epilogue, EPILOGUE
        framed faulty_chacha20_slot, SLOT
        framed faulty_chacha20_bare, BARE

        .macro vector name, fault
        begin \name, RIGHT
        vpush {d8}
        .cfi_def_cfa_offset 8
        .if \fault == RIGHT
        .cfi_offset d8, -8
        .endif
        vmov.i32 d8, #0
        vpop {d8}
        .cfi_def_cfa_offset 0
        .if \fault == RIGHT
        .cfi_restore d8
        .endif
        b faulty_chacha20_work
        end \name, RIGHT
        .endm

        vector faulty_chacha20_vector_twin, RIGHT
        vector faulty_chacha20_vector, SLOT

/* Neither moves the stack pointer nor has information, which it does not need. */
        begin faulty_chacha20_leaf, BARE
        mov r12, #0
        b faulty_chacha20_work
        end faulty_chacha20_leaf, BARE

        .type helper, %function
        .p2align 2
helper:
        .cfi_startproc
        push {r5, r6}
        .cfi_def_cfa_offset 8
        .cfi_offset r5, -8
        .cfi_offset r6, -4
        mov r5, #0
        pop {r5, r6}
        .cfi_def_cfa_offset 0
        .cfi_restore r5
        .cfi_restore r6
        bx lr
        .cfi_endproc
        .size helper, .-helper

        .section .note.GNU-stack,"",%progbits
