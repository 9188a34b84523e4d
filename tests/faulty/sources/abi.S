/*
 * Faults against the System V ABI, and a call of another variant's function.
 * Each macro makes a pair: NAME with the fault, NAME_twin without. All have the
 * prototype of chacha20_ctr32 and let faulty_chacha20_work do the work, with its
 * arguments in rdi, rsi, rdx, rcx and r8 untouched.
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

        .macro save register
        pushq %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\register, 0
        .endm

        .macro drop bytes
        addq $\bytes, %rsp
        .cfi_adjust_cfa_offset -\bytes
        .endm

        .macro reserve bytes
        subq $\bytes, %rsp
        .cfi_adjust_cfa_offset \bytes
        .endm

/* A register that is saved and used, and restored by the twin only. */
        .macro unrestored name, register, fault
        begin \name
        save \register
        movq $-1, %\register
        call faulty_chacha20_work
        .if !\fault
        movq (%rsp), %\register
        .endif
        drop 8
        ret
        end \name
        .endm

        unrestored faulty_chacha20_rbx, rbx, 1
        unrestored faulty_chacha20_rbx_twin, rbx, 0
        unrestored faulty_chacha20_rbp, rbp, 1
        unrestored faulty_chacha20_rbp_twin, rbp, 0

/* r12 comes back from the slot of r13. */
        .macro neighbour name, fault
        begin \name
        save r12
        save r13
        save r14
        movq $-1, %r12
        movq $-1, %r13
        call faulty_chacha20_work
        .if \fault
        movq 8(%rsp), %r12
        .else
        movq 16(%rsp), %r12
        .endif
        movq 8(%rsp), %r13
        drop 24
        ret
        end \name
        .endm

        neighbour faulty_chacha20_r12, 1
        neighbour faulty_chacha20_r12_twin, 0

/* Of r15 the low half only is saved. */
        .macro half name, fault
        begin \name
        save r15
        .if \fault
        movl %r15d, %r15d
        movq %r15, (%rsp)
        .endif
        movq $-1, %r15
        call faulty_chacha20_work
        movq (%rsp), %r15
        drop 8
        ret
        end \name
        .endm

        half faulty_chacha20_r15, 1
        half faulty_chacha20_r15_twin, 0

/* A backward copy that leaves DF set. */
        .macro backward name, fault
        begin \name
        reserve 8
        call faulty_chacha20_work
        std
        .if !\fault
        cld
        .endif
        drop 8
        ret
        end \name
        .endm

        backward faulty_chacha20_df, 1
        backward faulty_chacha20_df_twin, 0

/* Flush-to-zero, which is bit 15 of MXCSR, stays on. */
        .macro flush name, fault
        begin \name
        reserve 8
        stmxcsr (%rsp)
        movl (%rsp), %eax
        orl $0x8000, %eax
        movl %eax, 4(%rsp)
        ldmxcsr 4(%rsp)
        call faulty_chacha20_work
        .if !\fault
        ldmxcsr (%rsp)
        .endif
        drop 8
        ret
        end \name
        .endm

        flush faulty_chacha20_mxcsr, 1
        flush faulty_chacha20_mxcsr_twin, 0

/* The x87 unit rounds to zero (bits 10 and 11 of its control word) ever after. */
        .macro rounding name, fault
        begin \name
        reserve 8
        fnstcw (%rsp)
        movl (%rsp), %eax
        orl $0xc00, %eax
        movl %eax, 4(%rsp)
        fldcw 4(%rsp)
        call faulty_chacha20_work
        .if !\fault
        fldcw (%rsp)
        .endif
        drop 8
        ret
        end \name
        .endm

        rounding faulty_chacha20_x87_control, 1
        rounding faulty_chacha20_x87_control_twin, 0

/* MMX without emms: the x87 tags say that its registers are in use. */
        .macro mmx name, fault
        begin \name
        reserve 8
        movq %rdx, %mm0
        paddd %mm0, %mm0
        .if !\fault
        emms
        .endif
        call faulty_chacha20_work
        drop 8
        ret
        end \name
        .endm

        mmx faulty_chacha20_mmx, 1
        mmx faulty_chacha20_mmx_twin, 0

/* Takes an argument off the stack that nobody has put there. */
        .macro pops name, fault
        begin \name
        reserve 8
        call faulty_chacha20_work
        drop 8
        ret $8*\fault
        end \name
        .endm

        pops faulty_chacha20_rsp, 1
        pops faulty_chacha20_rsp_twin, 0

/* Keeps len above its return address, in its caller's frame; the twin in its own red zone. */
        .macro spills name, fault
        begin \name
        .if \fault
        movq %rdx, 16(%rsp)
        .else
        movq %rdx, -16(%rsp)
        .endif
        jmp faulty_chacha20_work
        end \name
        .endm

        spills faulty_chacha20_frame, 1
        spills faulty_chacha20_frame_twin, 0

/* Right output, by another variant's function. */
        .macro borrows name, lender
        begin \name
        jmp \lender
        end \name
        .endm

        borrows faulty_chacha20_borrows, faulty_chacha20_rbx_twin
        borrows faulty_chacha20_borrows_twin, faulty_chacha20_work

        .section .note.GNU-stack,"",@progbits
