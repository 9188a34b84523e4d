/*
 * Faults in call frame information, aarch64. All have the prototype of
 * chacha20_ctr32, use x19 and d8 meanwhile, and leave the work to
 * faulty_chacha20_work, with the arguments untouched.
 */
#define RIGHT 0
#define MOVED 1     /* the store of the pair does not move the CFA */
#define EPILOGUE 2  /* nor does the load, alone */
#define SLOT 3      /* x19 is said to be one word lower */
#define VECTOR 4    /* of d8 nothing is said */
#define BARE 5      /* no information at all */

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
        stp x29, x30, [sp, #-32]!
        .if \fault != BARE
        .if \fault != MOVED
        .cfi_def_cfa_offset 32
        .endif
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        .endif
        str x19, [sp, #16]
        str d8, [sp, #24]
        .if \fault != BARE
        .if \fault == SLOT
        .cfi_offset x19, -24
        .else
        .cfi_offset x19, -16
        .endif
        .if \fault != VECTOR
        .cfi_offset d8, -8
        .endif
        .endif
        mov x19, xzr
        movi d8, #0
        bl helper
        ldr x19, [sp, #16]
        ldr d8, [sp, #24]
        ldp x29, x30, [sp], #32
        .if \fault != BARE
        .if \fault != EPILOGUE
        .cfi_def_cfa_offset 0
        .endif
        .irp register, x19, x29, x30, d8
        .cfi_restore \register
        .endr
        .endif
        b faulty_chacha20_work
        end \name, \fault
        .endm

        framed faulty_chacha20_twin, RIGHT
        framed faulty_chacha20_moved, MOVED
        framed faulty_chacha20_epilogue, EPILOGUE
        framed faulty_chacha20_slot, SLOT
        framed faulty_chacha20_vector, VECTOR
        framed faulty_chacha20_bare, BARE

/* Neither moves the stack pointer nor has information, which it does not need. */
        begin faulty_chacha20_leaf, BARE
        mov x9, xzr
        b faulty_chacha20_work
        end faulty_chacha20_leaf, BARE

        .type helper, %function
        .p2align 2
helper:
        .cfi_startproc
        str x20, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x20, -16
        mov x20, xzr
        ldr x20, [sp], #16
        .cfi_def_cfa_offset 0
        .cfi_restore x20
        ret
        .cfi_endproc
        .size helper, .-helper

        .section .note.GNU-stack,"",%progbits
