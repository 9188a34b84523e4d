/*
 * Upper halves of vector registers that stay in use: what runs next pays for it. All have the
 * prototype of chacha20_ctr32 and let faulty_chacha20_work do the work, with its arguments
 * untouched. One source for x86_64 and i386, whose stack has len at 12(%esp).
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

        .macro use_uppers
        vcmpps $15, %ymm0, %ymm0, %ymm0
        .endm

#if defined(__x86_64__)
#define COMPARE_LEN cmpq $16, %rdx
#else
#define COMPARE_LEN cmpl $16, 12(%esp)
#endif

/* No vzeroupper at all. */
        begin faulty_uppers_left
        use_uppers
        jmp faulty_chacha20_work
        end faulty_uppers_left

/* None on the way that short messages take. */
        begin faulty_uppers_short
        use_uppers
        COMPARE_LEN
        jb faulty_chacha20_work
        vzeroupper
        jmp faulty_chacha20_work
        end faulty_uppers_short

/* Cleared on every way. */
        begin faulty_uppers_twin
        use_uppers
        vzeroupper
        jmp faulty_chacha20_work
        end faulty_uppers_twin

        .section .note.GNU-stack,"",@progbits
