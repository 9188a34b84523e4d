/*
 * Writes above the arguments, into the caller's frame. All have the prototype of
 * chacha20_ctr32 and let faulty_chacha20_work do the work, with its arguments untouched:
 * rdi out, rsi in, rdx len, rcx key, r8 counter. ABI: System V.
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

/* The word 8 bytes above the arguments. */
        begin faulty_memory_above
        movq %rdx, 16(%rsp)
        jmp faulty_chacha20_work
        end faulty_memory_above

/* One byte, 303 bytes above the arguments. */
        begin faulty_memory_above_far
        movb %dl, 311(%rsp)
        jmp faulty_chacha20_work
        end faulty_memory_above_far

/* Nothing above them. */
        begin faulty_memory_above_twin
        movq %rdx, -128(%rsp)
        jmp faulty_chacha20_work
        end faulty_memory_above_twin

/* The first byte that is not the callee's. */
        begin faulty_memory_below
        movb %dl, -129(%rsp)
        jmp faulty_chacha20_work
        end faulty_memory_below

/* A word of a frame that has been given back. */
        begin faulty_memory_below_late
        subq $400, %rsp
        .cfi_adjust_cfa_offset 400
        movq %rdx, (%rsp)
        addq $400, %rsp
        .cfi_adjust_cfa_offset -400
        incq -400(%rsp)
        jmp faulty_chacha20_work
        end faulty_memory_below_late

/* As far down as the ABI allows, and frames that come and go. */
        begin faulty_memory_below_twin
        movq %rdx, -128(%rsp)
        pushq %rdx
        .cfi_adjust_cfa_offset 8
        movb $0, -128(%rsp)
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp faulty_chacha20_work
        end faulty_memory_below_twin

        .section .note.GNU-stack,"",@progbits
