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

        .section .note.GNU-stack,"",@progbits
