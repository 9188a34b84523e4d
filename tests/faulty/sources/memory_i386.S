/*
 * Writes above the arguments, into the caller's frame. All have the prototype of
 * chacha20_ctr32 and let faulty_chacha20_work do the work, with its arguments untouched:
 * 4(%esp) out, 8 in, 12 len, 16 key, 20 counter. ABI: cdecl.
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
        movl %eax, 32(%esp)
        jmp faulty_chacha20_work
        end faulty_memory_above

/* One byte, 303 bytes above the arguments. */
        begin faulty_memory_above_far
        movb %al, 327(%esp)
        jmp faulty_chacha20_work
        end faulty_memory_above_far

/* Nothing above them. */
        begin faulty_memory_above_twin
        movl %eax, %ecx
        jmp faulty_chacha20_work
        end faulty_memory_above_twin

/* The first byte that is not the callee's. */
        begin faulty_memory_below
        movb %al, -1(%esp)
        jmp faulty_chacha20_work
        end faulty_memory_below

/* A word of a frame that has been given back. */
        begin faulty_memory_below_late
        subl $400, %esp
        .cfi_adjust_cfa_offset 400
        movl %eax, (%esp)
        addl $400, %esp
        .cfi_adjust_cfa_offset -400
        incl -400(%esp)
        jmp faulty_chacha20_work
        end faulty_memory_below_late

/* As far down as the ABI allows, and frames that come and go. */
        begin faulty_memory_below_twin
        pushl %eax
        .cfi_adjust_cfa_offset 4
        incl (%esp)
        addl $4, %esp
        .cfi_adjust_cfa_offset -4
        jmp faulty_chacha20_work
        end faulty_memory_below_twin

        .section .note.GNU-stack,"",@progbits
